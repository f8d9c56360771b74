import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { compileRecord } from '../kernel/record.ts';

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

/** A field of a view: its schema, and how to read its value from a row, or its values from several rows. */
type Field<T, S extends z.ZodType> = { schema: S } & (
  | { read: (row: T, context: Context) => z.output<S> }
  | { readAll: (rows: readonly T[], context: Context) => Promise<readonly z.output<S>[]> }
);

const withExample = <S extends z.ZodType>(schema: S, description: string, example: z.output<S>): S =>
  schema.meta({ description, examples: [example] }) as S;

/**
 * Returns a function that defines fields of a view of `T`: schema, description, example and value. `all` defines a field
 * whose values are read for all rows together, and `each` a field whose values are promises.
 */
export function fieldsOf<T>() {
  const field = <S extends z.ZodType>(
    schema: S,
    description: string,
    example: z.output<S>,
    read: (row: T, context: Context) => z.output<S>,
  ): Field<T, S> => ({ schema: withExample(schema, description, example), read });
  const all = <S extends z.ZodType>(
    schema: S,
    description: string,
    example: z.output<S>,
    readAll: (rows: readonly T[], context: Context) => Promise<readonly z.output<S>[]>,
  ): Field<T, S> => ({ schema: withExample(schema, description, example), readAll });
  const each = <S extends z.ZodType>(
    schema: S,
    description: string,
    example: z.output<S>,
    read: (row: T, context: Context) => Promise<z.output<S>>,
  ): Field<T, S> => ({
    schema: withExample(schema, description, example),
    readAll: (rows, context) => Promise.all(rows.map((row) => read(row, context))),
  });
  return Object.assign(field, { all, each });
}

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
  type Answer = z.output<Schema<F>>;
  const entries = Object.entries(fields);
  const shape = Object.fromEntries(entries.map(([name, field]) => [name, field.schema]));
  const schema = answer(id, description, z.object(shape)) as unknown as Schema<F>;
  const textSize = entries.reduce((size, [name]) => size + name.length + 6, 2);
  const readAlls = entries.flatMap(([, field]) => ('readAll' in field ? field.readAll : []));
  const show = shownBy<Shown<F>, Answer>(entries);
  const some = async (context: Context, rows: readonly Shown<F>[]) => {
    const values = await Promise.all(readAlls.map((readAll) => readAll(rows, context)));
    return rows.map((row, index) => show(row, context, values, index));
  };
  const all = async (context: Context, rows: readonly Shown<F>[]) => {
    // Checked first, so that a response that exceeds the memory budget is not begun.
    context.budget?.count(rows.length * (entries.length + 1), rows.length * textSize);
    const answers: Answer[] = [];
    for (let start = 0; start < rows.length; start += slice) {
      if (start > 0) await nextTurn();
      const next = await some(context, rows.slice(start, start + slice));
      context.budget?.count(0, textOf(next));
      answers.push(...next);
    }
    return answers;
  };
  return { schema, of: async (context, row) => (await some(context, [row]))[0]!, all };
}

/** Makes the representation of a row, given what `readAll` of the fields has read for all rows. */
function shownBy<T, A>(entries: readonly (readonly [string, Fields[string]])[]) {
  const reads: Record<string, unknown> = {};
  let lists = 0;
  const expressions = entries.map(([name, field], index) => {
    if ('readAll' in field) return [name, `read[${lists++}][index]`] as const;
    reads[`read${index}`] = field.read;
    return [name, `read${index}(row, context)`] as const;
  });
  return compileRecord<(row: T, context: Context, read: readonly unknown[], index: number) => A>(
    ['row', 'context', 'read', 'index'],
    expressions,
    reads,
  );
}

/** The number of rows that are shown, with their related rows, before yielding to other requests. */
const slice = 1_000;

/** The total length of the strings in the values. */
function textOf(values: object): number {
  let size = 0;
  for (const value of Object.values(values)) {
    if (typeof value === 'string') size += value.length;
    else if (typeof value === 'object' && value !== null) size += textOf(value);
  }
  return size;
}
