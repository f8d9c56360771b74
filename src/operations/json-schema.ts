import {
  type GraphQLInputType,
  type GraphQLNamedInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';

type JsonType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

/** The part of JSON Schema that describes inputs and results. */
export interface JsonSchema {
  type?: JsonType | [JsonType, 'null'];
  description?: string;
  format?: string;
  default?: unknown;
  enum?: string[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  minProperties?: number;
  maxProperties?: number;
  additionalProperties?: false;
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
}

export const scalars: Record<string, JsonSchema> = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  URL: { type: 'string', format: 'uri' },
  JSON: {},
};

/** A field of an input, or a variable of an operation. */
interface Given {
  type: GraphQLInputType;
  description?: string | null | undefined;
  defaultValue?: unknown;
}

/** The schemas of input types that are described once, by their names. */
type Shared = Map<string, JsonSchema | undefined>;

/** A property that every tool would repeat for a flag. */
const isFalseByDefault = / Defaults to false\.$/;

/** The JSON Schema of an input. Null, which every optional field accepts, is left to the descriptions. */
function jsonSchemaOf({ type, description, defaultValue }: Given, shared: Shared): JsonSchema {
  const inner = isNonNullType(type) ? type.ofType : type;
  const schema: JsonSchema = isListType(inner)
    ? { type: 'array', items: jsonSchemaOf({ type: inner.ofType }, shared) }
    : namedSchema(inner as GraphQLNamedInputType, shared);
  const text = [description?.replace(isFalseByDefault, ''), schema.description].filter(Boolean).join(' ');
  return {
    ...schema,
    ...(text && { description: text }),
    ...(defaultValue != null && { default: defaultValue }),
  };
}

function namedSchema(type: GraphQLNamedInputType, shared: Shared): JsonSchema {
  if (isEnumType(type)) {
    const values = type.getValues();
    const meanings = values.flatMap(({ name, description }) =>
      description ? [`${name}: ${description}`] : [],
    );
    return {
      type: 'string',
      enum: values.map(({ name }) => name),
      ...(meanings.length > 0 && { description: meanings.join(' ') }),
    };
  }
  if (!isInputObjectType(type)) return scalars[type.name] ?? { type: 'string' };
  if (shared.has(type.name)) {
    if (!shared.get(type.name)) {
      // Set first, so that a type that contains itself ends.
      shared.set(type.name, {});
      shared.set(type.name, objectSchema(type.getFields(), shared));
    }
    return { $ref: `#/$defs/${type.name}` };
  }
  const schema = objectSchema(type.getFields(), shared);
  // Fewer clients understand `oneOf` than the number of properties.
  if (type.isOneOf)
    Object.assign(schema, {
      minProperties: 1,
      maxProperties: 1,
      description: 'Give exactly one field.',
    });
  return schema;
}

/** The names of the input types that an input has several times, without references, which are short. */
function repeatedTypes(
  fields: Record<string, Given>,
  found = new Map<string, number>(),
): Map<string, number> {
  for (const { type } of Object.values(fields)) {
    const named = getNamedType(type);
    if (!isInputObjectType(named) || named.isOneOf) continue;
    const count = (found.get(named.name) ?? 0) + 1;
    found.set(named.name, count);
    if (count === 1) repeatedTypes(named.getFields(), found);
  }
  return found;
}

/** The JSON Schema of the input of a tool. An input type that it has several times is described once. */
export function inputSchemaOf(fields: Record<string, Given>): JsonSchema {
  const repeated = [...repeatedTypes(fields)].flatMap(([name, count]) => (count > 1 ? name : []));
  const shared: Shared = new Map(repeated.map((name) => [name, undefined]));
  const schema = objectSchema(fields, shared);
  return shared.size > 0
    ? { ...schema, $defs: Object.fromEntries(shared) as Record<string, JsonSchema> }
    : schema;
}

function objectSchema(fields: Record<string, Given>, shared: Shared): JsonSchema {
  const required = Object.entries(fields).flatMap(([name, { type, defaultValue }]) =>
    isNonNullType(type) && defaultValue === undefined ? [name] : [],
  );
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, jsonSchemaOf(field, shared)]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}
