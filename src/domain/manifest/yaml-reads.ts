import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { callerId } from '../../kernel/access.ts';
import { LimitExceededError } from '../../kernel/errors.ts';
import { type Expansion, ExpansionCount } from '../../kernel/expansion.ts';
import { copiedFile } from '../../kernel/files.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import { createBoundedCache } from '../../kernel/memo.ts';
import { TaskThreads, type ThreadUser } from '../../kernel/task-threads.ts';
import { documentLimits } from '../plan/model.ts';

/** A problem of a text, with its place, counted from 1. */
export interface Problem {
  message: string;
  line: number;
  column: number;
}

type Task =
  | { kind: 'parse'; text: string; most: Expansion }
  | { kind: 'locate'; text: string; paths: { path: (string | number)[]; isKey: boolean }[] }
  | { kind: 'format'; json: string };

interface Answer {
  json?: string;
  /** The size of the expanded text or, without JSON, more than it may be expanded to. */
  expanded?: Expansion;
  problems?: Problem[];
  places?: { line: number; column: number }[];
  yaml?: string;
}

/** The longest texts, in characters or bytes, that take the library no longer than a fraction of a second, whatever they have. */
const smallSize = 8 * 1024;

/** The memory of the threads. A document that needs more is refused. */
const maxMegabytes = { small: 64, large: 256 };

/** How many times its length a text takes in memory while it is written: as JSON, and as YAML of two bytes a character. */
const charactersInMemory = 4;

/** How many users can have a document under way that takes seconds before others wait for one of them. */
const mostThreads = 3;

const threadsOf = (maxOldGenerationSizeMb: number, most?: number) =>
  new TaskThreads<Task, Answer>(
    copiedFile('yaml-thread.mjs'),
    { workerData: { limits: documentLimits }, resourceLimits: { maxOldGenerationSizeMb } },
    most,
  );

/**
 * YAML is parsed and written on threads of its own: a megabyte can take the library seconds, in one call. Small texts, as most are, do
 * not wait for that.
 */
const threads = { small: threadsOf(maxMegabytes.small), large: threadsOf(maxMegabytes.large, mostThreads) };
const threadsFor = (size: number) => (size > smallSize ? threads.large : threads.small);

/** The request for which the thread works. */
type Caller = Pick<Context, 'actor' | 'budget' | 'signal'>;
const userOf = ({ actor, budget, signal }: Caller): ThreadUser => ({
  userId: callerId(actor),
  budget,
  signal,
});

/** For how long the JSON of a text is kept: until a plan was read, and its text is applied. */
const reuseMs = 60_000;

interface ParsedText {
  json: string;
  expanded: Expansion;
}

const parsed = createBoundedCache<string, ParsedText>({ size: 4 * documentLimits.bytes });

const tooComplex = { message: 'Is too complex', line: 1, column: 1 };

/** The limit of an expanded text where no request has a budget. */
const withoutBudget = (size: number) => new ExpansionCount(defaultLimits).left(size);

/** The document in a text as JSON, or what is wrong with the text. Charges the request with what it is expanded to. */
export async function parseYaml(
  text: string,
  caller: Caller,
): Promise<{ json: string } | { problems: Problem[] }> {
  const { budget } = caller;
  const size = Buffer.byteLength(text);
  // The key is a digest: what is kept has to be within its bounds, and not to hold the text as well.
  const key = createHash('sha256').update(text).digest('base64');
  const known = parsed.get(key);
  if (known !== undefined) {
    budget?.countExpanded(known.expanded, size);
    return { json: known.json };
  }
  const most = budget?.expandable(size) ?? withoutBudget(size);
  const answer = await threadsFor(size).run({ kind: 'parse', text, most }, userOf(caller));
  if (answer?.expanded) budget?.countExpanded(answer.expanded, size);
  if (answer?.json === undefined) return { problems: answer?.problems ?? [tooComplex] };
  parsed.set(key, { json: answer.json, expanded: answer.expanded! }, answer.json.length);
  // It can have secrets, which stay in memory no longer than they are of use.
  setTimeout(() => parsed.delete(key), reuseMs).unref();
  return { json: answer.json };
}

/** Where paths are in a text that was parsed. `isKey` is for the place of the key instead of its value. */
export async function locateInYaml(
  text: string,
  paths: { path: (string | number)[]; isKey: boolean }[],
  caller: Caller,
): Promise<{ line: number; column: number }[]> {
  const answer = await threadsFor(text.length).run({ kind: 'locate', text, paths }, userOf(caller));
  return answer?.places ?? paths.map(() => ({ line: 1, column: 1 }));
}

export async function formatYaml(json: string, caller: Caller): Promise<string> {
  const { budget } = caller;
  budget?.reserve(json.length * charactersInMemory);
  const answer = await threadsFor(json.length).run({ kind: 'format', json }, userOf(caller));
  if (answer?.yaml === undefined) {
    throw new LimitExceededError('The manifest is too large to be written as YAML.', 'LIMIT_TEXT_KIB');
  }
  budget?.expectText(answer.yaml.length);
  return answer.yaml;
}
