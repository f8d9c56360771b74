import { type Actor, mayLess, type Right } from '../../kernel/access.ts';
import { forgetLoaded, type LoaderScope } from '../../kernel/batch.ts';
import type { RequestBudget } from '../../kernel/budget.ts';
import { ConflictError, ForbiddenError, UnauthenticatedError } from '../../kernel/errors.ts';
import { Limiter } from '../../kernel/limiter.ts';
import type { Topic } from '../channel/topic.ts';
import type { Database, Statements, Transaction } from '../open.ts';
import { Needs, type Prepare, type Prepared, withPrepared } from './beforehand.ts';
import { type Taken, withConflict } from './conflict.ts';
import type { EventAction } from './events.ts';
import { EventCollector, type RecordContext, type RecordEvent } from './record.ts';

/** A change that is made by statements alone, so that its dry run needs no transaction. */
export interface StatementWrite<C extends ChangeContext = ChangeContext> {
  context: C;
  tx: Statements;
  recordEvent: RecordEvent;
  /** Publishes a topic after the commit. The topics of recorded events are published anyway. */
  announce(topic: Topic): void;
  /**
   * Calls the hook after the commit, or if the connection breaks during
   * the commit, when its outcome is unknown. Hooks must not throw.
   */
  afterCommit(hook: () => void): void;
  /** Facts that were read before the transaction, and further ones that have to be. */
  prepared: Prepared;
  needs: Needs;
}

/** The open transaction of a change, with its hooks. */
export interface Write<C extends ChangeContext = ChangeContext> extends StatementWrite<C> {
  tx: Transaction;
}

/** The write of a transaction, with another action for its events. */
export const withAction = <W extends Pick<Write, 'recordEvent'>>(write: W, action: EventAction): W => ({
  ...write,
  recordEvent: (event) => write.recordEvent({ action, ...event }),
});

/** Stores what changes return, so that a repetition of their request returns it again. */
interface RepeatableChanges {
  /** `store` is called in the transaction of the change. */
  change<T>(transact: (store: (tx: Transaction, result: T) => Promise<void>) => Promise<T>): Promise<T>;
}

/** The part of a context that changes need. */
export interface ChangeContext extends RecordContext, LoaderScope {
  db: Database;
  actor: RecordContext['actor'] & Pick<Actor, 'isReadOnly'> & Partial<Pick<Actor, 'everywhere' | 'teams'>>;
  /** Re-reads the actor inside a transaction. Null if the token is no longer accepted. */
  actorIn?(tx: Transaction): Promise<Actor | undefined>;
  /** The rights that the operation has required, which are checked again inside the transaction. */
  rights?: Right[];
  /** Aborted when the request ends early, which rolls back an uncommitted transaction. */
  signal?: AbortSignal;
  budget?: Pick<
    RequestBudget,
    | 'caller'
    | 'held'
    | 'used'
    | 'beginChange'
    | 'endChange'
    | 'countRows'
    | 'expectRows'
    | 'reserve'
    | 'giveBack'
    | 'requirePlanObjects'
    | 'requireChangeObjects'
    | 'changeObjects'
    | 'applicationObjects'
    | 'deployBytes'
  >;
  /** Set for requests with an Idempotency-Key. */
  idempotency?: RepeatableChanges;
}

/** FORBIDDEN for read-only tokens. For work before `change` is called. */
export function requireWritable({ actor }: Pick<ChangeContext, 'actor'>): void {
  if (actor.isReadOnly) throw new ForbiddenError('This access token is read-only.');
}

/**
 * Checks rights again inside the transaction. Since the operation started, a member may have been removed or a token
 * revoked, for example during a call to a store or cluster. `change` does this first. Work that waits for a lock
 * under which others change rights does it once more after the wait. CONFLICT if the actor has lost any other right: what was
 * read and checked so far, also for objects of others, may depend on it.
 */
export async function requireRightsStill(context: ChangeContext, tx: Transaction): Promise<void> {
  const actor = await actorStill(context, tx);
  if (!actor) return;
  for (const right of context.rights ?? []) right(actor);
  if (mayLess(actor, context.actor)) {
    throw new ConflictError('Your rights changed at the same time. Try again.');
  }
}

/** The actor as the transaction sees them. Undefined where nobody asks: at the first start. */
async function actorStill(context: ChangeContext, tx: Transaction): Promise<Actor | undefined> {
  if (!context.actorIn) return undefined;
  const actor = await context.actorIn(tx);
  if (!actor) throw new UnauthenticatedError();
  requireWritable({ actor });
  return actor;
}

/**
 * The one entry point for writes. Rejects read-only tokens, opens the transaction, checks rights again, passes
 * `work` a recorder for events in the same transaction, sets `updatedAt` of the applications in which
 * something was recorded, and clears the loaders of the request. Unique violations become CONFLICT. `prepare` is called
 * before, outside of the transaction.
 */
export function change<T, C extends ChangeContext>(
  context: C,
  action: EventAction,
  work: (write: Write<C>) => Promise<T>,
  taken?: Taken,
  prepare?: Prepare,
): Promise<T> {
  const { idempotency } = context;
  const operation = { context, action, work, taken, prepare };
  return idempotency ? idempotency.change((store) => transact(operation, store)) : transact(operation);
}

interface Operation<T, C extends ChangeContext> {
  context: C;
  action: EventAction;
  work: (write: Write<C>) => Promise<T>;
  taken: Taken | undefined;
  prepare: Prepare | undefined;
}

/**
 * The changes that are planned before their transaction, which are large ones. A caller has few in a process at the same time:
 * others of the same team wait for the same locks, behind all of them.
 */
const ofCaller = new Limiter({ mostOfGroup: 2 });

async function transact<T, C extends ChangeContext>(
  operation: Operation<T, C>,
  store?: (tx: Transaction, result: T) => Promise<void>,
): Promise<T> {
  requireWritable(operation.context);
  const { budget, signal } = operation.context;
  let before: number | undefined;
  return withPrepared((prepared) => {
    // Reads of an earlier run are no longer in memory. A change is not made beside other work of its request.
    before ??= budget?.used.bytes;
    if (budget && before !== undefined) budget.giveBack(budget.used.bytes - before);
    const once = () => transactOnce(operation, prepared, store);
    return operation.prepare && budget?.caller !== undefined
      ? ofCaller.run(String(budget.caller), once, signal)
      : once();
  }, operation.prepare);
}

async function transactOnce<T, C extends ChangeContext>(
  { context, action, work, taken }: Operation<T, C>,
  prepared: Prepared,
  store?: (tx: Transaction, result: T) => Promise<void>,
): Promise<T> {
  const { db, budget } = context;
  const hooks: (() => void)[] = [];
  let topics: ReadonlySet<Topic> = new Set();
  let mayBeCommitted = false;
  let isCommitted = false;
  budget?.beginChange();
  try {
    const changed = await db.transaction(async (tx) => {
      // After a deadlock, the work is done once more.
      hooks.length = 0;
      await requireRightsStill(context, tx);
      const events = new EventCollector(context, action);
      const recordEvent: RecordEvent = (event) => events.add(event);
      const write: Write<C> = {
        context,
        tx,
        recordEvent,
        announce: (topic) => void events.topics.add(topic),
        afterCommit: (hook) => void hooks.push(hook),
        prepared,
        needs: new Needs(),
      };
      const result = await work(write);
      write.needs.require();
      await events.save(tx);
      if (store) await store(tx, result);
      topics = events.topics;
      mayBeCommitted = true;
      return result;
    }, context.signal);
    isCommitted = true;
    return changed;
  } catch (error) {
    throw withConflict(error, taken);
  } finally {
    budget?.endChange(isCommitted);
    forgetLoaded(context);
    if (mayBeCommitted) {
      for (const hook of hooks) hook();
      db.channel.publish(topics);
    }
  }
}
