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

/** What was read before a transaction, and the rows that a change locks while it reads. */
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

/** Reads outside of a transaction, and takes note of what is read. */
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
 * Whether reads have the rows that they had. In the transaction of a change, rows are locked and read in the order in which a plan within it
 * would do so: what is the same then is what such a plan would be made of.
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

/** The refusals that can be due to reads between which others made changes. */
const refusals: ReadonlySet<string> = new Set(['CONFLICT', 'INVALID_INPUT', 'NOT_FOUND']);

/** How often something is planned before a transaction that others change meanwhile. Then it is planned within one. */
const mostAttempts = 2;

interface Planned<P> {
  plan: P;
  steps: Steps;
}

type PlanContext = Write['context'];

/** Plans outside of a transaction. Undefined if others make changes at the same time. */
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
 * A plan that is made before the transaction which carries it out, so that others wait for the writes alone. `within` returns it
 * if everything that it was made of is as it was, and is locked. Otherwise it is made again, and in the end within the transaction.
 */
export function plannedBefore<P, C extends PlanContext>(
  context: C,
  plan: (reading: Reading<C>) => Promise<P>,
): { prepare: Prepare; within(write: Write<C>): Promise<P> } {
  const key = {};
  let attempts = 0;
  const prepare: Prepare = async (prepared) => {
    attempts++;
    prepared.set(key, await planBefore(context, plan));
  };
  return {
    prepare,
    async within(write) {
      const made = write.prepared.get(key) as Planned<P> | undefined;
      if (made && (await isUnchanged(write, made.steps))) return made.plan;
      if (!made || attempts >= mostAttempts) return plan(write);
      write.needs.add(prepare);
      write.needs.require();
      throw new Error('The transaction is rolled back.');
    },
  };
}
