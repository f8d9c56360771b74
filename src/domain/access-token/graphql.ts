import { builder } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { User, Viewer } from '../user/graphql.ts';
import { loadUser } from '../user/reads.ts';
import { accessTokenRef, createAccessToken, revokeAccessToken } from './model.ts';
import * as operations from './operations.ts';
import { accessTokensOf, visibleAccessToken } from './reads.ts';

referenceOf('AccessTokenRef', accessTokenRef, 'Identifies an access token. Set exactly one field.');

export const AccessToken = entity('AccessToken', 'AccessToken', {
  description:
    'A token that authenticates requests as its user. The secret is shown only once, when the token is created.',
  read: visibleAccessToken,
  id: (row) => row.id,
  fields: (t) => ({
    tokenId: t.exposeID('id', { description: 'The id of the token. This is not the secret.' }),
    name: t.exposeString('name', { description: 'The purpose of the token, for display.' }),
    isReadOnly: t.exposeBoolean('isReadOnly', { description: 'Whether the token allows only reads.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The creation time.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The expiry time. Null if the token never expires.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time of revocation. Null if the token is not revoked.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time of the last use, to the minute. Null if the token was never used.',
    }),
    user: t.using('userId').field({
      type: User,
      description: 'The user that the token belongs to.',
      // Tokens are only visible to their user and administrators.
      resolve: (token, _, context) => loadUser(context, token.userId),
    }),
  }),
});

builder.objectFields(Viewer, (t) => ({
  accessToken: t.field({
    type: AccessToken,
    nullable: true,
    description: 'The token of this request. Null if a session authenticates it.',
    resolve: (_, __, context) =>
      context.actor.tokenId === null ? null : visibleAccessToken(context, context.actor.tokenId),
  }),
  accessTokens: connectionField(t, {
    node: AccessToken,
    plural: 'access tokens',
    description: 'The access tokens of the caller, oldest first.',
    list: (viewer, _, context) => accessTokensOf(context, viewer.user),
  }),
}));

builder.objectField(User, 'accessTokens', (t) =>
  connectionField(t.using('id', 'enterpriseId'), {
    node: AccessToken,
    plural: 'access tokens',
    nullable: true,
    description:
      'The access tokens of the user, oldest first. Visible to the user and to enterprise administrators; null with a FORBIDDEN error for other callers.',
    list: (user, _, context) => accessTokensOf(context, user),
  }),
);

mutation('createAccessToken', {
  description:
    'Creates an access token, which never grants more than the token of the request: a read-only token cannot create tokens, and the new token cannot expire later than the token that creates it. A user can have at most 100 tokens that are neither expired nor revoked.',
  requires: 'caller',
  input: createAccessToken,
  run: operations.createAccessToken,
  payload: (t) => ({
    accessToken: t.expose('accessToken', { type: AccessToken, description: 'The new token.' }),
    secret: t.exposeString('secret', {
      description: 'The secret, to be sent as `Authorization: Bearer …`. It cannot be read again.',
    }),
  }),
});

mutation('revokeAccessToken', {
  description: 'Revokes an access token. Requests with it are rejected from then on. Idempotent.',
  requires: 'administrator',
  orElse: 'the user whose token it is',
  input: revokeAccessToken,
  run: async (context, { token }) => ({ accessToken: await operations.revokeAccessToken(context, token) }),
  payload: (t) => ({
    accessToken: t.expose('accessToken', { type: AccessToken, description: 'The revoked token.' }),
  }),
});
