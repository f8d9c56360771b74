import { builder } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { User, Viewer } from '../user/graphql.ts';
import { userById } from '../user/reads.ts';
import { accessTokenRef, createAccessToken, revokeAccessToken } from './model.ts';
import * as operations from './operations.ts';
import { accessTokensOf, visibleAccessToken } from './reads.ts';

referenceOf('AccessTokenRef', accessTokenRef, 'Names an access token: exactly one field.');

export const AccessToken = entity('AccessToken', 'AccessToken', {
  description: 'What a request proves its user with. The token itself is shown once, at its creation.',
  read: visibleAccessToken,
  id: (row) => row.id,
  fields: (t) => ({
    tokenId: t.exposeID('id', { description: 'Identifier of the token; not the token.' }),
    name: t.exposeString('name', { description: 'What the token is for.' }),
    isReadOnly: t.exposeBoolean('isReadOnly', { description: 'Whether every change is refused to it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From when it is no longer accepted; null for never.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked; null while it is not.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute; null before its first use.',
    }),
    user: t.field({
      type: User,
      description: 'Whose token it is.',
      columns: ['userId'],
      // Whoever sees a token is its user or administers it.
      resolve: async (token, _, context) => (await userById(context, token.userId))!,
    }),
  }),
});

builder.objectFields(Viewer, (t) => ({
  accessToken: t.field({
    type: AccessToken,
    description: 'The token of this request.',
    resolve: async (_, __, context) => (await visibleAccessToken(context, context.actor.tokenId))!,
  }),
  accessTokens: connectionField(t, {
    node: AccessToken,
    plural: 'access tokens',
    description: 'The tokens of the caller, oldest first.',
    list: (viewer, _, context) => accessTokensOf(context, viewer.user),
  }),
}));

builder.objectField(User, 'accessTokens', (t) =>
  connectionField(t, {
    node: AccessToken,
    plural: 'access tokens',
    nullable: true,
    description:
      'The tokens of the user, oldest first. For the user itself and administrators; null with the error FORBIDDEN to others.',
    columns: ['id', 'enterpriseId'],
    list: (user, _, context) => accessTokensOf(context, user),
  }),
);

mutation('createAccessToken', {
  description:
    'Creates an access token. It never grants more than the token of the request: a read-only token creates none, and one that expires creates none that outlives it. A user has at most 100 tokens that are neither expired nor revoked.',
  input: createAccessToken,
  run: operations.createAccessToken,
  payload: (t) => ({
    accessToken: t.expose('accessToken', { type: AccessToken, description: 'The new token.' }),
    secret: t.exposeString('secret', {
      description: 'The token itself, to be sent as `Authorization: Bearer …`. It is shown only here.',
    }),
  }),
});

mutation('revokeAccessToken', {
  description: 'Revokes an access token: from now on it is refused.',
  input: revokeAccessToken,
  run: async (context, { token }) => ({ accessToken: await operations.revokeAccessToken(context, token) }),
  payload: (t) => ({
    accessToken: t.expose('accessToken', { type: AccessToken, description: 'The revoked token.' }),
  }),
});
