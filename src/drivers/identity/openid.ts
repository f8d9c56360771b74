import * as client from 'openid-client';
import { SignInRefusedError, UnavailableError } from '../../kernel/errors.ts';
import { Limiter } from '../../kernel/limiter.ts';
import { onDemand } from '../../kernel/on-demand.ts';
import { boundedFetch } from './bounded-fetch.ts';
import type { DeviceRequest, IdentityProvider, ProvidedIdentity, SignInChecks } from './driver.ts';
import { identityIn, type OpenIdSettings } from './identity.ts';
import { providerKeys, readLogoutToken } from './logout-token.ts';
import { failureOf, pendingCodes, wrongIssuer } from './openid-errors.ts';
import { refreshWith } from './refresh.ts';

export const openIdLimits = {
  /** The timeout of each request to the provider, in seconds. */
  timeoutSeconds: 5,
  /**
   * The most exchanges at the same time, half of them for one client. Strangers begin them, and must not take what other requests need
   * while a provider hangs, nor keep others from signing in.
   */
  exchanges: 8,
};

/** How long the metadata of the provider is used before it is read again. */
const metadataLifeMs = 3_600_000;
/** The largest difference of the clocks of the provider and of this process. */
const maxClockDifferenceSeconds = 120;
/** The longest response of the provider, in bytes. Those with thousands of groups have some 100 KB. */
const maxResponseBytes = 1_048_576;

const offlineScope = 'offline_access';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * An identity provider that supports OpenID Connect. It is first asked when someone signs in, so that one that is down does not
 * keep the process from starting.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html
 */
export function createOpenIdProvider(
  settings: OpenIdSettings,
  { timeoutSeconds, exchanges }: typeof openIdLimits = openIdLimits,
): IdentityProvider {
  const { clientId, scopes, prompt, usesRefreshTokens = false } = settings;
  const issuer = new URL(settings.issuer);
  const turns = new Limiter({
    most: exchanges,
    mostOfGroup: Math.ceil(exchanges / 2),
    inTurns: true,
    maxWaitMs: timeoutSeconds * 1000,
    refused: () => new UnavailableError('Too many people are signing in. Try again in a moment.'),
  });
  let keys: { address: string; find: ReturnType<typeof providerKeys> } | undefined;

  const discovered = onDemand(() => discover(issuer, settings), { lifeMs: metadataLifeMs });

  /** With the scope that gives refresh tokens, if the provider offers it, unless only those of the settings are asked for. */
  function scopesFor(configuration: client.Configuration, asConfigured: boolean): string {
    if (asConfigured) return scopes;
    const { scopes_supported: supported = [] } = configuration.serverMetadata();
    const isOffered = usesRefreshTokens && supported.includes(offlineScope);
    return isOffered && !scopes.split(' ').includes(offlineScope) ? `${scopes} ${offlineScope}` : scopes;
  }

  /** A provider can offer refresh tokens, and not to this gateway: the sign-in begins again without them. */
  function requireFewerScopes(asked: string, error: unknown): undefined {
    const isScope = error instanceof client.AuthorizationResponseError && error.error === 'invalid_scope';
    if (!isScope || asked === scopes) throw error;
  }

  /** Runs an exchange with the provider. Its errors become those of the interface, without anything secret. */
  function exchange<T>(from: string, work: (configuration: client.Configuration) => Promise<T>): Promise<T> {
    return turns.run(from, async () => {
      try {
        return await work(await discovered());
      } catch (error) {
        throw failureOf(error, issuer.host);
      }
    });
  }

  /** The keys of logout tokens. They are read when the first one arrives. */
  function keysOf(configuration: client.Configuration): ReturnType<typeof providerKeys> {
    const address = configuration.serverMetadata().jwks_uri ?? '';
    if (keys?.address !== address) {
      const isAllowed =
        URL.canParse(address) && ['https:', issuer.protocol].includes(new URL(address).protocol);
      if (!isAllowed) throw failureOf(new Error('no keys'), issuer.host);
      const limits = { timeoutMs: timeoutSeconds * 1000, maxBytes: maxResponseBytes };
      keys = { address, find: providerKeys(new URL(address), limits) };
    }
    return keys.find;
  }

  /** Not counted with sign-ins: strangers who begin many must not keep the provider from ending sessions. */
  async function readLogout(token: string) {
    const configuration = await discovered().catch((error) => {
      throw failureOf(error, issuer.host);
    });
    const checks = {
      issuer: configuration.serverMetadata().issuer,
      clientId,
      leewaySeconds: maxClockDifferenceSeconds,
    };
    return readLogoutToken(token, keysOf(configuration), checks);
  }

  async function identityOf(
    configuration: client.Configuration,
    tokens: Tokens,
    asked: string,
  ): Promise<ProvidedIdentity> {
    const claims = tokens.claims();
    if (!claims) throw new SignInRefusedError('no ID token', 'The identity provider has sent no ID token.');
    requireSameTime(claims.iat);
    const { issuer: ownIssuer, userinfo_endpoint: hasUserInfo } = configuration.serverMetadata();
    // The library lets some providers answer for all of their tenants, whoever those belong to.
    if (claims.iss !== ownIssuer) throw wrongIssuer();
    // Providers may leave claims out of the ID token.
    const further = hasUserInfo
      ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      : {};
    const isRefreshed = usesRefreshTokens && asked.split(' ').includes(offlineScope);
    return identityIn({ ...further, ...claims }, settings, isRefreshed ? tokens.refresh_token : undefined);
  }

  return {
    name: settings.name ?? issuer.host,
    begin: (redirectUrl, from, { asConfigured = false } = {}) =>
      exchange(from, async (configuration) => {
        const checks: SignInChecks = {
          state: client.randomState(),
          nonce: client.randomNonce(),
          codeVerifier: client.randomPKCECodeVerifier(),
          asConfigured,
        };
        const url = client.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUrl,
          scope: scopesFor(configuration, asConfigured),
          ...(prompt !== undefined && { prompt }),
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(checks.codeVerifier),
          code_challenge_method: 'S256',
        });
        return { url, checks };
      }),
    finish: (answer, { state, nonce, codeVerifier, asConfigured }, from) =>
      exchange(from, async (configuration) => {
        const checks = {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        };
        const asked = scopesFor(configuration, asConfigured);
        const tokens = await client
          .authorizationCodeGrant(configuration, answer, checks)
          .catch((error) => requireFewerScopes(asked, error));
        return tokens && identityOf(configuration, tokens, asked);
      }),
    async refresh(refreshToken, account) {
      try {
        return await refreshWith(await discovered(), { refreshToken, account, settings });
      } catch (error) {
        return { outcome: 'unknown', reason: failureOf(error, issuer.host).message };
      }
    },
    beginDevice: (from) =>
      exchange(from, async (configuration) => {
        if (!configuration.serverMetadata().device_authorization_endpoint) return undefined;
        return deviceRequestOf(await client.initiateDeviceAuthorization(configuration, { scope: scopes }));
      }),
    finishDevice: (deviceCode, from) =>
      exchange(from, async (configuration) => {
        const tokens = await client
          .genericGrantRequest(configuration, deviceGrant, { device_code: deviceCode })
          .catch((error) => {
            if (error instanceof client.ResponseBodyError && pendingCodes.has(error.error)) return undefined;
            throw error;
          });
        return tokens && identityOf(configuration, tokens, scopes);
      }),
    readLogout,
  };

  function discover(server: URL, { clientSecret }: OpenIdSettings): Promise<client.Configuration> {
    return client.discovery(server, clientId, undefined, authenticationWith(clientSecret), {
      timeout: timeoutSeconds,
      [client.customFetch]: boundedFetch(maxResponseBytes),
      execute: [
        // Otherwise, signatures would not be checked, because the token arrives over TLS.
        client.enableNonRepudiationChecks,
        // The settings allow it on loopback alone.
        ...(server.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    });
  }
}

type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;

/** The way that the provider supports. `client_secret_basic` is the default of the standard. */
function authenticationWith(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (supported.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/** The library checks only when a token expires, an hour after it was issued for example. */
function requireSameTime(issuedAt: number): void {
  const differenceSeconds = Math.round(issuedAt - Date.now() / 1000);
  if (Math.abs(differenceSeconds) <= maxClockDifferenceSeconds) return;
  throw new SignInRefusedError(
    `clocks differ by ${differenceSeconds} s`,
    'The clocks of the identity provider and of this gateway differ by more than two minutes. Ask an administrator to set them.',
  );
}

const deviceRequestOf = (
  response: Awaited<ReturnType<typeof client.initiateDeviceAuthorization>>,
): DeviceRequest => ({
  userCode: response.user_code,
  verificationUrl: response.verification_uri,
  completeUrl: response.verification_uri_complete,
  expiresInSeconds: response.expires_in,
  intervalSeconds: response.interval ?? 5,
  deviceCode: response.device_code,
});
