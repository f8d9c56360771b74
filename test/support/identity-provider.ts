import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { SignJWT } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import type { OpenIdSettings } from '../../src/drivers/identity/identity.ts';
import { createOpenIdProvider, openIdLimits } from '../../src/drivers/identity/openid.ts';
import { closerOf } from './close-server.ts';

/** Someone who can sign in. */
interface Account {
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: string[];
}

export interface TestIdentityProvider {
  issuer: string;
  /** By `sub`. Changes count from the next sign-in on. */
  accounts: Map<string, Account>;
  /** Changes the claims of the next ID tokens, which are signed again. */
  tamper: ((claims: Record<string, unknown>) => Record<string, unknown>) | undefined;
  /** Signs the next ID tokens with a key that the provider does not publish. */
  signsWithOtherKey: boolean;
  /** How many tokens were asked for. */
  tokenRequests: number;
  /** The claims of the last ID token. */
  lastClaims: Record<string, unknown>;
  /** A logout token with these claims instead of valid ones; those that are undefined are left out. */
  logoutToken(claims: object, header?: { alg?: string; typ?: string; kid?: string }): Promise<string>;
  /** Sends a logout token to the gateway, as when the session ends here. */
  logOut(sub: string, sid: string): Promise<void>;
  /** The provider as the gateway uses it. */
  driver(
    settings?: Partial<OpenIdSettings>,
    limits?: Partial<typeof openIdLimits>,
  ): ReturnType<typeof createOpenIdProvider>;
  /** Leaves requests without an answer, until `serve` is called again. */
  hang(): void;
  settings(settings?: Partial<OpenIdSettings>): OpenIdSettings;
  /** Knows the gateway at this address from then on. */
  serve(gatewayUrl: string): void;
  /** Stops answering, until it is resumed. */
  stop(): void;
  resume(): void;
  close(): Promise<void>;
}

const clientId = 'trellis';
const clientSecret = 'a-secret-of-the-client';
const keyId = 'test-key';

const pairOf = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const ownKey = pairOf();
const otherKey = pairOf();

export interface ProviderOptions {
  hasDeviceFlow: boolean;
  /** Whether it offers refresh tokens, to people who are asked, and gives the gateway some. */
  refreshTokens: 'none' | 'offered' | 'offered to others';
}

/** A real provider on loopback, whose sign-in page has a button for each account. */
export async function startIdentityProvider(
  options: Partial<ProviderOptions> = {},
  /** The object that becomes the provider. */
  target: object = {},
): Promise<TestIdentityProvider> {
  const given = { hasDeviceFlow: true, refreshTokens: 'none', ...options } as const;
  let handle: ReturnType<Provider['callback']> | undefined;
  let provider: Provider | undefined;
  const server = createServer((req, res) => {
    if (handle) handle(req, res);
    else res.destroy();
  });
  const issuer = await listen(server);
  const idp: TestIdentityProvider = Object.assign(target, {
    issuer,
    accounts: new Map([
      [
        'alice',
        { email: 'alice@shop.example', email_verified: true, name: 'Alice Okafor', groups: ['developers'] },
      ],
      ['bob', { email: 'bob@shop.example', email_verified: true, name: 'Bob Lindqvist', groups: [] }],
    ]),
    tamper: undefined,
    signsWithOtherKey: false,
    tokenRequests: 0,
    lastClaims: {},
    logoutToken: (claims, header) => logoutTokenOf(idp, claims, header),
    async logOut(sub, sid) {
      const client = (await provider!.Client.find(clientId)) as unknown as {
        backchannelLogout(sub: string, sid: string): Promise<void>;
      };
      await client.backchannelLogout(sub, sid);
    },
    settings: (settings) => ({
      issuer,
      clientId,
      clientSecret,
      scopes: 'openid profile email groups',
      groupsClaim: 'groups',
      administratorGroup: undefined,
      ...settings,
    }),
    driver: (settings, limits) =>
      createOpenIdProvider(idp.settings(settings), { ...openIdLimits, ...limits }),
    hang() {
      handle = async () => {};
    },
    serve(gatewayUrl) {
      provider = providerOf(idp, gatewayUrl, given);
      handle = provider.callback();
    },
    stop() {
      handle = undefined;
      server.closeIdleConnections();
    },
    resume() {
      handle = provider!.callback();
    },
    close: closerOf(server),
  } satisfies TestIdentityProvider);
  return idp;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

function providerOf(
  idp: TestIdentityProvider,
  gatewayUrl: string,
  { hasDeviceFlow, refreshTokens }: ProviderOptions,
): Provider {
  const scopes = ['openid', 'profile', 'email', 'groups'];
  const allScopes = refreshTokens === 'none' ? scopes : [...scopes, 'offline_access'];
  const configuration: Configuration = {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${gatewayUrl}/auth/callback`],
        backchannel_logout_uri: `${gatewayUrl}/auth/backchannel-logout`,
        backchannel_logout_session_required: true,
        ...(refreshTokens === 'offered to others' && { scope: scopes.join(' ') }),
        grant_types: [
          'authorization_code',
          ...(refreshTokens === 'none' ? [] : ['refresh_token']),
          ...(hasDeviceFlow ? ['urn:ietf:params:oauth:grant-type:device_code'] : []),
        ],
      },
    ],
    cookies: { keys: ['a key of the test provider'] },
    jwks: {
      keys: [
        { ...ownKey.privateKey.export({ format: 'jwk' }), kid: keyId, use: 'sig', alg: 'RS256' },
      ] as never,
    },
    scopes: allScopes,
    rotateRefreshToken: true,
    claims: { email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    ttl: { AccessToken: 3600, DeviceCode: 600, Grant: 3600, IdToken: 3600, Interaction: 3600, Session: 3600 },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: hasDeviceFlow },
      backchannelLogout: { enabled: true },
    },
    // The provider sends logout tokens to no address on this computer by itself.
    fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined } as RequestInit),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    findAccount: (_, sub) =>
      idp.accounts.has(sub)
        ? { accountId: sub, claims: async () => ({ sub, ...idp.accounts.get(sub) }) }
        : undefined,
    // Nobody is asked whether the gateway may see the claims.
    async loadExistingGrant(ctx) {
      const grantId = ctx.oidc.session!.grantIdFor(ctx.oidc.client!.clientId);
      if (grantId) return ctx.oidc.provider.Grant.find(grantId);
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client!.clientId,
        accountId: ctx.oidc.session!.accountId!,
      });
      grant.addOIDCScope(allScopes.join(' '));
      await grant.save();
      return grant;
    },
  };
  const provider = new Provider(idp.issuer, configuration);
  provider.use(async (ctx, next) => {
    if (ctx.path === '/favicon.ico') {
      ctx.status = 204;
      return;
    }
    const [, uid] = /^\/interaction\/([\w-]+)$/.exec(ctx.path) ?? [];
    if (uid === undefined) {
      await next();
      if (ctx.path !== '/token') return;
      idp.tokenRequests++;
      const body = ctx.body as { id_token?: string };
      if (body?.id_token) {
        body.id_token = await signedAgain(idp, body.id_token);
        idp.lastClaims = claimsOf(body.id_token);
      }
    } else if (ctx.method === 'POST') {
      const { prompt, grantId } = await provider.interactionDetails(ctx.req, ctx.res);
      const login = { accountId: String(ctx.query.account) };
      const result = prompt.name === 'consent' ? { consent: { grantId } } : { login };
      await provider.interactionFinished(ctx.req, ctx.res, result, { mergeWithLastSubmission: true });
      ctx.respond = false;
    } else {
      ctx.type = 'html';
      const buttons = [...idp.accounts.keys()].map(
        (sub) =>
          `<form method="post" action="/interaction/${uid}?account=${sub}"><button>${sub}</button></form>`,
      );
      ctx.body = `<!doctype html><title>Test provider</title><h1>Who are you?</h1>${buttons.join('')}`;
    }
  });
  return provider;
}

/** The ID token with other claims, or signed with another key, if the test wants that. */
async function signedAgain(idp: TestIdentityProvider, token: string): Promise<string> {
  if (!idp.tamper && !idp.signsWithOtherKey) return token;
  const claims = claimsOf(token);
  const key: KeyObject = (idp.signsWithOtherKey ? otherKey : ownKey).privateKey;
  return new SignJWT(idp.tamper ? idp.tamper(claims) : claims)
    .setProtectedHeader({ alg: 'RS256', kid: keyId })
    .sign(key);
}

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

/** A logout token that is valid unless the claims or the header say otherwise. */
function logoutTokenOf(
  idp: TestIdentityProvider,
  claims: object,
  header: { alg?: string; typ?: string; kid?: string } = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    iss: idp.issuer,
    aud: clientId,
    // Before a sign-in that follows, which can be in the same second.
    iat: now - 1,
    exp: now + 120,
    jti: randomUUID(),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    ...claims,
  };
  const { alg = 'RS256' } = header;
  const key = alg.startsWith('HS')
    ? Buffer.from(clientSecret)
    : (idp.signsWithOtherKey ? otherKey : ownKey).privateKey;
  return new SignJWT(payload)
    .setProtectedHeader({ typ: 'logout+jwt', kid: keyId, ...header, alg })
    .sign(key, { crit: { x: true } });
}
