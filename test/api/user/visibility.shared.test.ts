import { isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/api.ts';
import { type All, type NewEnterprise, type Person, unique } from '../../support/fixtures.ts';
import { createInstall } from '../../support/installs.ts';
import { rest } from '../../support/openapi.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let all: All;
/** Two members of one team, a member of another one, somebody without a team. */
let people: { one: Person; other: Person; elsewhere: Person; alone: Person };
let foreign: NewEnterprise;

beforeAll(async () => {
  all = await trellis.createAll();
  people = {
    one: await trellis.createMember(all.team.teamId, 'OWNER'),
    other: await trellis.createMember(all.team.teamId, 'DEVELOPER'),
    elsewhere: await trellis.createMember((await trellis.createTeam()).teamId, 'OWNER'),
    alone: await trellis.createPerson(),
  };
  foreign = await trellis.createEnterprise();
  // The administrator who created the team leaves it.
  const leaving = { team: { teamId: all.team.teamId }, user: { email: 'admin@trellis.example' } };
  await trellis.succeed('removeTeamMember', leaving, 'member { role }');
});

const globalId = (userId: number) => Buffer.from(`User:${userId}`).toString('base64url');

/** Whether the caller finds the user, which has to be the same in every way of asking. */
async function finds(caller: Person, { userId, email }: Person): Promise<boolean> {
  const id = globalId(userId);
  const ways = [
    `user(by: { email: "${email}" }) { uid }`,
    `user(by: { email: "${email.toUpperCase()}" }) { uid }`,
    `user(by: { userId: ${userId} }) { uid }`,
    `user(by: { id: "${id}" }) { uid }`,
    `node(id: "${id}") { ... on User { uid } }`,
    `nodes(ids: ["${id}"]) { ... on User { uid } }`,
  ];
  const found = await Promise.all(
    ways.map(async (way) => {
      const { data, errors } = await trellis.graphql(`{ found: ${way} }`, {}, caller.token);
      if (errors) expect(errors.map((error) => error.extensions.code)).toEqual(['NOT_FOUND']);
      return [data!.found].flat().some((each) => each?.uid === userId);
    }),
  );
  expect(new Set(found).size, `${email} in ${found}`).toBe(1);
  return found[0]!;
}

describe('a user', () => {
  it('is visible to themselves and to members of the same teams', async () => {
    const { one, other, elsewhere, alone } = people;
    const everybody = [one, other, elsewhere, alone];
    const seen = await Promise.all(
      everybody.map((caller) => Promise.all(everybody.map((user) => finds(caller, user)))),
    );
    expect(seen).toEqual([
      [true, true, false, false],
      [true, true, false, false],
      [false, false, true, false],
      [false, false, false, true],
    ]);
  });

  it('is visible to administrators of the same enterprise only', async () => {
    const administrator = await trellis.createPerson({ isAdministrator: true });
    for (const user of Object.values(people)) {
      expect(await finds(administrator, user)).toBe(true);
      expect(await finds(foreign.administrator, user)).toBe(false);
    }
    expect(await finds(administrator, foreign.administrator)).toBe(false);
    expect(await finds(foreign.administrator, foreign.administrator)).toBe(true);
  });

  it('becomes visible by joining a team and hidden by leaving it', async () => {
    const team = await trellis.createTeam();
    const [admin, person] = [await trellis.createMember(team.teamId, 'ADMIN'), await trellis.createPerson()];
    const member = { team: { teamId: team.teamId }, user: { email: person.email } };
    expect(await finds(admin, person)).toBe(false);
    const { member: added } = await trellis.succeed(
      'addTeamMember',
      { ...member, role: 'VIEWER' },
      'member { user { uid } }',
      admin.token,
    );
    expect(added.user.uid).toBe(person.userId);
    expect([await finds(admin, person), await finds(person, admin)]).toEqual([true, true]);
    await trellis.succeed('removeTeamMember', member, 'member { role }', admin.token);
    expect([await finds(admin, person), await finds(person, admin)]).toEqual([false, false]);
  });

  it('is returned from 100 requested ids only when visible', async () => {
    const ids = Array.from({ length: 100 }, (_, at) => globalId(at + 1));
    const nodes = async (token: string) =>
      (
        await trellis.data('query($ids: [ID!]!) { nodes(ids: $ids) { ... on User { uid } } }', { ids }, token)
      ).nodes
        .filter(Boolean)
        .map((each: { uid: number }) => each.uid);
    expect(await nodes(people.alone.token)).toEqual([people.alone.userId]);
    expect((await nodes(people.one.token)).sort()).toEqual([people.one.userId, people.other.userId].sort());
    expect(await nodes(foreign.administrator.token)).toEqual([foreign.administrator.userId]);
  });

  it('cannot be named in an input by someone who cannot see them', async () => {
    const user = { userId: people.alone.userId };
    const token = (await trellis.createMember(all.team.teamId, 'OWNER')).token;
    const team = { teamId: all.team.teamId };
    for (const [mutation, input] of [
      ['createAccessToken', { name: 'x', user }],
      ['createAccessToken', { name: 'x', user: { email: people.alone.email } }],
      ['addTeamMember', { team, user, role: 'VIEWER' }],
      ['addTeamMember', { team, user: { email: foreign.administrator.email }, role: 'VIEWER' }],
      ['removeTeamMember', { team, user }],
    ] as const) {
      expect((await trellis.attempt(mutation, input, '__typename', token)).code).toBe('NOT_FOUND');
    }
  });
});

describe('fields that return a user', () => {
  /** Every such field: what a member sees of an administrator outside of the team in it. */
  const fields = {
    'AccessToken.user': 'only the user and administrators see a token',
    'Component.creator': 'null',
    'CreateUserPayload.user': 'for administrators',
    'Event.user': 'null',
    'Job.user': 'null',
    'ManifestState.appliedBy': 'null',
    'Query.user': 'NOT_FOUND',
    'Session.user': 'only the user and administrators see a session',
    'Team.creator': 'null',
    'TeamMember.user': 'members share the team',
    'UpdateUserPayload.user': 'for the user and administrators',
    'UpgradeRecord.user': 'null',
    'UserConnection.nodes': 'for administrators',
    'UserEdge.node': 'for administrators',
    'Viewer.user': 'the caller',
  };

  it('are all known', () => {
    const found = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .flatMap((type) =>
        Object.values(type.getFields())
          .filter((field) => String(field.type).replace(/[[\]!]/g, '') === 'User')
          .map((field) => `${type.name}.${field.name}`),
      );
    expect(found.sort()).toEqual(Object.keys(fields).sort());
  });

  it('are null when the user is not visible', async () => {
    const boss = await trellis.createPerson({ isAdministrator: true });
    const { team } = await trellis.succeed(
      'createTeam',
      { name: `made-${boss.userId}`, owner: { userId: people.one.userId } },
      'team { uid }',
      boss.token,
    );
    const install = await createInstall(trellis, all);
    await rest(trellis, `post ${install.at}/install`, { body: install.body });
    await rest(trellis, `post ${install.at}/upgrade`, { body: install.upgrade });
    const appId = Number(install.at.split('/').at(-1));
    const { name: region } = all.region;
    const manifest = await trellis.succeed(
      'applyManifest',
      {
        team: { teamId: all.team.teamId },
        region: { name: region },
        document: `application: ${unique('app')}\n`,
      },
      'application { appId: uid }',
      boss.token,
    );
    const query = `{
      applied: application(by: { appId: ${manifest.application.appId} }) { manifestState { appliedBy { uid } } }
      team(by: { teamId: "${team.uid}" }) { creator { uid } events { nodes { user { uid } } } }
      component(by: { componentId: "${all.component.componentId}" }) { creator { uid } }
      application(by: { appId: ${appId} }) {
        upgradeRecords { nodes { user { uid } } } jobs { nodes { user { uid } } }
      }
    }`;
    const told = async (token: string) => {
      const data = await trellis.data(query, {}, token);
      return [
        data.team.creator,
        ...data.team.events.nodes.map((each: any) => each.user),
        data.component.creator,
        data.applied.manifestState.appliedBy,
        ...data.application.upgradeRecords.nodes.map((each: any) => each.user),
        ...data.application.jobs.nodes.map((each: any) => each.user),
      ];
    };
    const toMember = await told(people.one.token);
    expect(toMember.filter((user) => user !== null)).toEqual([]);
    const toBoss = await told(boss.token);
    expect(toBoss.length).toBe(toMember.length);
    expect(toBoss.filter((user) => user === null)).toEqual([]);

    const { body } = await rest(trellis, `get /teams?query=made-${boss.userId}`, { token: people.one.token });
    expect(body.tenants).toMatchObject([{ creater: '' }]);
    const place = `/teams/${all.team.teamId}/regions/${all.region.name}/apps/${all.application.appId}`;
    const services = async (token: string) =>
      (await rest(trellis, `get ${place}/services`, { token })).body.map((each: any) => each.creater);
    expect(await services(people.one.token)).toEqual([0]);
    expect(await services(boss.token)).toEqual([expect.any(Number)]);
    expect(await services(boss.token)).not.toEqual([0]);
  });
});

describe('an e-mail address', () => {
  it('of another enterprise can be reused without revealing it', async () => {
    const input = { email: foreign.administrator.email, nickName: 'Same address' };
    const { user } = await trellis.succeed('createUser', input, 'user { uid email }');
    expect(user.email).toBe(foreign.administrator.email);
    expect(user.uid).not.toBe(foreign.administrator.userId);
    // Each enterprise finds its own.
    const found = `{ user(by: { email: "${input.email}" }) { uid } }`;
    expect((await trellis.data(found)).user.uid).toBe(user.uid);
    const { data } = await trellis.graphql(found, {}, foreign.administrator.token);
    expect(data.user.uid).toBe(foreign.administrator.userId);
  });

  it('of the same enterprise is refused', async () => {
    const input = { email: people.one.email.toUpperCase(), nickName: 'Twice' };
    expect((await trellis.attempt('createUser', input)).code).toBe('CONFLICT');
  });
});

describe('an administrator of another enterprise', () => {
  it('sees no node, token, credential or contact data', async () => {
    const tables = [
      'enterprise',
      'user_account',
      'access_token',
      'team',
      'membership',
      'region',
      'application',
      'component',
      'port',
      'http_rule',
      'event',
    ];
    const types = [
      'Enterprise',
      'User',
      'AccessToken',
      'Team',
      'TeamMember',
      'Region',
      'Application',
      'Component',
      'Port',
      'HttpRule',
      'Event',
    ];
    await trellis.succeed('openOuterService', { port: { id: all.port.id } }, 'port { uid: id }');
    let asked = 0;
    for (const [at, table] of tables.entries()) {
      const rows = await trellis.services.db.query(`SELECT id FROM "${table}"`, []);
      const ids = rows.map(([id]) => Buffer.from(`${types[at]}:${id}`).toString('base64url'));
      for (let from = 0; from < ids.length; from += 100) {
        const variables = { ids: ids.slice(from, from + 100) };
        const query = 'query($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }';
        const mine = (await trellis.data(query, variables)).nodes;
        const theirs = (await trellis.data(query, variables, foreign.administrator.token)).nodes;
        asked += mine.length;
        for (const [index, node] of theirs.entries()) {
          // Nothing is visible to the administrators of both.
          expect(node !== null && mine[index] !== null, `${types[at]} ${variables.ids[index]}`).toBe(false);
        }
        expect(mine.some(Boolean)).toBe(true);
      }
    }
    expect(asked).toBeGreaterThan(30);
  });
});

describe('the names of administrators', () => {
  const names = async (token?: string): Promise<string[]> =>
    (await trellis.data('{ viewer { enterprise { administratorNames } } }', {}, token)).viewer.enterprise
      .administratorNames;

  it('are for everybody in the enterprise, also without a team, and nothing else of them is', async () => {
    const admin = await trellis.data('{ viewer { user { nickName } } }');
    for (const { token } of [people.alone, people.one])
      expect(await names(token)).toContain(admin.viewer.user.nickName);
    expect(await names(people.alone.token)).not.toContain(people.alone.email.split('@')[0]);
    const { data, errors } = await trellis.graphql(
      '{ administrators { nodes { email } } }',
      {},
      people.alone.token,
    );
    expect([data, errors?.[0]?.extensions.code]).toEqual([{ administrators: null }, 'FORBIDDEN']);
    expect(await names(foreign.administrator.token)).not.toContain(admin.viewer.user.nickName);
  });

  it('leave out those who are not active', async () => {
    const { administrator } = await trellis.createEnterprise();
    const input = { email: `${unique('second')}@trellis.example`, nickName: 'Second', isAdministrator: true };
    const { user } = await trellis.succeed('createUser', input, 'user { userId: uid }', administrator.token);
    expect(await names(administrator.token)).toHaveLength(2);
    await trellis.succeed('updateUser', { user, isActive: false }, '__typename', administrator.token);
    expect(await names(administrator.token)).not.toContain('Second');
  });

  it('are not for access tokens that are limited', async () => {
    const grants = [{ actions: ['READ'], team: { teamId: all.team.teamId } }];
    const { secret } = await trellis.succeed('createAccessToken', { name: 'narrow', grants }, 'secret');
    expect(await names(secret)).toEqual([]);
  });
});
