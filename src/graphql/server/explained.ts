import type { ExecutionResult } from 'graphql';
import type { Context } from '../../context.ts';
import { countJson } from '../../http/keys.ts';
import type { LimitName } from '../../kernel/errors.ts';
import type { Limits } from '../../kernel/limits.ts';
import { requireParsable } from './limits.ts';

/** Requests ask with this header for what they cost. REST responses have it in a header of the same name. */
export const explainHeader = 'trellis-explain';

/** Stands for the size of the response until it is serialized. */
const unknownBytes = -1;
const placeholder = `"bytes":${unknownBytes}`;

interface Parameters {
  query?: unknown;
  operationName?: unknown;
  variables?: unknown;
  extensions?: unknown;
}

const unused = { values: 0, text: 0, bytes: 0, expanded: { characters: 0, values: 0 }, threadMs: 0 };

/** Adds what the request cost to its result, if the request asks for that. */
export function explained(
  result: ExecutionResult,
  { actor, facts, budget, params }: Context & { params?: Parameters },
  limits: Limits,
): ExecutionResult {
  const explain = facts?.explain;
  if (!explain) return result;
  const { count: statements = 0, rows = 0, ms = 0 } = facts.statements ?? {};
  const { values, text, bytes, expanded, threadMs } = budget?.used ?? unused;
  const { milliseconds } = explain;
  // Work on what is hidden from the caller would tell that it exists.
  const seesAll = actor.everywhere !== null;
  const ofDatabase = (value: number) => (seesAll ? value : null);
  // A client can measure as much itself.
  const spent = (ms: number) => (seesAll ? rounded(ms) : Math.ceil(ms));
  const used = {
    ...explain.used,
    ...tokensOf(facts.document, limits),
    LIMIT_KEYS: countJson(definedOf(params), limits.keys).keys,
    LIMIT_VALUES: values,
    LIMIT_TEXT_KIB: rounded(text / 1024),
    LIMIT_EXPANDED_KIB: rounded(expanded.characters / 1024),
    LIMIT_EXPANDED_VALUES: expanded.values,
    LIMIT_THREAD_MS: rounded(threadMs),
    ANSWERS_MEMORY_MIB: rounded(bytes / 2 ** 20),
    REQUEST_TIMEOUT_MS: spent(explain.totalMs),
  };
  return {
    ...result,
    extensions: {
      ...result.extensions,
      explain: {
        documentId: facts.documentId ?? null,
        isDocumentCached: facts.isDocumentCached ?? false,
        ...sizeOf(result.data),
        statements: ofDatabase(statements),
        rows: ofDatabase(rows),
        milliseconds: {
          receive: rounded(explain.receivedMs),
          parse: rounded(milliseconds.parse ?? 0),
          validate: rounded(milliseconds.validate ?? 0),
          execute: spent(milliseconds.execute ?? 0),
          statements: ofDatabase(rounded(ms)),
          total: spent(explain.totalMs),
        },
        limits: Object.entries(maxima(limits)).map(([name, max]) => ({
          name,
          used: seesAll || ofRequest.has(name as LimitName) ? (used[name as LimitName] ?? 0) : null,
          max: Number.isFinite(max) ? max : null,
        })),
        bytes: unknownBytes,
      },
    },
  };
}

/** The limits whose use depends on the request and its answer alone, and not on what was read for it. */
const ofRequest: ReadonlySet<LimitName> = new Set<LimitName>([
  'LIMIT_TOKENS',
  'LIMIT_BRACKETS',
  'LIMIT_DEPTH',
  'LIMIT_FIELDS',
  'LIMIT_OBJECTS',
  'LIMIT_KEYS',
  'LIMIT_VALUES',
  'LIMIT_TEXT_KIB',
  'LIMIT_EXPANDED_KIB',
  'LIMIT_EXPANDED_VALUES',
  'LIMIT_THREAD_MS',
  'REQUEST_TIMEOUT_MS',
]);

const maxima = (limits: Limits): Partial<Record<LimitName, number>> => ({
  LIMIT_TOKENS: limits.tokens,
  LIMIT_BRACKETS: limits.brackets,
  LIMIT_DEPTH: limits.depth,
  LIMIT_FIELDS: limits.fields,
  LIMIT_OBJECTS: limits.objects,
  LIMIT_KEYS: limits.keys,
  LIMIT_VALUES: limits.values,
  LIMIT_TEXT_KIB: limits.textBytes / 1024,
  LIMIT_EXPANDED_KIB: limits.expandedCharacters / 1024,
  LIMIT_EXPANDED_VALUES: limits.expandedValues,
  LIMIT_THREAD_MS: limits.threadMs,
  ANSWERS_MEMORY_MIB: limits.answersBytes / 2 ** 20,
  REQUEST_TIMEOUT_MS: limits.requestTimeoutMs,
});

/** The parameters that the client has sent. */
const definedOf = ({ query, operationName, variables, extensions }: Parameters = {}) =>
  Object.fromEntries(
    Object.entries({ query, operationName, variables, extensions }).filter(([, value]) => value != null),
  );

/** A cached document was counted when it was parsed, so it is counted again. */
function tokensOf(document: string | undefined, limits: Limits) {
  if (document === undefined) return {};
  try {
    const { tokens, brackets } = requireParsable(document, limits);
    return { LIMIT_TOKENS: tokens, LIMIT_BRACKETS: brackets };
  } catch {
    return {};
  }
}

/** The objects in an answer, and the fields that they have. Without recursion, because answers can be large. */
function sizeOf(data: unknown): { objects: number; fields: number } {
  const left: unknown[] = [data];
  let [objects, fields] = [0, 0];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) left.push(item);
      continue;
    }
    objects++;
    for (const key in value) {
      fields++;
      left.push((value as Record<string, unknown>)[key]);
    }
  }
  return { objects, fields };
}

const rounded = (value: number) => Math.round(value * 1000) / 1000;

/** The serialized response. Its size replaces the placeholder, and counts the digits that replace it. */
export function withBytes(body: string, { facts }: Context): string {
  const at = facts?.explain ? body.lastIndexOf(placeholder) : -1;
  if (at < 0) return body;
  const others = Buffer.byteLength(body) - String(unknownBytes).length;
  let bytes = others + String(others).length;
  bytes = others + String(bytes).length;
  return `${body.slice(0, at)}"bytes":${bytes}${body.slice(at + placeholder.length)}`;
}
