import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type Sqlite from 'better-sqlite3';

/** The pages of 4 KiB in the log from which on they are copied. SQLite's default for the copies that a commit makes. */
const fromPages = 1_000;

/** The pages from which on a commit copies them itself, if the thread does not keep up. */
export const pagesBeforeCommitsCopy = 16_000;

const threadCode = `
  const { parentPort, workerData } = require('node:worker_threads');
  const Sqlite = require(workerData.driver);
  const database = new Sqlite(workerData.path);
  parentPort.on('message', () => {
    try {
      database.pragma('wal_checkpoint(PASSIVE)');
    } catch {
      // The disk is full, for example. Writes report it.
    }
    parentPort.postMessage('done');
  });
`;

/**
 * Copies what was committed from SQLite's write-ahead log into the database file, on a thread of its own. Otherwise every
 * thousandth page of a commit waits for the disk on the thread of the server, for 5 to 50 ms.
 */
export class Checkpoints {
  readonly #path: string;
  /** Copies nothing, but counts the pages. */
  readonly #count: Sqlite.Statement<[], [busy: number, log: number, copied: number]>;
  #thread: Worker | undefined;
  #isCopying = false;

  /** `database` is a connection that is never in a transaction. */
  constructor(path: string, database: Sqlite.Database) {
    this.#path = path;
    this.#count = database.prepare<[], [number, number, number]>('PRAGMA wal_checkpoint(NOOP)').raw();
  }

  /** Called after each transaction. Takes 4 µs. */
  committed(): void {
    if (this.#isCopying) return;
    const [, log, copied] = this.#count.get()!;
    if (log - copied < fromPages) return;
    this.#isCopying = true;
    this.#thread ??= this.#start();
    this.#thread.postMessage('copy');
  }

  #start(): Worker {
    const driver = createRequire(import.meta.url).resolve('better-sqlite3');
    const thread = new Worker(threadCode, { eval: true, workerData: { driver, path: this.#path } });
    thread.unref();
    thread.on('message', () => {
      this.#isCopying = false;
    });
    // Without a thread, commits copy.
    thread.on('error', () => {});
    return thread;
  }

  async close(): Promise<void> {
    this.#isCopying = true;
    await this.#thread?.terminate();
  }
}
