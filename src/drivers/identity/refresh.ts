import * as client from 'openid-client';
import type { ProvidedIdentity, Refreshed } from './driver.ts';
import { identityIn, type OpenIdSettings } from './identity.ts';
import { failureOf } from './openid-errors.ts';

interface RefreshRequest {
  refreshToken: string;
  /** Whose token it is. */
  account: Pick<ProvidedIdentity, 'issuer' | 'subject'>;
  settings: OpenIdSettings;
}

const refused = (reason: string): Refreshed => ({ outcome: 'refused', reason });

/**
 * Asks the provider for new tokens, and who the person is now. Only the provider's word that the token is worth nothing any more, or
 * is somebody else's, is a refusal. All other problems can be those of the network or of the settings.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokens
 */
export async function refreshWith(
  configuration: client.Configuration,
  { refreshToken, account, settings }: RefreshRequest,
): Promise<Refreshed> {
  const { issuer, userinfo_endpoint: hasUserInfo } = configuration.serverMetadata();
  if (account.issuer !== issuer) return refused('signed in with another identity provider');
  let next: string | undefined;
  try {
    const tokens = await client.refreshTokenGrant(configuration, refreshToken);
    // Even if the rest fails: the provider may not accept the one before any more.
    next = tokens.refresh_token;
    const claims = tokens.claims();
    if (claims && (claims.iss !== issuer || claims.sub !== account.subject)) {
      return refused('the identity provider has answered for another account');
    }
    const further = hasUserInfo
      ? await client.fetchUserInfo(configuration, tokens.access_token, account.subject)
      : {};
    const allClaims = { ...further, ...claims, iss: issuer, sub: account.subject };
    return { outcome: 'confirmed', identity: identityIn(allClaims, settings), refreshToken: next };
  } catch (error) {
    if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') {
      return refused('the identity provider has refused it');
    }
    return {
      outcome: 'unknown',
      reason: failureOf(error, new URL(issuer).host).message,
      refreshToken: next,
    };
  }
}
