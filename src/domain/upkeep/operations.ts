import type { Services } from '../../context.ts';
import { LeaseHolder } from '../../db/work/holder.ts';
import { WorkLoop } from '../../db/work/loop.ts';
import { upkeepLeases } from './rows.ts';

/** Work that one process at a time does, again and again. */
export interface UpkeepTask {
  name: string;
  everyMs: number;
  /**
   * Does what there is to do. Stops early when the signal is aborted. `now` is the time of the database: what is old must not
   * depend on the clock of one gateway.
   */
  run(signal: AbortSignal, now: Date): Promise<unknown>;
}

const leaseName = 'upkeep';

export const upkeepDefaults = { leaseMs: 30_000 };

/**
 * Does the tasks of the database, such as sealing the record and deleting what is old. One process at a time does so. Two
 * processes that take turns do no harm, because their writes exclude each other.
 */
export class Upkeep {
  readonly #holder: LeaseHolder;
  readonly #loops: readonly WorkLoop[];

  constructor(
    { db, log }: Pick<Services, 'db' | 'log'>,
    tasks: readonly UpkeepTask[],
    { leaseMs }: typeof upkeepDefaults = upkeepDefaults,
  ) {
    this.#holder = new LeaseHolder({
      db,
      table: upkeepLeases,
      keys: ({ nowMs }) => `SELECT ${nowMs}, '${leaseName}'`,
      leaseMs,
      // No task is due before. The first transaction of a process loads Prisma's query compiler, which the first requests would
      // wait for.
      firstAfterMs: Math.min(...tasks.map(({ everyMs }) => everyMs)) / 2,
      onError: (error) => log.warn({ error }, 'the lease of upkeep is delayed'),
    });
    this.#loops = tasks.map(({ name, everyMs, run }) => {
      const loop: WorkLoop = new WorkLoop({
        look: async () => {
          if (this.#holder.holds(leaseName)) await run(loop.stopping, this.#holder.now);
          return everyMs;
        },
        pollMs: everyMs,
        onError: (error) => log.warn({ error, task: name }, 'upkeep is delayed'),
      });
      return loop;
    });
  }

  start(): void {
    for (const part of [this.#holder, ...this.#loops]) part.start();
  }

  /** Ends the work, and lets other processes take over. */
  async stop(timeoutMs: number): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop(timeoutMs / 2)));
    await this.#holder.stop(timeoutMs / 2);
  }
}
