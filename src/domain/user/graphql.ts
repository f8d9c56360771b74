import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { builder, restName } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { fold, parse, search } from '../../kernel/validate.ts';
import { Enterprise } from '../enterprise/graphql.ts';
import { enterpriseById } from '../enterprise/reads.ts';
import { createUser, userRef } from './model.ts';
import * as operations from './operations.ts';
import { administrators, mayReadPrivate, requireUser, userById, users, visibleUser } from './reads.ts';

export const UserRef = referenceOf('UserRef', userRef, 'Names a user: exactly one field.');

export const User = entity('User', 'User', {
  description:
    'Somebody who uses the platform. Visible to themselves, to people who share a team with them, and to enterprise administrators.',
  read: visibleUser,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeInt('id', { description: restName('Number of the user.', 'user_id') }),
    email: t.exposeString('email', { description: 'E-mail address.' }),
    nickName: t.exposeString('nickName', { description: restName('Name shown to people.', 'nick_name') }),
    phone: t.string({
      nullable: true,
      description: 'Phone number; null for callers that are neither the user nor an administrator.',
      resolve: (user, _, context) => (mayReadPrivate(context, user) ? user.phone : null),
    }),
    isActive: t.exposeBoolean('isActive', {
      description: restName('Whether the tokens of the user are accepted.', 'is_active'),
    }),
    isAdministrator: t.exposeBoolean('isAdministrator', {
      description: 'Whether it administers the enterprise.',
    }),
    origin: t.exposeString('origin', {
      nullable: true,
      description: restName('Where the account came from.', 'origion'),
    }),
    clientIp: t.string({
      nullable: true,
      description: restName(
        'Address from which the account was made; null for callers that are neither the user nor an administrator.',
        'client_ip',
      ),
      resolve: (user, _, context) => (mayReadPrivate(context, user) ? user.clientIp : null),
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: restName('When the account was made.', 'create_time'),
    }),
    enterprise: t.field({
      type: Enterprise,
      description: 'The enterprise of the user.',
      columns: ['enterpriseId'],
      resolve: async (user, _, context) => (await enterpriseById(context, user.enterpriseId))!,
    }),
  }),
});

/** The caller, as the root of what concerns it alone. */
export const Viewer = builder.objectRef<{ user: Row<'User'> }>('Viewer').implement({
  description: 'Who is asking, by the access token of the request.',
  fields: (t) => ({
    user: t.expose('user', { type: User, description: 'The user of the access token.' }),
    isAdministrator: t.boolean({
      description: 'Whether it administers the enterprise.',
      resolve: (_, __, context) => context.actor.isAdministrator,
    }),
    enterprise: t.field({
      type: Enterprise,
      description: 'The enterprise of the caller.',
      resolve: async (viewer, _, context) => (await enterpriseById(context, viewer.user.enterpriseId))!,
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'Who is asking.',
    resolve: async (_, __, context: Context) => ({ user: (await userById(context, context.actor.userId))! }),
  }),
);

builder.queryField('user', (t) =>
  t.field({
    type: User,
    nullable: true,
    description: 'A user that the caller may see.',
    args: {
      by: t.arg({
        type: UserRef,
        required: true,
        description: 'Which user.',
        validate: { schema: userRef } as never,
      }),
    },
    resolve: (_, { by }, context) => requireUser(context, by),
  }),
);

builder.queryField('administrators', (t) =>
  connectionField(t, {
    node: User,
    plural: 'users',
    nullable: true,
    description:
      'Administrators of the enterprise, by number. For administrators; null with the error FORBIDDEN to others. REST: `GET /administrators`.',
    args: {
      enterpriseId: t.arg.id({
        description: 'The `uid` of the enterprise; the own one by default. REST: `eid`.',
      }),
    },
    list: (_, args, context) => administrators(context, args.enterpriseId as string | null | undefined),
  }),
);

builder.objectField(Enterprise, 'users', (t) =>
  connectionField(t, {
    node: User,
    plural: 'users',
    nullable: true,
    description:
      'Everybody of the enterprise, by number. For administrators; null with the error FORBIDDEN to others.',
    args: { search: t.arg.string({ description: 'Part of the e-mail address or name, in any case.' }) },
    list: (_, args, context) =>
      users(context, args.search == null ? null : fold(parse(search(), args.search, ['search']))),
  }),
);

mutation('createUser', {
  description: 'Creates a user of the enterprise. For administrators.',
  input: createUser,
  run: async (context, input) => ({ user: await operations.createUser(context, input) }),
  payload: (t) => ({ user: t.expose('user', { type: User, description: 'The new user.' }) }),
});
