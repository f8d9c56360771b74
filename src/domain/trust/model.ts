import { z } from 'zod';
import { identifier, reference } from '../../kernel/reference.ts';
import { dryRunField, isUrl, line, visibleLine } from '../../kernel/validate.ts';
import { grant, maxGrants } from '../access-token/model.ts';
import { serviceAccountRef } from '../service-account/model.ts';

export const trustRef = reference('trust', { trustId: identifier('The `uid` of the trust.') });
export type TrustRef = z.infer<typeof trustRef>;

/** Claims that say nothing about what a token is for, or that are compared anyway. */
const reservedClaims = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti']);

export const claimPattern = z.strictObject({
  name: visibleLine(128)
    .refine((name) => !reservedClaims.has(name), 'iss, aud, exp, nbf, iat and jti cannot be used')
    .describe('The name of the claim, for example `sub`.'),
  pattern: line(512).describe(
    'The required value. `*` matches any text, including an empty text and text with `/` or `:`. Case-sensitive.',
  ),
});
export type ClaimPattern = z.infer<typeof claimPattern>;

/** The most claims of one trust. */
const maxClaims = 20;

export const addTrust = z.strictObject({
  serviceAccount: serviceAccountRef.describe('The service account that tokens are issued for.'),
  issuer: line(512)
    .refine(
      (value) => isUrl(value, ['https:', 'http:']) && !/[?#]/.test(value),
      'Must be an https URL without credentials, query and fragment',
    )
    .describe('The issuer of the tokens, exactly as in their claim `iss`: an https URL.'),
  audience: visibleLine(512).describe(
    'The audience of the tokens, as in their claim `aud`. Choose one for this gateway alone.',
  ),
  claims: z
    .array(claimPattern)
    .min(1)
    .max(maxClaims)
    .refine(
      (claims) => claims.length === 0 || claims.some(({ pattern }) => /[^*]/.test(pattern)),
      'At least one pattern must have more than `*`',
    )
    .describe(
      'The claims that the tokens must have, from 1 to 20. All of them must match. Include a claim such as `sub`: without one, anyone who can get a token from the issuer is trusted.',
    ),
  expiresAt: z
    .date()
    .nullish()
    .describe(
      'The expiry time; null if the trust never expires. It cannot be later than the expiry of the access token of the request, which is the default.',
    ),
  grants: z
    .array(grant)
    .min(1)
    .max(maxGrants)
    .nullish()
    .describe(
      'The grants that limit the issued tokens, at most 50. Defaults to the grants of the access token of the request.',
    ),
});
export type AddTrust = z.infer<typeof addTrust>;

export const removeTrust = z.strictObject({
  trust: trustRef.describe('The trust to remove.'),
  dryRun: dryRunField,
});
export type RemoveTrust = z.infer<typeof removeTrust>;

/** The most trusts of one service account. */
export const maxTrusts = 20;

/** The most trusts that are compared with a token, so that one team cannot keep the gateway busy with its trusts. */
export const maxCandidates = 1_000;

/** How long an exchanged token can be used. */
export const exchangedSeconds = 900;

/** The most exchanged tokens of one service account that have not expired. */
export const maxExchangedTokens = 1_000;

export interface ExchangeRequest {
  /** The token of another issuer. */
  subjectToken: string;
  /** The service account whose token is wanted. */
  serviceAccountId: string | undefined;
  requestId: string;
  clientAddress: string;
}
