import { TokenExchangeError } from '../../kernel/errors.ts';

/**
 * The refusal of a token that no trust is for. That of one that its issuer has not signed is the same, so that strangers do not
 * learn which issuers are trusted.
 */
export const notTrusted = (reason: string) =>
  new TokenExchangeError(
    'invalid_request',
    'No service account accepts the subject token: its issuer, audience, claims or signature do not match a trust.',
    reason,
  );
