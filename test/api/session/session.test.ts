import { afterEach, describe, expect, it, vi } from 'vitest';
import { once } from '../../support/once.ts';
import { CookieClient, inSession, signIn, useSignIn } from '../../support/sign-in.ts';
import { subscribe } from '../../support/subscribe.ts';

const { trellis } = useSignIn();
afterEach(() => vi.useRealTimers());

const hourMs = 3_600_000;
const viewer = '{ viewer { user { uid } session { uid } } }';

async function signedIn(account = 'alice'): Promise<{ client: CookieClient; uid: number; session: string }> {
  const client = new CookieClient();
  expect((await signIn(trellis, client, account)).status).toBe(303);
  const { body } = await inSession(trellis, client, viewer);
  return { client, uid: body.data.viewer.user.uid, session: body.data.viewer.session.uid };
}

async function isSignedIn(client: CookieClient): Promise<boolean> {
  const { status, body } = await inSession(trellis, client, viewer);
  if (body.data) return true;
  expect([status, body.errors[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
  return false;
}

/** Only the clock: timers of the server keep running. */
const setClock = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: ms });

describe('a session', () => {
  it('has the rights of its user, and is in the record', async () => {
    const { client, uid, session } = await signedIn();
    const { team } = await trellis.createPlace();
    const input = { team: { teamId: team.teamId }, alias: 'By session' };
    const update = (role: string) =>
      inSession(
        trellis,
        client,
        'mutation($input: UpdateTeamInput!) { updateTeam(input: $input) { __typename } }',
        { variables: { input } },
      ).then(({ body }) => [role, body.data.updateTeam.__typename]);
    expect(await update('none')).toEqual(['none', 'NotFoundError']);
    const member = { team: { teamId: team.teamId }, user: { userId: uid } };
    await trellis.succeed(
      'addTeamMember',
      { ...member, user: { email: 'alice@shop.example' }, role: 'VIEWER' },
      '__typename',
    );
    expect(await update('viewer')).toEqual(['viewer', 'ForbiddenError']);
    await trellis.succeed('changeTeamMemberRole', { ...member, role: 'OWNER' }, '__typename');
    expect(await update('owner')).toEqual(['owner', 'UpdateTeamPayload']);
    const query = `{ team(by: { teamId: "${team.teamId}" }) { events(first: 1) { nodes { action tokenId sessionId user { uid } } } } }`;
    expect((await trellis.data(query)).team.events.nodes).toEqual([
      { action: 'team.update', tokenId: null, sessionId: session, user: { uid } },
    ]);
  });

  it('takes no statement to authenticate while it is cached', async () => {
    const { client } = await signedIn();
    const query = '{ __typename }';
    await inSession(trellis, client, query);
    trellis.statements.length = 0;
    expect((await inSession(trellis, client, query)).body.data).toEqual({ __typename: 'Query' });
    expect(trellis.statements).toEqual([]);
  });

  it('is stored by its hash alone', async () => {
    const { client } = await signedIn();
    const secret = client.cookies.get(trellis.url)!.get('trellis')!;
    const rows = await trellis.services.db.query('SELECT * FROM session', []);
    const events = await trellis.services.db.query('SELECT * FROM event', []);
    expect(JSON.stringify([rows, events, trellis.logged])).not.toContain(secret);
  });

  it('ends after 12 hours without use, and is renewed by use', async () => {
    const start = Date.now();
    const { client } = await signedIn();
    for (const hours of [11, 22, 33]) {
      setClock(start + hours * hourMs);
      expect(await isSignedIn(client), `${hours} h`).toBe(true);
      // The use is recorded after the response.
      await vi.waitFor(async () => {
        const [row] = await trellis.services.db.session.findManyByKeys({
          by: 'userId',
          keys: [(await inSession(trellis, client, viewer)).body.data.viewer.user.uid],
          where: [{ field: 'lastUsedAt', from: new Date(start + hours * hourMs - 1) }],
        });
        expect(row).toBeDefined();
      });
    }
    setClock(start + 45 * hourMs + 1_000);
    expect(await isSignedIn(client)).toBe(false);
  });

  it('ends 30 days after the sign-in, however often it is used', async () => {
    const start = Date.now();
    const { client } = await signedIn();
    const lastHour = 30 * 24 - 1;
    for (let hours = 10; hours < lastHour; hours += 10) {
      setClock(start + hours * hourMs);
      expect(await isSignedIn(client), `${hours} h`).toBe(true);
    }
    setClock(start + lastHour * hourMs);
    expect(await isSignedIn(client)).toBe(true);
    setClock(start + (lastHour + 2) * hourMs);
    expect(await isSignedIn(client)).toBe(false);
  });

  it('that has ended does not take the cookie of the next one away, however late its requests are', async () => {
    const { client, session } = await signedIn();
    await trellis.succeed('endSession', { session: { sessionId: session } }, 'session { uid }');
    const late = client.copy();
    await signIn(trellis, client, 'alice');
    const { status } = await inSession(trellis, late, viewer);
    expect([status, late.cookies.get(trellis.url)!.has('trellis')]).toEqual([401, true]);
    expect(await isSignedIn(client)).toBe(true);
  });

  it('stops at once when its user is deactivated', async () => {
    const { client, uid } = await signedIn('bob');
    const set = (isActive: boolean) =>
      trellis.succeed('updateUser', { user: { userId: uid }, isActive }, 'user { uid }');
    await set(false);
    expect(await isSignedIn(client.copy())).toBe(false);
    await set(true);
    expect(await isSignedIn(client)).toBe(true);
  });

  it('that was ended by another process changes nothing, although it is cached here', async () => {
    const { client, session } = await signedIn();
    // Nothing is published, as if the notification was lost.
    await trellis.services.db.transaction((tx) => tx.session.deleteMany({ where: { id: session } }));
    expect(await isSignedIn(client)).toBe(true);
    const create = 'mutation { createAccessToken(input: { name: "late" }) { __typename } }';
    const { body } = await inSession(trellis, client, create);
    expect(body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  it('is a new one after each sign-in, and the one before has ended', async () => {
    const { client, session } = await signedIn();
    const before = client.copy();
    expect((await signIn(trellis, client, 'alice')).status).toBe(303);
    expect(await isSignedIn(before)).toBe(false);
    const { body } = await inSession(trellis, client, viewer);
    expect(body.data.viewer.session.uid).not.toBe(session);
  });

  it('never takes the value that a browser brings along', async () => {
    const client = new CookieClient();
    const planted = 'p'.repeat(43);
    client.cookies.set(trellis.url, new Map([['trellis', planted]]));
    await signIn(trellis, client, 'alice');
    expect(client.cookies.get(trellis.url)!.get('trellis')).not.toBe(planted);
    const attacker = new CookieClient();
    attacker.cookies.set(trellis.url, new Map([['trellis', planted]]));
    expect(await isSignedIn(attacker)).toBe(false);
  });

  once.each(['', 'x', 'x'.repeat(42), 'x'.repeat(10_000), "' OR 1=1 --", '%00', 'é'])(
    'is not accepted from a cookie %j',
    async (value) => {
      const client = new CookieClient();
      client.cookies.set(trellis.url, new Map([['trellis', encodeURIComponent(value)]]));
      expect(await isSignedIn(client)).toBe(false);
    },
  );
});

describe('a subscription in a session', () => {
  it('gets items while the session lasts, and ends with it', async () => {
    const { client, session } = await signedIn();
    const { team } = await trellis.createPlace();
    const member = { team: { teamId: team.teamId }, user: { email: 'alice@shop.example' }, role: 'VIEWER' };
    await trellis.succeed('addTeamMember', member, '__typename');
    const secret = client.cookies.get(trellis.url)!.get('trellis');
    const headers = { cookie: `trellis=${secret}`, origin: trellis.url };
    const query = `subscription { events(team: { teamId: "${team.teamId}" }) { action } }`;
    const items = await subscribe(trellis, query, { token: null, headers });
    expect(await items.hasBegun).toBe(true);
    const rename = (alias: string) =>
      trellis.succeed('updateTeam', { team: { teamId: team.teamId }, alias }, 'team { uid }');
    await rename('First');
    expect((await items.next())?.data.data.events.action).toBe('team.update');
    await trellis.succeed('endSession', { session: { sessionId: session } }, 'session { uid }');
    await rename('Second');
    expect((await items.next())?.data.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    items.close();
    const elsewhere = await subscribe(trellis, query, {
      token: null,
      headers: { ...headers, origin: 'https://evil.example' },
    });
    expect(elsewhere.status).toBe(403);
    elsewhere.close();
  });
});

describe('the sessions of a user', () => {
  const list = '{ viewer { sessions { totalCount nodes { uid browser lastUsedAt } } } }';

  it('are listed for the user and for administrators, and hidden from others', async () => {
    const { client, uid, session } = await signedIn();
    const { body } = await inSession(trellis, client, list);
    expect(body.data.viewer.sessions.nodes.map((each: any) => each.uid)).toContain(session);
    const { team } = await trellis.createPlace();
    const colleague = await trellis.createMember(team.teamId, 'ADMIN');
    const added = { team: { teamId: team.teamId }, user: { email: 'alice@shop.example' }, role: 'VIEWER' };
    await trellis.succeed('addTeamMember', added, '__typename');
    const query = `{ user(by: { userId: ${uid} }) { sessions { nodes { id uid } } } }`;
    const seen = (await trellis.data(query)).user.sessions.nodes;
    const own = seen.find((each: any) => each.uid === session);
    expect(own).toBeDefined();
    const refused = await trellis.graphql(query, {}, colleague.token);
    expect([refused.data!.user.sessions, refused.errors![0]!.extensions.code]).toEqual([null, 'FORBIDDEN']);
    const node = await trellis.graphql(`{ node(id: "${own.id}") { id } }`, {}, colleague.token);
    expect(node.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    const input = { session: { sessionId: session } };
    expect(await trellis.attempt('endSession', input, '__typename', colleague.token)).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await isSignedIn(client)).toBe(true);
  });

  it('are hidden from tokens of the user that are limited to a team', async () => {
    const { client, uid, session } = await signedIn();
    const { team } = await trellis.createPlace();
    const added = { team: { teamId: team.teamId }, user: { email: 'alice@shop.example' }, role: 'VIEWER' };
    await trellis.succeed('addTeamMember', added, '__typename');
    const grants = `{ actions: [READ, END_SESSION], team: { teamId: "${team.teamId}" } }`;
    const { body } = await inSession(
      trellis,
      client,
      `mutation { createAccessToken(input: { name: "narrow", grants: [${grants}] }) { ... on CreateAccessTokenPayload { secret } } }`,
    );
    const { secret } = body.data.createAccessToken;
    expect((await trellis.data(list, {}, secret)).viewer.sessions).toEqual({ totalCount: 0, nodes: [] });
    const query = `{ user(by: { userId: ${uid} }) { sessions { nodes { uid } } } }`;
    expect((await trellis.graphql(query, {}, secret)).errors![0]!.extensions.code).toBe('FORBIDDEN');
    const input = { session: { sessionId: session } };
    expect(await trellis.attempt('endSession', input, '__typename', secret)).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('can be ended one by one by their user', async () => {
    const one = await signedIn();
    const other = await signedIn();
    const ended = await inSession(
      trellis,
      one.client,
      `mutation { endSession(input: { session: { sessionId: "${other.session}" } }) { ... on EndSessionPayload { session { uid } } } }`,
    );
    expect(ended.body.data.endSession.session.uid).toBe(other.session);
    expect([await isSignedIn(one.client), await isSignedIn(other.client)]).toEqual([true, false]);
  });

  it('are at most 100: the least recently used one ends', async () => {
    const { client, uid } = await signedIn('bob');
    const at = new Date(Date.now() + hourMs);
    const rows = Array.from({ length: 98 }, (_, index) => ({
      id: `many-${index}`,
      userId: uid,
      createdAt: at,
      lastUsedAt: at,
      expiresAt: at,
      address: '',
      browser: '',
    }));
    await trellis.services.db.transaction((tx) => tx.session.createMany({ data: rows }));
    await signedIn('bob');
    expect(await isSignedIn(client)).toBe(true);
    await signedIn('bob');
    const { body } = await inSession(trellis, (await signedIn('bob')).client, list);
    expect(body.data.viewer.sessions.totalCount).toBe(100);
  });
});

describe('POST /auth/sign-out', () => {
  const signOut = (client: CookieClient, headers: Record<string, string> = { origin: trellis.url }) =>
    client.fetch(`${trellis.url}/auth/sign-out`, { method: 'POST', headers });

  it('ends the session', async () => {
    const { client } = await signedIn();
    const copy = client.copy();
    expect((await signOut(client)).status).toBe(204);
    expect(client.cookies.get(trellis.url)!.has('trellis')).toBe(false);
    expect(await isSignedIn(copy)).toBe(false);
    expect((await signOut(client)).status).toBe(204);
  });

  once.each<Record<string, string>>([{}, { origin: 'https://evil.example' }, { origin: 'null' }])(
    'refuses %j',
    async (headers) => {
      const { client } = await signedIn();
      expect((await signOut(client, headers)).status).toBe(403);
      expect(await isSignedIn(client)).toBe(true);
    },
  );

  it('does nothing on GET', async () => {
    const { client } = await signedIn();
    const response = await client.fetch(`${trellis.url}/auth/sign-out`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await isSignedIn(client)).toBe(true);
  });
});
