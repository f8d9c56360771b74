import { builder } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { referenceOf } from '../../graphql/schema/input.ts';
import { addList } from '../../graphql/schema/list.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { User, Viewer } from '../user/graphql.ts';
import { loadUser } from '../user/reads.ts';
import { endSession, sessionRef } from './model.ts';
import * as operations from './operations.ts';
import { ownSessions, sessionsOf, visibleSession } from './reads.ts';

referenceOf('SessionRef', sessionRef, 'Identifies a session. Set exactly one field.');

const Session = entity('Session', 'Session', {
  description:
    'A browser in which a user is signed in with the identity provider. A session ends after 12 hours without use, when the identity provider no longer confirms it, and some time after the sign-in at the latest: by default, after 30 days.',
  read: visibleSession,
  uid: 'The id of the session. This is not the secret. Use it as `sessionId` in references.',
  exposes: {
    'createdAt: DateTime!': 'The time of the sign-in.',
    'lastUsedAt: DateTime!': 'The time of the last use, to the minute.',
    'expiresAt: DateTime!': 'The time at which the session ends unless it is used before.',
    'address: String!': 'The IP address of the last use. Empty if unknown.',
    'browser: String!': 'The browser at the sign-in, as its `User-Agent` header names it. Empty if unknown.',
  },
  fields: (t) => ({
    user: t.using('userId').field({
      type: User,
      description: 'The user who is signed in.',
      // Sessions are only visible to their user and administrators.
      resolve: (session, _, context) => loadUser(context, session.userId),
    }),
  }),
});

builder.objectFields(Viewer, (t) => ({
  session: t.field({
    type: Session,
    nullable: true,
    description: 'The session of this request. Null if an access token authenticates it.',
    resolve: (_, __, context) =>
      context.actor.sessionId === null ? null : visibleSession(context, context.actor.sessionId),
  }),
  sessions: connectionField(t, {
    node: Session,
    plural: 'sessions',
    description:
      'The sessions of the caller, oldest first. Empty with an access token that is limited to teams, applications or components, or belongs to a service account.',
    list: (_, __, context) => ownSessions(context),
  }),
}));

addList(User, 'sessions', Session, {
  using: ['id', 'enterpriseId'],
  nullable: true,
  description:
    'The sessions of the user, oldest first. Visible to the user and to enterprise administrators; null with a FORBIDDEN error for other callers.',
  list: (user, _, context) => sessionsOf(context, user),
});

mutation('endSession', endSession, operations.endSession, {
  description: 'Ends a session. Its cookie stops working immediately.',
  requires: 'administrator',
  orElse: 'the user of the session',
  returns: { session: property(Session, 'The session that was ended.') },
});
