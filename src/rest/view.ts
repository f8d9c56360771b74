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
  const of = async (context: Context, row: Shown<F>) => {
    const values = await Promise.all(entries.map(([, field]) => field.read(row, context)));
    return Object.fromEntries(entries.map(([name], index) => [name, values[index]])) as z.output<Schema<F>>;
  };
  return { schema, of, all: (context, rows) => Promise.all(rows.map((row) => of(context, row))) };
}
