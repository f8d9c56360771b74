import { builder } from '../../graphql/schema/builder.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { inputOf, referenceOf } from '../../graphql/schema/input.ts';
import { addList } from '../../graphql/schema/list.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { relatedOrNull } from '../../graphql/schema/related.ts';
import { derived, lengthOf } from '../../kernel/derived.ts';
import { AccessGrant, AccessToken, grantsOf } from '../access-token/graphql.ts';
import { ServiceAccount } from '../service-account/graphql.ts';
import { serviceAccountById } from '../service-account/reads.ts';
import { parseClaims } from './claims-model.ts';
import { addTrust, type ClaimPattern, claimPattern, removeTrust, trustRef } from './model.ts';
import * as operations from './operations.ts';
import { trustsOf, visibleTrust } from './reads.ts';

referenceOf('TrustRef', trustRef, 'Identifies a trust. Set exactly one field.');

inputOf('ClaimPatternInput', claimPattern, 'A required value of a claim in a token.');

const ClaimPatternType = objectType<ClaimPattern>('ClaimPattern', {
  description: 'A required value of a claim in a token.',
  exposes: {
    'name: String!': 'The name of the claim.',
    'pattern: String!': 'The required value. `*` matches any text.',
  },
});

const claimsOf = derived(
  ({ claims }: { claims: string }) => parseClaims(claims),
  ({ claims }) => lengthOf(claims),
);

const Trust = entity('Trust', 'Trust', {
  description:
    'A trust in another token issuer, such as a CI system: matching tokens of the issuer can be exchanged for tokens of a service account at `/auth/token`. A trust cannot be changed.',
  read: visibleTrust,
  uid: 'The id of the trust. Use it as `trustId` in references.',
  exposes: {
    'issuer: String!': 'The issuer of the tokens: their claim `iss`.',
    'audience: String!': 'The audience of the tokens: their claim `aud`.',
    'expiresAt: DateTime': 'The expiry time. Null if the trust never expires.',
    'createdAt: DateTime!': 'The creation time.',
  },
  fields: (t) => ({
    claims: t.using('claims').field({
      type: [ClaimPatternType],
      description: 'The claims that the tokens must have. All of them must match.',
      resolve: (trust, _, context) => claimsOf(trust, context),
    }),
    grants: t.using('grants').field({
      type: [AccessGrant],
      nullable: true,
      description:
        'The grants that limit the issued tokens. Null if the tokens allow everything that the role of the service account allows.',
      resolve: (trust, _, context) => grantsOf(trust, context),
    }),
    serviceAccount: t.using('serviceAccountId').field({
      type: ServiceAccount,
      description: 'The service account that tokens are issued for.',
      resolve: async (trust, _, context) => (await serviceAccountById(context, trust.serviceAccountId))!,
    }),
  }),
});

addList(ServiceAccount, 'trusts', Trust, {
  using: ['id', 'teamId'],
  description:
    'The trusts of the service account, oldest first: the issuers whose tokens can be exchanged for its tokens.',
  list: (account, _, context) => trustsOf(context, account),
});

builder.objectField(AccessToken, 'trust', (t) =>
  relatedOrNull(
    t,
    'trustId',
    Trust,
    'The trust under which the token was issued. Null if the token was not issued in exchange for another token.',
  ),
);

mutation('addTrust', addTrust, operations.addTrust, {
  description:
    'Creates a trust: tokens of another issuer can be exchanged for access tokens of a service account, which are valid for 15 minutes. Anyone who can get such a token can do what the service account and the grants allow, so the caller must be allowed to create such an access token. A service account can have at most 20 trusts.',
  returns: { trust: property(Trust, 'The new trust.') },
});

mutation('removeTrust', removeTrust, operations.removeTrust, {
  description:
    'Removes a trust. Access tokens that were issued through it are deleted and stop working immediately.',
  payload: { trust: property(Trust, 'The removed trust.') },
});
