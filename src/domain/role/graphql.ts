import { property } from '../../graphql/schema/exposed.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { addList } from '../../graphql/schema/list.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { enumName } from '../../kernel/actions.ts';
import { Enterprise } from '../enterprise/graphql.ts';
import { action, actionTexts, createRole, deleteRole, roleRef, updateRole } from './model.ts';
import * as operations from './operations.ts';
import { parseActions, rolesOf, visibleRole } from './reads.ts';

export const ActionEnum = enumOf(
  'Action',
  action,
  'An action that a role or an access token can allow.',
  actionTexts,
  enumName,
);

referenceOf('RoleRef', roleRef, 'Identifies a role of the enterprise. Set exactly one field.');

export const CustomRole = entity('Role', 'Role', {
  description: 'A custom role of the enterprise, in addition to the four built-in roles: a set of actions.',
  read: visibleRole,
  revision: 'Changes of its members are not counted.',
  uid: 'The id of the role. Use it as `roleId` in references.',
  exposes: {
    'name: String!': 'The unique name in the enterprise.',
    'createdAt: DateTime!': 'The creation time.',
  },
  fields: (t) => ({
    actions: t.using('actions').field({
      type: [ActionEnum],
      description: 'The actions that the role allows.',
      resolve: ({ actions }) => [...parseActions(actions)],
    }),
  }),
});

addList(Enterprise, 'roles', CustomRole, {
  description: 'The roles of the enterprise, sorted by name.',
  list: (enterprise) => rolesOf(enterprise.id),
});

mutation('createRole', createRole, operations.createRole, {
  description: 'Creates a role for members of teams.',
  returns: { role: property(CustomRole, 'The new role.') },
});

mutation('updateRole', updateRole, operations.updateRole, {
  description: 'Changes a role. The change applies to its members immediately.',
  returns: { role: property(CustomRole, 'The changed role.') },
});

mutation('deleteRole', deleteRole, operations.deleteRole, {
  description: 'Deletes a role. Fails with CONFLICT while it is the role of a member.',
  returns: { role: property(CustomRole, 'The deleted role.') },
});
