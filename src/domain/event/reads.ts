import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Filter, Growing, ListSpec } from '../../db/query/statement.ts';
import type { Row } from '../../db/tables.ts';
import { type EventAction, refusedAction, type SubjectType } from '../../db/write/events.ts';
import { type Actor, administers, visibleTo } from '../../kernel/access.ts';
import { batched } from '../../kernel/batch.ts';
import { ForbiddenError } from '../../kernel/errors.ts';
import { byNumber } from '../../kernel/global-id.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { seesIn } from '../team/reads.ts';
import { requireUser } from '../user/reads.ts';
import type { EventFilter } from './model.ts';

function conditions(filter: EventFilter, userId: number | undefined): Filter<'Event'>[] {
  const where: Filter<'Event'>[] = [];
  if (userId !== undefined) where.push({ field: 'userId', is: userId });
  if (filter.action != null) where.push({ field: 'action', is: filter.action });
  if (filter.objectType != null) where.push({ field: 'subjectType', is: filter.objectType });
  if (filter.objectUid != null) where.push({ field: 'subjectId', is: filter.objectUid });
  if (filter.since != null) where.push({ field: 'at', from: filter.since });
  if (filter.until != null) where.push({ field: 'at', before: filter.until });
  return where;
}

/** For actors who see only a part of a team: the events of what they see. */
export const visibleEvents = memoizeByIdentity((actor: Actor): Filter<'Event'>[] => {
  if (!actor.isPartial) return [];
  const { wholeTeams, teams, wholeApplications, components } = visibleTo(actor);
  return [
    {
      any: [
        { field: 'teamId', in: wholeTeams },
        {
          all: [
            { field: 'teamId', in: teams },
            { field: 'applicationId', is: null },
          ],
        },
        { field: 'applicationId', in: wholeApplications },
        { field: 'componentId', in: components },
      ],
    },
  ];
});

/** Where the object of an event was. */
export const placeOfEvent = ({
  teamId,
  applicationId,
  componentId,
}: Pick<Row<'Event'>, 'teamId' | 'applicationId' | 'componentId'>) => ({
  ...(teamId !== null && { teamId }),
  applicationId,
  ...(componentId !== null && { componentId }),
});

type EventParent = 'teamId' | 'enterpriseId' | 'applicationId' | 'componentId';

/**
 * The filters for which the list of a parent has an index. Others wait while a large change inserts its events, for which each
 * index takes as long as the events themselves.
 */
const indexed: { [parent in EventParent]: Growing<'Event'>['indexed'] } = {
  teamId: [['action'], ['userId'], ['subjectType']],
  enterpriseId: [['subjectType', 'subjectId']],
  applicationId: [],
  componentId: [],
};

/** The parents whose lists have an index by time. */
const byTime: readonly EventParent[] = ['teamId', 'enterpriseId'];

/** The events that fit, newest first. NOT_FOUND if the filter names a user who is not visible to the actor. */
function eventsOf(
  context: Context,
  parent: EventParent,
  key: string | number,
  filter: EventFilter,
): List<'Event'> | Promise<List<'Event'>> {
  const hasHidden = context.actor.isPartial;
  // By time, an index has the events of a period. Cursors of that order have times, which would be those of hidden events.
  const isOfPeriod = !hasHidden && byTime.includes(parent) && (filter.since != null || filter.until != null);
  const list = (userId?: number): List<'Event'> => ({
    key,
    spec: {
      model: 'Event',
      parent: { field: parent },
      order: isOfPeriod ? ['at', 'id'] : ['id'],
      descending: true,
      where: [...visibleEvents(context.actor), ...conditions(filter, userId)],
      growing: { indexed: isOfPeriod ? [] : indexed[parent], time: 'at', hasHidden },
    },
  });
  return filter.user == null ? list() : requireUser(context, filter.user).then(({ id }) => list(id));
}

/** The events of a team and its objects, newest first. */
export const eventsOfTeam = (context: Context, teamId: string, filter: EventFilter = {}) =>
  eventsOf(context, 'teamId', teamId, filter);

/** The events of an application and what belongs to it, newest first. */
export const eventsOfApplication = (context: Context, applicationId: number, filter: EventFilter = {}) =>
  eventsOf(context, 'applicationId', applicationId, filter);

/** The events of a component and what belongs to it, newest first. */
export const eventsOfComponent = (context: Context, componentId: string, filter: EventFilter = {}) =>
  eventsOf(context, 'componentId', componentId, filter);

/** FORBIDDEN for callers who may not read all events of the enterprise. */
export function requireWholeRecord({ actor }: Pick<Context, 'actor'>): void {
  if (!actor.everywhere) throw new ForbiddenError('Only enterprise administrators can read all events.');
}

/** The events of the enterprise, newest first. Requires an administrator. */
export function eventsOfEnterprise(context: Context, filter: EventFilter = {}) {
  requireWholeRecord(context);
  return eventsOf(context, 'enterpriseId', context.actor.enterpriseId, filter);
}

const eventById = batchedRow('Event', 'id');

/** The event, for members of its team and administrators. */
export async function visibleEvent(context: Context, id: string): Promise<Row<'Event'> | null> {
  const event = await byNumber(eventById)(context, id);
  if (!event) return null;
  if (administers(context.actor, event)) return event;
  const { teamId, ...within } = placeOfEvent(event);
  return teamId !== undefined && (await seesIn(context, { teamId, ...within })) ? event : null;
}

export interface EventsAbout {
  type: SubjectType;
  actions: readonly EventAction[];
}

/** For events by their objects, which can be in other teams: those of the teams of the actor, and those of no team. */
const eventsOfOwnTeams = ({ everywhere, isPartial, teams }: Actor): Filter<'Event'>[] =>
  everywhere || isPartial
    ? []
    : [
        {
          any: [
            { field: 'teamId', in: [...teams.keys()] },
            { field: 'teamId', is: null },
          ],
        },
      ];

/**
 * The last event about each object or, with `fromEnd`, the first, as far as the actor may see it. Not refused changes unless
 * they are among the actions.
 */
async function eventsAbout(
  context: Context,
  ids: string[],
  { type, actions }: { type: string; actions?: readonly EventAction[] },
  fromEnd = false,
): Promise<Map<string, Row<'Event'>>> {
  const spec: ListSpec<'Event'> = {
    model: 'Event',
    parent: { field: 'subjectId' },
    order: ['id'],
    descending: true,
    where: [
      { field: 'enterpriseId', is: context.actor.enterpriseId },
      { field: 'subjectType', is: type },
      { field: 'action' as const, ...(actions ? { in: actions } : { notIn: [refusedAction] }) },
      ...visibleEvents(context.actor),
      ...eventsOfOwnTeams(context.actor),
    ],
  };
  const window = { limit: 1, fromEnd };
  const pages = await context.db.event.findPagesByKeys({ keys: ids, spec, window });
  return new Map([...pages].map(([id, { rows }]) => [id as string, rows[0]!]));
}

/** The last of some events about an object that the actor may see. */
export const lastEventOf = batched(
  (context: Context, ids: string[], about: EventsAbout) => eventsAbout(context, ids, about),
  null,
  'Event.subjectId',
);

/** The last event about an object of a type that the actor may see. */
export const lastEventAbout = batched(
  (context: Context, ids: string[], type: string) => eventsAbout(context, ids, { type }),
  null,
  'Event.subjectId',
);

/** The first event about an object of a type that the actor may see. */
export const firstEventAbout = batched(
  (context: Context, ids: string[], type: string) => eventsAbout(context, ids, { type }, true),
  null,
  'Event.subjectId',
);
