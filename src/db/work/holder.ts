import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Transaction } from '../open.ts';
import type { Dialect } from '../query/dialect.ts';
import type { Model } from '../tables.ts';
import { delegateOf } from './delegate.ts';
import { type Lease, Leases } from './leases.ts';
import { WorkLoop } from './loop.ts';
import { mayClaim, msLeft, noLease } from './protocol.ts';

/** A table of leases: which process looks after something, until when, by the key of it. */
export class LeaseTable {
  readonly #model: Model;
  readonly #key: string;

  constructor(model: Model, key: string) {
    this.#model = model;
    this.#key = key;
  }

  /** Renews the leases of a process, and takes those that nobody holds. Returns the keys that it holds. */
  async claim(tx: Transaction, keys: readonly string[], lease: Lease): Promise<Set<string>> {
    const { owner, now, until, latest } = lease;
    const rows = delegateOf(tx, this.#model);
    const leases = await rows.findMany({ where: { [this.#key]: { in: [...keys] } } });
    const present = new Map(leases.map((row) => [row[this.#key], row as { owner: string; until: Date }]));
    const claimed = new Set<string>();
    for (const key of keys) {
      const before = present.get(key);
      const held = before ? { owner: before.owner, untilMs: before.until.getTime() } : noLease;
      if (!mayClaim(held, owner, now.getTime(), latest.getTime())) continue;
      // Another process can have been faster, which changes the row or has inserted it.
      const { count } = before
        ? await rows.updateMany({
            where: { [this.#key]: key, owner: before.owner, until: before.until },
            data: { owner, until },
          })
        : await rows.createMany({ data: [{ [this.#key]: key, owner, until }] });
      if (count > 0) claimed.add(key);
    }
    return claimed;
  }

  /** Gives up the leases of a process, so that others need not wait until they end. */
  release(tx: Transaction, owner: string): Promise<unknown> {
    return delegateOf(tx, this.#model).deleteMany({ where: { owner } });
  }
}

interface HolderOptions {
  db: Database;
  table: LeaseTable;
  /** A statement for the time of the database and each key that there is. */
  keys(dialect: Dialect): string;
  leaseMs: number;
  /** The longest time between two looks for leases that are free. */
  pollMs?: number;
  /** The wait before the first look. */
  firstAfterMs?: number;
  /** Called with the keys that the process holds. */
  changed?(held: ReadonlySet<string>): void;
  onError(error: unknown): void;
}

/**
 * Holds leases for this process: renews them, and takes those that nobody holds. Two processes that take turns must do no
 * harm: one that does not know that it has lost a lease goes on until that would have ended.
 */
export class LeaseHolder {
  readonly #options: HolderOptions;
  readonly #leases: Leases;
  readonly #loop: WorkLoop;
  /** From when each lease counts, by the monotonic clock. */
  #held = new Map<string, number>();

  constructor(options: HolderOptions) {
    const { leaseMs, pollMs = leaseMs, firstAfterMs = 0, onError } = options;
    this.#options = options;
    this.#leases = new Leases({ leaseMs, longestWaitMs: 0 });
    this.#loop = new WorkLoop({
      look: () => this.#claim(),
      pollMs: Math.min(pollMs, leaseMs / 3),
      firstAfterMs,
      onError,
    });
  }

  /** The time of the database. */
  get now(): Date {
    return this.#leases.now;
  }

  start(): void {
    this.#loop.start();
  }

  holds(key: string): boolean {
    const heldFromMs = this.#held.get(key);
    return heldFromMs !== undefined && msLeft(heldFromMs, this.#options.leaseMs, performance.now()) > 0;
  }

  /** Lets other processes take over. */
  async stop(timeoutMs: number): Promise<void> {
    const { db, table } = this.#options;
    await this.#loop.stop(timeoutMs);
    if (this.#held.size === 0) return;
    const released = db.transaction((tx) => table.release(tx, this.#leases.owner));
    const late = sleep(timeoutMs / 2, undefined, { ref: false });
    await Promise.race([released, late]).catch(() => {});
  }

  async #claim(): Promise<number> {
    const { db, table, keys, changed } = this.#options;
    const rows = await this.#leases.read(db, keys(db.dialect));
    let heldFromMs = 0;
    const claim = (tx: Transaction) => {
      const lease = this.#leases.next();
      ({ heldFromMs } = lease);
      return table.claim(
        tx,
        rows.map(([, key]) => key as string),
        lease,
      );
    };
    let held: Set<string>;
    try {
      held = rows.length > 0 ? await db.transaction(claim) : new Set();
    } catch (error) {
      // Another process has inserted the first lease.
      if ((error as { code?: string }).code === 'P2002') return 0;
      throw error;
    }
    this.#held = new Map([...held].map((key) => [key, heldFromMs]));
    changed?.(held);
    return Number.POSITIVE_INFINITY;
  }
}
