import type { Actor, Right } from '../../kernel/access.ts';
import { forgetLoaded, type LoaderScope } from '../../kernel/batch.ts';
import type { RequestBudget } from '../../kernel/budget.ts';
import { ForbiddenError, UnauthenticatedError } from '../../kernel/errors.ts';
import type { Database, Transaction } from '../open.ts';
import { columnOf, type Field, type Model, type Row, tableOf } from '../tables.ts';
import { insertMany } from './bulk.ts';
import { type Taken, withConflict } from './conflict.ts';
import type { EventAction, SubjectType } from './events.ts';

/** What is written about a change: `changes` maps a field to [before, after]. */
export interface RecordedEvent {
  /** The action of the change, unless this object's own part in it has another name. */
  action?: EventAction;
  subject: { type: SubjectType; id: string | number };
  teamId?: string | null;
  /** The application that the object is part of, where its row does not have the column. */
  applicationId?: number;
  before?: object | null;
  after?: object | null;
  /** Records an action that leaves every column as it is, such as a restart; by default it leaves no event. */
  evenIfUnchanged?: boolean;
}

export type RecordEvent = (event: RecordedEvent) => void;

/** An open transaction, and what belongs to a change besides its rows. */
export interface Write<C extends ChangeContext = ChangeContext> {
  context: C;
  tx: Transaction;
  recordEvent: RecordEvent;
  /**
   * Calls the hook once the transaction has been committed, or may have been: when the connection breaks during
   * the commit, nobody knows. A hook must not throw.
   */
  afterCommit(hook: () => void): void;
}

/** What the door needs of a context. Trellis itself, at its first start, acts as no user. */
export interface ChangeContext extends LoaderScope {
  db: Database;
  actor: Pick<Actor, 'enterpriseId' | 'isReadOnly'> & { userId: number | null; tokenId: string | null };
  requestId: string;
  /** Who is asking, read inside a transaction; nobody when the token is no longer accepted. */
  actorIn?(tx: Transaction): Promise<Actor | undefined>;
  /** What the operation has required of the actor, and requires of it again inside the transaction. */
  rights?: Right[];
  /** Aborted when the request ends before its answer: what is not committed by then is rolled back. */
  signal?: AbortSignal;
  budget?: Pick<RequestBudget, 'held' | 'beginChange' | 'endChange'>;
}

/** Every column of a model that holds an encrypted value; the compiler finds one that is missing below. */
type SealedField = { [M in Model]: Extract<Field<M>, `sealed${string}`> }[Model];

const sealedFields: { [field in SealedField]: true } = {
  sealedToken: true,
  sealedCaCertificate: true,
  sealedClientCertificate: true,
  sealedClientKey: true,
  sealedKey: true,
  sealedAccessKey: true,
  sealedValue: true,
  sealedTemplate: true,
};

/** Columns whose values never reach the record: what is encrypted, hashed, or the content of a file. */
const secretFields = new Set<string>([
  ...Object.keys(sealedFields),
  'hash' satisfies Field<'AccessToken'>,
  'fileContent' satisfies Field<'Volume'>,
]);

/** Fields that say nothing to a reader of the record. */
const silentFields = new Set(['folded', 'updatedAt', 'createdAt']);

const plain = (value: unknown) => (value instanceof Date ? value.toISOString() : (value ?? null));

/** The fields that differ, each with its value before and after; secrets are only said to have changed. */
export function difference(before: object | null | undefined, after: object | null | undefined) {
  const changes: { [field: string]: [unknown, unknown] } = {};
  const from = (before ?? {}) as { [field: string]: unknown };
  const to = (after ?? {}) as { [field: string]: unknown };
  for (const field of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [old, now] = [plain(from[field]), plain(to[field])];
    if (silentFields.has(field) || JSON.stringify(old) === JSON.stringify(now)) continue;
    const shown = (value: unknown) => (value !== null && secretFields.has(field) ? '[redacted]' : value);
    changes[field] = [shown(old), shown(now)];
  }
  return changes;
}

/** The application whose time of last change moves with this: none for an application that is new. */
function applicationOf({ subject, applicationId, before, after }: RecordedEvent): number | undefined {
  if (applicationId !== undefined) return applicationId;
  if (subject.type === 'Application') return before ? Number(subject.id) : undefined;
  return ((after ?? before) as { applicationId?: number } | null | undefined)?.applicationId;
}

/** FORBIDDEN to a read-only token: for what is done before the door is reached. */
export function requireWritable({ actor }: Pick<ChangeContext, 'actor'>): void {
  if (actor.isReadOnly) throw new ForbiddenError('This access token is read-only.');
}

/**
 * Rights were checked when the operation started. A member may have been removed or a token revoked since,
 * while a store or a cluster was asked.
 */
async function requireRightsStill({ actorIn, rights }: ChangeContext, tx: Transaction): Promise<void> {
  if (!actorIn) return;
  const actor = await actorIn(tx);
  if (!actor) throw new UnauthenticatedError();
  requireWritable({ actor });
  for (const right of rights ?? []) right(actor);
}

/**
 * The one entry point for writes. It refuses read-only tokens, opens the transaction, checks the rights again, hands
 * `work` a recorder whose events are part of that transaction, moves `updatedAt` of the applications in which
 * something was recorded, and forgets what the request had loaded. A unique value that is taken becomes a CONFLICT.
 */
export async function change<T, C extends ChangeContext>(
  context: C,
  action: EventAction,
  work: (write: Write<C>) => Promise<T>,
  taken?: Taken,
): Promise<T> {
  requireWritable(context);
  const { db, budget } = context;
  const hooks: (() => void)[] = [];
  let mayBeCommitted = false;
  let isCommitted = false;
  budget?.beginChange();
  try {
    const changed = await db.transaction(async (tx) => {
      await requireRightsStill(context, tx);
      const events = new EventCollector(context, action);
      const recordEvent: RecordEvent = (event) => events.add(event);
      const result = await work({ context, tx, recordEvent, afterCommit: (hook) => void hooks.push(hook) });
      await events.save(tx);
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
    if (mayBeCommitted) for (const hook of hooks) hook();
  }
}

/** The events of one change, and the applications that they move. */
class EventCollector {
  readonly #context: ChangeContext;
  readonly #action: EventAction;
  readonly #events: Omit<Row<'Event'>, 'id'>[] = [];
  readonly #applicationIds = new Set<number>();

  constructor(context: ChangeContext, action: EventAction) {
    this.#context = context;
    this.#action = action;
  }

  add(event: RecordedEvent): void {
    const { subject, teamId = null, before, after, action = this.#action, evenIfUnchanged = false } = event;
    const changes = difference(before, after);
    if (Object.keys(changes).length === 0 && !evenIfUnchanged) return;
    const applicationId = applicationOf(event);
    if (applicationId !== undefined) this.#applicationIds.add(applicationId);
    const { actor, requestId } = this.#context;
    this.#events.push({
      enterpriseId: actor.enterpriseId,
      teamId,
      at: new Date(),
      userId: actor.userId,
      tokenId: actor.tokenId,
      requestId,
      action,
      subjectType: subject.type,
      subjectId: String(subject.id),
      changes: JSON.stringify(changes),
    });
  }

  async save(tx: Transaction): Promise<void> {
    await insertMany({ context: this.#context, tx }, 'Event', this.#events);
    if (this.#applicationIds.size === 0) return;
    // Of two changes at once the later time stays.
    const updatedAt = new Date();
    const where = { id: { in: [...this.#applicationIds] }, updatedAt: { lt: updatedAt } };
    await tx.application.updateMany({ where, data: { updatedAt } });
  }
}

class RolledBack<T> {
  readonly result: T;

  constructor(result: T) {
    this.result = result;
  }
}

/** What a change would answer: it is made, and undone. Nothing is recorded, so a read-only token may as well. */
export async function dryRun<T, C extends ChangeContext>(
  context: C,
  work: (write: Write<C>) => Promise<T>,
): Promise<T> {
  try {
    return await context.db.transaction(async (tx) => {
      throw new RolledBack(await work({ context, tx, recordEvent: () => {}, afterCommit: () => {} }));
    }, context.signal);
  } catch (error) {
    if (error instanceof RolledBack) return error.result;
    throw withConflict(error);
  } finally {
    forgetLoaded(context);
  }
}

/**
 * Locks rows for the rest of the transaction, so that what is read of them stays true until the commit.
 * SQLite has one writer at a time and needs no locks. Several rows are locked in the order of their ids, and
 * components before their region, so that two transactions never wait for each other.
 */
export async function lockRows(
  { context: { db }, tx }: { context: Pick<ChangeContext, 'db'>; tx: Transaction },
  model: Model,
  ...ids: readonly (string | number)[]
): Promise<void> {
  const { rowLock, placeholder, keyTable } = db.dialect;
  if (rowLock === undefined || ids.length === 0) return;
  const { column, type } = columnOf(model, 'id');
  const among = keyTable(placeholder(1), type);
  await tx.$queryRawUnsafe(
    `SELECT 1 FROM "${tableOf(model).table}" WHERE "${column}" IN (SELECT key FROM ${among}) ORDER BY "${column}"${rowLock}`,
    ids,
  );
}
