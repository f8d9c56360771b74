import { z } from 'zod';
import { type Action, allActions, requiredRoles, roles } from '../../kernel/actions.ts';
import { identifier, reference } from '../../kernel/reference.ts';
import { displayName, expectedRevision } from '../../kernel/validate.ts';

export const roleRef = reference('role', {
  roleId: identifier('The `uid` of the role.'),
  name: identifier('The name of the role.'),
});
export type RoleRef = z.infer<typeof roleRef>;

export const action = z.enum([...allActions] as [Action, ...Action[]]);

/** The actions that are no mutations, with their descriptions. */
const otherActions: { [name in Action]?: string } = {
  read: 'Viewing objects. Included in every role and every grant.',
  readLogs: 'Reading the logs, the instances and the cluster events of components.',
  readSecrets: 'Reading the values of secret environment variables.',
  checkImage: 'The query `checkImage`.',
};

export const actionTexts = Object.fromEntries(
  [...allActions].map((name) => [name, otherActions[name] ?? `The mutation \`${name}\`.`]),
) as Record<Action, string>;

const roleName = displayName(64).refine(
  (name) => !roles.some((role) => role === name.toLowerCase()),
  `Must not be the name of one of the roles ${roles.join(', ')}`,
);

const roleActions = z
  .array(action)
  .min(1)
  .max(allActions.size)
  .refine(
    (actions) => actions.every((name) => requiredRoles[name] !== 'administrator'),
    'Actions of enterprise administrators cannot be in a role',
  );

export const createRole = z.strictObject({
  name: roleName.describe('The unique name in the enterprise.'),
  actions: roleActions.describe('The actions that the role allows, in addition to READ.'),
});
export type CreateRole = z.infer<typeof createRole>;

export const updateRole = z.strictObject({
  role: roleRef.describe('The role to change. Omitted fields are unchanged.'),
  name: roleName.nullish().describe('The new name.'),
  actions: roleActions.nullish().describe('The new actions that the role allows, in addition to READ.'),
  expectedRevision: expectedRevision('the role'),
});
export type UpdateRole = z.infer<typeof updateRole>;

export const deleteRole = z.strictObject({
  role: roleRef.describe('The role to delete.'),
  expectedRevision: expectedRevision('the role'),
});
export type DeleteRole = z.infer<typeof deleteRole>;
