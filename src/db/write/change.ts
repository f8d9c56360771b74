import type { Actor, Right } from '../../kernel/access.ts';
import { forgetLoaded, type LoaderScope } from '../../kernel/batch.ts';
import type { RequestBudget } from '../../kernel/budget.ts';
import { ForbiddenError, UnauthenticatedError } from '../../kernel/errors.ts';
import type { Database, Transaction } from '../open.ts';
import { columnOf, type Field, type Model, type Row, tableOf } from '../tables.ts';
import { insertMany } from './bulk.ts';
import { type Taken, withConflict } from './conflict.ts';
import type { EventAction, SubjectType } from './events.ts';

/** An event to record: `changes` maps a field to [before, after]. */
export interface RecordedEvent {
  /** Defaults to the action of the change. */
  action?: EventAction;
  subject: { type: SubjectType; id: string | number };
  /** The name of the object in a plan, where its row does not have it. */
  name?: string;
  teamId?: string | null;
  /** The application of the object, if its row does not have the column. */
  applicationId?: number;
  before?: object | null;
  after?: object | null;
  /** How a value is shown in the event, if not as it is. What changed is decided by the values themselves. */
  shown?: (field: string, value: unknown) => unknown;
  /** Records the event even if no column changes, for example for a restart. */
  evenIfUnchanged?: boolean;
}

export type RecordEvent = (event: RecordedEvent) => void;

/** The open transaction of a change, with its hooks. */
export interface Write<C extends ChangeContext = ChangeContext> {
  context: C;
  tx: Transaction;
  recordEvent: RecordEvent;
  /**
   * Calls the hook after the commit, or if the connection breaks during
   * the commit, when its outcome is unknown. Hooks must not throw.
   */
  afterCommit(hook: () => void): void;
}

/** The part of a context that changes need. At the first start, Trellis itself has no user. */
export interface ChangeContext extends LoaderScope {
  db: Database;
  actor: Pick<Actor, 'enterpriseId' | 'isReadOnly'> & { userId: number | null; tokenId: string | null };
  requestId: string;
  /** Re-reads the actor inside a transaction. Null if the token is no longer accepted. */
  actorIn?(tx: Transaction): Promise<Actor | undefined>;
  /** The rights that the operation has required, which are checked again inside the transaction. */
  rights?: Right[];
  /** Aborted when the request ends early, which rolls back an uncommitted transaction. */
  signal?: AbortSignal;
  budget?: Pick<RequestBudget, 'held' | 'beginChange' | 'endChange'>;
}

/** The encrypted columns of a model. The compiler reports columns that are missing below. */
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
  sealedSpec: true,
  sealedFromTemplate: true,
};

/** Columns whose values are redacted in events: encrypted, hashed, or file contents. */
const secretFields = new Set<string>([
  ...Object.keys(sealedFields),
  'hash' satisfies Field<'AccessToken'>,
  'fileContent' satisfies Field<'Volume'>,
]);

/** Columns that are omitted from events. */
const silentFields = new Set(['folded', 'updatedAt', 'createdAt']);

const plain = (value: unknown) => (value instanceof Date ? value.toISOString() : (value ?? null));

const redacted = (field: string, value: unknown) =>
  value !== null && secretFields.has(field) ? '[redacted]' : value;

/** The changed fields, with their values before and after. Secrets are redacted. */
export function difference(
  before: object | null | undefined,
  after: object | null | undefined,
  shown: NonNullable<RecordedEvent['shown']> = redacted,
) {
  const changes: { [field: string]: [unknown, unknown] } = {};
  const from = (before ?? {}) as { [field: string]: unknown };
  const to = (after ?? {}) as { [field: string]: unknown };
  for (const field of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [old, now] = [plain(from[field]), plain(to[field])];
    if (silentFields.has(field) || JSON.stringify(old) === JSON.stringify(now)) continue;
    changes[field] = [shown(field, old), shown(field, now)];
  }
  return changes;
}

/** Whether an event is recorded: a change that changes nothing leaves none. */
export const leavesEvent = ({ before, after, evenIfUnchanged = false }: RecordedEvent) =>
  evenIfUnchanged || Object.keys(difference(before, after)).length > 0;

/** The application whose `updatedAt` changes. Undefined for a new application. */
function applicationOf({ subject, applicationId, before, after }: RecordedEvent): number | undefined {
  if (applicationId !== undefined) return applicationId;
  if (subject.type === 'Application') return before ? Number(subject.id) : undefined;
  return ((after ?? before) as { applicationId?: number } | null | undefined)?.applicationId;
}

/** FORBIDDEN for read-only tokens. For work before `change` is called. */
export function requireWritable({ actor }: Pick<ChangeContext, 'actor'>): void {
  if (actor.isReadOnly) throw new ForbiddenError('This access token is read-only.');
}

/**
 * Checks rights again inside the transaction. Since the operation started, a member may have been removed or a token
 * revoked, for example during a call to a store or cluster. `change` does this first. Work that waits for a lock
 * under which others change rights does it once more after the wait.
 */
export async function requireRightsStill(context: ChangeContext, tx: Transaction): Promise<void> {
  if (!context.actorIn) return;
  const actor = await context.actorIn(tx);
  if (!actor) throw new UnauthenticatedError();
  requireWritable({ actor });
  for (const right of context.rights ?? []) right(actor);
}

/**
 * The one entry point for writes. Rejects read-only tokens, opens the transaction, checks rights again, passes
 * `work` a recorder for events in the same transaction, sets `updatedAt` of the applications in which
 * something was recorded, and clears the loaders of the request. Unique violations become CONFLICT.
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

/** The events of one change, and the applications that they affect. */
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
    const changes = difference(before, after, event.shown);
    if (!evenIfUnchanged && Object.keys(changes).length === 0) return;
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
    const write = { context: this.#context, tx };
    if (this.#applicationIds.size === 0) return insertMany(write, 'Event', this.#events);
    const touch = this.#touch();
    if (this.#context.db.dialect.nestsWrites) return insertMany(write, 'Event', this.#events, touch);
    await insertMany(write, 'Event', this.#events);
    await tx.$executeRawUnsafe(touch.text, ...touch.params);
  }

  /** Sets `updatedAt` of the applications. Of two concurrent changes, the later time is kept. */
  #touch() {
    const { dialect } = this.#context.db;
    const { placeholder, keyTable } = dialect;
    const [time, keys, limit] = (dialect.nestsWrites ? [2, 3, 4] : [1, 2, 3]).map(placeholder);
    const id = columnOf('Application', 'id');
    const { column } = columnOf('Application', 'updatedAt');
    const updatedAt = dialect.encode(new Date());
    return {
      text: `UPDATE "${tableOf('Application').table}" SET "${column}" = ${time} WHERE "${id.column}" IN (SELECT key FROM ${keyTable(keys!, id.type)}) AND "${column}" < ${limit}`,
      params: [updatedAt, dialect.encodeList([...this.#applicationIds]), updatedAt],
    };
  }
}

/** Thrown to roll back the transaction of a dry run. */
class RolledBack<T> {
  readonly result: T;

  constructor(result: T) {
    this.result = result;
  }
}

/** Runs a change, rolls it back and returns its result. Nothing is recorded, so read-only tokens are allowed. */
export async function dryRun<T, C extends ChangeContext>(
  context: C,
  work: (write: Write<C>) => Promise<T>,
  recordEvent: RecordEvent = () => {},
): Promise<T> {
  try {
    return await context.db.transaction(async (tx) => {
      throw new RolledBack(await work({ context, tx, recordEvent, afterCommit: () => {} }));
    }, context.signal);
  } catch (error) {
    if (error instanceof RolledBack) return error.result;
    throw withConflict(error);
  } finally {
    forgetLoaded(context);
  }
}

/** One object that a change creates, changes or deletes, in the order of the change. */
export interface ObjectChange {
  action: EventAction;
  subject: RecordedEvent['subject'];
  /** The name of the object for people: its name, alias, domain, address or number. Null if it has none. */
  name: string | null;
}

/** Makes a change and lists the objects that it affected. A dry run returns the same and writes nothing. */
export async function changeWithPlan<T, C extends ChangeContext>(
  context: C,
  action: EventAction,
  { isDryRun }: { isDryRun: boolean },
  work: (write: Write<C>) => Promise<T>,
  taken?: Taken,
): Promise<{ result: T; plan: ObjectChange[] }> {
  const plan: ObjectChange[] = [];
  const list = (event: RecordedEvent) => {
    if (!leavesEvent(event)) return;
    plan.push({ action: event.action ?? action, subject: event.subject, name: nameOf(event) });
  };
  if (isDryRun) return { result: await dryRun(context, work, list), plan };
  const withList = (write: Write<C>) =>
    work({
      ...write,
      recordEvent: (event) => {
        write.recordEvent(event);
        list(event);
      },
    });
  return { result: await change(context, action, withList, taken), plan };
}

function nameOf({ name: given, before, after }: RecordedEvent): string | null {
  const row = (before ?? after ?? {}) as { [field: string]: unknown };
  const name = given ?? row.name ?? row.alias ?? row.domain ?? row.address ?? row.number;
  return name === undefined || name === null ? null : String(name);
}

type Locking = { context: Pick<ChangeContext, 'db'>; tx: Transaction };
type Ids = readonly (string | number)[];

/**
 * Locks rows until the commit, so that they cannot change after they are read.
 * SQLite has one writer at a time and needs no locks. Rows are locked in order of their ids, and
 * components before their region, which prevents deadlocks.
 */
export const lockRows = (write: Locking, model: Model, ...ids: Ids): Promise<void> =>
  lockWith(write, write.context.db.dialect.rowLock, model, ids);

/** Locks rows that will be deleted: until the commit, no other change can add rows that refer to them. */
export const lockForDelete = (write: Locking, model: Model, ...ids: Ids): Promise<void> =>
  lockWith(write, write.context.db.dialect.deleteLock, model, ids);

async function lockWith(
  { context, tx }: Locking,
  lock: string | undefined,
  model: Model,
  ids: Ids,
): Promise<void> {
  if (lock === undefined || ids.length === 0) return;
  const { placeholder, keyTable } = context.db.dialect;
  const { column, type } = columnOf(model, 'id');
  const among = keyTable(placeholder(1), type);
  await tx.$queryRawUnsafe(
    `SELECT 1 FROM "${tableOf(model).table}" WHERE "${column}" IN (SELECT key FROM ${among}) ORDER BY "${column}"${lock}`,
    ids,
  );
}
