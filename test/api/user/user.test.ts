import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Person, unique } from '../../support/fixtures.ts';
import {
  createMigratedDatabase,
  startTrellis,
  type TestDatabase,
  type Trellis,
} from '../../support/trellis.ts';

let database: TestDatabase;
let trellis: Trellis;
/** Another gateway on the same database, which caches accepted tokens for a short time. */
let second: Trellis;
beforeAll(async () => {
  database = await createMigratedDatabase();
  trellis = await startTrellis({ database: { url: database.url } });
  second = await startTrellis({ database: { url: database.url }, http: { acceptedTokenMs: 50 } });
});
afterAll(async () => {
  await second?.close();
  await trellis?.close();
  await database?.drop();
});

const update = (input: object, caller?: Person) =>
  trellis.attempt(
    'updateUser',
    input,
    'user { email nickName phone isActive isAdministrator }',
    caller?.token,
  );
const whoAmI = ({ token }: Person, at = trellis) => at.graphql('{ viewer { user { nickName } } }', {}, token);
const isAccepted = async (person: Person, at = trellis) => (await whoAmI(person, at)).errors === undefined;

describe('users', () => {
  it('change their own name and phone number', async () => {
    const person = await trellis.createPerson();
    const rest = { email: person.email, isActive: true, isAdministrator: false };
    expect(await update({ nickName: ' Åsa Öberg ', phone: '+46 8 1' }, person)).toEqual({
      __typename: 'UpdateUserPayload',
      user: { ...rest, nickName: 'Åsa Öberg', phone: '+46 8 1' },
    });
    const user = { email: person.email.toUpperCase() };
    expect((await update({ user, phone: null }, person)).user).toEqual({
      ...rest,
      nickName: 'Åsa Öberg',
      phone: '',
    });
    const query = '{ viewer { enterprise { users(search: "ÅSA ÖBERG") { nodes { email } } } } }';
    expect((await trellis.data(query)).viewer.enterprise.users.nodes).toEqual([{ email: person.email }]);
    const { events } = await trellis.data(
      `{ events(action: "user.update", objectUid: "${person.userId}") { nodes { user { email } changes { field before: oldValue after: newValue } } } }`,
    );
    expect(events.nodes).toEqual([
      { user: { email: person.email }, changes: [{ field: 'phone', before: '+46 8 1', after: '' }] },
      {
        user: { email: person.email },
        changes: [
          { field: 'nickName', before: person.email.split('@')[0], after: 'Åsa Öberg' },
          { field: 'phone', before: '', after: '+46 8 1' },
        ],
      },
    ]);
  });

  it('record nothing when nothing changes', async () => {
    const person = await trellis.createPerson();
    const before = await trellis.counts();
    for (const input of [{}, { phone: '' }, { phone: null }, { nickName: person.email.split('@')[0] }]) {
      expect(await update(input, person)).toMatchObject({ __typename: 'UpdateUserPayload' });
    }
    expect(await trellis.counts()).toEqual(before);
  });

  it('do not change their own rights, or others', async () => {
    const { teamId } = await trellis.createTeam();
    const [person, colleague] = [
      await trellis.createMember(teamId, 'OWNER'),
      await trellis.createMember(teamId, 'VIEWER'),
    ];
    const stranger = await trellis.createPerson();
    for (const input of [{ isActive: false }, { isActive: true }, { isAdministrator: true }]) {
      expect(await update({ ...input, nickName: 'Changed' }, person)).toMatchObject({ code: 'FORBIDDEN' });
    }
    const name = { nickName: 'Changed' };
    expect(await update({ user: { userId: colleague.userId }, ...name }, person)).toMatchObject({
      code: 'FORBIDDEN',
      message: 'Only the user and enterprise administrators can change a user.',
    });
    expect(await update({ user: { userId: stranger.userId }, ...name }, person)).toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no such user.',
    });
    for (const each of [person, colleague, stranger]) {
      expect((await whoAmI(each)).data.viewer.user.nickName).not.toBe('Changed');
    }
  });

  it('have the address from which a token was last used, which is not written with every request', async () => {
    const person = await trellis.createPerson();
    const query = '{ viewer { user { clientIp } } }';
    await trellis.data(query, {}, person.token);
    await expect
      .poll(async () => (await trellis.data(query, {}, person.token)).viewer.user.clientIp)
      .toMatch(/127\.0\.0\.1/);
    trellis.statements.length = 0;
    for (let at = 0; at < 5; at++) await trellis.data(query, {}, person.token);
    expect(trellis.statements.filter((text) => /UPDATE/.test(text))).toEqual([]);
  });
});

describe('a deactivated user', () => {
  it('cannot use a token any more, in this process at once and in others soon', async () => {
    const person = await trellis.createPerson();
    for (const at of [trellis, second]) expect(await isAccepted(person, at)).toBe(true);
    const user = { email: person.email };
    expect((await update({ user, isActive: false })).user.isActive).toBe(false);
    const { data, errors } = await whoAmI(person);
    expect({ data, code: errors?.[0]?.extensions.code }).toEqual({
      data: undefined,
      code: 'UNAUTHENTICATED',
    });
    await expect.poll(() => isAccepted(person, second), { interval: 25 }).toBe(false);
    // Nothing of the user is lost.
    expect((await update({ user, isActive: true })).user.isActive).toBe(true);
    for (const at of [trellis, second]) expect(await isAccepted(person, at)).toBe(true);
  });

  it('is an administrator again when activated again', async () => {
    const person = await trellis.createPerson({ isAdministrator: true });
    const isAdministrator = async () =>
      (await trellis.graphql('{ viewer { isAdministrator } }', {}, person.token)).data?.viewer
        .isAdministrator;
    const user = { userId: person.userId };
    await update({ user, isActive: false });
    expect(await isAdministrator()).toBeUndefined();
    await update({ user, isActive: true });
    expect(await isAdministrator()).toBe(true);
    await update({ user, isAdministrator: false });
    expect(await isAdministrator()).toBe(false);
  });
});

describe('the last active administrator', () => {
  /** An enterprise with two administrators and a user. */
  async function createStaffed() {
    const { enterpriseId, administrator: one } = await trellis.createEnterprise();
    const hire = async (isAdministrator: boolean): Promise<Person> => {
      const email = `${unique('staff')}@trellis.example`;
      const input = { email, nickName: 'Staff', isAdministrator };
      const { user } = await trellis.succeed('createUser', input, 'user { uid }', one.token);
      const token = { name: 'test', user: { email } };
      const { secret } = await trellis.succeed('createAccessToken', token, 'secret', one.token);
      return { userId: user.uid, email, token: secret };
    };
    return { enterpriseId, one, other: await hire(true), user: await hire(false) };
  }
  const administratorsOf = (enterpriseId: string) =>
    trellis.services.db.transaction((tx) =>
      tx.user.findMany({ where: { enterpriseId, isActive: true, isAdministrator: true } }),
    );

  it('stays one', async () => {
    const { one, other, user } = await createStaffed();
    await update({ user: { userId: other.userId }, isActive: false }, one);
    const message = `${one.email} is the last active administrator of the enterprise. Make another user an administrator first.`;
    for (const input of [{ isActive: false }, { isAdministrator: false }]) {
      expect(await update(input, one)).toMatchObject({ code: 'CONFLICT', message });
    }
    // The one that is not active may be demoted, and whoever is not the last one, by themselves as well.
    await update({ user: { userId: other.userId }, isAdministrator: false }, one);
    await update({ user: { userId: user.userId }, isAdministrator: true }, one);
    expect(await update({ isAdministrator: false }, one)).toMatchObject({ user: { isAdministrator: false } });
    expect(await update({ isAdministrator: true }, one)).toMatchObject({ code: 'FORBIDDEN' });
  });

  it.each(['isActive', 'isAdministrator'])(
    'is left when two set %s of each other to false at once',
    async (field) => {
      for (const gateways of [
        [trellis, trellis],
        [trellis, second],
      ] as const) {
        const { enterpriseId, one, other } = await createStaffed();
        const pairs = [
          [one, other],
          [other, one],
        ] as const;
        const results = await Promise.all(
          pairs.map(async ([caller, target], at) =>
            gateways[at]!.graphql(
              'mutation M($input: UpdateUserInput!) { updateUser(input: $input) { __typename ... on Error { code } } }',
              { input: { user: { userId: target.userId }, [field]: false } },
              caller.token,
            ),
          ),
        );
        const codes = results.map(
          ({ data, errors }) =>
            errors?.[0]?.extensions.code ?? data.updateUser.code ?? data.updateUser.__typename,
        );
        expect(
          codes.filter((code) => code === 'UpdateUserPayload'),
          `${codes}`,
        ).toHaveLength(1);
        expect(codes.some((code) => /^(UNAUTHENTICATED|FORBIDDEN|NOT_FOUND|CONFLICT)$/.test(code))).toBe(
          true,
        );
        expect(await administratorsOf(enterpriseId)).toHaveLength(1);
      }
    },
  );
});
