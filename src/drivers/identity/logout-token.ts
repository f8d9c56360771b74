import { hash } from 'node:crypto';
import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { LogoutRefusedError, UnavailableError } from '../../kernel/errors.ts';
import { line } from '../../kernel/validate.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { type ProvidedLogout, providerSessionOf } from './driver.ts';

/** Only signatures that need a private key. With HMAC, whoever has the secret of the client could make tokens. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** The type that the specification recommends, and the general one. ID tokens and access tokens may have others. */
const types = /^(application\/)?(logout\+)?jwt$/i;

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/** Until a token expires, it has to be remembered. Providers make them valid for some minutes. */
const maxLifetimeSeconds = 24 * 3_600;

const maxLength = { token: 16_384, value: 512 };

const refuse = (reason: string) =>
  new LogoutRefusedError(reason, `The logout token is not accepted: ${reason}.`);

export interface LogoutChecks {
  issuer: string;
  clientId: string;
  /** The largest difference of the clocks of the provider and of this process. */
  leewaySeconds: number;
}

/** The keys of a provider, which are read when they are needed, and again for an unknown key, at most once a minute. */
export function providerKeys(url: URL, { timeoutMs, maxBytes }: { timeoutMs: number; maxBytes: number }) {
  return createRemoteJWKSet(url, {
    timeoutDuration: timeoutMs,
    cooldownDuration: 60_000,
    [customFetch]: boundedFetch(maxBytes),
  });
}

/** Whether a value can be one of the provider's, and can be sent to the database. */
const isText = (value: unknown): value is string => line(maxLength.value).safeParse(value).success;

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** A claim that may be left out. */
function optional(claims: JWTPayload, name: string): string | undefined {
  const value = claims[name];
  if (value === undefined) return undefined;
  if (!isText(value)) throw refuse(`invalid ${name}`);
  return value;
}

function decoded(text: string) {
  if (text.length > maxLength.token) throw refuse(`longer than ${maxLength.token} characters`);
  try {
    return { header: decodeProtectedHeader(text), claims: decodeJwt(text) };
  } catch {
    throw refuse('not a signed JWT');
  }
}

function requireTimes({ exp, iat, nbf }: JWTPayload, leewaySeconds: number): { exp: number; iat: number } {
  const now = Date.now() / 1000;
  if (!isTime(iat)) throw refuse('no iat');
  if (!isTime(exp)) throw refuse('no exp');
  if (nbf !== undefined && !isTime(nbf)) throw refuse('invalid nbf');
  if (Math.max(iat, nbf ?? iat) > now + leewaySeconds) throw refuse('not valid yet');
  if (exp + leewaySeconds <= now) throw refuse('expired');
  if (exp - iat > maxLifetimeSeconds) throw refuse('valid for more than 24 hours');
  return { exp, iat };
}

function requireEvent({ events }: JWTPayload): void {
  const isObject = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const event = isObject(events) ? (events as Record<string, unknown>)[logoutEvent] : undefined;
  if (!isObject(event)) throw refuse('no logout event');
}

/** Checks all that does not need the keys of the provider, so that nobody makes the gateway ask for them in vain. */
function readToken(text: string, { issuer, clientId, leewaySeconds }: LogoutChecks): ProvidedLogout {
  const { header, claims } = decoded(text);
  if (!algorithms.includes(header.alg ?? '')) throw refuse('unsupported signature');
  if (header.typ !== undefined && !types.test(header.typ)) throw refuse('wrong type');
  if (claims.iss !== issuer) throw refuse('wrong issuer');
  if (![claims.aud].flat().includes(clientId)) throw refuse('wrong audience');
  const { exp, iat } = requireTimes(claims, leewaySeconds);
  requireEvent(claims);
  // So that no ID token is taken for a logout token.
  if ('nonce' in claims) throw refuse('it has a nonce');
  if (!isText(claims.jti)) throw refuse('no jti');
  const [subject, sid] = [optional(claims, 'sub'), optional(claims, 'sid')];
  if (subject === undefined && sid === undefined) throw refuse('neither sub nor sid');
  return {
    issuer,
    subject,
    session: sid === undefined ? undefined : providerSessionOf(issuer, sid),
    uniqueId: hash('sha256', JSON.stringify([issuer, claims.jti]), 'hex'),
    issuedAt: new Date(iat * 1000),
    expiresAt: new Date((exp + leewaySeconds) * 1000),
  };
}

/** The reason for the record. The errors of the library can quote what a token has. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'wrong signature';
  if (error instanceof errors.JWKSNoMatchingKey) return 'unknown key of the signature';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'it does not say which key';
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return undefined;
  const isOfToken = error instanceof errors.JWTInvalid || error instanceof errors.JWSInvalid;
  const isOther =
    error instanceof errors.JWTClaimValidationFailed ||
    error instanceof errors.JWTExpired ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JOSEAlgNotAllowed;
  return isOfToken || isOther ? 'it cannot be verified' : undefined;
}

/**
 * Reads a logout token and checks everything but whether it was used before. Throws LogoutRefusedError, or UnavailableError if the
 * keys of the provider cannot be read.
 *
 * @see https://openid.net/specs/openid-connect-backchannel-1_0.html#Validation
 */
export async function readLogoutToken(
  text: string,
  keys: JWTVerifyGetKey,
  checks: LogoutChecks,
): Promise<ProvidedLogout> {
  const logout = readToken(text, checks);
  const { issuer, clientId: audience, leewaySeconds: clockTolerance } = checks;
  try {
    await jwtVerify(text, keys, { algorithms, issuer, audience, clockTolerance });
  } catch (error) {
    const reason = reasonOf(error);
    if (reason !== undefined) throw refuse(reason);
    const { host } = new URL(issuer);
    throw new UnavailableError(`The keys of the identity provider ${host} cannot be read. Try again.`, {
      retryAfterSeconds: 10,
      cause: new Error('identity provider: no usable keys'),
    });
  }
  return logout;
}
