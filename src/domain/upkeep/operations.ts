import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../../context.ts';
import { claimLease, releaseLease } from './rows.ts';

/** Work that one process at a time does, again and again. */
export interface UpkeepTask {
  name: string;
  everyMs: number;
  /** Does what there is to do. Stops early when the signal is aborted. */
  run(signal: AbortSignal): Promise<unknown>;
}

const leaseName = 'upkeep';

export const upkeepDefaults = { leaseMs: 30_000 };

/**
 * Does the tasks of the database, such as sealing the record and deleting what is old. One process at a time does so. It
 * holds a lease, which another takes over when it is not renewed; leases are compared by the clock of the database. Two
 * processes that take turns do no harm, because their writes exclude each other.
 */
export class Upkeep {
  readonly #services: Pick<Services, 'db' | 'log'>;
  readonly #tasks: readonly UpkeepTask[];
  readonly #leaseMs: number;
  readonly #owner = randomUUID();
  readonly #stopping = new AbortController();
  #running: Promise<unknown> | undefined;
  /** Until when the lease lasts, on the monotonic clock. */
  #heldUntil = Number.NEGATIVE_INFINITY;

  constructor(
    services: Pick<Services, 'db' | 'log'>,
    tasks: readonly UpkeepTask[],
    { leaseMs }: typeof upkeepDefaults = upkeepDefaults,
  ) {
    this.#services = services;
    this.#tasks = tasks;
    this.#leaseMs = leaseMs;
  }

  start(): void {
    this.#running ??= Promise.all([this.#hold(), ...this.#tasks.map((task) => this.#repeat(task))]);
  }

  /** Ends the work, and lets other processes take over. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping.abort();
    const wait = () => sleep(timeoutMs / 2, undefined, { ref: false });
    await Promise.race([this.#running, wait()]);
    if (!this.#isHolding) return;
    const released = this.#services.db.transaction((tx) => releaseLease(tx, leaseName, this.#owner));
    await Promise.race([released, wait()]).catch(() => {});
  }

  get #isHolding(): boolean {
    return performance.now() < this.#heldUntil;
  }

  #pause(ms: number): Promise<unknown> {
    return sleep(ms, undefined, { ref: false, signal: this.#stopping.signal }).catch(() => {});
  }

  async #hold(): Promise<void> {
    // No task is due before. The first transaction of a process loads Prisma's query compiler, which the first requests would
    // wait for.
    await this.#pause(Math.min(...this.#tasks.map(({ everyMs }) => everyMs)) / 2);
    while (!this.#stopping.signal.aborted) {
      await this.#claim().catch((error) =>
        this.#services.log.warn({ error }, 'the lease of upkeep is delayed'),
      );
      await this.#pause(this.#leaseMs / 3);
    }
  }

  async #claim(): Promise<void> {
    const { db } = this.#services;
    // Time that the claim takes itself is not counted as held.
    const startedAt = performance.now();
    const [row] = await db.query(`SELECT ${db.dialect.nowMs}`, []);
    const now = Number(row![0]);
    const claim = {
      owner: this.#owner,
      now: new Date(now),
      until: new Date(now + this.#leaseMs),
      latest: new Date(now + 2 * this.#leaseMs),
    };
    const isHeld = await db
      .transaction((tx) => claimLease(tx, leaseName, claim))
      .catch((error) => {
        // Another process has inserted the first lease.
        if ((error as { code?: string }).code === 'P2002') return false;
        throw error;
      });
    this.#heldUntil = isHeld ? startedAt + this.#leaseMs : Number.NEGATIVE_INFINITY;
  }

  async #repeat({ name, everyMs, run }: UpkeepTask): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#pause(everyMs);
      if (signal.aborted || !this.#isHolding) continue;
      await run(signal).catch((error) => this.#services.log.warn({ error, task: name }, 'upkeep is delayed'));
    }
  }
}
