import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';

export type Json = Record<string, unknown>;

const scalars: Record<string, Json> = {
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  URL: { type: 'string', format: 'uri' },
  JSON: {},
};

export const nullable = (schema: Json): Json =>
  typeof schema.type === 'string'
    ? { ...schema, type: [schema.type, 'null'] }
    : Object.keys(schema).length > 0
      ? { anyOf: [schema, { type: 'null' }] }
      : schema;

/** With a description, unless it has one of its own beside a reference. */
export const described = (schema: Json, description: string | null | undefined): Json =>
  description ? { ...schema, description } : schema;

/** The named schemas of a document: each is made when it is first referred to. */
export class NamedSchemas {
  readonly #made = new Map<string, Json | undefined>();
  readonly #of = new Map<string, unknown>();

  /** A reference to the schema of a name. `key` is what it is of: two things cannot have one name. */
  refTo(name: string, key: unknown, make: () => Json): Json {
    if (!this.#made.has(name)) {
      this.#of.set(name, key);
      // Set first, so that a type that contains itself ends.
      this.#made.set(name, undefined);
      this.#made.set(name, make());
    }
    if (this.#of.get(name) !== key) throw new Error(`Two schemas have the name ${name}.`);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** By name, in the order of their names. */
  all(): Record<string, Json> {
    const sorted = [...this.#made].sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(sorted as [string, Json][]);
  }

  /** A scalar or an enum. */
  leaf(type: GraphQLNamedType): Json {
    if (!isEnumType(type)) return scalars[type.name] ?? { type: 'string' };
    return this.refTo(type.name, type, () => enumSchema(type));
  }

  /** An argument or a field of an input. Optional ones can be null. */
  input(type: GraphQLInputType): Json {
    return isNonNullType(type) ? this.given(type) : nullable(this.given(type));
  }

  /** The schema of a value that is not null. */
  given(type: GraphQLInputType): Json {
    if (isNonNullType(type)) return this.given(type.ofType);
    if (isListType(type)) return { type: 'array', items: this.input(type.ofType) };
    if (isInputObjectType(type)) return this.refTo(type.name, type, () => this.#inputObject(type));
    return this.leaf(type as GraphQLNamedType);
  }

  #inputObject(type: GraphQLInputObjectType): Json {
    const fields = Object.values(type.getFields());
    const required = fields.filter((each) => isNonNullType(each.type) && each.defaultValue === undefined);
    const schemaOf = ({ type: of, description }: (typeof fields)[number]) => {
      // The one field that is given is not null.
      const schema = type.isOneOf ? this.given(of) : this.input(of);
      return described(schema, description);
    };
    return described(
      {
        type: 'object',
        properties: Object.fromEntries(fields.map((each) => [each.name, schemaOf(each)])),
        ...(required.length > 0 && { required: required.map(({ name }) => name) }),
        ...(type.isOneOf && { minProperties: 1, maxProperties: 1 }),
        additionalProperties: false,
      },
      type.description,
    );
  }
}

function enumSchema(type: GraphQLEnumType): Json {
  const values = type.getValues();
  const meanings = values.flatMap(({ name, description }) =>
    description ? [`- \`${name}\`: ${description}`] : [],
  );
  const text = [type.description, meanings.join('\n')].filter(Boolean).join('\n\n');
  return described({ type: 'string', enum: values.map(({ name }) => name) }, text);
}
