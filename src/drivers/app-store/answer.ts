import { z } from 'zod';
import { type Issue, StoreUnavailableError } from '../../kernel/errors.ts';
import { issuesOf } from '../../kernel/validate.ts';

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
  throw noTemplate(issuesOf(result.error), root);
}

/** STORE_UNAVAILABLE that names the first issues, each under `root` if given. */
export function noTemplate(issues: readonly Issue[], root?: string): StoreUnavailableError {
  const told = issues
    .slice(0, maxIssues)
    .map(({ path, message }) => `${placeOf(root === undefined ? path : [root, ...path])}: ${message}`);
  if (issues.length > maxIssues) told.push('and more');
  return new StoreUnavailableError(`The app store sent an invalid template: ${told.join('; ')}`);
}

/** The most values that a JSON text may hold: far more than a template at its limits does. */
export const maxJsonValues = 250_000;

/** Whether a JSON text holds more values than that. `JSON.parse` takes a microsecond for the smallest of them. */
export function hasTooManyValues(text: string): boolean {
  let count = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      do {
        at = text.indexOf('"', at + 1);
        if (at < 0) return false;
      } while (isEscaped(text, at));
    } else if (code === comma || code === bracket || code === brace) {
      if (++count > maxJsonValues) return true;
    }
  }
  return false;
}

const [quote, comma, bracket, brace, backslash] = [...'",[{\\'].map((each) => each.charCodeAt(0));

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start - 1) === backslash) start--;
  return (at - start) % 2 === 1;
}

/** The value of a JSON text, or STORE_UNAVAILABLE that names its place. */
export function expectJson(text: string, root: string): unknown {
  if (hasTooManyValues(text)) {
    throw new StoreUnavailableError(
      `The app store sent an invalid template: ${root}: Must have at most ${maxJsonValues} values`,
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words quote the text, which may be anything.
    throw new StoreUnavailableError(`The app store sent an invalid template: ${root}: Must be JSON`);
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

/** Where the items of a list say what is wrong with them. */
interface Told {
  count(): number;
  add(path: (string | number)[], message: string): void;
}

/**
 * Items of one form, read one by one with a `yield` between them; undefined when one is wrong. It stops at the issue
 * limit.
 */
export function* readItems<S extends z.ZodType>(
  item: S,
  values: readonly unknown[],
  uniques: readonly Unique<z.output<S>>[],
  told: Told,
): Generator<void, z.output<S>[] | undefined> {
  const before = told.count();
  const items: z.output<S>[] = [];
  for (const [index, value] of values.entries()) {
    const result = item.safeParse(value);
    if (result.success) items.push(result.data);
    else {
      for (const { path, message } of result.error.issues) {
        told.add([index, ...(path as (string | number)[])], message);
      }
    }
    if (told.count() >= maxIssues) return undefined;
    yield;
  }
  if (told.count() > before) return undefined;
  for (const { field, of } of uniques) {
    const first = new Map<unknown, number>();
    for (const [index, each] of items.entries()) {
      const earlier = first.get(of(each));
      if (earlier === undefined) first.set(of(each), index);
      else if (told.count() < maxIssues)
        told.add([index, field], `Must be unique, but is also used by [${earlier}]`);
    }
  }
  return items;
}

/** Items of one form; none when it is left out or null. It stops at the issue limit. */
export const list = <S extends z.ZodType>(item: S, max: number, uniques: Unique<z.output<S>>[] = []) =>
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
    });
