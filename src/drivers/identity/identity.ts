import { type ProvidedIdentity, providerSessionOf } from './driver.ts';

export interface OpenIdSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  scopes: string;
  /** The claim with the names or ids of the groups. */
  groupsClaim: string;
  administratorGroup: string | undefined;
  /** The prompt of the provider at a sign-in. */
  /** The display name. Defaults to the host of the issuer. */
  name?: string | undefined;
  prompt?: string | undefined;
  /** Whether refresh tokens are asked for, where the provider offers them. */
  usesRefreshTokens?: boolean;
}

/** The most groups of one user, and the longest name of one. */
const most = { groups: 2_000, groupLength: 255 };

/** The claims of an ID token and of the userinfo endpoint. */
export function identityIn(
  claims: Record<string, unknown> & { iss: string; sub: string },
  { groupsClaim, administratorGroup }: OpenIdSettings,
  refreshToken?: string,
): ProvidedIdentity {
  const text = (name: string) => {
    const value = claims[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const sid = text('sid');
  const claim = claims[groupsClaim];
  const groups =
    claim == null
      ? undefined
      : (Array.isArray(claim) ? claim : [claim])
          .slice(0, most.groups)
          .filter((group): group is string => typeof group === 'string' && group.length <= most.groupLength);
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: claims.email_verified === true ? text('email') : undefined,
    name: text('name') ?? text('preferred_username') ?? text('nickname'),
    groups,
    isAdministrator:
      administratorGroup === undefined ? undefined : (groups ?? []).includes(administratorGroup),
    session: sid === undefined ? undefined : providerSessionOf(claims.iss, sid),
    issuedAt: typeof claims.iat === 'number' ? new Date(claims.iat * 1000) : new Date(),
    refreshToken,
  };
}
