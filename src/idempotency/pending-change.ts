import type { Transaction } from '../db/open.ts';
import { UnavailableError } from '../kernel/errors.ts';

/**
 * The change of an operation whose result is stored in the same transaction. The operation gets the outcome of its
 * change before the commit, and the commit waits for what the operation makes of it.
 */
export class PendingChange {
  readonly #store: (tx: Transaction, result: unknown) => Promise<void>;
  readonly #result: Promise<unknown>;
  #succeed!: (result: unknown) => void;
  #fail!: (error: unknown) => void;
  #committed: Promise<unknown> | undefined;

  constructor(store: (tx: Transaction, result: unknown) => Promise<void>) {
    this.#store = store;
    this.#result = new Promise((resolve, reject) => {
      this.#succeed = resolve;
      this.#fail = reject;
    });
    // Without a change, nobody waits for it.
    this.#result.catch(() => {});
  }

  /** Runs the operation and returns its result after the commit. */
  async settle<R>(run: () => Promise<R>): Promise<R> {
    try {
      const result = await run();
      this.#succeed(result);
      await this.#committed;
      return result;
    } catch (error) {
      this.#fail(error);
      await this.#committed?.catch(() => {});
      throw error;
    }
  }

  change<T>(transact: (keep: (tx: Transaction, changed: T) => Promise<void>) => Promise<T>): Promise<T> {
    if (this.#committed) throw new Error('An operation with an Idempotency-Key can make one change.');
    return new Promise((resolve, reject) => {
      let isTold = false;
      const committed = transact(async (tx, changed) => {
        // The operation already goes on from an attempt that the database has undone.
        if (isTold) throw new UnavailableError('The change was rolled back by the database. Try again.');
        isTold = true;
        resolve(changed);
        await this.#store(tx, await this.#result);
      });
      this.#committed = committed;
      committed.catch(reject);
    });
  }
}
