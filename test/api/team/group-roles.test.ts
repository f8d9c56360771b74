import { describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { CookieClient, signIn, useSignIn } from '../../support/sign-in.ts';

const { trellis, idp } = useSignIn();

const setRole = (teamId: string, group: string, role: string | null, token?: string) =>
  trellis.attempt('setGroupRole', { team: { teamId }, group, role }, 'groupRole { group role }', token);

/** Signs in with an account that has these groups. Returns the email address. */
async function signInWith(groups: unknown, sub = unique('sub')): Promise<{ sub: string; email: string }> {
  const email = `${sub}@shop.example`;
  idp.accounts.set(sub, { email, email_verified: true, name: sub, groups: groups as string[] });
  expect((await signIn(trellis, new CookieClient(), sub)).status).toBe(303);
  return { sub, email };
}

/** The members of a team, without the administrator who made it. */
async function membersOf(teamId: string) {
  const query = `{ team(by: { teamId: "${teamId}" }) { members(first: 100) { nodes { role isFromGroup user { email } } } } }`;
  const nodes: any[] = (await trellis.data(query)).team.members.nodes;
  return nodes
    .filter(({ user }) => user.email !== 'admin@trellis.example')
    .map(({ role, isFromGroup, user }) => [user.email, role, isFromGroup]);
}

describe('setGroupRole', () => {
  it('sets, changes and takes away the role of a group', async () => {
    const { teamId } = await trellis.createTeam();
    expect(await setRole(teamId, 'web', 'VIEWER')).toMatchObject({
      groupRole: { group: 'web', role: 'VIEWER' },
    });
    expect(await setRole(teamId, 'web', 'ADMIN')).toMatchObject({ groupRole: { role: 'ADMIN' } });
    await setRole(teamId, 'api', 'DEVELOPER');
    const list = `{ team(by: { teamId: "${teamId}" }) { groupRoles { totalCount nodes { group role revision team { uid } } } } }`;
    expect((await trellis.data(list)).team.groupRoles).toEqual({
      totalCount: 2,
      nodes: [
        { group: 'api', role: 'DEVELOPER', revision: 1, team: { uid: teamId } },
        { group: 'web', role: 'ADMIN', revision: 2, team: { uid: teamId } },
      ],
    });
    const stale = { team: { teamId }, group: 'web', role: 'VIEWER', expectedRevision: 1 };
    expect(await trellis.attempt('setGroupRole', stale, '__typename')).toMatchObject({ code: 'CONFLICT' });
    expect(await setRole(teamId, 'web', null)).toMatchObject({ groupRole: null });
    expect(await setRole(teamId, 'web', null)).toMatchObject({ groupRole: null });
    expect((await trellis.data(list)).team.groupRoles.totalCount).toBe(1);
    const events = `{ team(by: { teamId: "${teamId}" }) { events(action: "team.set_group_role") { nodes { objectType } } } }`;
    expect((await trellis.data(events)).team.events.nodes).toHaveLength(4);
  });

  it('leaves the role of an owner to owners', async () => {
    const { teamId } = await trellis.createTeam();
    const admin = await trellis.createMember(teamId, 'ADMIN');
    expect(await setRole(teamId, 'chiefs', 'OWNER', admin.token)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await setRole(teamId, 'chiefs', 'ADMIN', admin.token)).toMatchObject({
      groupRole: { role: 'ADMIN' },
    });
    await setRole(teamId, 'chiefs', 'OWNER');
    for (const role of ['VIEWER', null])
      expect(await setRole(teamId, 'chiefs', role, admin.token)).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('gives and takes no more than the caller may do, with narrow tokens and as machines too', async () => {
    const { teamId } = await trellis.createTeam();
    const grants = [{ actions: ['SET_GROUP_ROLE'], team: { teamId } }];
    const narrow = await trellis.succeed('createAccessToken', { name: 'narrow', grants }, 'secret');
    const machine = { team: { teamId }, name: 'pipeline', role: 'ADMIN' };
    const made = await trellis.succeed('createServiceAccount', machine, 'serviceAccount { uid }');
    const serviceAccount = { serviceAccountId: made.serviceAccount.uid };
    const own = await trellis.succeed('createAccessToken', { serviceAccount, name: 'own' }, 'secret');
    for (const [token, most, more] of [
      [narrow.secret, 'VIEWER', 'DEVELOPER'],
      [own.secret, 'ADMIN', 'OWNER'],
    ]) {
      expect(await setRole(teamId, 'ops', most, token)).toMatchObject({ groupRole: { role: most } });
      expect(await setRole(teamId, 'ops', more, token)).toMatchObject({ code: 'FORBIDDEN' });
      await setRole(teamId, 'ops', more);
      for (const role of [most, null])
        expect(await setRole(teamId, 'ops', role, token)).toMatchObject({ code: 'FORBIDDEN' });
      await setRole(teamId, 'ops', null);
    }
  });

  it('is refused to members who see only some applications', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const team = { teamId: place.team.teamId };
    const name = unique('role');
    const { role } = await trellis.succeed(
      'createRole',
      { name, actions: ['SET_GROUP_ROLE'] },
      'role { uid }',
    );
    const person = await trellis.createPerson();
    const input = {
      team,
      user: { email: person.email },
      customRole: { roleId: role.uid },
      applications: [{ appId }],
    };
    await trellis.succeed('addTeamMember', input, '__typename');
    expect(await setRole(team.teamId, 'ops', 'VIEWER', person.token)).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('takes at most 100 groups in a team', async () => {
    const { teamId } = await trellis.createTeam();
    const rows = Array.from({ length: 99 }, (_, index) => ({
      id: unique('role'),
      teamId,
      group: `g${index}`,
      role: 'viewer',
      createdAt: new Date(),
    }));
    await trellis.services.db.transaction((tx) => tx.groupRole.createMany({ data: rows }));
    await setRole(teamId, 'the hundredth', 'VIEWER');
    expect(await setRole(teamId, 'one more', 'VIEWER')).toMatchObject({ code: 'CONFLICT' });
    expect(await setRole(teamId, 'g0', 'ADMIN')).toMatchObject({ groupRole: { role: 'ADMIN' } });
  });
});

describe('memberships that come from groups', () => {
  it('follow the groups at each sign-in, with the highest role', async () => {
    const [one, other] = [await trellis.createTeam(), await trellis.createTeam()];
    await setRole(one.teamId, 'web', 'VIEWER');
    await setRole(one.teamId, 'leads', 'ADMIN');
    await setRole(other.teamId, 'web', 'DEVELOPER');
    const { sub, email } = await signInWith(['web', 'leads', 'unknown']);
    expect(await membersOf(one.teamId)).toEqual([[email, 'ADMIN', true]]);
    expect(await membersOf(other.teamId)).toEqual([[email, 'DEVELOPER', true]]);
    await signInWith(['web'], sub);
    expect(await membersOf(one.teamId)).toEqual([[email, 'VIEWER', true]]);
    await signInWith([], sub);
    expect(await membersOf(one.teamId)).toEqual([]);
    expect(await membersOf(other.teamId)).toEqual([]);
    const events = `{ team(by: { teamId: "${one.teamId}" }) { events(objectType: "TeamMember") { nodes { action } } } }`;
    expect((await trellis.data(events)).team.events.nodes.map(({ action }: any) => action)).toEqual([
      'team.remove_member',
      'team.change_member_role',
      'team.add_member',
    ]);
  });

  it.each([undefined, null, 7, { web: true }, [['web']], 'another'])(
    'are none with the groups %j',
    async (groups) => {
      const { teamId } = await trellis.createTeam();
      await setRole(teamId, 'web', 'VIEWER');
      await signInWith(groups);
      expect(await membersOf(teamId)).toEqual([]);
    },
  );

  it('are there with one group that is no list', async () => {
    const { teamId } = await trellis.createTeam();
    await setRole(teamId, 'single', 'VIEWER');
    const { email } = await signInWith('single');
    expect(await membersOf(teamId)).toEqual([[email, 'VIEWER', true]]);
  });

  it('cannot be changed or removed by hand, not even by their user', async () => {
    const { teamId } = await trellis.createTeam();
    await setRole(teamId, 'web', 'VIEWER');
    const { email } = await signInWith(['web']);
    const member = { team: { teamId }, user: { email } };
    for (const [name, input] of [
      ['changeTeamMemberRole', { ...member, role: 'ADMIN' }],
      ['removeTeamMember', member],
      ['addTeamMember', { ...member, role: 'ADMIN' }],
    ] as const)
      expect(await trellis.attempt(name, input, '__typename'), name).toMatchObject({ code: 'CONFLICT' });
    expect(await membersOf(teamId)).toEqual([[email, 'VIEWER', true]]);
  });

  it('leave those alone that were made by hand', async () => {
    const { teamId } = await trellis.createTeam();
    const { sub, email } = await signInWith([]);
    await trellis.succeed(
      'addTeamMember',
      { team: { teamId }, user: { email }, role: 'DEVELOPER' },
      '__typename',
    );
    await setRole(teamId, 'web', 'ADMIN');
    await signInWith(['web'], sub);
    expect(await membersOf(teamId)).toEqual([[email, 'DEVELOPER', false]]);
    await signInWith([], sub);
    expect(await membersOf(teamId)).toEqual([[email, 'DEVELOPER', false]]);
  });

  it('keep the last owner of a team', async () => {
    const { teamId } = await trellis.createTeam();
    await setRole(teamId, 'chiefs', 'OWNER');
    const { sub, email } = await signInWith(['chiefs']);
    const maker = { team: { teamId }, user: { email: 'admin@trellis.example' } };
    await trellis.succeed('removeTeamMember', maker, '__typename');
    await signInWith([], sub);
    expect(await membersOf(teamId)).toEqual([[email, 'OWNER', true]]);
    await trellis.succeed('addTeamMember', { ...maker, role: 'OWNER' }, '__typename');
    await signInWith([], sub);
    expect(await membersOf(teamId)).toEqual([]);
  });
});
