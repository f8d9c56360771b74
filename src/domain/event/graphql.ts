import { builder } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { inputOf } from '../../graphql/schema/input.ts';
import { entity } from '../../graphql/schema/node.ts';
import { Team } from '../team/graphql.ts';
import { visibleTeam } from '../team/reads.ts';
import { User } from '../user/graphql.ts';
import { visibleUserById } from '../user/reads.ts';
import { eventFilter } from './model.ts';
import { eventsOfEnterprise, eventsOfTeam, visibleEvent } from './reads.ts';

const EventFilter = inputOf('EventFilter', eventFilter, 'Which events; all conditions hold at once.');

interface Change {
  field: string;
  before: unknown;
  after: unknown;
}

const shown = (value: unknown) =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);

const EventChange = builder.objectRef<Change>('EventChange').implement({
  description: 'One field that a change gave another value. Secrets show as `[redacted]`.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'Which field.' }),
    before: t.string({
      nullable: true,
      description: 'The value before; null for none. Anything but text is JSON.',
      resolve: ({ before }) => shown(before),
    }),
    after: t.string({
      nullable: true,
      description: 'The value after; null for none. Anything but text is JSON.',
      resolve: ({ after }) => shown(after),
    }),
  }),
});

export const Event = entity('Event', 'Event', {
  description: 'The record of one change. Events are only ever added.',
  read: visibleEvent,
  id: (row) => row.id,
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    action: t.exposeString('action', { description: 'What was done: `port.open_outer`.' }),
    objectType: t.exposeString('subjectType', { description: 'The type of the changed object: `Port`.' }),
    objectUid: t.exposeString('subjectId', { description: 'The identifier of the changed object.' }),
    changes: t.field({
      type: [EventChange],
      description: 'What changed.',
      columns: ['changes'],
      resolve: (event) =>
        Object.entries(JSON.parse(event.changes) as Record<string, [unknown, unknown]>).map(
          ([field, [before, after]]) => ({ field, before, after }),
        ),
    }),
    requestId: t.exposeString('requestId', { description: 'The id of the request that did it.' }),
    tokenId: t.exposeString('tokenId', {
      nullable: true,
      description: 'The `tokenId` of the access token that did it; null for Trellis itself.',
    }),
    user: t.field({
      type: User,
      nullable: true,
      description:
        'The user who did it; null for Trellis itself, and when the account is gone or not visible to the caller.',
      columns: ['userId'],
      resolve: (event, _, context) => (event.userId === null ? null : visibleUserById(context, event.userId)),
    }),
    team: t.field({
      type: Team,
      nullable: true,
      description: 'The team that it concerns; null for none.',
      columns: ['teamId'],
      resolve: (event, _, context) => (event.teamId === null ? null : visibleTeam(context, event.teamId)),
    }),
  }),
});

const args = builder.args((t) => ({
  filter: t.field({
    type: EventFilter,
    description: 'Which events; all of them by default.',
    validate: { schema: eventFilter } as never,
  }),
}));

builder.objectField(Team, 'events', (t) =>
  connectionField(t, {
    node: Event,
    plural: 'events',
    description: 'What happened to the team and in it, newest first.',
    args,
    columns: ['id'],
    list: (team, { filter }) => eventsOfTeam(team.id, filter),
  }),
);

builder.queryField('events', (t) =>
  connectionField(t, {
    node: Event,
    plural: 'events',
    nullable: true,
    description:
      'What happened in the enterprise, newest first. For administrators; null with the error FORBIDDEN to others.',
    args,
    list: (_, { filter }, context) => eventsOfEnterprise(context, filter),
  }),
);
