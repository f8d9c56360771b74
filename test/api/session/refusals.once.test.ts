import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { CookieClient, inSession, signIn, signInUntilCallback, useSignIn } from '../../support/sign-in.ts';
import { startTrellis } from '../../support/trellis.ts';

const { trellis, idp } = useSignIn();
beforeEach(() => {
  trellis.logged.length = 0;
});
afterEach(() => {
  idp.tamper = undefined;
  idp.signsWithOtherKey = false;
});

const isSignedIn = async (client: CookieClient) =>
  Boolean((await inSession(trellis, client, '{ viewer { user { uid } } }')).body.data);

/** Checks the page, the log and that there is no session. Returns the text of the page. */
async function expectRefused(client: CookieClient, response: Response, reason: RegExp): Promise<string> {
  const text = await response.text();
  expect(response.status, text).toBe(403);
  expect(response.headers.get('content-type')).toContain('text/html');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(text).toContain('You are not signed in');
  expect(text).toContain('href="/auth/sign-in"');
  expect(text).not.toMatch(/ at .*\.[jt]s:|eyJ/);
  expect(response.headers.getSetCookie().some((line) => /^(__Host-)?trellis=/.test(line))).toBe(false);
  expect(await isSignedIn(client)).toBe(false);
  expect(trellis.logged.find(({ msg }) => msg === 'sign-in refused')?.reason).toMatch(reason);
  expect(JSON.stringify(trellis.logged)).not.toMatch(/eyJ|code=|code_verifier/);
  return text;
}

describe('an answer of the provider', () => {
  it.each<[string, (claims: any) => any, RegExp]>([
    ['issuer', (claims) => ({ ...claims, iss: 'https://other.example' }), /^wrong issuer$/],
    ['audience', (claims) => ({ ...claims, aud: 'another-client' }), /^wrong audience$/],
    ['audience among several', (claims) => ({ ...claims, aud: ['a', 'b'] }), /^wrong audience$/],
    ['nonce', (claims) => ({ ...claims, nonce: 'another' }), /^wrong nonce$/],
    [
      'missing nonce',
      ({ nonce: _, ...claims }) => claims,
      /^(wrong nonce|invalid response|invalid ID token)$/,
    ],
    ['expiry', (claims) => ({ ...claims, exp: claims.iat - 600 }), /^expired ID token$/],
    ['start', (claims) => ({ ...claims, nbf: claims.iat + 600 }), /^ID token is not valid yet$/],
    [
      'clock, five minutes fast',
      (claims) => ({ ...claims, iat: claims.iat + 300 }),
      /^clocks differ by \d+ s$/,
    ],
    [
      'clock, five minutes slow',
      (claims) => ({ ...claims, iat: claims.iat - 300 }),
      /^clocks differ by -\d+ s$/,
    ],
    ['missing subject', ({ sub: _, ...claims }) => claims, /^(invalid response|invalid ID token)$/],
  ])('with a wrong %s is refused', async (_, tamper, reason) => {
    idp.tamper = tamper;
    const client = new CookieClient();
    await expectRefused(client, await signIn(trellis, client, 'alice'), reason);
  });

  it('whose clock is off by a minute is accepted', async () => {
    idp.tamper = (claims) => ({ ...claims, iat: (claims.iat as number) - 60 });
    const client = new CookieClient();
    expect((await signIn(trellis, client, 'alice')).status).toBe(303);
  });

  it('with a wrong signature is refused', async () => {
    idp.signsWithOtherKey = true;
    const client = new CookieClient();
    await expectRefused(client, await signIn(trellis, client, 'alice'), /^wrong signature$/);
  });

  it('with a wrong code is refused, in the words of the standard', async () => {
    const client = new CookieClient();
    const callback = new URL(await signInUntilCallback(trellis, client, 'alice'));
    callback.searchParams.set('code', 'guessed');
    await expectRefused(client, await client.fetch(callback), /^provider answered invalid_grant$/);
  });

  it.each(['https://other.example', 'evil', ''])('of another issuer (%j) is refused', async (iss) => {
    const client = new CookieClient();
    const callback = new URL(await signInUntilCallback(trellis, client, 'alice'));
    callback.searchParams.set('iss', iss);
    const before = idp.tokenRequests;
    await expectRefused(client, await client.fetch(callback), /^(wrong issuer|invalid response)$/);
    // The code was not sent anywhere.
    expect(idp.tokenRequests).toBe(before);
  });

  it('without an issuer, although the provider names it, is refused', async () => {
    const client = new CookieClient();
    const callback = new URL(await signInUntilCallback(trellis, client, 'alice'));
    callback.searchParams.delete('iss');
    await expectRefused(client, await client.fetch(callback), /^(wrong issuer|invalid response)$/);
  });

  it.each(['access_denied', 'server_error', '<script>alert(1)</script>'])(
    'that is the error %j is shown',
    async (error) => {
      const client = new CookieClient();
      const callback = new URL(await signInUntilCallback(trellis, client, 'alice'));
      callback.searchParams.delete('code');
      callback.searchParams.set('error', error);
      callback.searchParams.set('error_description', '<img src=x onerror=alert(1)> secret text');
      const text = await expectRefused(
        client,
        await client.fetch(callback),
        /access denied|provider answered/,
      );
      expect(text).not.toMatch(/<script|<img|secret text/);
    },
  );
});

describe('a sign-in', () => {
  it('in one browser is not finished in another one', async () => {
    const attacker = new CookieClient();
    const callback = await signInUntilCallback(trellis, attacker, 'bob');
    const victim = new CookieClient();
    const before = idp.tokenRequests;
    await expectRefused(victim, await victim.fetch(callback), /^unknown state$/);
    // Nor with a sign-in that the victim has begun.
    await victim.fetch(`${trellis.url}/auth/sign-in`);
    await expectRefused(victim, await victim.fetch(callback), /^unknown state$/);
    expect(idp.tokenRequests).toBe(before);
  });

  it('is finished once', async () => {
    const client = new CookieClient();
    const callback = await signInUntilCallback(trellis, client, 'alice');
    const copy = client.copy();
    expect((await client.fetch(callback)).status).toBe(303);
    const again = await client.fetch(callback);
    expect(again.status).toBe(403);
    expect(await again.text()).toContain('already used');
    // The session of the first time stays, and someone with a copy of the cookie gets none.
    expect(await isSignedIn(client)).toBe(true);
    trellis.logged.length = 0;
    await expectRefused(copy, await copy.fetch(callback), /^provider answered invalid_grant$/);
  });

  it('can be under way in four tabs, which finish in any order', async () => {
    const client = new CookieClient();
    const callbacks: string[] = [];
    for (const tab of [1, 2, 3, 4])
      callbacks.push(await signInUntilCallback(trellis, client, 'alice', `/teams/${tab}`));
    for (const tab of [3, 1, 4, 2]) {
      const response = await client.fetch(callbacks[tab - 1]!);
      expect([response.status, response.headers.get('location')]).toEqual([303, `/teams/${tab}`]);
    }
  });

  it('has a cookie that fits, however many are begun, and that nobody can read or change', async () => {
    const client = new CookieClient();
    const to = `/teams/${'x'.repeat(390)}`;
    for (let index = 0; index < 8; index++)
      await client.fetch(`${trellis.url}/auth/sign-in?to=${encodeURIComponent(to)}`);
    const response = await client.fetch(`${trellis.url}/auth/sign-in`);
    const [cookie] = response.headers.getSetCookie();
    expect(cookie!.length).toBeLessThan(4_096);
    expect(cookie).toMatch(
      /^trellis-sign-in=v2\.[\w-]{8}\.[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const { state } = Object.fromEntries(new URL(response.headers.get('location')!).searchParams);
    const sealed = cookie!.split(';')[0]!.split('.').at(-1)!;
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain(state);
    const forged = new CookieClient();
    const value = client.cookies.get(trellis.url)!.get('trellis-sign-in')!;
    forged.cookies.set(trellis.url, new Map([['trellis-sign-in', `${value.slice(0, -4)}AAAA`]]));
    await expectRefused(
      forged,
      await forged.fetch(`${trellis.url}/auth/callback?code=x&state=${state}`),
      /^unknown state$/,
    );
  });

  it('asks for a code with PKCE, and a state and nonce that are new each time', async () => {
    const begun = async () => {
      const response = await new CookieClient().fetch(`${trellis.url}/auth/sign-in`);
      return Object.fromEntries(new URL(response.headers.get('location')!).searchParams);
    };
    const [one, other] = [await begun(), await begun()];
    expect(one).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${trellis.url}/auth/callback`,
      scope: 'openid profile email groups',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(one[name]!.length).toBeGreaterThanOrEqual(43);
      expect(one[name]).not.toBe(other[name]);
    }
  });

  it('is not finished by HEAD or POST', async () => {
    const client = new CookieClient();
    const callback = await signInUntilCallback(trellis, client, 'alice');
    for (const method of ['HEAD', 'POST']) {
      expect((await client.fetch(callback, { method })).status).toBe(405);
    }
    expect((await client.fetch(callback)).status).toBe(303);
  });

  it('returns to / if it is to return anywhere else', async () => {
    for (const to of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/%2f%2fevil.example',
      '/a\r\nb: c',
    ]) {
      const response = await signIn(trellis, new CookieClient(), 'alice', to);
      expect([response.status, response.headers.get('location')], to).toEqual([303, '/']);
    }
  });

  it('is not possible at an address that is not known', async () => {
    const { port } = new URL(trellis.url);
    const { request } = await import('node:http');
    const status = await new Promise((resolve) => {
      request({ port, path: '/auth/sign-in', headers: { host: 'evil.example' } }, (res) =>
        resolve(res.statusCode),
      ).end();
    });
    expect(status).toBe(403);
  });
});

describe('a provider that is down', () => {
  it('is a page that says so, while access tokens work', async () => {
    const down = await startIdentityProvider();
    const own = await startTrellis({ identity: down.driver() });
    try {
      const client = new CookieClient();
      const response = await client.fetch(`${own.url}/auth/sign-in`);
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
      const text = await response.text();
      expect(text).toContain('does not respond');
      expect(text).toContain('Sign in with an access token');
      expect((await own.data('{ viewer { isAdministrator } }')).viewer.isAdministrator).toBe(true);
      // The next sign-in asks again.
      down.serve(own.url);
      expect((await signIn(own, client, 'alice')).status).toBe(303);
      // Sessions do not need the provider.
      down.stop();
      expect((await inSession(own, client, '{ __typename }')).body.data).toBeDefined();
    } finally {
      await own.close();
      await down.close();
    }
  });
});

describe('a provider that hangs', () => {
  it('is waited for shortly, by few requests at a time, which are not all of one client', async () => {
    const hanging = await startIdentityProvider();
    hanging.hang();
    const identity = hanging.driver({}, { timeoutSeconds: 3, exchanges: 2 });
    const own = await startTrellis({ identity, http: { trustProxy: 1 } });
    try {
      const begin = async (client: string) => {
        const headers = { 'x-forwarded-for': client };
        const response = await fetch(`${own.url}/auth/sign-in`, { redirect: 'manual', headers });
        return `${response.status} ${/does not respond|Too many people/.exec(await response.text())?.[0]}`;
      };
      const crowd = Array.from({ length: 3 }, () => begin('203.0.113.1'));
      expect(await begin('203.0.113.2')).toBe('503 does not respond');
      const answers = await Promise.all(crowd);
      expect(answers).toContain('503 does not respond');
      expect(answers).toContain('503 Too many people');
      hanging.serve(own.url);
      expect((await signIn(own, new CookieClient(), 'alice')).status).toBe(303);
    } finally {
      await own.close();
      await hanging.close();
    }
  });
});

describe('the record of refusals', () => {
  it('has ten in a minute at most, without anything secret', async () => {
    const own = await startTrellis({ identity: idp.driver() });
    try {
      for (let index = 0; index < 12; index++)
        await fetch(`${own.url}/auth/callback?code=secret-code&state=secret-state`);
      const query =
        '{ events(action: "sign_in.refuse") { nodes { user { uid } changes { field after: newValue } } } }';
      const { events } = await own.data(query);
      expect(events.nodes).toHaveLength(10);
      expect(events.nodes[0]).toEqual({
        user: null,
        changes: [
          { field: 'reason', after: 'unknown state' },
          { field: 'address', after: '127.0.0.1' },
        ],
      });
      expect(JSON.stringify([events, own.logged])).not.toMatch(/secret-(code|state)/);
    } finally {
      await own.close();
    }
  });

  it('is limited per address as failed authentications are', async () => {
    const provider = await startIdentityProvider();
    const strict = await startTrellis({
      identity: provider.driver(),
      http: { failedAuthenticationsPerMinute: 3 },
    });
    provider.serve(strict.url);
    try {
      const statuses: number[] = [];
      for (let index = 0; index < 5; index++) {
        statuses.push((await fetch(`${strict.url}/auth/callback?state=guess`)).status);
      }
      expect(statuses).toEqual([403, 403, 403, 429, 429]);
      for (const status of [200, 200, 200, 429]) {
        expect((await fetch(`${strict.url}/auth/device`, { method: 'POST' })).status).toBe(status);
      }
      // Others at the address sign in and out all the same.
      expect((await fetch(`${strict.url}/auth/session`)).status).toBe(200);
      const signedIn = async () => {
        const client = new CookieClient();
        expect((await signIn(strict, client, 'alice')).status).toBe(303);
        return client;
      };
      const client = await signedIn();
      expect(await (await client.fetch(`${strict.url}/auth/session`)).json()).toMatchObject({
        isSignedIn: true,
      });
      for (let index = 0; index < 5; index++)
        await strict.graphql('{ __typename }', {}, `trl_wrong_${index}`);
      expect(await (await client.fetch(`${strict.url}/auth/session`)).json()).toMatchObject({
        isSignedIn: true,
      });
      const other = await signedIn();
      const signOut = { method: 'POST', headers: { origin: strict.url } };
      expect((await other.fetch(`${strict.url}/auth/sign-out`, signOut)).status).toBe(204);
    } finally {
      await strict.close();
      await provider.close();
    }
  });
});

describe('without a provider', () => {
  it('nobody can sign in, and no cookie is looked at', async () => {
    const plain = await startTrellis();
    try {
      expect((await fetch(`${plain.url}/auth/sign-in`)).status).toBe(404);
      expect(await (await fetch(`${plain.url}/auth/session`)).json()).toEqual({
        provider: null,
        isSignedIn: false,
      });
      plain.statements.length = 0;
      const client = new CookieClient();
      client.cookies.set(plain.url, new Map([['trellis', 'x'.repeat(43)]]));
      expect((await inSession(plain, client, '{ __typename }')).status).toBe(401);
      expect(plain.statements).toEqual([]);
    } finally {
      await plain.close();
    }
  });
});
