import { z } from 'zod';
import { type Issue, StoreUnavailableError } from '../../kernel/errors.ts';
import { issuesOf } from '../../kernel/validate.ts';
import { jsonExcess } from '../outgoing/json.ts';

/** The most issues in an error. Lists stop at this number, so that a response cannot cause millions of issues. */
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

/** Parses a value. Throws STORE_UNAVAILABLE with the path of each issue, below `root` if given. */
export function expectForm<S extends z.ZodType>(schema: S, value: unknown, root?: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw noTemplate(issuesOf(result.error), root);
}

/** A STORE_UNAVAILABLE error with the first issues, below `root` if given. */
export function noTemplate(issues: readonly Issue[], root?: string): StoreUnavailableError {
  const texts = issues
    .slice(0, maxIssues)
    .map(({ path, message }) => `${placeOf(root === undefined ? path : [root, ...path])}: ${message}`);
  if (issues.length > maxIssues) texts.push('and more');
  return new StoreUnavailableError(`The app store sent an invalid template: ${texts.join('; ')}`);
}

/** Parses a JSON text. Throws STORE_UNAVAILABLE with its path. */
export function expectJson(text: string, root: string): unknown {
  const excess = jsonExcess(text);
  if (excess) throw noTemplate([{ path: [], message: excess }], root);
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message would quote the text.
    throw noTemplate([{ path: [], message: 'Must be JSON' }], root);
  }
}

/** A schema that can be missing, null or empty, which is parsed as null. */
export const filled = <S extends z.ZodType<string>>(schema: S) =>
  z
    .preprocess((value) => (value === '' ? null : value), schema.nullish())
    .transform((value) => (value ?? null) as string | null);

/** A schema that can be missing or null, which is parsed as the default. */
export const orElse = <S extends z.ZodType>(schema: S, otherwise: NonNullable<z.output<S>>) =>
  schema.nullish().transform((value): NonNullable<z.output<S>> => value ?? otherwise);

/** A key that must be unique in a list, and the field to report. */
export interface Unique<T> {
  field: string;
  of(item: T): unknown;
}

/** Collects the issues of list items. */
interface IssueList {
  count(): number;
  add(path: (string | number)[], message: string): void;
}

/**
 * Parses the items of a list, with a `yield` between them. Undefined if one is invalid. Stops at the issue
 * limit.
 */
export function* readItems<S extends z.ZodType>(
  item: S,
  values: readonly unknown[],
  uniques: readonly Unique<z.output<S>>[],
  issueList: IssueList,
): Generator<void, z.output<S>[] | undefined> {
  const before = issueList.count();
  const items: z.output<S>[] = [];
  for (const [index, value] of values.entries()) {
    const result = item.safeParse(value);
    if (result.success) items.push(result.data);
    else {
      for (const { path, message } of result.error.issues) {
        issueList.add([index, ...(path as (string | number)[])], message);
      }
    }
    if (issueList.count() >= maxIssues) return undefined;
    yield;
  }
  if (issueList.count() > before) return undefined;
  for (const { field, of } of uniques) {
    const first = new Map<unknown, number>();
    for (const [index, each] of items.entries()) {
      const earlier = first.get(of(each));
      if (earlier === undefined) first.set(of(each), index);
      else if (issueList.count() < maxIssues)
        issueList.add([index, field], `Must be unique, but is also used by [${earlier}]`);
    }
  }
  return items;
}

/** The schema of the items of a list. Lists parse their items themselves. */
const items = new WeakMap<object, z.core.$ZodType>();
export const itemOf = (schema: object): z.core.$ZodType | undefined => items.get(schema);

/** A list that is read as a whole, with the schema of its items. */
export function withItems<S extends z.ZodType>(schema: S, item: z.ZodType): S {
  items.set(schema, item);
  return schema;
}

/** A list of items that can be missing or null. Stops at the issue limit. */
export const list = <S extends z.ZodType>(item: S, max: number, uniques: Unique<z.output<S>>[] = []) =>
  withItems(
    z
      .array(z.unknown())
      .max(max)
      .nullish()
      .transform((values, ctx): z.output<S>[] => {
        const reading = readItems(item, values ?? [], uniques, {
          count: () => ctx.issues.length,
          add: (path, message) => ctx.addIssue({ code: 'custom', path, message }),
        });
        for (;;) {
          const step = reading.next();
          if (step.done) return step.value ?? z.NEVER;
        }
      }),
    item,
  );
