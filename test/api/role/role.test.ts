import { beforeAll, describe, expect, it } from 'vitest';
import { type All, unique } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let all: All;
beforeAll(async () => {
  all = await trellis.createAll();
});

const team = () => ({ teamId: all.team.teamId });
const createRole = async (actions: string[], name = unique('role')) =>
  (await trellis.succeed('createRole', { name, actions }, 'role { roleId: uid name actions revision }')).role;

/** A member of the team with a role of the enterprise. */
async function memberWith(role: { roleId: string }, more: object = {}) {
  const person = await trellis.createPerson();
  const input = { team: team(), user: { email: person.email }, customRole: { roleId: role.roleId }, ...more };
  const { member } = await trellis.succeed(
    'addTeamMember',
    input,
    'member { role customRole { name } applications { name } }',
  );
  return { ...person, member };
}

describe('a role of an enterprise', () => {
  it('allows its members what it says, and reads', async () => {
    const role = await createRole(['SCALE_COMPONENT', 'READ_LOGS']);
    expect(role.actions.sort()).toEqual(['READ', 'READ_LOGS', 'SCALE_COMPONENT']);
    const { token, member } = await memberWith(role);
    expect(member).toEqual({ role: 'VIEWER', customRole: { name: role.name }, applications: null });
    const component = { componentId: all.component.componentId };
    await trellis.succeed('scaleComponent', { component, replicas: 2 }, '__typename', token);
    const renamed = await trellis.attempt('updateComponent', { component, name: 'x' }, '__typename', token);
    expect(renamed).toEqual({
      __typename: 'ForbiddenError',
      code: 'FORBIDDEN',
      message: `This requires the developer role in the team ${all.team.name}.`,
    });
    const { team: seen, component: can } = await trellis.data(
      `{ team(by: { teamId: "${all.team.teamId}" }) { roles { role name } }
         component(by: { componentId: "${component.componentId}" }) { name update: viewerCan(action: UPDATE_COMPONENT) set: viewerCan(action: SET_VARIABLES) } }`,
      {},
      token,
    );
    expect(seen.roles).toEqual([{ role: 'VIEWER', name: role.name }]);
    expect(can).toMatchObject({ update: false, set: false });
  });

  it('changes what its members may do at once', async () => {
    const role = await createRole(['STOP_COMPONENT']);
    const { token } = await memberWith(role);
    const input = { component: { componentId: all.component.componentId }, description: unique('text') };
    expect((await trellis.attempt('updateComponent', input, '__typename', token)).code).toBe('FORBIDDEN');
    const given = {
      role: { roleId: role.roleId },
      actions: ['UPDATE_COMPONENT'],
      expectedRevision: role.revision,
    };
    const updated = await trellis.succeed('updateRole', given, 'role { actions revision }');
    expect(updated.role).toEqual({ actions: ['READ', 'UPDATE_COMPONENT'], revision: role.revision + 1 });
    await trellis.succeed('updateComponent', input, '__typename', token);
    expect((await trellis.attempt('updateRole', given)).code).toBe('CONFLICT');
  });

  it('cannot be deleted while it has members', async () => {
    const role = await createRole(['STOP_COMPONENT']);
    const { email, userId } = await memberWith(role);
    const given = { role: { name: role.name } };
    expect(await trellis.attempt('deleteRole', given)).toMatchObject({
      code: 'CONFLICT',
      message: `The role ${role.name} is the role of ${email} in ${all.team.name}. Give them another role first.`,
    });
    const change = { team: team(), user: { userId }, role: 'VIEWER' };
    const { member } = await trellis.succeed(
      'changeTeamMemberRole',
      change,
      'member { role customRole { name } }',
    );
    expect(member).toEqual({ role: 'VIEWER', customRole: null });
    await trellis.succeed('deleteRole', given, 'role { name }');
    expect((await trellis.attempt('deleteRole', given)).code).toBe('NOT_FOUND');
  });

  it('is refused with actions of administrators, a name of the four roles, or one that is taken', async () => {
    const { name } = await createRole(['STOP_COMPONENT']);
    const wrong: [object, string, string?][] = [
      [{ name: unique('role'), actions: ['CREATE_TEAM'] }, 'INVALID_INPUT', 'input.actions'],
      [{ name: unique('role'), actions: [] }, 'INVALID_INPUT', 'input.actions'],
      [{ name: 'Owner', actions: ['STOP_COMPONENT'] }, 'INVALID_INPUT', 'input.name'],
      [{ name, actions: ['STOP_COMPONENT'] }, 'CONFLICT'],
    ];
    for (const [input, code, path] of wrong) {
      const refused = await trellis.attempt('createRole', input);
      expect([refused.code, refused.issues?.[0].path.join('.')]).toEqual([code, path]);
    }
  });

  it('is shown to every member of the enterprise, and made by administrators', async () => {
    const role = await createRole(['STOP_COMPONENT']);
    const viewer = await trellis.createMember(all.team.teamId, 'VIEWER');
    const owner = await trellis.createMember(all.team.teamId, 'OWNER');
    const { viewer: seen } = await trellis.data(
      '{ viewer { enterprise { roles(first: 100) { nodes { name } } } } }',
      {},
      viewer.token,
    );
    expect(seen.enterprise.roles.nodes).toContainEqual({ name: role.name });
    const input = { name: unique('role'), actions: ['STOP_COMPONENT'] };
    expect(await trellis.attempt('createRole', input, '__typename', owner.token)).toMatchObject({
      code: 'FORBIDDEN',
      message: 'Only enterprise administrators can create roles.',
    });
  });

  it('is not given by those who may do less themselves', async () => {
    const deleting = await createRole(['DELETE_TEAM']);
    const admin = await trellis.createMember(all.team.teamId, 'ADMIN');
    const person = await trellis.createPerson();
    const adding = { team: team(), user: { email: person.email }, customRole: { roleId: deleting.roleId } };
    expect(await trellis.attempt('addTeamMember', adding, '__typename', admin.token)).toMatchObject({
      code: 'FORBIDDEN',
      message: `The role has more rights than you have in the team ${all.team.name}.`,
    });
    // Nor is it taken.
    const { userId } = await memberWith(deleting);
    const taking = { team: team(), user: { userId }, role: 'VIEWER' };
    expect((await trellis.attempt('changeTeamMemberRole', taking, '__typename', admin.token)).code).toBe(
      'FORBIDDEN',
    );
    const removing = { team: team(), user: { userId } };
    expect((await trellis.attempt('removeTeamMember', removing, '__typename', admin.token)).code).toBe(
      'FORBIDDEN',
    );
    await trellis.succeed('removeTeamMember', removing, '__typename');
  });

  it('is not enough to take the role of a service account that allows more', async () => {
    const { token } = await memberWith(await createRole(['UPDATE_SERVICE_ACCOUNT', 'CREATE_ACCESS_TOKEN']));
    const given = { team: team(), name: unique('robot'), role: 'ADMIN' };
    const { serviceAccount } = await trellis.succeed('createServiceAccount', given, 'serviceAccount { uid }');
    const account = { serviceAccount: { serviceAccountId: serviceAccount.uid } };
    const updated = 'serviceAccount { role }';
    const lowering = { ...account, role: 'VIEWER' };
    expect(await trellis.attempt('updateServiceAccount', lowering, updated, token)).toMatchObject({
      code: 'FORBIDDEN',
      message: `This requires the admin role in the team ${all.team.name}.`,
    });
    // A token of the account with the lower role would get the other one back.
    const keeping = { ...account, name: 'kept' };
    expect((await trellis.attempt('createAccessToken', keeping, '__typename', token)).code).toBe('FORBIDDEN');
    const renaming = { ...account, name: unique('robot'), role: null };
    expect(await trellis.succeed('updateServiceAccount', renaming, updated, token)).toMatchObject({
      serviceAccount: { role: 'ADMIN' },
    });
    const admin = await trellis.createMember(all.team.teamId, 'ADMIN');
    expect(await trellis.succeed('updateServiceAccount', lowering, updated, admin.token)).toMatchObject({
      serviceAccount: { role: 'VIEWER' },
    });
  });
});
