import { z } from 'zod';
import { StoreUnavailableError } from '../kernel/errors.ts';
import { issuesOf } from '../kernel/validate.ts';

/** So many issues are told; a list stops looking for more, so that no answer can make millions of them. */
export const maxIssues = 20;
const maxPlaceLength = 200;

/** `apps[3].port_map_list[0].container_port` */
function placeOf(path: (string | number)[]): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    return /^\w+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return steps.join('').replace(/^\./, '').slice(0, maxPlaceLength);
}

/** The value in the form of the schema, or STORE_UNAVAILABLE that names each wrong place, under `root` if given. */
export function expectForm<S extends z.ZodType>(schema: S, value: unknown, root?: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = issuesOf(result.error);
  const told = issues
    .slice(0, maxIssues)
    .map(({ path, message }) => `${placeOf(root === undefined ? path : [root, ...path])}: ${message}`);
  if (issues.length > maxIssues) told.push('and more');
  throw new StoreUnavailableError(`The app store sent what is no template: ${told.join('; ')}`);
}

/** The value of a JSON text, or STORE_UNAVAILABLE that names its place. */
export function expectJson(text: string, root: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words quote the text, which may be anything.
    throw new StoreUnavailableError(`The app store sent what is no template: ${root}: Must be JSON`);
  }
}

/** What may be left out, null or empty: then it is null. */
export const filled = <S extends z.ZodType<string>>(schema: S) =>
  z
    .preprocess((value) => (value === '' ? null : value), schema.nullish())
    .transform((value) => (value ?? null) as string | null);

/** What may be left out or null: then it is the default. */
export const orElse = <S extends z.ZodType>(schema: S, otherwise: NonNullable<z.output<S>>) =>
  schema.nullish().transform((value): NonNullable<z.output<S>> => value ?? otherwise);

/** What no two items of a list may have alike, and the field that is named for it. */
export interface Unique<T> {
  field: string;
  of(item: T): unknown;
}

/** Items of one form; none when it is left out or null. It stops at the issue limit. */
export const list = <S extends z.ZodType>(item: S, max: number, uniques: Unique<z.output<S>>[] = []) =>
  z
    .array(z.unknown())
    .max(max)
    .nullish()
    .transform((values, ctx) => {
      const items: z.output<S>[] = [];
      for (const [index, value] of (values ?? []).entries()) {
        const result = item.safeParse(value);
        if (result.success) items.push(result.data);
        else {
          for (const { path, message } of result.error.issues) {
            ctx.addIssue({ code: 'custom', path: [index, ...path], message });
          }
        }
        if (ctx.issues.length >= maxIssues) return z.NEVER;
      }
      if (ctx.issues.length > 0) return z.NEVER;
      for (const { field, of } of uniques) {
        const first = new Map<unknown, number>();
        for (const [index, each] of items.entries()) {
          const earlier = first.get(of(each));
          if (earlier === undefined) first.set(of(each), index);
          else if (ctx.issues.length < maxIssues) {
            ctx.addIssue({
              code: 'custom',
              path: [index, field],
              message: `Must be unique: [${earlier}] has it`,
            });
          }
        }
      }
      return items;
    });
