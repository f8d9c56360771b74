import { suggestionList } from 'graphql/jsutils/suggestionList.js';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { ApiError, ConflictError, InvalidInputError, type Issue } from '../../kernel/errors.ts';
import { inSlices } from '../../kernel/event-loop.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { issuesOf } from '../../kernel/validate.ts';
import { isTcpRoute, type ManifestDocument, manifestDocument } from '../plan/document-model.ts';
import { documentLimits } from '../plan/model.ts';
import type { DocumentIssue } from '../plan/scene.ts';
import { locateInYaml, parseYaml } from './yaml-reads.ts';

/** A document that was read from a text, in which its problems are located. */
export interface ReadDocument {
  document: ManifestDocument;
  text: string;
  /** The path of the text in the input. */
  at: readonly string[];
  /** Who gave the text, for whom its problems are located. */
  caller: Pick<Context, 'actor' | 'budget' | 'signal'>;
}

type Source = Omit<ReadDocument, 'document'>;

type Path = (string | number)[];
/** The values of zod that collections can be wrapped in. */
type Definition = { type: string } & { [field: string]: unknown };
const definition = (schema: z.core.$ZodType) => schema._zod.def as unknown as Definition;

const unwrapped = memoizeByIdentity((schema: z.core.$ZodType): z.core.$ZodType => {
  const def = definition(schema);
  return def.type === 'optional' || def.type === 'nullable'
    ? unwrapped(def.innerType as z.core.$ZodType)
    : schema;
});

const isObject = (value: unknown): value is { [field: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a schema has collections, whose entries are checked one after the other. */
const isCollection = memoizeByIdentity((schema: z.core.$ZodType): boolean => {
  const def = definition(schema);
  if (def.type === 'array') return definition(def.element as z.core.$ZodType).type === 'union';
  if (def.type === 'object') {
    return Object.values(def.shape as object).some((of) => isCollection(unwrapped(of)));
  }
  return def.type === 'record';
});

/** The most entries of a collection. */
const mostOf = (schema: z.core.$ZodType): number =>
  Number((z.globalRegistry.get(schema) as { maxProperties?: number } | undefined)?.maxProperties) ||
  Number(schema._zod.bag.maximum);

const isReserved = (name: string) => name === '__proto__';

/**
 * Checks a value against a schema, and returns what zod makes of it. Collections are checked entry by entry, between which the
 * generator can be paused; everything else by zod at once.
 */
function* checked(
  schema: z.core.$ZodType,
  value: unknown,
  path: Path,
  issues: DocumentIssue[],
): Generator<void, unknown> {
  const inner = unwrapped(schema);
  const def = definition(inner);
  const isTooLong = (count: number) => {
    if (count > mostOf(inner)) issues.push({ path, message: `Must have at most ${mostOf(inner)} entries` });
    return count > mostOf(inner);
  };
  if (def.type === 'record' && isObject(value)) {
    if (isTooLong(Object.keys(value).length)) return {};
    const entries: [string, unknown][] = [];
    for (const [key, entry] of Object.entries(value)) {
      const name = z.safeParse(def.keyType as z.core.$ZodType, key);
      if (isReserved(key))
        issues.push({ path: [...path, key], message: 'Is not allowed as a name', isKey: true });
      else if (name.success) {
        const result = yield* checked(def.valueType as z.core.$ZodType, entry, [...path, key], issues);
        entries.push([name.data as string, result]);
      } else issues.push({ path: [...path, key], message: name.error.issues[0]!.message, isKey: true });
      yield;
    }
    return Object.fromEntries(entries);
  }
  if (def.type === 'array' && isCollection(inner) && Array.isArray(value)) {
    if (isTooLong(value.length)) return [];
    const entries: unknown[] = [];
    for (const [index, entry] of value.entries()) {
      entries.push(yield* checked(def.element as z.core.$ZodType, entry, [...path, index], issues));
      yield;
    }
    return entries;
  }
  if (def.type === 'object' && isObject(value)) {
    const unknown = Object.keys(value).filter((field) => !Object.hasOwn(def.shape as object, field));
    if (unknown.length > mostUnknown) {
      issues.push({ path, message: `Has ${unknown.length} unknown fields` });
      return {};
    }
  }
  if (def.type === 'object' && isCollection(inner) && isObject(value)) {
    const shape = def.shape as { [field: string]: z.core.$ZodType };
    const collections = Object.keys(shape).filter(
      (field) => isCollection(unwrapped(shape[field]!)) && value[field] != null,
    );
    const rest = Object.fromEntries(Object.entries(value).filter(([field]) => !collections.includes(field)));
    const result = z.safeParse(inner, rest);
    note(inner, result, path, issues);
    const own: { [field: string]: unknown } = result.success ? { ...(result.data as object) } : {};
    for (const field of collections)
      own[field] = yield* checked(shape[field]!, value[field], [...path, field], issues);
    return own;
  }
  if (def.type === 'union' && value !== null) {
    return yield* checked(memberFor(def.options as z.core.$ZodType[], value), value, path, issues);
  }
  const result = z.safeParse(schema, value);
  note(inner, result, path, issues);
  return result.data;
}

/** The member of a union that a value is meant to be, so that its problems are told and not those of the others. */
function memberFor(options: readonly z.core.$ZodType[], value: unknown): z.core.$ZodType {
  const objects = options.filter((option) => definition(option).type === 'object');
  if (!isObject(value)) return options.find((option) => !objects.includes(option)) ?? options[0]!;
  const withEndpoint = objects.find((option) => 'endpoint' in (definition(option).shape as object));
  return (isTcpRoute(value) ? withEndpoint : undefined) ?? objects[0]!;
}

function note(
  schema: z.core.$ZodType,
  result: z.ZodSafeParseResult<unknown>,
  path: Path,
  issues: DocumentIssue[],
): void {
  if (result.success) return;
  for (const issue of result.error.issues) {
    const isKey = issue.code === 'unrecognized_keys';
    for (const each of issuesOf(new z.ZodError([issue])).slice(0, mostUnknown)) {
      const meant = isKey && issues.length < mostSuggestions ? suggestion(schema, each.path) : '';
      issues.push({ message: `${each.message}${meant}`, path: [...path, ...each.path], isKey });
    }
  }
}

/** The most unknown fields of an object that are issues of their own. An error has at most as many issues. */
const mostUnknown = 100;

/** The unknown fields for which similar ones are looked up, which takes long for many. */
const mostSuggestions = 20;

/** The field that an unknown one was meant to be, as the end of a sentence. */
function suggestion(schema: z.core.$ZodType, path: Path): string {
  let parent = schema;
  for (const step of path.slice(0, -1)) {
    const def = definition(parent);
    const next = def.type === 'object' ? (def.shape as Record<string, z.core.$ZodType>)[step] : undefined;
    if (!next) return '';
    parent = unwrapped(next);
  }
  const { type, shape } = definition(parent);
  if (type !== 'object') return '';
  const [meant] = suggestionList(String(path.at(-1)), Object.keys(shape as object));
  return meant === undefined ? '' : `. Did you mean \`${meant}\`?`;
}

/**
 * An error about a document, without its places. Its thrower may hold locks, and must not wait for the thread that finds
 * places.
 */
class UnlocatedError extends ApiError {
  readonly locate: () => Promise<ApiError>;

  constructor(
    code: 'INVALID_INPUT' | 'CONFLICT',
    issues: readonly DocumentIssue[],
    locate: () => Promise<ApiError>,
  ) {
    super(code, issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
    this.locate = locate;
  }
}

/** Waits for work on a document. If it fails because of the document, the error gets the places. */
export async function located<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof UnlocatedError ? await error.locate() : error;
  }
}

/** INVALID_INPUT that `located` gives the places of the issues in the text. The paths are those in the document. */
export const locatedError = (read: Source, issues: readonly DocumentIssue[]): ApiError =>
  new UnlocatedError('INVALID_INPUT', issues, () => invalidAt(read, issues));

/** CONFLICT that `located` lets say where in the text each conflict is. */
export function locatedConflict(read: Source, conflicts: readonly DocumentIssue[]): ApiError {
  const distinct = [...new Map(conflicts.map((each) => [each.message, each])).values()].slice(0, 100);
  return new UnlocatedError('CONFLICT', distinct, () => conflictAt(read, distinct));
}

const placesOf = ({ text, caller }: Source, issues: readonly DocumentIssue[]) =>
  locateInYaml(
    text,
    issues.map(({ path, isKey = false }) => ({ path, isKey })),
    caller,
  );

async function invalidAt(read: Source, issues: readonly DocumentIssue[]): Promise<ApiError> {
  const places = await placesOf(read, issues.slice(0, 100));
  const found = issues.map(({ path, message }, index) => ({
    path: [...read.at, ...path],
    message,
    ...places[index],
  }));
  return new InvalidInputError(found);
}

async function conflictAt(read: Source, conflicts: readonly DocumentIssue[]): Promise<ApiError> {
  const places = await placesOf(read, conflicts);
  const sentences = conflicts.map(
    ({ path, message }, index) =>
      `${path.join('.')} (line ${places[index]!.line}, column ${places[index]!.column}): ${message}`,
  );
  return new ConflictError(sentences.join(' '));
}

const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Reads a document, YAML or JSON. INVALID_INPUT with all problems, each with its path, line and column. */
export async function readDocument(
  text: string,
  at: readonly string[],
  caller: ReadDocument['caller'],
): Promise<ReadDocument> {
  const refused = (problems: Omit<Issue, 'path'>[]) =>
    new InvalidInputError(problems.map((problem) => ({ path: [...at], ...problem })));
  if (Buffer.byteLength(text) > documentLimits.bytes) {
    throw refused([{ message: `Must have at most ${documentLimits.bytes} bytes` }]);
  }
  const control = unprintable.exec(text);
  if (control) {
    const before = text.slice(0, control.index).split('\n');
    const place = { line: before.length, column: before.at(-1)!.length + 1 };
    throw refused([{ message: 'Control characters are not allowed', ...place }]);
  }
  const parsed = await parseYaml(text, caller);
  if ('problems' in parsed) throw refused(parsed.problems);
  const value: unknown = JSON.parse(parsed.json);
  const source = { text, at, caller };
  if (!isObject(value)) throw await invalidAt(source, [{ path: [], message: 'Must be an object' }]);
  const issues: DocumentIssue[] = [];
  const document = await inSlices(checked(manifestDocument, value, [], issues), caller.signal);
  if (issues.length > 0) throw await invalidAt(source, issues);
  return { ...source, document: document as ManifestDocument };
}
