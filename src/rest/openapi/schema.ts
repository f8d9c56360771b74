import { z } from 'zod';

/** Converts zod schemas to the JSON Schemas and examples of the OpenAPI document. */
type AnySchema = z.core.$ZodType;
type Registry = z.core.$ZodRegistry<{ id: string }>;
type Json = Record<string, unknown>;

const refOf = (id: string) => `#/components/schemas/${id}`;

const options = {
  target: 'draft-2020-12',
  unrepresentable: 'any',
  uri: refOf,
  override({ zodSchema, jsonSchema }: { zodSchema: AnySchema; jsonSchema: Json }) {
    // Drops the bounds of safe integers, which zod adds to every integer.
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    // For inputs of several types, `anyOf` has the types; `type` is that of the parsed value.
    if (jsonSchema.anyOf) delete jsonSchema.type;
    // zod drops these for transformed schemas, but they describe the input.
    const { examples, default: fallback } = z.globalRegistry.get(zodSchema) ?? {};
    if (examples) jsonSchema.examples = examples;
    if (fallback !== undefined) jsonSchema.default = fallback;
  },
} as const;

const without$ = ({ $schema, $id, ...schema }: Json): Json => schema;

export const inlineSchema = (schema: z.ZodType): Json =>
  without$(z.toJSONSchema(schema, { ...options, io: 'input' }) as Json);

/** The JSON Schemas of a registry by name, with references to each other. */
export function schemasOf(registry: Registry, io: 'input' | 'output'): Record<string, Json> {
  const override = (context: Parameters<typeof options.override>[0] & { path: (string | number)[] }) => {
    options.override(context);
    // Lists within a body can be null, but the body itself cannot.
    const isWithinBody = io === 'input' && context.path.length > 0;
    if (isWithinBody && context.jsonSchema.type === 'array') context.jsonSchema.type = ['array', 'null'];
  };
  const { schemas } = z.toJSONSchema(registry, { ...options, override, io }) as {
    schemas: Record<string, Json>;
  };
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, without$(schema)]));
}

/** A reference to a named schema, or a list of such references. */
export function refOrSchema(registry: Registry, schema: z.ZodType): Json {
  const id = registry.get(schema)?.id;
  if (id) return { $ref: refOf(id) };
  if (schema instanceof z.ZodArray) {
    return { type: 'array', items: refOrSchema(registry, schema.element as z.ZodType) };
  }
  throw new Error('A body or answer of REST needs a name.');
}

/** An example of a schema, composed from the examples of its fields. */
export function exampleOf(schema: AnySchema): unknown {
  const { examples } = z.globalRegistry.get(schema) ?? {};
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  const def = schema._zod.def as unknown as {
    type: string;
    shape: Record<string, AnySchema>;
    element: AnySchema;
    innerType: AnySchema;
    values: unknown[];
  };
  switch (def.type) {
    case 'object': {
      const fields = Object.entries(def.shape);
      return Object.fromEntries(
        fields.flatMap(([name, of]) => {
          const example = exampleOf(of);
          return example === undefined ? [] : [[name, example]];
        }),
      );
    }
    case 'array':
      return [exampleOf(def.element)];
    case 'literal':
      return def.values[0];
    case 'optional':
    case 'nullable':
      return exampleOf(def.innerType);
    default:
      return undefined;
  }
}

/** The examples of a body. A discriminated union has one example per variant. */
export function examplesOf(schema: z.ZodType): Json {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return { example: exampleOf(schema) };
  const kinds = schema.options.map((kind) => {
    const value = exampleOf(kind) as Json;
    return [String(value[schema.def.discriminator]), { value }];
  });
  return { examples: Object.fromEntries(kinds) };
}
