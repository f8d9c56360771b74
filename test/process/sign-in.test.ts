import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startIdentityProvider, type TestIdentityProvider } from '../support/identity-provider.ts';
import { CookieClient, inSession, signIn, signInUntilCallback } from '../support/sign-in.ts';
import { createMigratedDatabase, startTrellis, type TestDatabase, type Trellis } from '../support/trellis.ts';

const secretKey = randomBytes(32);
const viewer = '{ viewer { user { email } session { uid } } }';

describe('two gateways on one database', () => {
  let database: TestDatabase;
  let idp: TestIdentityProvider;
  let one: Trellis;
  let other: Trellis;
  beforeAll(async () => {
    database = await createMigratedDatabase();
    idp = await startIdentityProvider();
    const shared = { database: { url: database.url }, secretKey };
    one = await startTrellis({ ...shared, identity: idp.driver() });
    other = await startTrellis({ ...shared, identity: idp.driver(), publicUrl: one.url });
    idp.serve(one.url);
  });
  afterAll(async () => {
    await Promise.all([one?.close(), other?.close()]);
    await idp?.close();
    await database?.drop();
  });

  /** The cookies, as a proxy in front of both would pass them on. */
  const at = (gateway: Trellis, client: CookieClient) => {
    const copy = new CookieClient();
    copy.cookies.set(gateway.url, client.cookies.get(one.url)!);
    return copy;
  };
  const ask = (gateway: Trellis, client: CookieClient) =>
    inSession(gateway, at(gateway, client), viewer, { headers: { origin: one.url } });

  it('finish a sign-in that the other one began, and know its sessions', async () => {
    const client = new CookieClient();
    const callback = new URL(await signInUntilCallback(one, client, 'alice', '/teams/a'));
    const response = await at(other, client).fetch(other.url + callback.pathname + callback.search);
    expect([response.status, response.headers.get('location')]).toEqual([303, '/teams/a']);
    for (const gateway of [one, other])
      expect((await ask(gateway, client)).body.data.viewer.user.email).toBe('alice@shop.example');
  });

  it('end a session that the other one has in its cache', async () => {
    const client = new CookieClient();
    await signIn(one, client, 'bob');
    const { body } = await ask(other, client);
    const { uid } = body.data.viewer.session;
    // A change checks again in its transaction, whether or not the other gateway was notified by then.
    await one.succeed('endSession', { session: { sessionId: uid } }, 'session { uid }');
    const mutation = 'mutation { createAccessToken(input: { name: "late" }) { __typename } }';
    const late = await inSession(other, at(other, client), mutation, { headers: { origin: one.url } });
    expect(late.body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    expect((await ask(one, client)).status).toBe(401);
  });
});
