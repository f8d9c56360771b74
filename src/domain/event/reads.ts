import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/read/list.ts';
import type { Filter } from '../../db/read/statement.ts';
import type { Row } from '../../db/tables.ts';
import { ForbiddenError } from '../../kernel/errors.ts';
import { numericId } from '../../kernel/global-id.ts';
import { visibleTeam } from '../team/reads.ts';
import type { EventFilter } from './model.ts';

function conditions(filter: EventFilter | null | undefined): Filter<'Event'>[] {
  const where: Filter<'Event'>[] = [];
  if (filter?.action != null) where.push({ field: 'action', is: filter.action });
  if (filter?.objectType != null) where.push({ field: 'subjectType', is: filter.objectType });
  if (filter?.objectUid != null) where.push({ field: 'subjectId', is: filter.objectUid });
  if (filter?.since != null) where.push({ field: 'at', from: filter.since });
  if (filter?.until != null) where.push({ field: 'at', before: filter.until });
  return where;
}

/** The events of a team and its objects, newest first. */
export const eventsOfTeam = (teamId: string, filter?: EventFilter | null): List<'Event'> => ({
  key: teamId,
  spec: {
    model: 'Event',
    parent: { field: 'teamId' },
    order: ['id'],
    descending: true,
    where: conditions(filter),
  },
});

/** The events of the enterprise, newest first. Requires an administrator. */
export function eventsOfEnterprise(context: Context, filter?: EventFilter | null): List<'Event'> {
  if (!context.actor.isAdministrator)
    throw new ForbiddenError('Only enterprise administrators may read all events.');
  return {
    key: context.actor.enterpriseId,
    spec: {
      model: 'Event',
      parent: { field: 'enterpriseId' },
      order: ['id'],
      descending: true,
      where: conditions(filter),
    },
  };
}

const eventById = batchedRow('Event', 'id');

/** The event, for members of its team and administrators. */
export async function visibleEvent(context: Context, id: string): Promise<Row<'Event'> | null> {
  const number = numericId(id);
  const event = number === undefined ? null : await eventById(context, number);
  if (!event) return null;
  if (context.actor.isAdministrator) return event.enterpriseId === context.actor.enterpriseId ? event : null;
  return event.teamId !== null && (await visibleTeam(context, event.teamId)) ? event : null;
}
