import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { CookieClient, inSession, signIn, useSignIn } from '../../support/sign-in.ts';
import { databaseKind } from '../../support/trellis.ts';

const { trellis, idp } = useSignIn({ openId: { administratorGroup: 'platform' } });

const viewer =
  '{ viewer { isAdministrator user { uid email nickName origin } session { browser address } accessToken { name } } }';

/** A new account at the provider. */
function account(details: object = {}): string {
  const sub = unique('sub');
  idp.accounts.set(sub, { email: `${sub}@shop.example`, email_verified: true, name: 'Someone', ...details });
  return sub;
}

/** The viewer after a sign-in with the account. */
async function viewerOf(sub: string) {
  const client = new CookieClient();
  expect((await signIn(trellis, client, sub)).status).toBe(303);
  return (await inSession(trellis, client, viewer)).body.data.viewer;
}

/** The page that refuses the sign-in. */
async function refusal(sub: string) {
  const client = new CookieClient();
  const response = await signIn(trellis, client, sub);
  const { body } = await inSession(trellis, client, viewer);
  expect(body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  return { status: response.status, text: await response.text() };
}

describe('a sign-in', () => {
  it('makes a user, and returns to the path that was asked for', async () => {
    const client = new CookieClient();
    const response = await signIn(trellis, client, 'alice', '/teams/web?tab=members');
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/teams/web?tab=members');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const cookie = response.headers.getSetCookie().find((line) => line.startsWith('trellis='))!;
    expect(cookie).toMatch(/^trellis=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
    const { body } = await inSession(trellis, client, viewer);
    expect(body.data.viewer).toMatchObject({
      isAdministrator: false,
      user: { email: 'alice@shop.example', nickName: 'Alice Okafor', origin: 'identity_provider' },
      session: { address: '127.0.0.1', browser: 'node' },
      accessToken: null,
    });
  });

  it('finds the same user again, whatever has changed at the provider', async () => {
    const sub = account();
    const first = await viewerOf(sub);
    idp.accounts.set(sub, { email: 'other@shop.example', email_verified: false, name: 'New Name' });
    expect((await viewerOf(sub)).user).toEqual(first.user);
  });

  it('finds a user with the verified email address, whose case does not matter', async () => {
    const person = await trellis.createPerson();
    const sub = account({ email: person.email.toUpperCase() });
    expect((await viewerOf(sub)).user).toMatchObject({ uid: person.userId, origin: null });
    const events = `{ events(action: "user.link", objectUid: "${person.userId}") { nodes { user { uid } changes { field after: newValue } } } }`;
    expect((await trellis.data(events)).events.nodes).toEqual([
      {
        user: null,
        changes: [
          { field: 'issuer', after: idp.issuer },
          { field: 'subject', after: sub },
        ],
      },
    ]);
  });

  it.each([false, undefined])('does not find a user by an address that is not verified (%s)', async (is) => {
    const person = await trellis.createPerson();
    const { user } = await viewerOf(account({ email: person.email, email_verified: is }));
    expect(user.uid).not.toBe(person.userId);
    // Whoever adds the address to a team must not get this user.
    expect(user.email).toMatch(/^[0-9a-f]{16}@unverified\.invalid$/);
  });

  it('does not find a user by an address that only looks the same in lower case', async () => {
    const person = await trellis.createPerson();
    const kelvin = '\u212a';
    expect(kelvin.toLowerCase()).toBe('k');
    const email = `k${person.email}`;
    const other = await trellis.succeed('createUser', { email, nickName: 'K' }, 'user { uid }');
    const { user } = await viewerOf(account({ email: kelvin + person.email }));
    expect(user.uid).not.toBe(other.user.uid);
    expect(user.email).toMatch(/@unverified\.invalid$/);
  });

  it('replaces the placeholder of a user whose address is verified later, unless another user has it', async () => {
    const sub = account({ email_verified: false });
    const { user } = await viewerOf(sub);
    const person = await trellis.createPerson();
    idp.accounts.set(sub, { email: person.email, email_verified: true });
    expect((await viewerOf(sub)).user).toEqual(user);
    const email = `${unique('late')}@shop.example`;
    idp.accounts.set(sub, { email, email_verified: true });
    expect((await viewerOf(sub)).user).toEqual({ ...user, email });
    idp.accounts.set(sub, { email: `${unique('later')}@shop.example`, email_verified: true });
    expect((await viewerOf(sub)).user.email).toBe(email);
  });

  it('refuses a second account with the address of a linked user', async () => {
    const sub = account();
    const { user } = await viewerOf(sub);
    const { status, text } = await refusal(account({ email: user.email }));
    expect(status).toBe(403);
    expect(text).toContain('Another account of the identity provider');
  });

  it('finds a user who was linked with another provider, by the verified address', async () => {
    const sub = account();
    const { user } = await viewerOf(sub);
    await trellis.services.db.transaction((tx) =>
      tx.identity.update({ where: { userId: user.uid }, data: { issuer: 'https://id.before.example' } }),
    );
    idp.accounts.get(sub)!.email_verified = false;
    expect((await viewerOf(sub)).user.uid).not.toBe(user.uid);
    expect((await viewerOf(account({ email: user.email }))).user.uid).toBe(user.uid);
  });

  it('does not find users of other enterprises', async () => {
    const { administrator } = await trellis.createEnterprise();
    const { user, isAdministrator } = await viewerOf(account({ email: administrator.email }));
    expect(user).toMatchObject({ email: administrator.email, origin: 'identity_provider' });
    expect(user.uid).not.toBe(administrator.userId);
    expect(isAdministrator).toBe(false);
  });

  it.each([undefined, '', '\u0007', '\u202eevil'])('makes a user whose name is %j', async (name) => {
    const sub = account({ name });
    expect((await viewerOf(sub)).user.nickName).toBe(sub);
  });

  it('cuts long names', async () => {
    expect((await viewerOf(account({ name: 'n'.repeat(500) }))).user.nickName).toBe('n'.repeat(64));
  });

  it('refuses an inactive user, linked or not, and says so', async () => {
    const person = await trellis.createPerson();
    const set = (isActive: boolean) =>
      trellis.succeed('updateUser', { user: { userId: person.userId }, isActive }, 'user { uid }');
    const sub = account({ email: person.email });
    await set(false);
    expect(await refusal(sub)).toMatchObject({ status: 403, text: expect.stringContaining('not active') });
    await set(true);
    expect((await viewerOf(sub)).user.uid).toBe(person.userId);
    await set(false);
    expect(await refusal(sub)).toMatchObject({ status: 403, text: expect.stringContaining('not active') });
  });

  it('of one new account in two browsers at the same time makes one user', async () => {
    const sub = account();
    const [one, other] = await Promise.all([viewerOf(sub), viewerOf(sub)]);
    expect(one.user).toEqual(other.user);
  });

  // On SQLite, one transaction waits for the other before it reads anything.
  it.runIf(databaseKind === 'postgres')(
    'finds the link that another one makes between two of its statements',
    async () => {
      const sub = account();
      const { user } = await viewerOf(sub);
      const client = new pg.Client({ connectionString: trellis.databaseUrl });
      await client.connect();
      try {
        const { rows } = await client.query('DELETE FROM identity WHERE user_id = $1 RETURNING *', [
          user.uid,
        ]);
        // It has seen that there is no link when it waits for the users.
        await client.query('BEGIN; LOCK TABLE user_account IN ACCESS EXCLUSIVE MODE');
        const again = viewerOf(sub);
        const waiting = "SELECT 1 FROM pg_locks WHERE relation = 'user_account'::regclass AND NOT granted";
        await expect.poll(async () => (await client.query(waiting)).rowCount).toBe(1);
        await client.query('INSERT INTO identity SELECT (jsonb_populate_record(NULL::identity, $1)).*', [
          rows[0],
        ]);
        await client.query('COMMIT');
        expect((await again).user).toEqual(user);
      } finally {
        await client.end();
      }
    },
  );
});

describe('the group of administrators', () => {
  it('makes administrators, and takes away what it has given', async () => {
    const sub = account({ groups: ['platform'] });
    expect((await viewerOf(sub)).isAdministrator).toBe(true);
    idp.accounts.get(sub)!.groups = [];
    expect((await viewerOf(sub)).isAdministrator).toBe(false);
  });

  it('takes away nothing that was given by hand', async () => {
    const sub = account({ groups: [] });
    const { user } = await viewerOf(sub);
    const input = { user: { userId: user.uid }, isAdministrator: true };
    await trellis.succeed('updateUser', input, 'user { uid }');
    expect((await viewerOf(sub)).isAdministrator).toBe(true);
  });

  it('never takes away the last active administrator', async () => {
    const sub = account({ groups: ['platform'] });
    const { user } = await viewerOf(sub);
    const administrators = `{ administrators(first: 100) { nodes { uid isActive } } }`;
    const others = (await trellis.data(administrators)).administrators.nodes.filter(
      (each: any) => each.uid !== user.uid,
    );
    const setAll = (isActive: boolean) =>
      trellis.services.db.transaction((tx) =>
        tx.user.updateMany({ where: { id: { in: others.map(({ uid }: any) => uid) } }, data: { isActive } }),
      );
    await setAll(false);
    idp.accounts.get(sub)!.groups = [];
    expect((await viewerOf(sub)).isAdministrator).toBe(true);
    await setAll(true);
    expect((await viewerOf(sub)).isAdministrator).toBe(false);
  });
});
