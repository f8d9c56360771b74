import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { Context } from '../context.ts';

/** The schemas that the OpenAPI document names, by their name in the contract: bodies, and what is answered. */
export const bodySchemas = z.registry<{ id: string }>();
export const answerSchemas = z.registry<{ id: string }>();

/** A description and an example, which examples of whole objects are put together from. */
export const described = <S extends z.ZodType>(schema: S, description: string, example?: z.input<S>): S =>
  schema.meta({ description, ...(example !== undefined && { examples: [example] }) }) as S;

/** A body, under its name in the contract. */
export function body<S extends z.ZodType>(id: string, description: string, schema: S): S {
  const named = described(schema, description);
  bodySchemas.add(named, { id });
  return named;
}

/** What is answered, under its name in the contract. */
export function answer<S extends z.ZodType>(id: string, description: string, schema: S): S {
  const named = described(schema, description);
  answerSchemas.add(named, { id });
  return named;
}

/** One field of a view: its schema, and how it is read from what is shown. */
interface Field<T, S extends z.ZodType> {
  schema: S;
  read: (row: T, context: Context) => z.output<S> | Promise<z.output<S>>;
}

/** Makes the fields of a view of `T`: schema, description, example, and where the value comes from. */
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

/** How REST shows something. */
export interface View<T, S extends z.ZodType> {
  schema: S;
  of(context: Context, row: T): Promise<z.output<S>>;
  /** All at once, so that what they hang on is read for all of them together. */
  all(context: Context, rows: readonly T[]): Promise<z.output<S>[]>;
}

/** A view under its name in the contract; each of its fields is always there. */
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
      // In its place at once: the order is that of the contract, whatever arrives first.
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
    // Before anything is made of them: what takes more than there is room for need not be begun.
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

/** Rows that are shown before other requests have their turn; what these hang on is read together. */
const slice = 1_000;

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as Promise<unknown> | null)?.then === 'function';

/** How long the texts in some values are together. */
function textOf(values: readonly unknown[]): number {
  let size = 0;
  for (const value of values) {
    if (typeof value === 'string') size += value.length;
    else if (typeof value === 'object' && value !== null) size += textOf(Object.values(value));
  }
  return size;
}
