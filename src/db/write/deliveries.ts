import { memoizeByIdentity } from '../../kernel/memo.ts';
import type { Dialect } from '../query/dialect.ts';
import { columnOf, type Field, type Row, tableOf } from '../tables.ts';
import type { Following } from './bulk.ts';
import { undeliveredActions } from './events.ts';

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
  const fields: Field<'Event'>[] = ['id', 'teamId', 'at', 'action', 'subjectType', 'subjectId'];
  return {
    columns: fields.map(column),
    // On SQLite, a CROSS JOIN is read from left to right: for each event, the webhooks of its team.
    text: (events) =>
      `INSERT INTO "${tableOf('WebhookDelivery').table}" (${columns.join(', ')}) SELECT ${Object.values(values).join(', ')} FROM ${events} e CROSS JOIN "${tableOf('Webhook').table}" w WHERE ${hookColumn('teamId')} = ${eventColumn('teamId')} AND ${hookColumn('isEnabled')} AND (${fits}) AND ${action} NOT IN (${undelivered}) ORDER BY ${eventColumn('id')}${referenceLock?.('w') ?? ''}`,
  };
});
