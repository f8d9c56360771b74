import { statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type Sqlite from 'better-sqlite3';

const pageBytes = 4_096;

/** The pages in the log from which on they are copied. SQLite's default for the copies that a commit makes. */
const fromPages = 1_000;

/**
 * How many times as many pages the log may have before writes wait until it is copied and empty. Otherwise a log that grows
 * while it is copied would never start again from its beginning.
 */
const mostTimes = 4;

/**
 * The pages from which on a commit copies them itself, if the thread does not keep up. The largest change, of about 6,000 pages,
 * must not reach it.
 */
export const pagesBeforeCommitsCopy = 32_000;

/** The size to which a commit shortens the log when it starts again from its beginning. */
export const keptBytes = mostTimes * fromPages * pageBytes;

/** How long committed pages may stay in the log while little is written. */
const copyAfterMs = 10_000;

/** How long a copy that empties the log waits for readers, while writes wait for it. */
const waitMs = 100;

const threadCode = `
  const { parentPort, workerData } = require('node:worker_threads');
  const Sqlite = require(workerData.driver);
  const database = new Sqlite(workerData.path, { timeout: workerData.waitMs });
  parentPort.on('message', (most) => {
    try {
      const [{ log }] = database.pragma('wal_checkpoint(PASSIVE)');
      if (log > most) database.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // The disk is full, for example. Writes report it.
    }
    parentPort.postMessage('done');
  });
`;

/**
 * The pages from which on to copy. The copies and the log must fit on the disk, because a log that cannot be copied never
 * becomes shorter.
 */
function pagesFor(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return Math.min(fromPages, Math.floor((bavail * bsize) / pageBytes / 4));
  } catch {
    return fromPages;
  }
}

/**
 * Copies what was committed from SQLite's write-ahead log into the database file, on a thread of its own. Otherwise every
 * thousandth page of a commit waits for the disk on the thread of the server, for 5 to 50 ms.
 */
export class Checkpoints {
  readonly #path: string;
  readonly #copyAfterMs: number;
  /** Copies nothing, but counts the pages. */
  readonly #count: Sqlite.Statement<[], [busy: number, log: number, copied: number]>;
  #thread: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isCopying = false;
  #fromPages: number;
  /** The copy in progress, or the last one. */
  #copied: Promise<void> | undefined;
  #done = () => {};
  /** Whether writes wait for the copy in progress. */
  #isFull = false;

  /** `database` is a connection that is never in a transaction. */
  constructor(path: string, database: Sqlite.Database, options: { copyAfterMs?: number } = {}) {
    this.#path = path;
    this.#fromPages = pagesFor(path);
    this.#copyAfterMs = options.copyAfterMs ?? copyAfterMs;
    this.#count = database.prepare<[], [number, number, number]>('PRAGMA wal_checkpoint(NOOP)').raw();
  }

  /** Called after each transaction. Takes 4 µs. */
  committed(): void {
    this.#timer ??= setTimeout(() => this.#emptyLater(), this.#copyAfterMs).unref();
    const [, log, copied] = this.#count.get()!;
    if (this.#isCopying) {
      this.#isFull = log >= mostTimes * this.#fromPages;
    } else if (log - copied >= this.#fromPages) this.#copy(mostTimes * this.#fromPages);
  }

  /** Resolves when the log has room for a transaction. Undefined if it has. */
  room(): Promise<void> | undefined {
    return this.#isFull ? this.#copied : undefined;
  }

  /** Resolves when the copy in progress is over. Undefined if there is none. */
  copied(): Promise<void> | undefined {
    return this.#isCopying ? this.#copied : undefined;
  }

  #emptyLater(): void {
    this.#timer = this.#isCopying
      ? setTimeout(() => this.#emptyLater(), this.#copyAfterMs).unref()
      : undefined;
    this.empty();
  }

  /** Copies all pages and gives the space of the log back, unless a copy is in progress. */
  empty(): void {
    if (!this.#isCopying) this.#copy(0);
  }

  /** Copies all pages, and empties a log of more than `most` pages. */
  #copy(most: number): void {
    this.#isCopying = true;
    this.#copied = new Promise((resolve) => {
      this.#done = resolve;
    });
    this.#thread ??= this.#start();
    this.#thread.postMessage(most);
  }

  #start(): Worker {
    const driver = createRequire(import.meta.url).resolve('better-sqlite3');
    const workerData = { driver, path: this.#path, waitMs };
    const thread = new Worker(threadCode, { eval: true, workerData });
    thread.unref();
    thread.on('message', () => {
      this.#isCopying = false;
      this.#fromPages = pagesFor(this.#path);
      this.#resume();
    });
    // Without a thread, commits copy.
    thread.on('error', () => this.#resume());
    return thread;
  }

  #resume(): void {
    this.#isFull = false;
    this.#done();
  }

  async close(): Promise<void> {
    this.#isCopying = true;
    clearTimeout(this.#timer);
    this.#resume();
    await this.#thread?.terminate();
  }
}
