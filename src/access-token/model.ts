import { z } from 'zod';
import { identifier, reference } from '../kernel/reference.ts';
import { line } from '../kernel/validate.ts';
import { userRef } from '../user/model.ts';

export const accessTokenRef = reference('access token', {
  tokenId: identifier('The identifier of the token.'),
});
export type AccessTokenRef = z.infer<typeof accessTokenRef>;

export const createAccessToken = z.strictObject({
  name: line(64).describe('What the token is for.'),
  user: userRef
    .optional()
    .nullable()
    .describe('Whose token; the caller by default. Others for administrators only.'),
  expiresAt: z.date().nullish().describe('From when it is no longer accepted; never by default.'),
  isReadOnly: z.boolean().nullish().describe('Whether every change is refused to it; false by default.'),
});
export type CreateAccessToken = z.infer<typeof createAccessToken>;

export const revokeAccessToken = z.strictObject({ token: accessTokenRef.describe('The token to revoke.') });

/** Every token that Trellis makes starts with this: it tells what it is, to people and to secret scanners. */
export const tokenPrefix = 'trl_';
