import { z } from 'zod';
import { allActions } from '../../kernel/actions.ts';
import { identifier, reference } from '../../kernel/reference.ts';
import { displayName } from '../../kernel/validate.ts';
import { applicationRef } from '../application/model.ts';
import { componentRef } from '../component/model.ts';
import { action } from '../role/model.ts';
import { serviceAccountRef } from '../service-account/model.ts';
import { teamRef } from '../team/model.ts';
import { userRef } from '../user/model.ts';

export const accessTokenRef = reference('access token', {
  tokenId: identifier('The `tokenId` of the token.'),
});
export type AccessTokenRef = z.infer<typeof accessTokenRef>;

export const grant = z
  .strictObject({
    actions: z
      .array(action)
      .min(1)
      .max(allActions.size)
      .describe('The actions to allow, in addition to READ.'),
    team: teamRef.nullish().describe('Limits the grant to a team.'),
    application: applicationRef.nullish().describe('Limits the grant to an application.'),
    component: componentRef.nullish().describe('Limits the grant to a component.'),
  })
  .refine(
    ({ team, application, component }) =>
      [team, application, component].filter((each) => each != null).length <= 1,
    'Set at most one of `team`, `application` and `component`',
  );
export type GrantInput = z.infer<typeof grant>;

/** A token that was made to end within this time is short-lived: what it opens for longer must be named in its grants. */
export const shortLifeMs = 86_400_000;

/** How long tokens are kept that have expired or were revoked, and how many of one user or service account. */
export const keepEndedMs = 90 * 86_400_000;
export const maxEndedTokens = 1_000;

/** The most grants of one token. */
export const maxGrants = 50;

export const createAccessToken = z
  .strictObject({
    name: displayName(64).describe('The purpose of the token, for display.'),
    user: userRef
      .optional()
      .nullable()
      .describe(
        'The user that the token is for. Defaults to the caller. Other users require an enterprise administrator.',
      ),
    serviceAccount: serviceAccountRef
      .nullish()
      .describe('The service account that the token is for, instead of a user.'),
    expiresAt: z
      .date()
      .nullish()
      .describe(
        'The expiry time; null if the token never expires. It cannot be later than the expiry of the token that creates it, which is the default.',
      ),
    isReadOnly: z.boolean().nullish().describe('Whether the token allows only reads. Defaults to false.'),
    grants: z
      .array(grant)
      .min(1)
      .max(maxGrants)
      .nullish()
      .describe(
        'The grants that limit the token, at most 50. An action is allowed if both the owner of the token, at the time of the request, and one of the grants allow it. Other objects are not visible. Defaults to the grants of the token that creates it. Without grants, a token that was issued in exchange for another one or expires within a day does not allow actions that would give access for longer, such as `addTeamMember` and `createWebhook`.',
      ),
  })
  .refine(({ user, serviceAccount }) => user == null || serviceAccount == null, {
    path: ['serviceAccount'],
    message: 'Set `user` or `serviceAccount`',
  });
export type CreateAccessToken = z.infer<typeof createAccessToken>;

export const revokeAccessToken = z.strictObject({ token: accessTokenRef.describe('The token to revoke.') });

/** The prefix of access tokens, by which people and secret scanners can recognize them. */
export const tokenPrefix = 'trl_';

/** The most tokens of one user or service account that are neither expired nor revoked. */
export const maxActiveTokens = 100;

/**
 * The most tokens that one user or service account gets in an hour, because each stays in the record with its grants. Counted by
 * rows, so not more than the ended tokens that are kept.
 */
export const newTokens = { most: 1_000, ms: 3_600_000 };
