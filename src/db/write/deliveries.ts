import type { RequestBudget } from '../../kernel/budget.ts';
import { increase } from '../../kernel/counts.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import type { Database } from '../database.ts';
import type { Dialect } from '../query/dialect.ts';
import { Params } from '../query/statement.ts';
import { columnOf, type Field, type Row, tableOf } from '../tables.ts';
import type { Following } from './bulk.ts';
import { type EventAction, undeliveredActions } from './events.ts';

/** The most webhooks of a team. */
export const maxWebhooks = 20;

/** What a delivery counts in a change, by the time that its row takes. */
const deliveryWeight = 0.4;

const deliveryStatuses = ['PENDING', 'DELIVERED', 'FAILED'] as const;
type DeliveryStatus = (typeof deliveryStatuses)[number];

/** The prefix of the ids of messages. */
export const messagePrefix = 'msg_';

/** The object that a delivery is about. */
export const subjectOf = (type: string, id: string | number): string => `${type}/${id}`;

const column = (field: Field<'Event'>) => columnOf('Event', field).column;
const eventColumn = (field: Field<'Event'>) => `e."${column(field)}"`;
const hookColumn = (field: Field<'Webhook'>) => `w."${columnOf('Webhook', field).column}"`;

/**
 * Inserts the deliveries of new events: one for each enabled webhook of the event's team that has a pattern for its action,
 * `*`, `port.*` or `port.add`. Patterns have no quotes, so that the text of one in the list is found as a whole. In the
 * statement of the events, because a webhook that another process has just created must not miss one.
 */
export const deliveriesOf = memoizeByIdentity((dialect: Dialect): Following => {
  const { position, randomId, referenceLock } = dialect;
  const [action, at, type] = [eventColumn('action'), eventColumn('at'), eventColumn('subjectType')];
  const values: { [field in keyof Row<'WebhookDelivery'>]?: string } = {
    webhookId: hookColumn('id'),
    teamId: hookColumn('teamId'),
    applicationId: `coalesce(${eventColumn('applicationId')}, 0)`,
    eventId: eventColumn('id'),
    messageId: `'${messagePrefix}' || ${randomId}`,
    subject: `${type} || '/' || ${eventColumn('subjectId')}`,
    status: `'${'PENDING' satisfies DeliveryStatus}'`,
    attempts: '0',
    createdAt: at,
    // The time of an event is by the clock of the gateway, which can be ahead.
    nextAttemptAt: dialect.earliest(at, dialect.now),
  };
  const columns = Object.keys(values).map((field) => `"${columnOf('WebhookDelivery', field).column}"`);
  const has = (pattern: string) => `${position(hookColumn('events'), `'"' || ${pattern} || '"'`)} > 0`;
  const group = `substr(${action}, 1, ${position(action, "'.'")}) || '*'`;
  const fits = ["'*'", group, action].map(has).join(' OR ');
  const undelivered = undeliveredActions.map((each) => `'${each}'`).join(', ');
  const fields: Field<'Event'>[] = [
    'id',
    'teamId',
    'applicationId',
    'at',
    'action',
    'subjectType',
    'subjectId',
  ];
  return {
    columns: fields.map(column),
    // On SQLite, a CROSS JOIN is read from left to right: for each event, the webhooks of its team.
    text: (events) =>
      `INSERT INTO "${tableOf('WebhookDelivery').table}" (${columns.join(', ')}) SELECT ${Object.values(values).join(', ')} FROM ${events} e CROSS JOIN "${tableOf('Webhook').table}" w WHERE ${hookColumn('teamId')} = ${eventColumn('teamId')} AND ${hookColumn('isEnabled')} AND (${fits}) AND ${action} NOT IN (${undelivered}) ORDER BY ${eventColumn('id')}${referenceLock?.('w') ?? ''}`,
  };
});

const isUndelivered = (action: EventAction) => undeliveredActions.some((each) => each === action);

/** The events of a change, by team and action. */
export class EventCounts {
  readonly #ofTeams = new Map<string, Map<EventAction, number>>();
  #all = 0;

  add(teamId: string, action: EventAction): void {
    if (isUndelivered(action)) return;
    this.#all++;
    const ofTeam = this.#ofTeams.get(teamId) ?? new Map<EventAction, number>();
    this.#ofTeams.set(teamId, ofTeam);
    increase(ofTeam, action);
  }

  /** LIMIT_EXCEEDED if there are too many events with their deliveries, which are written while others wait. Few are not looked at. */
  async requireFew(
    { db, budget }: { db: Pick<Database, 'dialect'>; budget?: Budget | undefined },
    read: (text: string, params: unknown[]) => Promise<unknown[][]>,
  ): Promise<void> {
    if (!budget || this.#all * (1 + maxWebhooks * deliveryWeight) <= budget.changeObjects) return;
    const params = new Params(db.dialect);
    const keys = params.keys([...this.#ofTeams.keys()], 'Webhook', 'teamId');
    const text = `SELECT team_id, events FROM webhook WHERE team_id IN (SELECT key FROM ${keys}) AND is_enabled`;
    let deliveries = 0;
    for (const [teamId, patterns] of await read(text, params.values)) {
      for (const [action, count] of this.#ofTeams.get(teamId as string)!) {
        const group = `${action.slice(0, action.indexOf('.') + 1)}*`;
        const fits = ['*', group, action].some((each) => (patterns as string).includes(`"${each}"`));
        if (fits) deliveries += count;
      }
    }
    budget.requireChangeObjects(this.#all + deliveries * deliveryWeight, 'with its messages to webhooks');
  }
}

type Budget = Pick<RequestBudget, 'changeObjects' | 'requireChangeObjects'>;
