import type { InputRef } from '@pothos/core';
import { z } from 'zod';
import { deprecated, deprecations } from '../../kernel/deprecated.ts';
import { builder } from './builder.ts';

/** GraphQL types by zod schema, for named types. */
const named = new WeakMap<object, unknown>();

type AnySchema = z.core.$ZodType;

const definition = (schema: AnySchema) => schema._zod.def as { type: string } & Record<string, unknown>;

/** The original of a schema that was copied by `describe`. */
const originOf = (schema: AnySchema): AnySchema =>
  schema._zod.parent ? originOf(schema._zod.parent) : schema;

const metaOf = (schema: AnySchema) =>
  (z.globalRegistry.get(schema) ?? {}) as {
    description?: string;
    scalar?: string;
    deprecationReason?: string;
  };

const descriptionOf = (schema: AnySchema): string | undefined => metaOf(schema).description;

/** A GraphQL enum for a zod enum: `TCP` in GraphQL has the internal value `tcp`. */
export function enumOf<E extends Record<string, string>>(
  name: string,
  schema: z.ZodEnum<E>,
  description: string,
  values: Record<E[keyof E] & string, string>,
  names: (value: string) => string = (value) => value.toUpperCase().replaceAll('-', '_'),
) {
  const ref = builder.enumType(name, {
    description,
    values: Object.fromEntries(
      Object.entries(values).map(([value, text]) => [names(value), { value, description: text as string }]),
    ) as Record<string, { value: E[keyof E] & string; description: string }>,
  });
  named.set(originOf(schema), ref);
  return ref;
}

/** A `@oneOf` input that identifies an entity. */
export function referenceOf<S extends z.ZodObject>(name: string, schema: S, description: string) {
  return defineInput(name, schema, description, true);
}

/** The input type of a zod object, with its fields, descriptions and validation. */
export function inputOf<S extends z.ZodObject>(name: string, schema: S, description: string) {
  return defineInput(name, schema, description, false);
}

function defineInput<S extends z.ZodObject>(name: string, schema: S, description: string, isOneOf: boolean) {
  const ref = builder.inputType(name, {
    description,
    isOneOf: isOneOf as false,
    fields: (t) =>
      Object.fromEntries(
        Object.entries(schema.shape as Record<string, AnySchema>).map(([field, of]) => {
          const { type, required, text } = fieldType(of, `${name}.${field}`);
          if (!text) throw new Error(`${name}.${field} has no description`);
          const deprecation = deprecations.get(of);
          return [
            field,
            t.field({
              type: type as 'String',
              required: required as true,
              description: text,
              ...(deprecation && { deprecationReason: deprecated(deprecation.instead, deprecation.from) }),
            }),
          ];
        }),
      ),
  });
  named.set(originOf(schema), ref);
  return ref as unknown as InputRef<z.input<S>>;
}

/** The input type that was defined for a schema. */
export const inputTypeOf = (schema: AnySchema): unknown => named.get(originOf(schema));

/** The GraphQL type of a zod field. The outermost description is used. */
function fieldType(schema: AnySchema, at: string): { type: unknown; required: boolean; text?: string } {
  const text = descriptionOf(schema);
  const def = definition(schema);
  if (isId(schema)) return { type: 'ID', required: def.type !== 'optional', text };
  if (def.type === 'optional' || def.type === 'nullable') {
    const inner = fieldType(def.innerType as AnySchema, at);
    return { ...inner, required: false, text: text ?? inner.text };
  }
  if (def.type === 'array') {
    return { type: [fieldType(def.element as AnySchema, `${at}[]`).type], required: true, text };
  }
  const type = inputTypeOf(schema) ?? scalarOf(schema, def);
  if (!type) throw new Error(`${at}: no GraphQL type for a zod ${def.type}`);
  return { type, required: true, text };
}

const isId = (schema: AnySchema) => metaOf(schema).scalar === 'ID';

function scalarOf(schema: AnySchema, def: { type: string } & Record<string, unknown>): string | undefined {
  if (metaOf(schema).scalar === 'JSON') return 'JSON';
  if (def.type === 'string') return 'String';
  if (def.type === 'boolean') return 'Boolean';
  if (def.type === 'date') return 'DateTime';
  if (def.type === 'number') return (schema as z.ZodNumber).isInt ? 'Int' : 'Float';
  return undefined;
}
