import { hash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { TokenExchangeError } from '../../kernel/errors.ts';
import { line } from '../../kernel/validate.ts';
import type { UncheckedToken } from './driver.ts';

/** Only signatures that need a private key. With HMAC, the public key of the issuer would be the secret. */
export const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** The largest difference of the clocks of issuers and of this process. */
export const leewaySeconds = 60;

/** Tokens for one job of a CI system are shorter. What was exchanged is remembered until the token expires. */
const maxLifetimeSeconds = 24 * 3_600;

const maxLength = { token: 16_384, issuer: 512, audience: 512 };

/** Why a token is refused that anyone can tell by reading it. */
const refuse = (reason: string) =>
  new TokenExchangeError('invalid_request', `The subject token is not accepted: ${reason}.`, reason);

function decode(text: string) {
  try {
    return { header: decodeProtectedHeader(text), claims: decodeJwt(text) };
  } catch {
    throw refuse('it is not a signed JWT');
  }
}

/** Whether a claim can be that of a trust, and can be sent to the database. */
const isLine = (value: unknown, max: number): value is string => line(max).safeParse(value).success;

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** The audience, which has to be the only one: the others could pass the token on. */
function audienceOf({ aud }: JWTPayload): string {
  const audiences = Array.isArray(aud) ? aud : [aud];
  const [audience] = audiences;
  if (audiences.length !== 1 || !isLine(audience, maxLength.audience)) {
    throw refuse('it must have one audience');
  }
  return audience;
}

function requireTimes({ exp, iat, nbf }: JWTPayload): void {
  const nowSeconds = Date.now() / 1000;
  if (!isTime(exp) || !isTime(iat)) throw refuse('it must have the claims exp and iat');
  if (nbf !== undefined && !isTime(nbf)) throw refuse('its claim nbf is not a time');
  if (exp + leewaySeconds <= nowSeconds) throw refuse('it has expired');
  if ((nbf ?? iat) - leewaySeconds > nowSeconds || iat - leewaySeconds > nowSeconds) {
    throw refuse('it is not valid yet');
  }
  if (exp - iat > maxLifetimeSeconds) throw refuse('it is valid for more than 24 hours');
}

/** Reads a token, and checks all that does not need the keys of its issuer. */
export function readToken(text: string): UncheckedToken {
  if (text.length > maxLength.token) throw refuse(`it is longer than ${maxLength.token} characters`);
  const { header, claims } = decode(text);
  if (!algorithms.includes(header.alg ?? '')) throw refuse('its algorithm is not supported');
  // Tokens of other kinds that the same issuer signs, such as its access tokens, say nothing about who holds them.
  if (header.typ !== undefined && !/^(application\/)?jwt$/i.test(header.typ)) {
    throw refuse('its type is not JWT');
  }
  const issuer = claims.iss;
  if (!isLine(issuer, maxLength.issuer)) throw refuse('it must have an issuer');
  const audience = audienceOf(claims);
  requireTimes(claims);
  return { text, issuer, audience };
}

/**
 * Identifies a token of an issuer: by its `jti`, or by what is signed. Not by the signature, of which there can be several valid
 * ones for the same token.
 */
export function uniqueIdOf({ text, issuer }: UncheckedToken, { jti }: JWTPayload): string {
  const identity = typeof jti === 'string' ? ['jti', jti] : ['text', text.slice(0, text.lastIndexOf('.'))];
  return hash('sha256', JSON.stringify([issuer, ...identity]), 'hex');
}
