import type { Actor } from '../../kernel/access.ts';
import type { Topic } from '../channel/topic.ts';
import type { Database, Transaction } from '../open.ts';
import { columnOf, type Field, type Model, type Row, tableOf } from '../tables.ts';
import { type Beside, type Bulk, type BulkBudget, insertMany } from './bulk.ts';
import { deliveriesOf, EventCounts } from './deliveries.ts';
import type { EventAction, SubjectType } from './events.ts';

/** An event to record: `changes` maps a field to [before, after]. */
export interface RecordedEvent {
  /** Defaults to the action of the change. */
  action?: EventAction;
  subject: { type: SubjectType; id: string | number };
  /** The name of the object in a plan, where its row does not have it. */
  name?: string;
  teamId?: string | null;
  /** The application and the component of the object, if its row does not have the columns. */
  applicationId?: number;
  componentId?: string;
  before?: object | null;
  after?: object | null;
  /** How a value is shown in the event, if not as it is. What changed is decided by the values themselves. */
  shown?: (field: string, value: unknown) => unknown;
  /** The name of the application whose manifest makes the change. */
  manifest?: string;
  /** Records the event even if no column changes, for example for a restart. */
  evenIfUnchanged?: boolean;
}

/** Returns whether the event is recorded: a change that changes nothing leaves none. */
export type RecordEvent = (event: RecordedEvent) => boolean;

/** The fields of events about their request. At the first start, there is no user. */
export interface RecordContext {
  budget?: BulkBudget;
  db: Pick<Database, 'dialect' | 'channel'>;
  actor: Pick<Actor, 'enterpriseId' | 'userId' | 'serviceAccountId'> & {
    tokenId: string | null;
    /** Absent for changes made by Trellis itself. */
    sessionId?: string | null;
    /** Set for changes made by a deploy hook. */
    deployHookId?: string | null;
  };
  requestId: string;
}

/** The encrypted columns of a model. The compiler reports columns that are missing below. */
type SealedField = { [M in Model]: Extract<Field<M>, `sealed${string}`> }[Model];

const sealedFields: { [field in SealedField]: true } = {
  sealedToken: true,
  sealedCaCertificate: true,
  sealedClientCertificate: true,
  sealedClientKey: true,
  sealedMetricsCredentials: true,
  sealedLogsCredentials: true,
  sealedKey: true,
  sealedPassword: true,
  sealedAccessKey: true,
  sealedValue: true,
  sealedTemplate: true,
  sealedSpec: true,
  sealedLines: true,
  sealedFromTemplate: true,
  sealedInput: true,
  sealedAnswer: true,
  sealedResult: true,
  sealedKeyCheck: true,
  sealedRefreshToken: true,
  sealedSecret: true,
  sealedOldSecret: true,
  sealedPayload: true,
};

/** Columns whose values are redacted in events: encrypted, hashed, or file contents. */
const secretFields = new Set<string>([
  ...Object.keys(sealedFields),
  'hash' satisfies Field<'AccessToken'> & Field<'DeployHook'>,
  'fileContent' satisfies Field<'Volume'>,
]);

/** Columns that are omitted from events. */
const silentFields = new Set([
  'folded',
  'revision',
  'updatedAt',
  'createdAt',
  'toldDays',
  'ownedClusterName',
  'namespaceId',
]);

const plain = (value: unknown) => (value instanceof Date ? value.toISOString() : (value ?? null));

const redacted = (field: string, value: unknown) =>
  value !== null && secretFields.has(field) ? '[redacted]' : value;

type Values = { readonly [field: string]: unknown };

const none: Values = {};

/** The changed fields, with their values before and after. Changes of many rows compare hundred thousands of values while others wait. */
function changedFields(
  before: object | null | undefined,
  after: object | null | undefined,
): (readonly [field: string, old: unknown, now: unknown])[] {
  const from = (before ?? none) as Values;
  const to = (after ?? none) as Values;
  const changes: (readonly [string, unknown, unknown])[] = [];
  const compare = (field: string) => {
    if (silentFields.has(field)) return;
    const old = plain(from[field]);
    const now = plain(to[field]);
    if (!isSame(old, now)) changes.push([field, old, now]);
  };
  for (const field in from) compare(field);
  for (const field in to) if (!(field in from)) compare(field);
  return changes;
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

const isSame = (old: unknown, now: unknown): boolean =>
  old === now || (isObject(old) && isObject(now) && JSON.stringify(old) === JSON.stringify(now));

/** The changed fields, with their values as they are shown. Secrets are redacted. Undefined if there are none. */
function difference(
  before: object | null | undefined,
  after: object | null | undefined,
  shown: NonNullable<RecordedEvent['shown']> = redacted,
) {
  const changed = changedFields(before, after);
  if (changed.length === 0) return undefined;
  const changes: { [field: string]: [unknown, unknown] } = {};
  for (const [field, old, now] of changed) changes[field] = [shown(field, old), shown(field, now)];
  return changes;
}

/** What the event of a change says of its fields. */
export const recordedChanges = ({ before, after, shown }: RecordedEvent) =>
  difference(before, after, shown) ?? {};

/** Whether a change of columns is recorded. */
export function isDifferent(before: object, data: object): boolean {
  const from = before as { [field: string]: unknown };
  return Object.entries(data).some(
    ([field, value]) => !silentFields.has(field) && plain(from[field]) !== plain(value),
  );
}

/** Makes a change that is not recorded. */
export const leavesEvent: RecordEvent = ({ before, after, evenIfUnchanged = false }) =>
  evenIfUnchanged || changedFields(before, after).length > 0;

/** The application that the object is or belongs to. */
function applicationOf({ subject, applicationId, before, after }: RecordedEvent): number | undefined {
  if (subject.type === 'Application') return Number(subject.id);
  return (
    applicationId ??
    ((after ?? before) as { applicationId?: number | null } | null)?.applicationId ??
    undefined
  );
}

/** The component that the object is or belongs to. */
export function componentOf({ subject, componentId, before, after }: RecordedEvent): string | undefined {
  if (subject.type === 'Component') return String(subject.id);
  return componentId ?? ((after ?? before) as { componentId?: string } | null)?.componentId;
}

/** Where the object is. */
export const placeOfRecorded = (event: RecordedEvent) => ({
  teamId: event.teamId ?? null,
  applicationId: applicationOf(event) ?? null,
  ...(componentOf(event) !== undefined && { componentId: componentOf(event)! }),
});

/** The events of one change, and the applications that they affect, whose `updatedAt` is set unless nothing touches them. */
export class EventCollector {
  readonly #context: RecordContext;
  readonly #action: EventAction;
  readonly #events: Omit<Row<'Event'>, 'id'>[] = [];
  readonly #applicationIds = new Set<number>();
  readonly #touches: boolean;
  /** The topics to publish after the commit. */
  readonly topics = new Set<Topic>();

  constructor(context: RecordContext, action: EventAction, { touches = true } = {}) {
    this.#context = context;
    this.#action = action;
    this.#touches = touches;
  }

  add(event: RecordedEvent): boolean {
    const { subject, teamId = null, before, after, action = this.#action, evenIfUnchanged = false } = event;
    const changes = difference(before, after, event.shown);
    if (changes === undefined && !evenIfUnchanged) return false;
    const applicationId = applicationOf(event);
    // A new application has the time of its creation.
    const isNew = subject.type === 'Application' && !before && event.applicationId === undefined;
    if (applicationId !== undefined && !isNew) {
      if (this.#touches) this.#applicationIds.add(applicationId);
      this.topics.add(`application/${applicationId}`);
    }
    if (teamId !== null) this.topics.add(`events/${teamId}`);
    const { actor, requestId } = this.#context;
    this.#events.push({
      enterpriseId: actor.enterpriseId,
      teamId,
      at: new Date(),
      applicationId: applicationId ?? null,
      componentId: componentOf(event) ?? null,
      userId: actor.userId,
      serviceAccountId: actor.serviceAccountId,
      tokenId: actor.tokenId,
      sessionId: actor.sessionId ?? null,
      requestId,
      action,
      subjectType: subject.type,
      subjectId: String(subject.id),
      changes: JSON.stringify(changes ?? {}),
      manifest: event.manifest ?? null,
      deployHookId: actor.deployHookId ?? null,
    });
    return true;
  }

  async save(tx: Transaction): Promise<void> {
    const { db } = this.#context;
    const write = { context: this.#context, tx };
    const counts = new EventCounts();
    for (const { teamId, action } of this.#events) if (teamId) counts.add(teamId, action as EventAction);
    await counts.requireFew(this.#context, (text, params) => tx.$read(text, params));
    const notification = this.topics.size > 0 ? db.channel.payloadOf(this.topics) : undefined;
    if (this.#events.length === 0) {
      if (notification !== undefined) await notifyWith(tx, db, notification);
    } else if (this.#applicationIds.size === 0) {
      await this.#insert(write, { notification });
    } else if (db.dialect.nestsWrites) {
      await this.#insert(write, { nested: this.#touch(), notification });
    } else {
      await this.#insert(write, {});
      const touch = this.#touch();
      await tx.$write(touch.text, touch.params);
    }
  }

  /** Inserts the events, with their deliveries to webhooks of their teams. */
  async #insert(write: Bulk, beside: Pick<Beside, 'nested' | 'notification'>): Promise<void> {
    const isOfTeam = this.#events.some(({ teamId }) => teamId !== null);
    const following = isOfTeam ? deliveriesOf(this.#context.db.dialect) : undefined;
    await insertMany(write, 'Event', this.#events, { ...beside, following });
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

/** Sends a notification when the transaction commits, for transactions that record no event. */
export async function notifyWith(
  tx: Transaction,
  { dialect }: Pick<Database, 'dialect'>,
  payload: string,
): Promise<void> {
  if (dialect.notify) await tx.$read(dialect.notify, [payload]);
}
