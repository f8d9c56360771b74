import { z } from 'zod';
import type { Context } from '../context.ts';
import { countOf, type List, rangeOf } from '../db/list.ts';
import type { Field, Model, Part } from '../db/tables.ts';
import { line, search } from '../kernel/validate.ts';
import { answer, described } from './view.ts';

const digits = /^(0|[1-9]\d{0,9})$/;

/** A whole number that matches `schema`, as a string or number. */
export const numeric = (schema: z.ZodType<number, number>, description: string, example: number) =>
  z
    .transform((value: unknown, { issues }) => {
      if (typeof value !== 'string') return value as number;
      if (!digits.test(value))
        issues.push({ code: 'custom', input: value, message: 'Must be a whole number' });
      return Number(value);
    })
    .pipe(schema)
    // The schema before the conversion to a number cannot be derived.
    // Not `type: ['string', 'integer']`: Swagger UI cannot send a parameter of two types.
    .meta({
      anyOf: [{ type: 'integer' }, { type: 'string', pattern: digits.source }],
      description,
      examples: [example],
    });

/** `true` or `false`. Defaults to `false`. */
export const flag = (description: string) =>
  z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .meta({
      description: `${description} \`true\` or \`false\`.`,
      default: 'false',
      examples: ['true'],
    });

/** A path parameter that is an identifier or a name. */
export const named = (description: string, example: string) => described(line(300), description, example);

/** The `query` parameter of a list. */
export const searched = (what: string, example: string) =>
  described(search().optional(), `A case-insensitive substring of ${what}.`, example);

const whole = (schema: z.ZodInt32, description: string, fallback: number) =>
  z
    .string()
    .regex(digits, 'Must be a whole number')
    .transform(Number)
    .pipe(schema)
    .default(fallback)
    .meta({ description, default: String(fallback), examples: [String(fallback)] });

/** The paging parameters of the contract. */
export const paging = {
  page: whole(z.int32().min(1), 'The page number, starting at 1.', 1),
  page_size: whole(z.int32().min(1).max(1000), 'The number of items per page, from 1 to 1000.', 10),
};

/** The response schema of a page, with its items at `key`. `name` is its name in the contract. */
export const pageAnswer = <K extends string, S extends z.ZodType>(
  id: string,
  things: string,
  key: K,
  shown: S,
) =>
  answer(
    id,
    `A page of ${things}.`,
    z.object({
      total: described(z.int(), 'The total number of items on all pages.', 1),
      [key]: described(z.array(shown), `The ${things} of the page.`),
    } as { total: z.ZodInt } & { [name in K]: z.ZodArray<S> }),
  );

/** Reads a page of a list, and the length of the list. A page after the last one is empty. */
export async function pageAt<M extends Model, F extends Field<M> = Field<M>>(
  context: Context,
  list: List<M, F>,
  { page, page_size: limit }: { page: number; page_size: number },
): Promise<{ rows: Part<M, F>[]; total: number }> {
  const [rows, { count: total }] = await Promise.all([
    rangeOf(context, list, { offset: (page - 1) * limit, limit }),
    countOf(context, list),
  ]);
  return { rows, total };
}

/** Reads all rows of a list. */
export const allOf = <M extends Model, F extends Field<M> = Field<M>>(
  context: Context,
  list: List<M, F>,
): Promise<Part<M, F>[]> => rangeOf(context, list);
