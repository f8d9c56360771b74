import {
  type GraphQLInputType,
  type GraphQLNamedInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';

/** The part of JSON Schema that describes inputs. */
export interface JsonSchema {
  type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
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
}

const scalars: Record<string, JsonSchema> = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
};

/** A field of an input, or a variable of an operation. */
interface Given {
  type: GraphQLInputType;
  description?: string | null | undefined;
  defaultValue?: unknown;
}

/** What every reader expects of a flag, and would read in each of the tools. */
const isFalseByDefault = / Defaults to false\.$/;

/** The JSON Schema of an input. Null, which every optional field accepts, is left to the descriptions. */
export function jsonSchemaOf({ type, description, defaultValue }: Given): JsonSchema {
  const inner = isNonNullType(type) ? type.ofType : type;
  const schema: JsonSchema = isListType(inner)
    ? { type: 'array', items: jsonSchemaOf({ type: inner.ofType }) }
    : namedSchema(inner as GraphQLNamedInputType);
  const text = [description?.replace(isFalseByDefault, ''), schema.description].filter(Boolean).join(' ');
  return {
    ...schema,
    ...(text && { description: text }),
    ...(defaultValue != null && { default: defaultValue }),
  };
}

function namedSchema(type: GraphQLNamedInputType): JsonSchema {
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
  const schema = objectSchema(type.getFields());
  // Fewer clients understand `oneOf` than the number of properties.
  if (type.isOneOf)
    Object.assign(schema, {
      minProperties: 1,
      maxProperties: 1,
      description: 'Give exactly one field.',
    });
  return schema;
}

/** The JSON Schema of an object with these fields, by name. */
export function objectSchema(fields: Record<string, Given>): JsonSchema {
  const required = Object.entries(fields).flatMap(([name, { type, defaultValue }]) =>
    isNonNullType(type) && defaultValue === undefined ? [name] : [],
  );
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, jsonSchemaOf(field)]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}
