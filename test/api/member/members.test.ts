import { describe, expect, it } from 'vitest';
import type { Person } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

/** A team whose only owner is a person, without the administrator who created it. */
async function createOwned() {
  const team = await trellis.createTeam();
  const owner = await trellis.createMember(team.teamId, 'OWNER');
  await trellis.succeed('removeTeamMember', member(team, 'admin@trellis.example'), 'member { role }');
  return { team, owner };
}

const member = ({ teamId }: { teamId: string }, email: string) => ({ team: { teamId }, user: { email } });

const setRole = (team: { teamId: string }, { email }: { email: string }, role: string, caller?: Person) =>
  trellis.attempt(
    'changeTeamMemberRole',
    { ...member(team, email), role },
    'member { role user { email } team { name } }',
    caller?.token,
  );

const remove = (team: { teamId: string }, { email }: { email: string }, caller?: Person) =>
  trellis.attempt('removeTeamMember', member(team, email), 'member { role }', caller?.token);

async function rolesOf({ teamId }: { teamId: string }): Promise<Record<string, string>> {
  const query = `{ team(by: { teamId: "${teamId}" }) { members(first: 100) { nodes { role user { email } } } } }`;
  const { members } = (await trellis.data(query)).team;
  return Object.fromEntries(members.nodes.map((each: any) => [each.user.email, each.role]));
}

describe('updateTeam', () => {
  it('changes the display name, by which the team is found, and records it', async () => {
    const { team, owner } = await createOwned();
    const input = { team: { teamId: team.teamId }, alias: '  Großhandel  ' };
    const { team: changed } = await trellis.succeed('updateTeam', input, 'team { name alias }', owner.token);
    expect(changed).toEqual({ name: team.name, alias: 'Großhandel' });
    const { teams } = await trellis.data(
      '{ teams(search: "GROßHANDEL") { nodes { name } } }',
      {},
      owner.token,
    );
    expect(teams.nodes).toEqual([{ name: team.name }]);
    // The same once more, and nothing at all, change nothing.
    await trellis.succeed('updateTeam', input, 'team { alias }', owner.token);
    await trellis.succeed('updateTeam', { team: input.team }, 'team { alias }', owner.token);
    const { team: found } = await trellis.data(
      `{ team(by: { name: "${team.name}" }) { events(action: "team.update") { nodes { changes { field before: oldValue after: newValue } } } } }`,
    );
    expect(found.events.nodes).toEqual([
      { changes: [{ field: 'alias', before: `The team ${team.name}`, after: 'Großhandel' }] },
    ]);
  });

  it('requires an owner', async () => {
    const team = await trellis.createTeam();
    const admin = await trellis.createMember(team.teamId, 'ADMIN');
    const input = { team: { teamId: team.teamId }, alias: 'Mine' };
    expect(await trellis.attempt('updateTeam', input, '__typename', admin.token)).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('owner role'),
    });
  });
});

describe('changeTeamMemberRole', () => {
  it('takes effect with the next request', async () => {
    const { team, owner } = await createOwned();
    const person = await trellis.createMember(team.teamId, 'VIEWER');
    const update = () =>
      trellis.attempt(
        'addTeamMember',
        { ...member(team, 'admin@trellis.example'), role: 'VIEWER' },
        '__typename',
        person.token,
      );
    expect(await update()).toMatchObject({ code: 'FORBIDDEN' });
    expect(await setRole(team, person, 'ADMIN', owner)).toEqual({
      __typename: 'ChangeTeamMemberRolePayload',
      member: { role: 'ADMIN', user: { email: person.email }, team: { name: team.name } },
    });
    expect(await update()).toMatchObject({ __typename: 'AddTeamMemberPayload' });
  });

  it('lets admins change all roles but that of owners', async () => {
    const { team, owner } = await createOwned();
    const [admin, other] = [
      await trellis.createMember(team.teamId, 'ADMIN'),
      await trellis.createMember(team.teamId, 'ADMIN'),
    ];
    expect(await setRole(team, other, 'DEVELOPER', admin)).toMatchObject({ member: { role: 'DEVELOPER' } });
    expect(await setRole(team, other, 'OWNER', admin)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await setRole(team, owner, 'ADMIN', admin)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await setRole(team, admin, 'VIEWER', other)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await setRole(team, other, 'OWNER', owner)).toMatchObject({ member: { role: 'OWNER' } });
    expect(await setRole(team, owner, 'VIEWER', other)).toMatchObject({ member: { role: 'VIEWER' } });
    expect(await rolesOf(team)).toEqual({
      [owner.email]: 'VIEWER',
      [admin.email]: 'ADMIN',
      [other.email]: 'OWNER',
    });
  });

  it('records the role before and after, and nothing if it stays', async () => {
    const { team, owner } = await createOwned();
    const person = await trellis.createMember(team.teamId, 'VIEWER');
    for (const role of ['DEVELOPER', 'DEVELOPER']) await setRole(team, person, role, owner);
    const query = `{ team(by: { teamId: "${team.teamId}" }) { events(action: "team.change_member_role") { nodes { changes { field before: oldValue after: newValue } } } } }`;
    expect((await trellis.data(query)).team.events.nodes).toEqual([
      { changes: [{ field: 'role', before: 'viewer', after: 'developer' }] },
    ]);
  });

  it('finds members only', async () => {
    const team = await trellis.createTeam();
    const person = await trellis.createPerson();
    expect(await setRole(team, person, 'VIEWER')).toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no such team member.',
    });
    const viewer = await trellis.createMember(team.teamId, 'VIEWER');
    expect(await setRole(team, viewer, 'OWNER', person)).toMatchObject({ message: 'There is no such team.' });
  });
});

describe('the last owner', () => {
  it('cannot be demoted or leave', async () => {
    const { team, owner } = await createOwned();
    const message = `${owner.email} is the last owner of the team ${team.name}. Add another owner first.`;
    for (const caller of [owner, undefined]) {
      expect(await setRole(team, owner, 'ADMIN', caller)).toMatchObject({ code: 'CONFLICT', message });
      expect(await remove(team, owner, caller)).toMatchObject({ code: 'CONFLICT', message });
    }
    expect(await setRole(team, owner, 'OWNER', owner)).toMatchObject({ member: { role: 'OWNER' } });
  });

  it('is left when owners demote or remove each other at the same time', async () => {
    const act = {
      demote: (team: { teamId: string }, who: Person, caller?: Person) => setRole(team, who, 'ADMIN', caller),
      remove,
    };
    for (const does of ['demote', 'remove'] as const) {
      for (const areAdministrators of [false, true]) {
        const { team, owner } = await createOwned();
        const other = await trellis.createMember(team.teamId, 'OWNER');
        const results = await Promise.all([
          act[does](team, other, areAdministrators ? undefined : owner),
          act[does](team, owner, areAdministrators ? undefined : other),
        ]);
        const codes = results.map(({ code }) => code ?? 'ok').sort();
        expect(codes[1], JSON.stringify(results)).toBe('ok');
        expect(codes[0]).toMatch(/^(CONFLICT|FORBIDDEN|NOT_FOUND)$/);
        expect(Object.values(await rolesOf(team)).filter((role) => role === 'OWNER')).toHaveLength(1);
      }
    }
  });
});

describe('a member', () => {
  it('can leave in any role, and cannot make others leave', async () => {
    const { team } = await createOwned();
    const [viewer, developer] = [
      await trellis.createMember(team.teamId, 'VIEWER'),
      await trellis.createMember(team.teamId, 'DEVELOPER'),
    ];
    expect(await remove(team, developer, viewer)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await remove(team, viewer, viewer)).toMatchObject({ member: { role: 'VIEWER' } });
    expect(await remove(team, viewer, viewer)).toMatchObject({ message: 'There is no such team.' });
    expect(await remove(team, developer, developer)).toMatchObject({ member: { role: 'DEVELOPER' } });
  });
});
