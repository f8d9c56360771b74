import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { Context } from '../context.ts';

/** The named schemas of the OpenAPI document, for bodies and responses. Their names are from the contract. */
export const bodySchemas = z.registry<{ id: string }>();
export const answerSchemas = z.registry<{ id: string }>();

/** Adds a description and an example. Examples of objects are composed from those of their fields. */
export const described = <S extends z.ZodType>(schema: S, description: string, example?: z.input<S>): S =>
  schema.meta({ description, ...(example !== undefined && { examples: [example] }) }) as S;

/** Names a body schema as in the contract. */
export function body<S extends z.ZodType>(id: string, description: string, schema: S): S {
  const named = described(schema, description);
  bodySchemas.add(named, { id });
  return named;
}

/** Names a response schema as in the contract. */
export function answer<S extends z.ZodType>(id: string, description: string, schema: S): S {
  const named = described(schema, description);
  answerSchemas.add(named, { id });
  return named;
}

/** A field of a view: its schema, and how to read its value. */
interface Field<T, S extends z.ZodType> {
  schema: S;
  read: (row: T, context: Context) => z.output<S> | Promise<z.output<S>>;
}

/** Returns a function that defines fields of a view of `T`: schema, description, example and value. */
export const fieldsOf =
  <T>() =>
  <S extends z.ZodType>(
    schema: S,
    description: string,
    example: z.output<S>,
    read: Field<T, S>['read'],
  ): Field<T, S> => ({ schema: schema.meta({ description, examples: [example] }) as S, read });

// biome-ignore lint/suspicious/noExplicitAny: a view has fields of every type
type Fields = Record<string, Field<any, any>>;
// biome-ignore lint/suspicious/noExplicitAny: only what is shown is asked for
type Shown<F extends Fields> = F[keyof F] extends Field<infer T, any> ? T : never;
type Schema<F extends Fields> = z.ZodObject<{ [K in keyof F]: F[K]['schema'] }>;

/** The REST representation of an object. */
export interface View<T, S extends z.ZodType> {
  schema: S;
  of(context: Context, row: T): Promise<z.output<S>>;
  /** Shows all objects together, so that related rows are read in batches. */
  all(context: Context, rows: readonly T[]): Promise<z.output<S>[]>;
}

/** Defines a view, named as in the contract. All of its fields are always present. */
export function view<F extends Fields>(
  id: string,
  description: string,
  fields: F,
): View<Shown<F>, Schema<F>> {
  const entries = Object.entries(fields);
  const shape = Object.fromEntries(entries.map(([name, field]) => [name, field.schema]));
  const schema = answer(id, description, z.object(shape)) as unknown as Schema<F>;
  const names = entries.map(([name]) => name);
  const textSize = names.reduce((size, name) => size + name.length + 6, 2);
  const of = (context: Context, row: Shown<F>) => {
    const shown: Record<string, unknown> = {};
    const waiting: Promise<void>[] = [];
    for (const [name, field] of entries) {
      const value = field.read(row, context);
      // Reserves the position of the field, so that fields keep the order of the contract.
      shown[name] = value;
      if (isPromise(value)) {
        const put = (known: unknown) => {
          shown[name] = known;
        };
        waiting.push(value.then(put));
      }
    }
    return waiting.length ? Promise.all(waiting).then(() => shown) : shown;
  };
  const all = async (context: Context, rows: readonly Shown<F>[]) => {
    // Checked first, so that a response that exceeds the memory budget is not begun.
    context.budget?.count(rows.length * (names.length + 1), rows.length * textSize);
    const shown: Record<string, unknown>[] = [];
    for (let start = 0; start < rows.length; start += slice) {
      if (start > 0) await nextTurn();
      const some = await Promise.all(rows.slice(start, start + slice).map((row) => of(context, row)));
      context.budget?.count(0, textOf(some));
      shown.push(...some);
    }
    return shown as z.output<Schema<F>>[];
  };
  return { schema, of: async (context, row) => (await of(context, row)) as z.output<Schema<F>>, all };
}

/** The number of rows that are shown, with their related rows, before yielding to other requests. */
const slice = 1_000;

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as Promise<unknown> | null)?.then === 'function';

/** The total length of the strings in the values. */
function textOf(values: readonly unknown[]): number {
  let size = 0;
  for (const value of values) {
    if (typeof value === 'string') size += value.length;
    else if (typeof value === 'object' && value !== null) size += textOf(Object.values(value));
  }
  return size;
}
