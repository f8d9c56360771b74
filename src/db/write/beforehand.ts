import { ConflictError } from '../../kernel/errors.ts';

/** What was found out before a transaction, by what asked for it. */
export type Prepared = Map<object, unknown>;

/**
 * Thrown in the transaction of a change that needs what no transaction may wait for, such as the answer of another server. The
 * transaction is rolled back, `find` is called, and the work is done once more, with what was found in `Write.prepared`.
 */
export class Beforehand extends Error {
  readonly find: (prepared: Prepared) => Promise<void>;

  constructor(find: (prepared: Prepared) => Promise<void>) {
    super('Work needs something that is found out before its transaction.');
    this.find = find;
  }
}

/** More are only needed if what the work needs changes each time. */
const mostRuns = 4;

/** Runs a transaction, and once more for each time that it needs something beforehand. */
export async function withPrepared<T>(run: (prepared: Prepared) => Promise<T>): Promise<T> {
  const prepared: Prepared = new Map();
  for (let runs = 1; ; runs++) {
    try {
      return await run(prepared);
    } catch (error) {
      if (!(error instanceof Beforehand)) throw error;
      if (runs === mostRuns) {
        throw new ConflictError('What is changed was changed by others at the same time. Try again.');
      }
      await error.find(prepared);
    }
  }
}
