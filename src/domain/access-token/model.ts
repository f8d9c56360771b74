import { z } from 'zod';
import { identifier, reference } from '../../kernel/reference.ts';
import { displayName } from '../../kernel/validate.ts';
import { userRef } from '../user/model.ts';

export const accessTokenRef = reference('access token', {
  tokenId: identifier('The identifier of the token.'),
});
export type AccessTokenRef = z.infer<typeof accessTokenRef>;

export const createAccessToken = z.strictObject({
  name: displayName(64).describe('What the token is for.'),
  user: userRef
    .optional()
    .nullable()
    .describe(
      'The user of the token; the caller by default. Requires an enterprise administrator for other users.',
    ),
  expiresAt: z
    .date()
    .nullish()
    .describe(
      'When it expires; null for never. It cannot outlive the token that creates it, whose expiry is the default.',
    ),
  isReadOnly: z.boolean().nullish().describe('Whether it only allows reads; false by default.'),
});
export type CreateAccessToken = z.infer<typeof createAccessToken>;

export const revokeAccessToken = z.strictObject({ token: accessTokenRef.describe('The token to revoke.') });

/** Every token that Trellis makes starts with this: it tells what it is, to people and to secret scanners. */
export const tokenPrefix = 'trl_';

/** How many tokens a user may have that are neither expired nor revoked. */
export const maxActiveTokens = 100;
