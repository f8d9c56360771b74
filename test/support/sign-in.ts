import { afterAll, beforeAll } from 'vitest';
import type { OpenIdSettings } from '../../src/drivers/identity/identity.ts';
import {
  type ProviderOptions,
  startIdentityProvider,
  type TestIdentityProvider,
} from './identity-provider.ts';
import { type Trellis, type TrellisOptions, useTrellis } from './trellis.ts';

interface SignInWorld extends TrellisOptions {
  provider?: Partial<ProviderOptions>;
  openId?: Partial<OpenIdSettings>;
}

/** An identity provider and a gateway that uses it, for the tests of a file or a `describe`. */
export function useSignIn({ provider, openId, ...settings }: SignInWorld = {}) {
  const idp = {} as TestIdentityProvider;
  beforeAll(async () => void (await startIdentityProvider(provider, idp)));
  // Hooks run in reverse order: the gateway is closed first.
  afterAll(() => idp.close?.());
  const trellis = useTrellis(() => ({ ...settings, identity: idp.driver(openId) }));
  beforeAll(() => idp.serve(trellis.url));
  return { trellis, idp };
}

/** A client that stores cookies per host, as a browser does, and follows no redirects by itself. */
export class CookieClient {
  readonly cookies = new Map<string, Map<string, string>>();

  async fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.cookies.get(origin) ?? new Map<string, string>();
    this.cookies.set(origin, jar);
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '' || /max-age=0/i.test(line)) jar.delete(name!);
      else jar.set(name!, value!);
    }
    return response;
  }

  /** A copy, as if someone had copied the cookies. */
  copy(): CookieClient {
    const copy = new CookieClient();
    for (const [origin, jar] of this.cookies) copy.cookies.set(origin, new Map(jar));
    return copy;
  }
}

/** Begins a sign-in, or goes on with one that leads to `from`, and does what the person does at the provider. Returns the address that leads back to the gateway. */
export async function signInUntilCallback(
  { url }: Pick<Trellis, 'url'>,
  client: CookieClient,
  account: string,
  to = '/',
  from = `${url}/auth/sign-in?to=${encodeURIComponent(to)}`,
): Promise<string> {
  let next = from;
  for (let steps = 0; steps < 10; steps++) {
    const isInteraction = new URL(next).pathname.startsWith('/interaction/');
    const response = isInteraction
      ? await client.fetch(`${next}?account=${account}`, { method: 'POST' })
      : await client.fetch(next);
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${next}: ${response.status} ${await response.text()}`);
    next = new URL(location, next).href;
    if (next.startsWith(`${url}/auth/callback`)) return next;
  }
  throw new Error(`did not return to the gateway: ${next}`);
}

/** Signs in, with the cookies of the client. Returns the last response of the gateway. */
export async function signIn(
  trellis: Pick<Trellis, 'url'>,
  client: CookieClient,
  account: string,
  to = '/',
): Promise<Response> {
  return client.fetch(await signInUntilCallback(trellis, client, account, to));
}

/** A GraphQL request with the cookies of the client, as a page of the gateway makes it. */
export async function inSession(
  { url }: Pick<Trellis, 'url'>,
  client: CookieClient,
  query: string,
  { headers = {}, variables }: { headers?: Record<string, string>; variables?: object } = {},
) {
  const response = await client.fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, ...headers },
    body: JSON.stringify({ query, variables }),
  });
  return { status: response.status, body: (await response.json()) as any };
}
