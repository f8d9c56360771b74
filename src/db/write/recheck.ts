import { createHash } from 'node:crypto';
import { ApiError } from '../../kernel/errors.ts';
import { yieldInTransaction } from '../../kernel/event-loop.ts';
import type { Database, ReadLog, Statements } from '../database.ts';
import type { Prepare } from './beforehand.ts';
import type { Write } from './change.ts';
import { type Reading, unlocked } from './reading.ts';

/** A statement to run again. Without a digest, it only locks rows. */
interface Step {
  text: string;
  /** What makes a read lock its rows. */
  locking: string;
  params: readonly unknown[];
  /** Of the rows that it had. */
  digest?: string;
}

/** The reads and locks of a plan, in order. */
type Steps = readonly Step[];

const digestOf = (rows: readonly (readonly unknown[])[]): string =>
  createHash('sha256').update(JSON.stringify(rows)).digest('base64');

class StepLog implements ReadLog {
  readonly steps: Step[] = [];
  readonly $read: Statements['$read'];

  constructor(read: Statements['$read']) {
    this.$read = read;
  }

  saw(text: string, params: readonly unknown[], rows: readonly (readonly unknown[])[], locking = ''): void {
    this.steps.push({ text, locking, params, digest: digestOf(rows) });
  }

  locks(text: string, params: readonly unknown[]): void {
    this.steps.push({ text, locking: '', params });
  }
}

/** Reads outside of a transaction, and records the reads. */
function logged<C extends { db: Pick<Database, 'query'> }>(context: C): Reading<C> & { log: StepLog } {
  const { tx } = unlocked(context);
  const log = new StepLog(tx.$read);
  return {
    context,
    log,
    tx: {
      ...tx,
      isDryRun: false,
      async $read(text, params) {
        const rows = await tx.$read(text, params);
        log.saw(text, params, rows);
        return rows;
      },
      log,
    },
  };
}

type Rechecking = { context: { signal?: AbortSignal }; tx: Pick<Statements, '$read' | 'isDryRun'> };

/**
 * Whether the reads return the same rows again. In the transaction of a change, rows are locked and read in the order of a plan that
 * is made there, so that an unchanged plan is the one that would be made.
 */
async function isUnchanged({ context, tx }: Rechecking, steps: Steps): Promise<boolean> {
  for (const { text, locking, params, digest } of steps) {
    if (digest === undefined && tx.isDryRun) continue;
    const rows = await tx.$read(tx.isDryRun ? text : text + locking, params);
    if (digest !== undefined && digest !== digestOf(rows)) return false;
    await yieldInTransaction(context.signal);
  }
  return true;
}

/** The errors that a change by another request, between two reads, can cause. */
const refusals: ReadonlySet<string> = new Set(['CONFLICT', 'INVALID_INPUT', 'NOT_FOUND']);

/** How often a plan is made before its transaction if other requests change what it reads. After that, it is made in the transaction. */
const mostAttempts = 2;

interface Planned<P> {
  plan: P;
  steps: Steps;
}

type PlanContext = Write['context'];

/** Plans outside of a transaction. Undefined if other requests keep changing what it reads. */
async function planBefore<P, C extends PlanContext>(
  context: C,
  plan: (reading: Reading<C>) => Promise<P>,
): Promise<Planned<P> | undefined> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const reading = logged(context);
    try {
      return { plan: await plan(reading), steps: reading.log.steps };
    } catch (error) {
      context.signal?.throwIfAborted();
      if (error instanceof ApiError && !refusals.has(error.code)) throw error;
      const again = { context, tx: { $read: reading.log.$read, isDryRun: true } };
      if (await isUnchanged(again, reading.log.steps)) throw error;
    }
  }
  return undefined;
}

/**
 * Makes a plan before the transaction that carries it out, so that other requests wait for its writes only. `within` locks the
 * rows, and returns the plan if its reads return the same rows again. Otherwise the plan is made again, the last time in the transaction.
 */
export function plannedBefore<P, C extends PlanContext>(
  context: C,
  plan: (reading: Reading<C>) => Promise<P>,
): { prepare: Prepare; within(write: Write<C>): Promise<P> } {
  const key = {};
  let attempts = 0;
  const prepare: Prepare = async (prepared) => {
    attempts++;
    prepared.set(key, attempts > mostAttempts ? undefined : await planBefore(context, plan));
  };
  return {
    prepare,
    async within(write) {
      const made = write.prepared.get(key) as Planned<P> | undefined;
      if (!made) return plan(write);
      if (await isUnchanged(write, made.steps)) return made.plan;
      // Not in this transaction, which has locked rows that a plan locks after others.
      write.needs.add(prepare);
      write.needs.require();
      throw new Error('The transaction is rolled back.');
    },
  };
}
