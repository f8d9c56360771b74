import { builder } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { enumName } from '../../graphql/schema/viewer-can.ts';
import { Enterprise } from '../enterprise/graphql.ts';
import { action, actionTexts, createRole, deleteRole, roleRef, updateRole } from './model.ts';
import * as operations from './operations.ts';
import { parseActions, rolesOf, visibleRole } from './reads.ts';

export const ActionEnum = enumOf(
  'Action',
  action,
  'Something that a role or an access token can allow.',
  actionTexts,
  enumName,
);

referenceOf('RoleRef', roleRef, 'Identifies a role of the enterprise. Set exactly one field.');

export const CustomRole = entity('Role', 'Role', {
  description: 'A role of the enterprise, beside the four roles that every enterprise has: a set of actions.',
  read: visibleRole,
  id: (row) => row.id,
  revision: 'Changes of its members are not counted.',
  fields: (t) => ({
    uid: t.exposeID('id', { description: 'The id of the role. Use it as `roleId` in references.' }),
    name: t.exposeString('name', { description: 'The unique name in the enterprise.' }),
    actions: t.using('actions').field({
      type: [ActionEnum],
      description: 'What members with the role may do.',
      resolve: ({ actions }) => [...parseActions(actions)],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The creation time.' }),
  }),
});

builder.objectField(Enterprise, 'roles', (t) =>
  connectionField(t.using('id'), {
    node: CustomRole,
    plural: 'roles',
    description: 'The roles of the enterprise, sorted by name.',
    list: (enterprise) => rolesOf(enterprise.id),
  }),
);

mutation('createRole', {
  description: 'Creates a role for members of teams.',
  input: createRole,
  run: async (context, input) => ({ role: await operations.createRole(context, input) }),
  payload: (t) => ({ role: t.expose('role', { type: CustomRole, description: 'The new role.' }) }),
});

mutation('updateRole', {
  description: 'Changes a role. Its members may do what it allows from then on.',
  input: updateRole,
  run: async (context, input) => ({ role: await operations.updateRole(context, input) }),
  payload: (t) => ({ role: t.expose('role', { type: CustomRole, description: 'The changed role.' }) }),
});

mutation('deleteRole', {
  description: 'Deletes a role. Fails with CONFLICT while it is the role of a member.',
  input: deleteRole,
  run: async (context, input) => ({ role: await operations.deleteRole(context, input) }),
  payload: (t) => ({ role: t.expose('role', { type: CustomRole, description: 'The deleted role.' }) }),
});
