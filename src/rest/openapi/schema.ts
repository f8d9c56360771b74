import { z } from 'zod';

/** zod → JSON Schema and examples: the parts of the OpenAPI document. */
type AnySchema = z.core.$ZodType;
type Registry = z.core.$ZodRegistry<{ id: string }>;
type Json = Record<string, unknown>;

const refOf = (id: string) => `#/components/schemas/${id}`;

const options = {
  target: 'draft-2020-12',
  unrepresentable: 'any',
  uri: refOf,
  override({ zodSchema, jsonSchema }: { zodSchema: AnySchema; jsonSchema: Json }) {
    // Whole numbers have the bounds of exact ones by themselves: they say nothing of the field.
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    // What is taken in several types says so in `anyOf`; the type of what it becomes is not what is sent.
    if (jsonSchema.anyOf) delete jsonSchema.type;
    // Of what is transformed zod drops these, though here they are what is sent.
    const { examples, default: fallback } = z.globalRegistry.get(zodSchema) ?? {};
    if (examples) jsonSchema.examples = examples;
    if (fallback !== undefined) jsonSchema.default = fallback;
  },
} as const;

const without$ = ({ $schema, $id, ...schema }: Json): Json => schema;

/** What a parameter takes. */
export const inlineSchema = (schema: z.ZodType): Json =>
  without$(z.toJSONSchema(schema, { ...options, io: 'input' } as never) as Json);

/** Every schema of a registry, by its name; they refer to each other. */
export function schemasOf(registry: Registry, io: 'input' | 'output'): Record<string, Json> {
  const override = (context: Parameters<typeof options.override>[0] & { path: (string | number)[] }) => {
    options.override(context);
    // In a body null stands for an empty list; it does not stand for the body.
    const isWithinBody = io === 'input' && context.path.length > 0;
    if (isWithinBody && context.jsonSchema.type === 'array') context.jsonSchema.type = ['array', 'null'];
  };
  const { schemas } = z.toJSONSchema(registry, { ...options, override, io } as never) as {
    schemas: Record<string, Json>;
  };
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, without$(schema)]));
}

/** A reference to a schema that has a name, or a list of such. */
export function refOrSchema(registry: Registry, schema: z.ZodType): Json {
  const id = registry.get(schema)?.id;
  if (id) return { $ref: refOf(id) };
  if (schema instanceof z.ZodArray) {
    return { type: 'array', items: refOrSchema(registry, schema.element as z.ZodType) };
  }
  throw new Error('A body or answer of REST needs a name.');
}

/** An example of a schema, put together from those of its fields. */
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

/** The examples of a body: of one that is told apart by a field, one of each kind. */
export function examplesOf(schema: z.ZodType): Json {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return { example: exampleOf(schema) };
  const kinds = schema.options.map((kind) => {
    const value = exampleOf(kind) as Json;
    return [String(value[schema.def.discriminator]), { value }];
  });
  return { examples: Object.fromEntries(kinds) };
}
