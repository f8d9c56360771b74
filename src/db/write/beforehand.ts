import { ConflictError } from '../../kernel/errors.ts';

/** Facts that were read before a transaction, by the read that asked for them. */
export type Prepared = Map<object, unknown>;

type Find = (prepared: Prepared) => Promise<void>;

/** Finds out what a change is expected to need, so that its transaction runs once. What is missing still is found out later. */
export type Prepare = Find;

/**
 * Answers that the work of a change needs and no transaction may wait for, such as those of another server. The work can go
 * on without them. Then the transaction is rolled back, the answers are read, and the work is done once more, with
 * `Write.prepared`.
 */
export class Needs {
  readonly #finds: Find[] = [];

  add(find: Find): void {
    this.#finds.push(find);
  }

  /** Ends the transaction if something is needed. What else is needed then takes another run. */
  require(): void {
    if (this.#finds.length > 0) throw new Beforehand(this.#finds);
  }
}

class Beforehand extends Error {
  readonly finds: readonly Find[];

  constructor(finds: readonly Find[]) {
    super('Work needs something that is found out before its transaction.');
    this.finds = finds;
  }
}

/** More than two are only needed if what the work needs has changed meanwhile. */
const mostRuns = 4;

/** Runs a transaction, and once more if it needs something beforehand that was not prepared. */
export async function withPrepared<T>(
  run: (prepared: Prepared) => Promise<T>,
  prepare?: Prepare,
): Promise<T> {
  const prepared: Prepared = new Map();
  await prepare?.(prepared);
  for (let runs = 1; ; runs++) {
    try {
      return await run(prepared);
    } catch (error) {
      if (!(error instanceof Beforehand)) throw error;
      if (runs === mostRuns) {
        throw new ConflictError('Another request changed the same objects at the same time. Try again.');
      }
      await Promise.all(error.finds.map((find) => find(prepared)));
    }
  }
}
