import type { Database } from '../open.ts';
import type { Model, Row } from '../tables.ts';
import { type DueRows, Leases } from './leases.ts';
import { WorkLoop } from './loop.ts';
import type { WorkTable } from './table.ts';

export interface DueSettings {
  /** How often due work is looked for that other processes have left. */
  pollMs: number;
  /** How long a process holds what it is looking at. Longer than its calls take. */
  leaseMs: number;
  /** The longest pause between two looks at the same work. */
  maxPauseMs: number;
  /** The most looks at the same time. */
  atOnce: number;
}

/** A look of this process, whose name is `owner` and whose lease ends the signal. */
export interface Look {
  owner: string;
  now: Date;
  signal: AbortSignal;
}

interface DueOptions<M extends Model> {
  db: Database;
  table: WorkTable<M>;
  settings: DueSettings;
  /** The schedules that start such work. `fire` returns whether there may be more to do at once. */
  schedules: DueRows & { fire(now: Date): Promise<boolean> };
  /** Looks at a row that the process holds, and settles it. */
  carryOut(row: Row<M>, look: Look): Promise<void>;
  onError(error: unknown): void;
}

/** The pause between two looks at schedules that are due and wait, in ms. */
const waitingPauseMs = 500;

/** The models whose ids are texts. */
type TextKeyed = { [M in Model]: Row<M> extends { id: string } ? M : never }[Model];

/** The least pause between two looks that take nothing, in ms. */
const [leastPauseMs, contendedPauseMs] = [10, 100];

/** Looks at rows whose time has come, each in a transaction of its own that settles it, and starts what schedules have due. */
export function dueLoop<M extends TextKeyed>({
  db,
  table,
  settings: { pollMs, leaseMs, maxPauseMs, atOnce },
  schedules,
  carryOut,
  onError,
}: DueOptions<M>): WorkLoop<Row<M> & { id: string }> {
  const leases = new Leases({ leaseMs, longestWaitMs: maxPauseMs });
  const loop: WorkLoop<Row<M> & { id: string }> = new WorkLoop({ look, pollMs, onError });

  async function look(): Promise<number> {
    const [due, next] = await leases.times(db, table, schedules);
    const { now } = leases;
    const untilMs = ({ firstMs }: { firstMs: number }) => firstMs - now.getTime();
    // There can be more schedules than a look fires, beside which the work of others goes on.
    const hasFired = untilMs(next!) <= 0 && (await schedules.fire(now));
    // Those that are due and wait, for example for a lock, must not make others late.
    const againMs = hasFired ? 0 : Math.min(pollMs, waitingPauseMs);
    const nextMs = untilMs(next!) > 0 ? untilMs(next!) : againMs;
    if (untilMs(due!) > 0 && !due!.isLost) {
      return hasFired ? 0 : Math.max(leastPauseMs, Math.min(nextMs, untilMs(due!)));
    }
    const except = loop.underWay.map(({ id }) => id);
    const limit = atOnce - except.length;
    // Each that ends wakes the loop.
    if (limit <= 0) return nextMs;
    let heldFromMs = 0;
    const rows = (await db.transaction(async (tx) => {
      const lease = leases.next();
      ({ heldFromMs } = lease);
      if (due!.isLost) await table.bringForward(tx, lease);
      // Some looks are kept for the others while one team has much work.
      return table.take({ context: { db }, tx }, lease, {
        limit,
        except,
        mostOfTeam: Math.ceil((atOnce * 3) / 4),
      });
    })) as (Row<M> & { id: string })[];
    for (const row of rows) {
      const carry = (signal: AbortSignal) => carryOut(row, { owner: leases.owner, now: leases.now, signal });
      loop.carryOut(row, { heldFromMs, leaseMs }, carry);
    }
    return rows.length === 0 && !hasFired ? contendedPauseMs : 0;
  }

  return loop;
}
