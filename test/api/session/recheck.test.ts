import { afterEach, describe, expect, it, vi } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { openDatabase } from '../../../src/db/open.ts';
import { unique } from '../../support/fixtures.ts';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { CookieClient, inSession, signIn, signInUntilCallback, useSignIn } from '../../support/sign-in.ts';
import { subscribe } from '../../support/subscribe.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

const { trellis, idp } = useSignIn({
  provider: { refreshTokens: 'offered' },
  openId: { usesRefreshTokens: true, prompt: 'consent', administratorGroup: 'platform' },
});
afterEach(() => {
  vi.useRealTimers();
  idp.tamper = undefined;
  idp.resume();
});

const minuteMs = 60_000;

interface Person {
  sub: string;
  client: CookieClient;
  session: string;
}

/** Somebody who has signed in, and is in these groups. */
async function signedIn(groups: string[] = []): Promise<Person> {
  const sub = unique('sub');
  idp.accounts.set(sub, { email: `${sub}@shop.example`, email_verified: true, name: sub, groups });
  const client = new CookieClient();
  expect((await signIn(trellis, client, sub)).status).toBe(303);
  const { body } = await inSession(trellis, client, '{ viewer { session { uid } } }');
  return { sub, client, session: body.data.viewer.session.uid };
}

/** What the person sees with the next request. Undefined if the session has ended. */
async function seen({ client }: Person): Promise<{ isAdministrator: boolean; teams: string[] } | undefined> {
  const { status, body } = await inSession(
    trellis,
    client,
    '{ viewer { isAdministrator } teams { nodes { uid } } }',
  );
  if (body.data) {
    return {
      isAdministrator: body.data.viewer.isAdministrator,
      teams: body.data.teams.nodes.map(({ uid }: { uid: string }) => uid),
    };
  }
  expect([status, body.errors[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
  return undefined;
}

const rowOf = async ({ session }: Person) =>
  (await trellis.services.db.session.findManyByKeys({ by: 'id', keys: [session] }))[0];

/** Sets columns of the session, behind the back of the gateway. */
const set = ({ session: id }: Person, data: object) =>
  trellis.services.db.transaction((tx) => tx.session.updateMany({ where: { id }, data }));

/** Makes it time to ask the provider again. */
async function makeDue(person: Person, data: object = {}): Promise<void> {
  await set(person, { recheckAt: new Date(Date.now() - minuteMs), ...data });
  trellis.services.db.channel.publish(new Set(['rights']));
}

/** A team in which the group has the role of a developer. */
async function teamOf(group: string): Promise<string> {
  const { teamId } = await trellis.createTeam();
  await trellis.succeed('setGroupRole', { team: { teamId }, group, role: 'DEVELOPER' }, '__typename');
  return teamId;
}

/** The events of the end of the session. */
async function endOf({ session }: Person): Promise<string[]> {
  const query = `{ events(first: 20, action: "session.end") { nodes { objectUid changes { field after: newValue } } } }`;
  const { nodes } = (await trellis.data(query)).events;
  return nodes
    .filter(({ objectUid }: any) => objectUid === session)
    .map(({ changes }: any) => changes.find(({ field }: any) => field === 'reason')?.after);
}

describe('a session with a refresh token', () => {
  it('stores it encrypted, and does not ask the provider before it is time', async () => {
    const person = await signedIn();
    const row = (await rowOf(person))!;
    const token = trellis.services.seal.open(row.sealedRefreshToken!);
    expect(row.recheckAt!.getTime() - row.createdAt.getTime()).toBe(10 * minuteMs);
    const before = idp.tokenRequests;
    expect(await seen(person)).toEqual({ isAdministrator: false, teams: [] });
    expect(idp.tokenRequests).toBe(before);
    const rows = await trellis.services.db.query('SELECT * FROM session', []);
    const events = await trellis.services.db.query('SELECT * FROM event', []);
    expect(JSON.stringify([rows, events, trellis.logged])).not.toContain(token);
  });

  it('is confirmed by the provider, once for all requests, and keeps the next token', async () => {
    const person = await signedIn();
    for (let times = 0; times < 2; times++) {
      const { sealedRefreshToken } = (await rowOf(person))!;
      const before = idp.tokenRequests;
      await makeDue(person);
      const all = await Promise.all(Array.from({ length: 5 }, () => seen(person)));
      expect(all.every(Boolean)).toBe(true);
      expect(idp.tokenRequests).toBe(before + 1);
      const row = (await rowOf(person))!;
      expect(row.recheckAt!.getTime()).toBeGreaterThan(Date.now() + 8 * minuteMs);
      expect(row.recheckLeaseUntil).toBeNull();
      expect(row.sealedRefreshToken).not.toBe(sealedRefreshToken);
    }
  });

  it('follows the groups of the user, from the same request on', async () => {
    const [one, other] = [unique('group'), unique('group')];
    const [teamOfOne, teamOfOther] = [await teamOf(one), await teamOf(other)];
    const person = await signedIn([one, 'platform']);
    expect(await seen(person)).toMatchObject({ isAdministrator: true });
    idp.accounts.get(person.sub)!.groups = [other];
    expect(await seen(person)).toMatchObject({ isAdministrator: true });
    await makeDue(person);
    expect(await seen(person)).toEqual({ isAdministrator: false, teams: [teamOfOther] });
    idp.accounts.get(person.sub)!.groups = [one];
    await makeDue(person);
    expect(await seen(person)).toEqual({ isAdministrator: false, teams: [teamOfOne] });
  });

  it('loses nothing by an answer without the claim of groups', async () => {
    const group = unique('group');
    const teamId = await teamOf(group);
    const person = await signedIn([group, 'platform']);
    delete idp.accounts.get(person.sub)!.groups;
    await makeDue(person);
    expect((await seen(person))!.isAdministrator).toBe(true);
    const query = `{ team(by: { teamId: "${teamId}" }) { members(first: 10) { nodes { user { email } } } } }`;
    const { nodes } = (await trellis.data(query)).team.members;
    expect(JSON.stringify(nodes)).toContain(person.sub);
  });

  it('ends when the provider refuses, whatever follows', async () => {
    const person = await signedIn();
    idp.accounts.delete(person.sub);
    await makeDue(person);
    expect(await seen(person)).toBeUndefined();
    idp.stop();
    expect(await seen(person)).toBeUndefined();
    expect(await endOf(person)).toEqual(['the identity provider has refused it']);
    expect(await rowOf(person)).toBeUndefined();
  });

  it('ends when the provider answers for somebody else', async () => {
    const person = await signedIn();
    idp.tamper = (claims) => ({ ...claims, sub: 'bob' });
    await makeDue(person);
    expect(await seen(person)).toBeUndefined();
    expect(await endOf(person)).toEqual(['the identity provider has answered for another account']);
  });

  it('goes on for an hour while the provider does not answer', async () => {
    const person = await signedIn();
    idp.stop();
    await makeDue(person);
    expect(await seen(person)).toBeDefined();
    const since = (await rowOf(person))!.unconfirmedSince!;
    expect(since).not.toBeNull();
    await makeDue(person, { unconfirmedSince: new Date(since.getTime() - 59 * minuteMs) });
    expect(await seen(person)).toBeDefined();
    await makeDue(person, { unconfirmedSince: new Date(since.getTime() - 60 * minuteMs) });
    expect(await seen(person)).toBeUndefined();
    expect(await endOf(person)).toEqual(['the identity provider has not confirmed it for an hour']);
    const reasons = trellis.logged.filter(({ msg }) => msg.startsWith('sessions cannot be checked'));
    expect(reasons).toHaveLength(1);
  });

  it('is confirmed again after the provider was down', async () => {
    const person = await signedIn();
    idp.stop();
    await makeDue(person);
    expect(await seen(person)).toBeDefined();
    idp.resume();
    await makeDue(person);
    expect(await seen(person)).toBeDefined();
    expect((await rowOf(person))!.unconfirmedSince).toBeNull();
  });

  it('is asked about by one of two gateways, and ends at both', async () => {
    const db = await openDatabase({ url: trellis.databaseUrl });
    const options = { graphiql: false, bodyLimitBytes: 100_000 };
    const second = createApp({ ...trellis.services, db }, options);
    try {
      await new Promise<void>((resolve) => second.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(second.address() as { port: number }).port}`;
      const person = await signedIn();
      const cookie = `trellis=${person.client.cookies.get(trellis.url)!.get('trellis')}`;
      const headers = { cookie, origin: url, 'content-type': 'application/json' };
      const body = JSON.stringify({ query: '{ viewer { isAdministrator } }' });
      const ask = async () => (await fetch(`${url}/graphql`, { method: 'POST', headers, body })).status;
      const due = async () => {
        await makeDue(person);
        db.channel.publish(new Set(['rights']));
      };
      for (let times = 0; times < 3; times++) {
        const before = idp.tokenRequests;
        await due();
        const answers = await Promise.all([seen(person), ask(), seen(person), ask()]);
        expect(answers).toEqual([expect.anything(), 200, expect.anything(), 200]);
        expect(idp.tokenRequests).toBe(before + 1);
        expect((await rowOf(person))!.recheckLeaseUntil).toBeNull();
      }
      idp.accounts.delete(person.sub);
      await due();
      expect(await Promise.all([ask(), seen(person)])).toEqual([401, undefined]);
      expect(await endOf(person)).toEqual(['the identity provider has refused it']);
    } finally {
      await second.stop(1_000);
      await db.close();
    }
  });

  it('waits while another gateway asks the provider', async () => {
    const person = await signedIn();
    const before = idp.tokenRequests;
    await makeDue(person, { recheckLeaseUntil: new Date(Date.now() + minuteMs / 4) });
    let isAnswered = false;
    const answer = seen(person).finally(() => {
      isAnswered = true;
    });
    // The other requests are answered meanwhile.
    await trellis.data('{ __typename }');
    expect(isAnswered).toBe(false);
    await set(person, { recheckAt: new Date(Date.now() + 10 * minuteMs), recheckLeaseUntil: null });
    expect(await answer).toBeDefined();
    expect(idp.tokenRequests).toBe(before);
  });

  it('is asked about by this gateway when the one that did is gone', async () => {
    const person = await signedIn();
    idp.accounts.delete(person.sub);
    await makeDue(person, { recheckLeaseUntil: new Date(Date.now() - 1_000) });
    expect(await seen(person)).toBeUndefined();
  });
});

describe('a subscription in a session', () => {
  const subscribedTo = async (teamId: string, person: Awaited<ReturnType<typeof signedIn>>) => {
    const cookie = `trellis=${person.client.cookies.get(trellis.url)!.get('trellis')}`;
    const query = `subscription { events(team: { teamId: "${teamId}" }) { action } }`;
    const items = await subscribe(trellis, query, { token: null, headers: { cookie, origin: trellis.url } });
    expect(await items.hasBegun).toBe(true);
    return items;
  };

  // Waits on time: rights are checked by the clock every five seconds.
  it('ends when the provider refuses the session, although nothing happens', async () => {
    const group = unique('group');
    const teamId = await teamOf(group);
    const person = await signedIn([group]);
    const items = await subscribedTo(teamId, person);
    idp.accounts.delete(person.sub);
    await set(person, { recheckAt: new Date(Date.now() - minuteMs) });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * minuteMs });
    expect((await items.next())?.data.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    items.close();
  });

  it('ends when a group that gave the right to it is lost', async () => {
    const group = unique('group');
    const teamId = await teamOf(group);
    const person = await signedIn([group]);
    const items = await subscribedTo(teamId, person);
    idp.accounts.get(person.sub)!.groups = [];
    await makeDue(person);
    expect((await items.next())?.data.errors[0].extensions.code).toBe('NOT_FOUND');
    expect(await seen(person)).toEqual({ isAdministrator: false, teams: [] });
    items.close();
  });
});

describe('refresh tokens', () => {
  const scopeOf = async (gateway: Trellis) => {
    const response = await fetch(`${gateway.url}/auth/sign-in`, { redirect: 'manual' });
    const { searchParams } = new URL(response.headers.get('location')!);
    return [searchParams.get('scope'), searchParams.get('prompt')];
  };

  it('are asked for where the provider offers them', async () => {
    expect(await scopeOf(trellis)).toEqual(['openid profile email groups offline_access', 'consent']);
  });

  it('are not asked for where sessions are not checked, which the setting of the longest time bounds', async () => {
    const other = await startTrellis({
      identity: idp.driver(),
      sessions: { recheckMs: 0, maxMs: 60 * minuteMs },
    });
    try {
      idp.serve(other.url);
      expect(await scopeOf(other)).toEqual(['openid profile email groups', null]);
      const client = new CookieClient();
      const response = await signIn(other, client, 'alice');
      expect(response.headers.getSetCookie().join()).toContain('Max-Age=3600;');
      const query = '{ viewer { session { createdAt expiresAt } } }';
      const { createdAt, expiresAt } = (await inSession(other, client, query)).body.data.viewer.session;
      expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(60 * minuteMs);
      const rows = await other.services.db.query('SELECT sealed_refresh_token FROM session', []);
      expect(rows).toEqual([[null]]);
      // As a session that began before the setting was lowered.
      const times = {
        createdAt: new Date(Date.now() - 61 * minuteMs),
        expiresAt: new Date(Date.now() + minuteMs),
      };
      await other.services.db.transaction((tx) => tx.session.updateMany({ data: times }));
      other.services.db.channel.publish(new Set(['rights']));
      expect((await inSession(other, client, query)).status).toBe(401);
    } finally {
      await other.close();
      idp.serve(trellis.url);
    }
  });

  it('are not needed for a sign-in where the provider refuses them', async () => {
    const strict = await startIdentityProvider({ refreshTokens: 'offered to others' });
    const other = await startTrellis({
      identity: strict.driver({ usesRefreshTokens: true, prompt: 'consent' }),
    });
    try {
      strict.serve(other.url);
      expect((await scopeOf(other))[0]).toContain('offline_access');
      const client = new CookieClient();
      const refused = await signIn(other, client, 'alice', '/teams');
      const again = refused.headers.get('location')!;
      expect([refused.status, again]).toEqual([303, expect.stringContaining(strict.issuer)]);
      const callback = await signInUntilCallback(other, client, 'alice', '/teams', again);
      const response = await client.fetch(callback);
      expect([response.status, response.headers.get('location')]).toEqual([303, '/teams']);
      // Whoever begins a sign-in can bring such an answer, which must not decide about the sessions of others.
      expect((await scopeOf(other))[0]).toContain('offline_access');
    } finally {
      await other.close();
      await strict.close();
    }
  });
});
