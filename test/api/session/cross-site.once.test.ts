import { beforeAll, describe, expect, it } from 'vitest';
import { CookieClient, signIn, useSignIn } from '../../support/sign-in.ts';
import { startTrellis } from '../../support/trellis.ts';

let client: CookieClient;
const friend = 'https://dashboard.example';
const { trellis, idp } = useSignIn({ corsOrigins: [friend] });
beforeAll(async () => {
  client = new CookieClient();
  await signIn(trellis, client, 'alice');
});

const document = JSON.stringify({ query: '{ viewer { user { email } } }' });

async function post(
  headers: Record<string, string>,
  path = '/graphql',
  method = 'POST',
  body: string | null = document,
) {
  const response = await client.fetch(trellis.url + path, {
    method,
    headers,
    ...(body !== null && { body }),
  });
  const text = await response.text();
  const parsed = text ? JSON.parse(text) : undefined;
  return {
    status: response.status,
    code: parsed?.errors?.[0]?.extensions?.code ?? parsed?.code,
    email: parsed?.data?.viewer?.user.email,
    response,
  };
}

const ports = '/openapi/v1/teams/x/regions/y/apps/1/services/z/ports';
const json = { 'content-type': 'application/json' };

describe('a request with the cookie of a session', () => {
  it.each([() => trellis.url, () => friend])(
    'is accepted from a page of the gateway or of CORS_ORIGINS',
    async (origin) => {
      expect(await post({ ...json, origin: origin() })).toMatchObject({
        status: 200,
        email: 'alice@shop.example',
      });
    },
  );

  it.each<Record<string, string>>([
    {},
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: 'https://dashboard.example.evil.example' },
    { origin: 'https://dashboard.example:8443' },
    { origin: 'http://dashboard.example' },
    { origin: 'http://127.0.0.1' },
    { origin: 'http://localhost:1' },
    { origin: '' },
    { referer: 'http://127.0.0.1/' },
  ])('is FORBIDDEN with %j', async (headers) => {
    const counts = await trellis.counts();
    expect(await post({ ...json, ...headers })).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect((await post({ ...json, ...headers }, '/mcp')).status).toBe(403);
    for (const [method, path] of [
      ['POST', ports],
      ['PUT', `${ports}/80`],
      ['DELETE', `${ports}/80`],
    ] as const) {
      const refused = await post({ ...json, ...headers }, path, method, '{}');
      expect(refused, method).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    }
    expect(await trellis.counts()).toEqual(counts);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'is FORBIDDEN with a body of the type %j, which a form can send',
    async (type) => {
      expect(await post({ 'content-type': type, origin: trellis.url })).toMatchObject({
        status: 403,
        code: 'FORBIDDEN',
      });
    },
  );

  it('changes nothing with GET', async () => {
    const counts = await trellis.counts();
    const mutation = 'mutation { createAccessToken(input: { name: "x" }) { __typename } }';
    const response = await client.fetch(`${trellis.url}/graphql?query=${encodeURIComponent(mutation)}`);
    expect(response.status).toBe(405);
    // Nor with another operation beside it, in a stream, or without an answer.
    const both =
      encodeURIComponent(mutation.replace('{', 'B {')) + encodeURIComponent(' query A { __typename }');
    for (const name of ['operationName=B', 'operationName=A&operationName=B']) {
      for (const accept of ['application/graphql-response+json', 'text/event-stream', '*/*']) {
        for (const method of ['GET', 'HEAD']) {
          const url = `${trellis.url}/graphql?query=${both}&${name}`;
          expect((await client.fetch(url, { method, headers: { accept } })).status).toBe(405);
        }
      }
    }
    expect(await trellis.counts()).toEqual(counts);
    const query = encodeURIComponent('{ viewer { user { email } } }');
    expect((await client.fetch(`${trellis.url}/graphql?query=${query}`)).status).toBe(200);
  });

  it('is made with the token, if it has one as well', async () => {
    const authorization = `Bearer ${trellis.adminToken}`;
    expect(await post({ ...json, authorization })).toMatchObject({
      status: 200,
      email: 'admin@trellis.example',
    });
    expect(await post({ ...json, authorization: 'Bearer trl_wrong', origin: trellis.url })).toMatchObject({
      status: 401,
      code: 'UNAUTHENTICATED',
    });
  });

  it('can be made by REST, with the rights of the user', async () => {
    const get = await client.fetch(`${trellis.url}/openapi/v1/teams`);
    expect([get.status, (await get.json()) as any]).toMatchObject([200, { tenants: [] }]);
  });

  it('shows its answer to the pages of CORS_ORIGINS alone', async () => {
    const allowed = (await post({ ...json, origin: friend })).response.headers;
    expect(allowed.get('access-control-allow-origin')).toBe(friend);
    expect(allowed.get('access-control-allow-credentials')).toBe('true');
    const refused = (await post({ ...json, origin: 'https://evil.example' })).response.headers;
    expect(refused.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a page of another site', () => {
  it('cannot make failed sign-ins in the background, and keep its visitors from signing in', async () => {
    const own = await startTrellis({
      identity: idp.driver(),
      http: { failedAuthenticationsPerMinute: 3 },
    });
    try {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const load = (path: string, dest: string, init: RequestInit = {}) =>
        fetch(own.url + path, {
          redirect: 'manual',
          ...init,
          headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': dest, ...init.headers },
        });
      for (const dest of ['image', 'iframe', 'empty', 'script']) {
        for (const [path, init] of [
          ['/auth/callback?state=guess', {}],
          ['/auth/device', { method: 'POST' }],
          ['/auth/token', { method: 'POST', body: 'grant_type=x', headers: form }],
          ['/auth/cli/allow?confirmation=guess', {}],
        ] as const) {
          expect((await load(path, dest, init)).status, path).toBe(403);
        }
      }
      expect(own.logged.filter(({ msg }) => msg === 'sign-in refused')).toEqual([]);
      // It can still lead to a sign-in, as the provider leads back to the gateway.
      expect((await load('/auth/sign-in', 'document')).status).toBe(303);
    } finally {
      await own.close();
    }
  });
});

describe('over https', () => {
  it('cookies have a prefix that other hosts cannot set, and the origin is that of PUBLIC_URL', async () => {
    const publicUrl = 'https://trellis.example';
    const own = await startTrellis({ identity: idp.driver(), publicUrl });
    try {
      const response = await fetch(`${own.url}/auth/sign-in`, { redirect: 'manual' });
      expect(new URL(response.headers.get('location')!).searchParams.get('redirect_uri')).toBe(
        `${publicUrl}/auth/callback`,
      );
      const [cookie] = response.headers.getSetCookie();
      expect(cookie).toMatch(
        /^__Host-trellis-sign-in=[^;]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      );
      const send = async (headers: Record<string, string>) =>
        (
          await fetch(`${own.url}/graphql`, {
            method: 'POST',
            headers: { ...json, ...headers },
            body: document,
          })
        ).status;
      // A cookie without the prefix, which another host of the domain can have planted, is not looked at.
      expect(await send({ cookie: `trellis=${'x'.repeat(43)}` })).toBe(401);
      const name = `__Host-trellis=${'x'.repeat(43)}`;
      expect(await send({ cookie: name, origin: own.url })).toBe(403);
      expect(await send({ cookie: name, origin: publicUrl })).toBe(401);
    } finally {
      await own.close();
    }
  });
});
