import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { ApiError, SignInRefusedError, UnavailableError } from '../../kernel/errors.ts';

/** The answers for a device whose code was not confirmed yet. */
export const pendingCodes: ReadonlySet<string> = new Set(['authorization_pending', 'slow_down']);

/** The faults of an ID token, by the claim that was compared. */
const claimProblems: Record<string, string> = {
  iss: 'wrong issuer',
  aud: 'wrong audience',
  azp: 'wrong authorized party',
  nonce: 'wrong nonce',
  exp: 'expired ID token',
  nbf: 'ID token is not valid yet',
};

const again = 'Sign in again, and ask an administrator if it does not work.';

/**
 * The error for people and for the record. The errors of the library have claims, codes and responses in them, so that nothing of
 * theirs is passed on but what is listed here.
 */
export function failureOf(error: unknown, host: string): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof AuthorizationResponseError) {
    return error.error === 'access_denied'
      ? new SignInRefusedError('access denied', `The identity provider ${host} has not allowed the sign-in.`)
      : refused(`provider answered ${wordOf(error.error)}`);
  }
  if (error instanceof ResponseBodyError) {
    return error.status >= 500 ? unavailable(host) : refused(`provider answered ${wordOf(error.error)}`);
  }
  if (error instanceof ClientError && error.code !== undefined) {
    const claim = claimOf(error.cause);
    switch (error.code) {
      case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
      case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
        return refused(claimProblems[claim ?? ''] ?? 'invalid ID token');
      case 'OAUTH_INVALID_RESPONSE':
        return refused(problemOf(error.cause));
      case 'OAUTH_KEY_SELECTION_FAILED':
        return refused('unknown key of the signature');
      case 'OAUTH_UNSUPPORTED_OPERATION':
        return refused('unsupported signature');
    }
  }
  return unavailable(host, error);
}

const refused = (reason: string) =>
  new SignInRefusedError(reason, `The answer of the identity provider was not accepted: ${reason}. ${again}`);

export const wrongIssuer = () => refused('wrong issuer');

/** The provider is asked again at the next sign-in. */
function unavailable(host: string, error?: unknown): UnavailableError {
  const { code } = (error ?? {}) as { code?: unknown };
  const cause = new Error(
    `identity provider: ${typeof code === 'string' ? wordOf(code) : 'no usable response'}`,
  );
  return new UnavailableError(`The identity provider ${host} does not respond. Try again in a minute.`, {
    retryAfterSeconds: 30,
    cause,
  });
}

/** The claim that failed a comparison. */
function claimOf(cause: unknown): string | undefined {
  const inner = (cause as { cause?: { claim?: unknown } } | undefined)?.cause;
  return typeof inner?.claim === 'string' ? inner.claim : undefined;
}

/** The library names some problems in its message alone. */
function problemOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : '';
  if (message.includes('signature')) return 'wrong signature';
  if (message.includes('"iss"')) return 'wrong issuer';
  if (message.includes('"state"')) return 'wrong state';
  if (message.includes('"nonce"')) return 'wrong nonce';
  return 'invalid response';
}

/** A code of the provider, if it is one word. */
const wordOf = (code: string) => (/^[\w.-]{1,64}$/.test(code) ? code : 'an error');
