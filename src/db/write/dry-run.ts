import { forgetLoaded } from '../../kernel/batch.ts';
import { ConflictError, UnavailableError } from '../../kernel/errors.ts';
import { Limiter, runWithin } from '../../kernel/limiter.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { type Transaction, transactionOptions, withMethods } from '../database.ts';
import { Needs, type Prepare, type Prepared, withPrepared } from './beforehand.ts';
import type { ChangeContext, StatementWrite, Write } from './change.ts';
import { withConflict } from './conflict.ts';
import { EventCounts } from './deliveries.ts';
import { unlocked } from './reading.ts';
import { leavesEvent, type RecordEvent } from './record.ts';

/** Thrown to roll back the transaction of a dry run. */
class RolledBack<T> {
  readonly result: T;

  constructor(result: T) {
    this.result = result;
  }
}

/** A queue in which each caller has one plan at a time, so that they take turns. */
function createQueue(most: number) {
  const ofCaller = new Limiter({ mostOfGroup: 1 });
  const refused = () => new UnavailableError('Too many plans are in progress. Try again later.');
  const all = new Limiter({ most, maxWaitMs: transactionOptions.maxWait, refused });
  return <T>(context: ChangeContext, work: () => Promise<T>): Promise<T> => {
    const { userId, serviceAccountId } = context.actor;
    const caller = `${userId ?? serviceAccountId}`;
    const limits = [ofCaller, all].map((limiter) => [limiter, caller] as const);
    return runWithin(limits, work, context.signal);
  };
}

/** The queues of a process. SQLite has one writer. */
const queuesOf = memoizeByIdentity((_: object) => ({
  plans: createQueue(2),
  sqlite: createQueue(1),
  postgres: createQueue(2),
}));

/**
 * Plans wait for each other, so that others have the processor in between, however many plans there are. None of them waits for
 * what another one finds out from other servers.
 */
export const inPlanQueue = <T>(
  context: ChangeContext,
  work: (prepared: Prepared) => Promise<T>,
): Promise<T> =>
  withPrepared((prepared) => queuesOf(context.db.channel).plans(context, () => work(prepared)));

export interface DryRunOptions {
  recordEvent?: RecordEvent;
  /** Whether its rows are limited. By default for those who may not make the change. */
  isLimited?: boolean;
  /** Whether no other server is asked for what the change needs, because the caller may not make it. */
  asksNobody?: boolean;
  prepare?: Prepare | undefined;
  /** Facts that were read beforehand. If they are given, the caller reads the missing ones. */
  prepared?: Prepared;
}

/**
 * Runs a change, rolls it back and returns its result. Nothing is recorded, so read-only tokens are allowed. Changes of others
 * wait for few dry runs, however many there are, because these wait for each other, lock no rows before they read them, and write
 * a limited number of rows. That of somebody who may make the change is not limited: others would wait for the change as long.
 */
export function dryRun<T, C extends ChangeContext>(
  context: C,
  work: (write: Write<C>) => Promise<T>,
  {
    recordEvent = leavesEvent,
    isLimited = context.actor.isReadOnly,
    asksNobody = false,
    prepare,
    prepared: given,
  }: DryRunOptions = {},
): Promise<T> {
  const { db, signal } = context;
  const run = async (prepared: Write['prepared']) => {
    try {
      return await db.transaction(async (tx) => {
        const counts = new EventCounts();
        const write: Write<C> = {
          context,
          tx: uncommitted(isLimited ? context.budget : undefined, tx, asksNobody),
          recordEvent: countedIn(counts, recordEvent),
          announce: () => {},
          afterCommit: () => {},
          prepared,
          needs: new Needs(),
        };
        const result = await work(write);
        write.needs.require();
        await counts.requireFew(context, (text, params) => tx.$read(text, params));
        throw new RolledBack(result);
      }, signal);
    } catch (error) {
      if (error instanceof RolledBack) return error.result;
      throw withConflict(error);
    } finally {
      forgetLoaded(context);
    }
  };
  const runInQueue = queuesOf(db.channel)[db.dialect.kind];
  const queued = (prepared: Prepared) => runInQueue(context, () => run(prepared));
  return given ? queued(given) : withPrepared(queued, prepare);
}

/**
 * Runs a change outside of a transaction. What it writes is dropped, so that it must not read what it has written, and others do
 * not wait for it.
 */
export function dryRunUnlocked<T, C extends ChangeContext>(
  context: C,
  work: (write: StatementWrite<C>) => Promise<T>,
  recordEvent: RecordEvent,
): Promise<T> {
  const { actor, budget } = context;
  return inPlanQueue(context, async (prepared) => {
    let objects = 0;
    const counts = new EventCounts();
    const recorded = countedIn(counts, recordEvent);
    const counting: RecordEvent = (event) => {
      const isRecorded = recorded(event);
      if (isRecorded && actor.isReadOnly) budget?.requirePlanObjects(++objects);
      return isRecorded;
    };
    const needs = new Needs();
    const result = await work({
      context,
      tx: { ...unlocked(context).tx, $write: async () => 0 },
      recordEvent: counting,
      announce: () => {},
      afterCommit: () => {},
      prepared,
      needs,
    });
    needs.require();
    await counts.requireFew(context, (text, params) => context.db.query(text, params));
    return result;
  });
}

/** Counts the events that a dry run would record. */
const countedIn =
  (counts: EventCounts, recordEvent: RecordEvent): RecordEvent =>
  (event) => {
    const isRecorded = recordEvent(event);
    if (isRecorded && event.teamId && event.action) counts.add(event.teamId, event.action);
    return isRecorded;
  };

/** How often a plan is made again because what it was made of has changed meanwhile. */
const mostAttempts = 3;

/**
 * A dry run whose plan is read before its transaction, which holds locks only while it writes. `make` returns undefined if the
 * rows that the plan was read from have changed since, and the plan is read again. A result of `settled` needs no transaction.
 */
export async function dryRunOf<P, T, C extends ChangeContext>(
  context: C,
  plan: () => Promise<P>,
  make: (write: Write<C>, planned: P) => Promise<T | undefined>,
  { settled, ...options }: DryRunOptions & { settled?: (planned: P) => T | undefined } = {},
): Promise<T> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const planned = await plan();
    const made = settled?.(planned) ?? (await dryRun(context, (write) => make(write, planned), options));
    if (made !== undefined) return made;
  }
  throw changedMeanwhile();
}

export const changedMeanwhile = () =>
  new ConflictError(
    'Another request created, changed or deleted the application at the same time. Plan the change again.',
  );

/** The transaction of a dry run, whose rows are limited by the budget. */
function uncommitted(budget: ChangeContext['budget'], tx: Transaction, asksNobody: boolean): Transaction {
  let written = 0;
  const counted = async (writing: Promise<number>) => {
    const rows = await writing;
    written += rows;
    budget?.requirePlanObjects(written);
    return rows;
  };
  const { $insert } = tx;
  return withMethods(tx, {
    $read: (text, params) => tx.$read(text, params),
    $write: (text, params) => counted(tx.$write(text, params)),
    ...($insert && { $insert: (into, rows) => counted($insert(into, rows)) }),
    isDryRun: true,
    asksNobody,
  });
}
