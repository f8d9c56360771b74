import { errors, type JSONWebKeySet, type JWTVerifyGetKey, type JWTVerifyResult, jwtVerify } from 'jose';
import { z } from 'zod';
import { type ApiError, UnavailableError } from '../../kernel/errors.ts';
import { isUrl } from '../../kernel/validate.ts';
import { parseAnswer } from '../outgoing/json.ts';
import { createTransport, type Peer, type TransportLimits } from '../outgoing/transport.ts';
import { issuerSchemes } from './addresses.ts';
import type { CheckedToken, TokenIssuers, UncheckedToken } from './driver.ts';
import { createIssuerKeys, type KeyLimits, keyLimits } from './keys.ts';
import { notTrusted } from './refusal.ts';
import { algorithms, leewaySeconds, readToken, uniqueIdOf } from './token.ts';

/** The timeout applies to reading the configuration and the keys of an issuer together. */
const issuerLimits: TransportLimits = {
  connectTimeoutMs: 3_000,
  callTimeoutMs: 5_000,
  bodyBytes: 256 * 1024,
  redirects: 0,
  retryDelaysMs: [100],
};

const unavailable = (why: string) =>
  new UnavailableError('The keys of the issuer of the subject token are not available. Try again later.', {
    retryAfterSeconds: 10,
    // Only for the log: callers must not learn what an address answers.
    cause: new Error(why),
  });

const peer: Peer = {
  noun: 'token issuer',
  unavailable: (message): ApiError => unavailable(message),
  redirectsToOthers: false,
};

const configuration = z.object({ issuer: z.string(), jwks_uri: z.string().max(2_048) });
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** The reason for the record. The errors of the library can quote what a token has. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'wrong signature';
  if (error instanceof errors.JWKSNoMatchingKey) return 'unknown key';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'it does not say which key';
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return 'invalid claims';
  return 'it cannot be verified';
}

/**
 * Issuers over HTTP. `allowPrivate` allows http, and connections to addresses outside the public internet. Tests shorten the limits.
 *
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html
 */
export function createHttpTokenIssuers(options: {
  allowPrivate: boolean;
  limits?: Partial<TransportLimits>;
  keys?: Partial<KeyLimits>;
}): TokenIssuers & { close(): Promise<void> } {
  const limits = { ...issuerLimits, ...options.limits };
  const transport = createTransport(peer, { ...options, limits });
  const schemes = issuerSchemes(options.allowPrivate);

  async function get<S extends z.ZodType>(url: URL, schema: S, signal: AbortSignal): Promise<z.output<S>> {
    const { status, text } = await transport.get(url, {}, signal);
    if (status !== 200) throw unavailable(`The token issuer responded with status ${status}.`);
    try {
      return schema.parse(parseAnswer(text));
    } catch {
      throw unavailable('The token issuer sent an invalid document.');
    }
  }

  async function readKeys(issuer: string): Promise<JSONWebKeySet> {
    const signal = AbortSignal.timeout(limits.callTimeoutMs);
    try {
      const base = issuer.replace(/\/$/, '');
      const metadata = await get(new URL(`${base}/.well-known/openid-configuration`), configuration, signal);
      if (metadata.issuer !== issuer) throw unavailable('The configuration is of another token issuer.');
      if (!isUrl(metadata.jwks_uri, schemes))
        throw unavailable('The token issuer has no https address of keys.');
      return (await get(new URL(metadata.jwks_uri), keySet, signal)) as JSONWebKeySet;
    } catch (error) {
      if (!signal.aborted) throw error;
      throw unavailable(`The token issuer did not respond within ${limits.callTimeoutMs} ms.`);
    }
  }

  const keys = createIssuerKeys(readKeys, { ...keyLimits, ...options.keys });

  const verify = ({ text, issuer, audience }: UncheckedToken, keySet: JWTVerifyGetKey) =>
    jwtVerify(text, keySet, {
      algorithms,
      issuer,
      audience,
      clockTolerance: leewaySeconds,
      requiredClaims: ['exp', 'iat'],
    });

  async function verifyWithKeys(token: UncheckedToken, group: string): Promise<JWTVerifyResult> {
    const keySet = await keys.keysOf(token.issuer, group);
    try {
      return await verify(token, keySet);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The issuer may have begun to use another key.
      const newer = await keys.newerKeysOf(token.issuer, group, keySet);
      if (!newer) throw error;
      return verify(token, newer);
    }
  }

  return {
    supports: (issuer) => isUrl(issuer, schemes),
    read: async (text) => readToken(text),
    async check(token, group): Promise<CheckedToken> {
      if (!isUrl(token.issuer, schemes)) throw notTrusted('the issuer is not an https address');
      try {
        const { payload } = await verifyWithKeys(token, group);
        return {
          claims: payload,
          uniqueId: uniqueIdOf(token, payload),
          expiresAt: new Date((payload.exp! + leewaySeconds) * 1000),
        };
      } catch (error) {
        if (error instanceof UnavailableError) throw error;
        throw notTrusted(reasonOf(error));
      }
    },
    close: () => transport.close(),
  };
}
