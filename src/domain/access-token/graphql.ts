import { builder } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { inputOf, referenceOf } from '../../graphql/schema/input.ts';
import { addList } from '../../graphql/schema/list.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { relatedOrNull } from '../../graphql/schema/related.ts';
import type { Grant } from '../../kernel/access.ts';
import { derived, lengthOf } from '../../kernel/derived.ts';
import { Application } from '../application/graphql.ts';
import { visibleApplication } from '../application/reads.ts';
import { Component } from '../component/graphql.ts';
import { visibleComponent } from '../component/reads.ts';
import { Event } from '../event/graphql.ts';
import { ActionEnum } from '../role/graphql.ts';
import { ServiceAccount } from '../service-account/graphql.ts';
import { serviceAccountById } from '../service-account/reads.ts';
import { Team } from '../team/graphql.ts';
import { visibleTeam } from '../team/reads.ts';
import { User, Viewer } from '../user/graphql.ts';
import { loadUser } from '../user/reads.ts';
import { type DeprecatedUseRow, deprecatedUsesOf } from './deprecated-uses/reads.ts';
import { parseGrants } from './grant-reads.ts';
import { accessTokenRef, createAccessToken, grant, revokeAccessToken } from './model.ts';
import * as operations from './operations.ts';
import {
  type AccessTokenRow,
  accessTokensOf,
  accessTokensOfAccount,
  ownAccessTokens,
  visibleAccessToken,
} from './reads.ts';

referenceOf('AccessTokenRef', accessTokenRef, 'Identifies an access token. Set exactly one field.');

inputOf(
  'AccessGrantInput',
  grant,
  'The actions that an access token allows, everywhere or in one team, application or component.',
);

export const AccessGrant = objectType<Grant>('AccessGrant', {
  description:
    'The actions that an access token allows, everywhere or in one team, application or component.',
  fields: (t) => ({
    actions: t.field({
      type: [ActionEnum],
      description: 'The allowed actions.',
      resolve: ({ actions }) => [...actions],
    }),
    team: t.field({
      type: Team,
      nullable: true,
      description:
        'The team that the grant is limited to. Null if it is not limited, or if the team was deleted.',
      resolve: ({ teamId }, _, context) => (teamId === null ? null : visibleTeam(context, teamId)),
    }),
    application: t.field({
      type: Application,
      nullable: true,
      description:
        'The application that the grant is limited to. Null if it is not limited to one, or if the application was deleted.',
      resolve: ({ applicationId }, _, context) =>
        applicationId === null ? null : visibleApplication(context, applicationId),
    }),
    component: t.field({
      type: Component,
      nullable: true,
      description:
        'The component that the grant is limited to. Null if it is not limited to one, or if the component was deleted.',
      resolve: ({ componentId }, _, context) =>
        componentId === null ? null : visibleComponent(context, componentId),
    }),
  }),
});

/** The grants of a token, or of what gives tokens. */
export const grantsOf = derived(
  ({ grants }: { grants: string | null }) => parseGrants(grants),
  ({ grants }) => lengthOf(grants ?? ''),
);

const DeprecatedUse = objectType<DeprecatedUseRow>('DeprecatedUse', {
  description: 'The use of a deprecated field, argument or enum value by requests with an access token.',
  exposes: {
    'field: String!':
      'The field, argument, input field or enum value, by its coordinate in the schema: `Team.name`, `Query.events(since:)`, `UpdateHttpRuleInput.weight`.',
    'count: Int!': 'The number of requests that have used it. Each request is counted once.',
    'lastUsedAt: DateTime!': 'The time of the last such request.',
  },
});

export const AccessToken = entity<'AccessToken', AccessTokenRow>('AccessToken', 'AccessToken', {
  description:
    'A token that authenticates requests as its user or service account. The secret is shown only once, when the token is created.',
  read: visibleAccessToken,
  uid: 'The id of the token. This is not the secret. Use it as `tokenId` in references.',
  exposes: {
    'name: String!': 'The purpose of the token, for display.',
    'isReadOnly: Boolean!': 'Whether the token allows only reads.',
    'createdAt: DateTime!': 'The creation time.',
    'expiresAt: DateTime': 'The expiry time. Null if the token never expires.',
    'revokedAt: DateTime': 'The time of revocation. Null if the token is not revoked.',
    'lastUsedAt: DateTime': 'The time of the last use, to the minute. Null if the token was never used.',
  },
  fields: (t) => ({
    grants: t.using('grants').field({
      type: [AccessGrant],
      nullable: true,
      description:
        'The grants that limit the token. An action is allowed if both the owner of the token and one of the grants allow it. Null if the token is not limited.',
      resolve: (token, _, context) => grantsOf(token, context),
    }),
    deprecatedUses: t.using('id').field({
      type: [DeprecatedUse],
      description:
        'The deprecated fields, arguments and enum values that requests with the token have used, sorted by name. Requests of the last few seconds may not be counted yet.',
      resolve: (token, _, context) => deprecatedUsesOf(context, token.id),
    }),
    user: t.using('userId').field({
      type: User,
      nullable: true,
      description: 'The user that the token belongs to. Null if it belongs to a service account.',
      // Tokens are only visible to their user and administrators.
      resolve: (token, _, context) => (token.userId === null ? null : loadUser(context, token.userId)),
    }),
    serviceAccount: relatedOrNull(
      t,
      'serviceAccountId',
      ServiceAccount,
      'The service account that the token belongs to. Null if it belongs to a user.',
      serviceAccountById,
    ),
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
    description:
      'The access tokens of the caller, oldest first. Only the token of this request if it is limited to teams, applications or components, or belongs to a service account.',
    list: (_, __, context) => ownAccessTokens(context),
  }),
}));

addList(User, 'accessTokens', AccessToken, {
  using: ['id', 'enterpriseId'],
  nullable: true,
  description:
    'The access tokens of the user, oldest first. Visible to the user and to enterprise administrators; null with a FORBIDDEN error for other callers.',
  list: (user, _, context) => accessTokensOf(context, user),
});

addList(ServiceAccount, 'accessTokens', AccessToken, {
  using: ['id', 'enterpriseId', 'teamId'],
  nullable: true,
  description:
    'The access tokens of the service account, oldest first. Requires the `admin` role in its team; null with a FORBIDDEN error for other callers.',
  list: (account, _, context) => accessTokensOfAccount(context, account),
});

builder.objectField(Event, 'accessToken', (t) =>
  relatedOrNull(
    t,
    'tokenId',
    AccessToken,
    'The access token that made the change. Null if no token made it, and for callers who cannot read the token. Its user, enterprise administrators and, for the token of a service account, administrators of the team can read it.',
  ),
);

mutation('createAccessToken', createAccessToken, operations.createAccessToken, {
  description:
    'Creates an access token for the caller, for a service account, which requires the `admin` role in its team, or for another user, which requires an enterprise administrator. It never allows more than the token of the request: a read-only token cannot create tokens, and the new token cannot expire later or have grants that the token of the request does not have. A user or service account can have at most 100 tokens that are neither expired nor revoked, and gets at most 1,000 tokens in an hour.',
  requires: 'caller',
  operation: { noTool: 'The result has a secret, which a model must not see.' },
  payload: {
    accessToken: property(AccessToken, 'The new token.'),
    'secret: String!': 'The secret. Send it as `Authorization: Bearer …`. It cannot be read again.',
  },
});

mutation('revokeAccessToken', revokeAccessToken, operations.revokeAccessToken, {
  description: 'Revokes an access token, which stops working immediately. Idempotent.',
  requires: 'administrator',
  orElse: 'the user of the token, or the `admin` role in the team of the service account of the token',
  returns: { accessToken: property(AccessToken, 'The revoked token.') },
});
