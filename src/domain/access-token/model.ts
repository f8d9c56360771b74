import { z } from 'zod';
import { identifier, reference } from '../../kernel/reference.ts';
import { displayName } from '../../kernel/validate.ts';
import { userRef } from '../user/model.ts';

export const accessTokenRef = reference('access token', {
  tokenId: identifier('The `tokenId` of the token.'),
});
export type AccessTokenRef = z.infer<typeof accessTokenRef>;

export const createAccessToken = z.strictObject({
  name: displayName(64).describe('The purpose of the token, for display.'),
  user: userRef
    .optional()
    .nullable()
    .describe(
      'The user that the token is for. Defaults to the caller. Other users require an enterprise administrator.',
    ),
  expiresAt: z
    .date()
    .nullish()
    .describe(
      'The expiry time; null if the token never expires. It cannot be later than the expiry of the token that creates it, which is the default.',
    ),
  isReadOnly: z.boolean().nullish().describe('Whether the token allows only reads. Defaults to false.'),
});
export type CreateAccessToken = z.infer<typeof createAccessToken>;

export const revokeAccessToken = z.strictObject({ token: accessTokenRef.describe('The token to revoke.') });

/** The prefix of access tokens, by which people and secret scanners can recognize them. */
export const tokenPrefix = 'trl_';

/** The most tokens of one user that are neither expired nor revoked. */
export const maxActiveTokens = 100;
