import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { property, propertyOrNull } from '../../graphql/schema/exposed.ts';
import { referenceOf } from '../../graphql/schema/input.ts';
import { lookup } from '../../graphql/schema/lookup.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { nullOnError } from '../../graphql/schema/null-on-error.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { related } from '../../graphql/schema/related.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { fold, search } from '../../kernel/validate.ts';
import { Enterprise } from '../enterprise/graphql.ts';
import { loadEnterprise } from '../enterprise/reads.ts';
import { createUser, updateUser, userRef } from './model.ts';
import * as operations from './operations.ts';
import {
  administratorNames,
  administrators,
  loadUser,
  maxNamedAdministrators,
  requirePrivate,
  requireUser,
  users,
  visibleUser,
} from './reads.ts';

export const UserRef = referenceOf('UserRef', userRef, 'Identifies a user. Set exactly one field.');

export const User = entity('User', 'User', {
  description:
    "A user of the platform. Visible to the user, to members of the user's teams and to enterprise administrators.",
  read: visibleUser,
  uid: 'The numeric id of the user. REST: `user_id`.',
  exposes: {
    'email: String!': 'The email address.',
    'nickName: String!': 'The display name. REST: `nick_name`.',
    'isActive: Boolean!':
      'Whether the user is active. The access tokens and sessions of an inactive user are rejected. REST: `is_active`.',
    'isAdministrator: Boolean!': 'Whether the user is an administrator of the enterprise.',
    'origin: String':
      'The origin of the account: `bootstrap` for the first administrator, `identity_provider` for users who were created by their first sign-in. Null for accounts that were created through this API. REST: `origion`.',
    'createdAt: DateTime!': 'The creation time of the account. REST: `create_time`.',
  },
  fields: (t) => ({
    phone: t.string({
      ...nullOnError,
      description:
        'The phone number. Null with a FORBIDDEN error for callers other than the user and enterprise administrators.',
      resolve: (user, _, context) => {
        requirePrivate(context, user, 'phone number');
        return user.phone;
      },
    }),
    clientIp: t.string({
      ...nullOnError,
      description:
        'The IP address from which an access token of the user was last used. Empty if unknown, and null with a FORBIDDEN error for callers other than the user and enterprise administrators. REST: `client_ip`.',
      resolve: (user, _, context) => {
        requirePrivate(context, user, 'IP address');
        return user.clientIp;
      },
    }),
    enterprise: related(t, 'enterpriseId', Enterprise, 'The enterprise of the user.'),
  }),
});

/** The root of the fields about the caller. */
export const Viewer = objectType<{ user: Row<'User'> | null }>('Viewer', {
  description: 'The authenticated caller of the request.',
  exposes: {
    user: propertyOrNull(
      User,
      'The user that the access token or the session belongs to. Null for the token of a service account.',
    ),
  },
  fields: (t) => ({
    isAdministrator: t.boolean({
      description:
        'Whether the caller has the rights of an enterprise administrator. False with an access token that is limited to teams, applications or components.',
      resolve: (_, __, context) => context.actor.everywhere !== null,
    }),
    enterprise: t.field({
      type: Enterprise,
      description: 'The enterprise of the caller.',
      resolve: (_, __, context) => loadEnterprise(context, context.actor.enterpriseId),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'The authenticated caller of the request.',
    resolve: async (_, __, context: Context) => {
      const { userId } = context.actor;
      return { user: userId === null ? null : await loadUser(context, userId) };
    },
  }),
);

lookup('user', User, {
  description:
    'Looks up a user. Fails with NOT_FOUND if the user does not exist or is not visible to the caller.',
  ref: userRef,
  read: requireUser,
});

builder.queryField('administrators', (t) =>
  connectionField(t, {
    node: User,
    plural: 'users',
    nullable: true,
    description:
      'The administrators of the enterprise, sorted by id. Requires an enterprise administrator; null with a FORBIDDEN error for other callers. REST: `GET /administrators`.',
    args: {
      enterpriseId: t.arg.id({
        description: "The `uid` of the enterprise. Defaults to the caller's. REST: `eid`.",
      }),
    },
    list: (_, args, context) => administrators(context, args.enterpriseId as string | null | undefined),
  }),
);

builder.objectField(Enterprise, 'administratorNames', (t) =>
  t.using('id').stringList({
    description: `The display names of active administrators, so that users know whom to ask, at most ${maxNamedAdministrators}. Empty for service accounts and for limited access tokens.`,
    resolve: (enterprise, _, context) => administratorNames(context, enterprise.id),
  }),
);

const userLists = {
  node: User,
  plural: 'users',
  nullable: true as const,
  description:
    'The users of the enterprise, sorted by id. Requires an enterprise administrator; null with a FORBIDDEN error for other callers.',
  args: builder.args((t) => ({
    search: t.string({
      description: 'A case-insensitive substring of the email address or name.',
      validate: validatedBy(search()),
    }),
  })),
  list: (_: unknown, args: { search?: string | null }, context: Context) =>
    users(context, args.search == null ? null : fold(args.search)),
};

builder.queryField('users', (t) => connectionField(t, userLists));

builder.objectField(Enterprise, 'users', (t) => connectionField(t, userLists));

mutation('createUser', createUser, operations.createUser, {
  description: 'Creates a user in the enterprise.',
  returns: { user: property(User, 'The new user.') },
});

mutation('updateUser', updateUser, operations.updateUser, {
  description:
    'Changes a user. Users can change their own name and phone number, enterprise administrators every user. Fails with CONFLICT if the enterprise would have no active administrator.',
  requires: 'caller',
  returns: { user: property(User, 'The changed user.') },
});
