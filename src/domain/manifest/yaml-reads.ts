import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { copiedFile } from '../../kernel/files.ts';
import { createBoundedCache } from '../../kernel/memo.ts';
import { documentLimits } from './model.ts';

/** A problem of a text, with its place, counted from 1. */
export interface Problem {
  message: string;
  line: number;
  column: number;
}

/** What the thread is asked for. */
type Task =
  | { kind: 'parse'; text: string }
  | { kind: 'locate'; text: string; paths: { path: (string | number)[]; isKey: boolean }[] }
  | { kind: 'format'; json: string };

type Answer = {
  json?: string;
  problems?: Problem[];
  places?: { line: number; column: number }[];
  yaml?: string;
};

/** The memory of the thread. A document that needs more is refused. */
const maxMegabytes = 256;

interface Waiting {
  resolve(answer: Answer | undefined): void;
}

/**
 * Parses and writes YAML on a thread of its own, so that no document blocks the event loop. The thread starts with the first
 * document, and does not keep the process running.
 */
class YamlThread {
  #worker: Worker | undefined;
  #next = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** The answer, or undefined if the document needs more memory than the thread may have. */
  run(task: Task): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      const worker = this.#started();
      const id = this.#next++;
      this.#waiting.set(id, { resolve });
      worker.ref();
      worker.postMessage({ id, task });
    });
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(copiedFile('yaml-thread.mjs'), {
      workerData: { limits: documentLimits },
      resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
    });
    worker.on('message', ({ id, answer }: { id: number; answer: Answer }) => {
      this.#waiting.get(id)?.resolve(answer);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) worker.unref();
    });
    // Out of memory, for example. The next document gets a new thread.
    const ended = () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const { resolve } of this.#waiting.values()) resolve(undefined);
      this.#waiting.clear();
    };
    worker.on('error', ended);
    worker.on('exit', ended);
    this.#worker = worker;
    return worker;
  }
}

const thread = new YamlThread();

/** For how long the JSON of a text is kept: until a plan was read, and its text is applied. */
const reuseMs = 60_000;
const parsed = createBoundedCache<string, string>({ size: 4 * documentLimits.bytes });

const tooComplex = { message: 'Is too complex', line: 1, column: 1 };

/** The document in a text as JSON, or what is wrong with the text. */
export async function parseYaml(text: string): Promise<{ json: string } | { problems: Problem[] }> {
  // The key is a digest: what is kept has to be within its bounds, and not to hold the text as well.
  const key = createHash('sha256').update(text).digest('base64');
  const known = parsed.get(key);
  if (known !== undefined) return { json: known };
  const answer = await thread.run({ kind: 'parse', text });
  if (answer?.json === undefined) return { problems: answer?.problems ?? [tooComplex] };
  parsed.set(key, answer.json, answer.json.length);
  // It can have secrets, which stay in memory no longer than they are of use.
  setTimeout(() => parsed.delete(key), reuseMs).unref();
  return { json: answer.json };
}

/** Where paths are in a text that was parsed. `isKey` is for the place of the key instead of its value. */
export async function locateInYaml(
  text: string,
  paths: { path: (string | number)[]; isKey: boolean }[],
): Promise<{ line: number; column: number }[]> {
  const answer = await thread.run({ kind: 'locate', text, paths });
  return answer?.places ?? paths.map(() => ({ line: 1, column: 1 }));
}

/** A document, as JSON text, in YAML. */
export async function formatYaml(json: string): Promise<string> {
  const answer = await thread.run({ kind: 'format', json });
  if (answer?.yaml === undefined) throw new Error('The manifest could not be written');
  return answer.yaml;
}
