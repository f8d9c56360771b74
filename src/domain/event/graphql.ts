import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { addList, addListQuery } from '../../graphql/schema/list.ts';
import { entity, findObject, Node } from '../../graphql/schema/node.ts';
import { followed } from '../../graphql/schema/nodes-changed.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { relatedOrNull } from '../../graphql/schema/related.ts';
import { eventSource, subscription } from '../../graphql/schema/subscription.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { type Actor, maySee, maySeeSome, placeOf } from '../../kernel/access.ts';
import { derived, lengthOf } from '../../kernel/derived.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { callerField } from '../service-account/graphql.ts';
import { Team, TeamRef } from '../team/graphql.ts';
import { teamRef } from '../team/model.ts';
import { requireTeam, visibleTeam } from '../team/reads.ts';
import { User, UserRef } from '../user/graphql.ts';
import { type Change, changesOfEvent, manifestOfEvent } from './change-reads.ts';
import { eventFilter } from './model.ts';
import { actorNameOf, objectNameOf } from './name-reads.ts';
import { eventsOfEnterprise, eventsOfTeam, placeOfEvent, visibleEvent } from './reads.ts';

const changesOf = derived(
  (event: Pick<Row<'Event'>, 'changes'>, context: Context) => changesOfEvent(context, event),
  ({ changes }) => changes.length,
);

export const eventName = derived(
  (event: Pick<Row<'Event'>, 'subjectType' | 'subjectId' | 'changes'>, context: Context) =>
    objectNameOf(context, event),
  (_, name) => lengthOf(name),
);

const EventChange = objectType<Change>('EventChange', {
  description: 'A field that changed, with its values before and after. Secrets are shown as `[redacted]`.',
  exposes: {
    'field: String!': 'The name of the field.',
  },
  fields: (t) => ({
    oldValue: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The value before the change. Null if there was no value.',
      resolve: ({ before }) => before,
    }),
    newValue: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The value after the change. Null if there is no value.',
      resolve: ({ after }) => after,
    }),
  }),
});

export const Event = entity('Event', 'Event', {
  description:
    'The audit record of a change, or of a refused change (`change.refuse`). Events are never changed, and are deleted only after the retention time of the record.',
  read: visibleEvent,
  exposes: {
    'at: DateTime!': 'The time of the change.',
    'action: String!': 'The action, for example `port.open_outer`.',
    'requestId: String!': 'The id of the request that made the change.',
    'tokenId: String':
      'The `uid` of the access token that made the change. Null for changes made by deploy hooks, by Trellis itself or in a session.',
    'sessionId: String': 'The `uid` of the session that made the change. Null for other changes.',
    'deployHookId: String': 'The `uid` of the deploy hook that made the change. Null for other changes.',
  },
  fields: (t) => ({
    objectType: t.exposeString('subjectType', {
      description: 'The type of the changed object, for example `Port`.',
    }),
    objectUid: t.exposeString('subjectId', { description: 'The identifier of the changed object.' }),
    object: t.using('subjectType', 'subjectId').field({
      type: Node,
      nullable: true,
      description:
        'The changed object in its current state. Null if it was deleted or is not visible to the caller, or if it is not a `Node`.',
      resolve: (event, _, context) => findObject(context, event.subjectType, event.subjectId),
    }),
    objectName: t.using('subjectType', 'subjectId', 'changes').string({
      nullable: true,
      description:
        'The current name of the changed object or, if it was deleted, its last name: the number of a port, the address of a rule, the name of the user of a membership. Null for objects without a name, and for objects that are not visible to the caller.',
      resolve: (event, _, context) => eventName(event, context),
    }),
    manifest: t.using('manifest', 'teamId').string({
      nullable: true,
      description:
        'The name of the application whose manifest made the change. Null for other changes, and if no application of that name is visible to the caller.',
      resolve: (event, _, context) => manifestOfEvent(context, event),
    }),
    changes: t.using('changes').field({
      type: [EventChange],
      description:
        'The fields that changed. Callers who can see only a part of the team do not get fields that refer to components and applications that are not visible to them.',
      resolve: (event, _, context) => changesOf(event, context),
    }),
    actor: callerField(
      t,
      'The user or service account that made the change. Null for changes made by deploy hooks and by Trellis itself, and if the account no longer exists or is not visible to the caller.',
    ),
    actorName: t.using('userId', 'serviceAccountId').string({
      nullable: true,
      description:
        'The name of the user or service account that made the change, even if the account has left the team or was deleted. Null for changes made by deploy hooks and by Trellis itself. Callers who can read only a part of the team get only the names of accounts that are visible to them.',
      resolve: (event, _, context) => actorNameOf(context, event),
    }),
    user: relatedOrNull(
      t,
      'userId',
      User,
      'The user who made the change. Null for changes made by service accounts, by deploy hooks and by Trellis itself, and if the account no longer exists or is not visible to the caller.',
    ),
    team: relatedOrNull(
      t,
      'teamId',
      Team,
      'The team that the changed object belongs to. Null if the object belongs to no team, or if the team was deleted.',
    ),
  }),
});

export const eventListArgs = builder.args((t) => {
  const { shape } = eventFilter;
  const text = (name: 'action' | 'objectType' | 'objectUid') =>
    t.string({ description: shape[name].description!, validate: validatedBy(shape[name]) });
  return {
    action: text('action'),
    objectType: text('objectType'),
    objectUid: text('objectUid'),
    user: t.field({
      type: UserRef,
      description: shape.user.description!,
      validate: validatedBy(shape.user),
    }),
    since: t.field({ type: 'DateTime', description: shape.since.description! }),
    until: t.field({ type: 'DateTime', description: shape.until.description! }),
  };
});

addList(Team, 'events', Event, {
  isEndless: true,
  description: 'The events of the team and its objects, newest first.',
  args: eventListArgs,
  list: (team, args, context) => eventsOfTeam(context, team.id, args),
});

addListQuery('events', Event, {
  isEndless: true,
  nullable: true,
  description:
    'The events of the enterprise, newest first. Requires an enterprise administrator; null with a FORBIDDEN error for other callers.',
  args: eventListArgs,
  list: (_, args, context) => eventsOfEnterprise(context, args),
});

/** Throws if an actor may no longer see anything of the team. */
const requirementOf = (team: Row<'Team'>) => (actor: Actor) => {
  if (!maySeeSome(actor, placeOf(team))) throw new NotFoundError('team');
};

const visibilityIn = (team: Row<'Team'>) => (actor: Actor, event: Row<'Event'>) =>
  maySee(actor, { ...placeOf(team), ...placeOfEvent(event) });

followed('Team', async (context, id) => {
  const team = await visibleTeam(context, id);
  if (!team) return null;
  const events = { teamId: team.id, isVisible: visibilityIn(team) };
  return { topic: `events/${team.id}`, require: requirementOf(team), events };
});

subscription('events', {
  type: Event,
  description:
    'The events of a team and its objects, in the order in which they are committed. Each item has an id: a client that sends the last one as `Last-Event-ID` receives the events that it has missed, without gaps or repetitions.',
  argument: { name: 'team', type: TeamRef, schema: teamRef, description: 'The team.' },
  async subscribe(context, ref) {
    const team = await requireTeam(context, ref);
    return eventSource(context, team.id, {
      require: requirementOf(team),
      isVisible: visibilityIn(team),
      isLast: ({ action, subjectId }) => action === 'team.delete' && subjectId === team.id,
    });
  },
});
