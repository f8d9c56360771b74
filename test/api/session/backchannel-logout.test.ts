import { afterEach, describe, expect, it } from 'vitest';
import { once } from '../../support/once.ts';
import { CookieClient, inSession, signIn, useSignIn } from '../../support/sign-in.ts';
import { subscribe } from '../../support/subscribe.ts';
import { startTrellis } from '../../support/trellis.ts';

const { trellis, idp } = useSignIn();
afterEach(() => {
  idp.signsWithOtherKey = false;
  idp.tamper = undefined;
});

const viewer = '{ viewer { user { uid } session { uid } } }';
const path = '/auth/backchannel-logout';

/** A browser in which somebody has signed in, with their session at the provider. */
async function browserOf(account: string): Promise<{ client: CookieClient; sid: string }> {
  const client = new CookieClient();
  expect((await signIn(trellis, client, account)).status).toBe(303);
  return { client, sid: idp.lastClaims.sid as string };
}

const isSignedIn = async ({ client }: { client: CookieClient }) =>
  Boolean((await inSession(trellis, client, viewer)).body.data);

const post = (body: string, type = 'application/x-www-form-urlencoded', url = trellis.url) =>
  fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': type }, body });

const send = (token: string, url?: string) =>
  post(`${new URLSearchParams({ logout_token: token })}`, undefined, url);

async function expectRefused(response: Response, description: string): Promise<void> {
  expect(await response.json()).toEqual({
    error: 'invalid_request',
    error_description: expect.stringContaining(description),
  });
  expect([response.status, response.headers.get('cache-control')]).toEqual([400, 'no-store']);
}

describe('a logout token', () => {
  it.each<[string, (sid: string) => object, boolean[]]>([
    ['of a session and its user', (sid) => ({ sub: 'alice', sid }), [false, true, true]],
    ['of a session alone', (sid) => ({ sid }), [false, true, true]],
    ['of a user alone', () => ({ sub: 'alice' }), [false, false, true]],
    ['of a session and another user', (sid) => ({ sub: 'bob', sid }), [true, true, true]],
    ['of nobody who is known', () => ({ sub: 'nobody', sid: 'none' }), [true, true, true]],
  ])('%s ends just what it names', async (_, claims, expected) => {
    const [one, other, colleague] = [
      await browserOf('alice'),
      await browserOf('alice'),
      await browserOf('bob'),
    ];
    const response = await send(await idp.logoutToken(claims(one.sid)));
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect([await isSignedIn(one), await isSignedIn(other), await isSignedIn(colleague)]).toEqual(expected);
  });

  it('of a user ends sessions of which the session of the provider is not known', async () => {
    const { client } = await browserOf('alice');
    await trellis.services.db.transaction((tx) => tx.session.updateMany({ data: { providerSession: null } }));
    expect((await send(await idp.logoutToken({ sid: 'another' }))).status).toBe(200);
    expect(await isSignedIn({ client })).toBe(true);
    expect((await send(await idp.logoutToken({ sub: 'alice', sid: 'another' }))).status).toBe(200);
    expect(await isSignedIn({ client })).toBe(false);
  });

  it('that the provider sends is accepted, and the end is in the record with its reason', async () => {
    const { client, sid } = await browserOf('alice');
    const { uid } = (await inSession(trellis, client, viewer)).body.data.viewer.session;
    await idp.logOut('alice', sid);
    expect(await isSignedIn({ client })).toBe(false);
    const query = `{ events(first: 20, action: "session.end") { nodes { objectUid changes { field after: newValue } user { uid } } } }`;
    const ended = (await trellis.data(query)).events.nodes.find(({ objectUid }: any) => objectUid === uid);
    expect(ended.user).toBeNull();
    expect(ended.changes).toContainEqual({ field: 'reason', after: 'signed out at the identity provider' });
  });

  it('ends the streams of the sessions, although nothing happens in them', async () => {
    const { client } = await browserOf('alice');
    const { team } = await trellis.createPlace();
    const member = { team: { teamId: team.teamId }, user: { email: 'alice@shop.example' }, role: 'VIEWER' };
    await trellis.succeed('addTeamMember', member, '__typename');
    const cookie = `trellis=${client.cookies.get(trellis.url)!.get('trellis')}`;
    const query = `subscription { events(team: { teamId: "${team.teamId}" }) { action } }`;
    const items = await subscribe(trellis, query, { token: null, headers: { cookie, origin: trellis.url } });
    expect(await items.hasBegun).toBe(true);
    expect((await send(await idp.logoutToken({ sub: 'alice' }))).status).toBe(200);
    expect((await items.next())?.data.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    items.close();
  });

  it('is accepted once', async () => {
    const token = await idp.logoutToken({ sub: 'alice' });
    expect((await send(token)).status).toBe(200);
    const browser = await browserOf('alice');
    await expectRefused(await send(token), 'already used');
    expect(await isSignedIn(browser)).toBe(true);
    const both = await idp.logoutToken({ sub: 'bob' });
    const statuses = (await Promise.all([send(both), send(both)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 400]);
  });

  const now = () => Math.floor(Date.now() / 1000);
  it.each<[string, object, object, boolean]>([
    ['of the session', { sub: 'carol', sid: 'one' }, { sid: 'one' }, false],
    ['of the session alone', { sid: 'two' }, { sid: 'two' }, false],
    ['of the user alone', { sub: 'carol' }, { sid: 'three' }, false],
    ['of a session that the provider did not name', { sub: 'carol', sid: 'four' }, { sid: undefined }, false],
    ['of another session', { sub: 'carol', sid: 'five' }, { sid: 'six' }, true],
    ['of another user', { sub: 'bob' }, { sid: 'seven' }, true],
  ])('%s refuses a sign-in that the provider has answered before', async (_, claims, named, isAccepted) => {
    // Of a minute ago, so that logouts before this one are older.
    idp.accounts.set('carol', { email: 'carol@shop.example', email_verified: true, name: 'Carol' });
    const answeredAt = now() - 60;
    idp.tamper = (own) => ({ ...own, ...named, iat: answeredAt });
    expect((await send(await idp.logoutToken({ ...claims, iat: answeredAt }))).status).toBe(200);
    const client = new CookieClient();
    const response = await signIn(trellis, client, 'carol');
    expect(response.status).toBe(isAccepted ? 303 : 403);
    if (!isAccepted) expect(await response.text()).toContain('You signed out at the identity provider');
    expect(await isSignedIn({ client })).toBe(isAccepted);
    // Later, it is another sign-in.
    idp.tamper = (own) => ({ ...own, ...named, iat: answeredAt + 1 });
    expect((await signIn(trellis, new CookieClient(), 'carol')).status).toBe(303);
    await trellis.services.db.transaction((tx) => tx.logoutToken.deleteMany());
  });

  const event = 'http://schemas.openid.net/event/backchannel-logout';
  once.each<[string, () => object, string, object?]>([
    ['of another issuer', () => ({ iss: 'https://other.example' }), 'wrong issuer'],
    ['for another audience', () => ({ aud: 'another-client' }), 'wrong audience'],
    ['without an audience', () => ({ aud: undefined }), 'wrong audience'],
    ['that has expired', () => ({ iat: now() - 600, exp: now() - 300 }), 'expired'],
    ['without an expiry', () => ({ exp: undefined }), 'no exp'],
    ['without a time', () => ({ iat: undefined }), 'no iat'],
    ['of the future', () => ({ iat: now() + 300, exp: now() + 600 }), 'not valid yet'],
    ['that is not valid yet', () => ({ nbf: now() + 300 }), 'not valid yet'],
    ['that is valid for days', () => ({ exp: now() + 172_800 }), '24 hours'],
    ['without events', () => ({ events: undefined }), 'no logout event'],
    ['of another event', () => ({ events: { 'https://other.example': {} } }), 'no logout event'],
    ['whose event is not an object', () => ({ events: { [event]: true } }), 'no logout event'],
    ['whose events are a list', () => ({ events: [event] }), 'no logout event'],
    ['with a nonce', () => ({ nonce: 'n' }), 'nonce'],
    ['with a nonce of null', () => ({ nonce: null }), 'nonce'],
    ['without an id', () => ({ jti: undefined }), 'no jti'],
    ['without subject and session', () => ({ sub: undefined }), 'neither sub nor sid'],
    ['with a subject that is a number', () => ({ sub: 7 }), 'invalid sub'],
    ['with an empty session', () => ({ sid: '' }), 'invalid sid'],
    ['with a subject of control characters', () => ({ sub: 'a\u0000b' }), 'invalid sub'],
    ['with a long subject', () => ({ sub: 'x'.repeat(600) }), 'invalid sub'],
    ['that is an access token', () => ({}), 'wrong type', { typ: 'at+jwt' }],
    ['signed with the secret of the client', () => ({}), 'unsupported signature', { alg: 'HS256' }],
    ['signed with an unknown key', () => ({}), 'unknown key', { kid: 'unknown' }],
    ['with a critical extension', () => ({}), 'cannot be verified', { crit: ['x'], x: 1 }],
  ])('%s is refused', async (_, claims, description, header) => {
    const token = await idp.logoutToken({ sub: 'alice', ...claims() }, header);
    await expectRefused(await send(token), description);
  });

  it('whose signature is wrong or missing is refused', async () => {
    const browser = await browserOf('alice');
    idp.signsWithOtherKey = true;
    const foreign = await idp.logoutToken({ sub: 'alice' });
    await expectRefused(await send(foreign), 'wrong signature');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    await expectRefused(await send(`${none}.${foreign.split('.')[1]}.`), 'unsupported signature');
    for (const text of ['x', 'a.b.c', 'x'.repeat(20_000)]) {
      await expectRefused(await send(text), 'The logout token is not accepted');
    }
    expect(await isSignedIn(browser)).toBe(true);
    expect(JSON.stringify(trellis.logged)).not.toContain(foreign);
  });

  it('of which the provider says the type JWT, or none, is accepted', async () => {
    for (const typ of ['JWT', undefined]) {
      const token = await idp.logoutToken(
        { sub: 'bob', aud: ['trellis', 'another'] },
        { typ: typ as string },
      );
      expect((await send(token)).status).toBe(200);
    }
  });
});

describe('the endpoint', () => {
  it('takes a form with one token, by POST', async () => {
    await expectRefused(await post('{}', 'application/json'), 'form-urlencoded');
    await expectRefused(await post(''), 'logout_token is required');
    await expectRefused(await post('logout_token=a&logout_token=b'), 'must not be repeated');
    const response = await fetch(`${trellis.url}${path}`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('accepts the token of the provider from an address with too many refused ones', async () => {
    const limited = await startTrellis({
      identity: idp.driver(),
      http: { failedAuthenticationsPerMinute: 2 },
    });
    try {
      const statuses: number[] = [];
      for (let count = 0; count < 3; count++) statuses.push((await send('x', limited.url)).status);
      expect(statuses).toEqual([400, 400, 429]);
      expect((await send(await idp.logoutToken({ sub: 'alice' }), limited.url)).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});
