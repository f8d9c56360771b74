import type { Database, Transaction } from '../open.ts';
import type { Field, Model, Row } from '../tables.ts';
import { lockFree } from '../write/locks.ts';
import { delegateOf } from './delegate.ts';
import { type Besides, busiestIn, notOf, type Path, takeFairly } from './fair.ts';
import type { DueRows, Lease } from './leases.ts';

interface Columns<M extends Model> {
  due: Field<M>;
  /** The process that holds it. */
  owner: Field<M>;
  /** Until when it does. Work without such a column is held until it is due again. */
  until?: Field<M>;
  /** Values of the rows whose work is not over. Without them, it is over if nothing is due. */
  where?: { [field: string]: string };
  /** The relations that lead to the team and the application. */
  path?: Path;
}

/** The limits of the work that a worker may take. */
interface Room {
  limit: number;
  /** The ids of what the process works on. */
  except: readonly string[];
  /** A team that has so many of these comes after all others, and its applications take turns. */
  mostOfTeam: number;
}

/** An open transaction that claims work. */
interface WorkWrite {
  context: { db: Pick<Database, 'dialect'> };
  tx: Transaction;
}

/** The most rows that are set right at once. */
const lostAtOnce = 100;

/**
 * A table whose rows are work, each of which one process at a time holds. A row is claimed by an update that has its lease as a
 * condition, so that of several processes one is the first. What a process that has lost a row finds out no longer counts.
 */
export class WorkTable<M extends Model> implements DueRows {
  readonly model: M;
  readonly due: string;
  readonly where: { [field: string]: string };
  readonly path: Path;
  readonly #owner: string;
  readonly #until: string | undefined;

  constructor(model: M, { due, owner, until, where = {}, path = [] }: Columns<M>) {
    this.model = model;
    this.due = due;
    this.where = where;
    this.path = path;
    this.#owner = owner;
    this.#until = until;
  }

  /** Which rows no process holds. */
  free(now: Date): object {
    const until = this.#until;
    if (until === undefined) return { [this.due]: { lte: now } };
    return { OR: [{ [until]: null }, { [until]: { lte: now } }] };
  }

  /**
   * Claims rows for a process. Returns the ids of those that it has now: not of those for which another one was faster, or that are
   * locked.
   */
  async claim<Id extends string | number>(
    write: WorkWrite,
    ids: readonly Id[],
    lease: Lease,
    { where, data }: { where?: object; data?: object } = {},
  ): Promise<Set<Id>> {
    const free = await lockFree(write, this.model, ids);
    const isFree = { id: { in: free }, ...this.where, ...where, ...this.free(lease.now) };
    return this.#hold(write.tx, free, lease, { where: isFree, data });
  }

  /** Extends the leases of rows. Returns the ids of the rows that their owner still holds. */
  async renew<Id extends string | number>(
    tx: Transaction,
    ids: readonly Id[],
    lease: Lease,
    where: object,
  ): Promise<Set<Id>> {
    const own = { id: { in: [...ids] }, [this.#owner]: lease.owner, ...where };
    return this.#hold(tx, ids, lease, { where: own });
  }

  /** Extends leases without a new due time, which somebody has set meanwhile. Returns the ids that their owner still holds. */
  async extend<Id extends string | number>(
    tx: Transaction,
    ids: readonly Id[],
    { owner, until }: Lease,
  ): Promise<Id[]> {
    const where = { id: { in: [...ids] }, [this.#owner]: owner };
    const rows = delegateOf(tx, this.model);
    await rows.updateMany({ where, data: { [this.#until ?? this.due]: until } });
    const own = await rows.findMany({ where, select: { id: true } });
    return own.map(({ id }) => id as Id);
  }

  /** Claims work that is due, that of all teams and applications in turns. */
  async take(write: WorkWrite, lease: Lease, { limit, except, mostOfTeam }: Room): Promise<Row<M>[]> {
    const { tx } = write;
    const rows = delegateOf(tx, this.model);
    const dueBesides = async (besides?: Besides) => {
      const due = await rows.findMany({
        where: {
          ...this.free(lease.now),
          id: { notIn: [...except] },
          ...(besides && notOf(this.path, besides)),
        },
        orderBy: { [this.due]: 'asc' },
        take: limit,
        select: { id: true },
      });
      return due.map(({ id }) => id as string);
    };
    const busiest = await busiestIn(tx, this, except, mostOfTeam);
    const ids = await this.claim(write, await takeFairly(busiest, limit, dueBesides), lease);
    return (await rows.findMany({ where: { id: { in: [...ids] } } })) as Row<M>[];
  }

  /** Stores what came of a row, and releases its lease. Returns whether it counts: not if the process has lost the row. */
  async settle(tx: Transaction, id: string | number, owner: string, data: object): Promise<boolean> {
    const released = { [this.#owner]: null, ...(this.#until && { [this.#until]: null }) };
    const { count } = await delegateOf(tx, this.model).updateMany({
      where: { id, [this.#owner]: owner },
      data: { ...data, ...released },
    });
    return count > 0;
  }

  /** Sets rows right that wait for longer than anything does, because the clock was set back. */
  async bringForward(tx: Transaction, { now, latest }: Pick<Lease, 'now' | 'latest'>): Promise<void> {
    const rows = delegateOf(tx, this.model);
    const where = { ...this.where, [this.due]: { gt: latest } };
    const lost = await rows.findMany({ where, take: lostAtOnce, select: { id: true } });
    const id = { in: lost.map((row) => row.id) };
    await rows.updateMany({ where: { id, ...where }, data: { [this.due]: now } });
  }

  async #hold<Id extends string | number>(
    tx: Transaction,
    ids: readonly Id[],
    { owner, until }: Lease,
    { where, data }: { where: object; data?: object | undefined },
  ): Promise<Set<Id>> {
    if (ids.length === 0) return new Set();
    const rows = delegateOf(tx, this.model);
    const held = { [this.#owner]: owner, [this.#until ?? this.due]: until };
    const { count } = await rows.updateMany({ where, data: { ...data, ...held, [this.due]: until } });
    if (count === ids.length) return new Set(ids);
    const own = await rows.findMany({ where: { id: { in: [...ids] }, ...held }, select: { id: true } });
    return new Set(own.map(({ id }) => id as Id));
  }
}
