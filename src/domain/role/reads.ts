import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Filter } from '../../db/query/statement.ts';
import type { Row } from '../../db/tables.ts';
import {
  type Action,
  type ActionSet,
  actionsOfRole,
  isAction,
  type Role,
  roles,
} from '../../kernel/actions.ts';
import { batched } from '../../kernel/batch.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { idOfType } from '../../kernel/global-id.ts';
import type { TeamRights } from '../../kernel/rights.ts';
import type { RoleRef } from './model.ts';

/** The actions of stored names. Those that another version of Trellis has stored and this one does not have are left out. */
export const actionsNamed = (names: readonly string[]): ActionSet =>
  new Set<Action>(['read', ...names.filter(isAction)]);

export const parseActions = (json: string): ActionSet => actionsNamed(JSON.parse(json) as string[]);

/** The names of actions to store: each once, without READ, which is always included. */
export const namesOfActions = (actions: Iterable<Action>): Action[] =>
  [...new Set(actions)].filter((action) => action !== 'read').sort();

export const storedActions = (actions: readonly Action[]): string => JSON.stringify(namesOfActions(actions));

/** The rights of a membership, or of the role of a service account. */
export const teamRights = ({
  teamId,
  role,
  customActions = null,
  applications = null,
}: {
  teamId: string;
  role: string;
  /** The actions of a role of the enterprise, which counts instead of `role`, as JSON. */
  customActions?: string | null;
  applications?: string | null;
}): TeamRights => ({
  teamId,
  actions: customActions === null ? actionsOfRole(roleNamed(role)) : parseActions(customActions),
  applications: applications === null ? null : new Set(JSON.parse(applications) as number[]),
});

const roleNamed = (role: string): Role => roles.find((each) => each === role) ?? 'viewer';

/** The role by its id, without an access check. */
export const roleById = batchedRow('Role', 'id');

const roleByName = batched(async (context: Context, names: string[]) => {
  const where: Filter<'Role'>[] = [{ field: 'enterpriseId', is: context.actor.enterpriseId }];
  const rows = await context.db.role.findManyByKeys({ by: 'name', keys: names, where });
  return new Map(rows.map((row) => [row.name, row]));
}, null);

/** The role, for everyone in its enterprise. */
export async function visibleRole(context: Context, id: string): Promise<Row<'Role'> | null> {
  const role = await roleById(context, id);
  return role?.enterpriseId === context.actor.enterpriseId ? role : null;
}

export async function requireRole(context: Context, ref: RoleRef): Promise<Row<'Role'>> {
  const role =
    ref.name != null
      ? await roleByName(context, ref.name)
      : await visibleRole(context, ref.roleId ?? idOfType('Role', ref.id ?? '') ?? '');
  if (!role) throw new NotFoundError('role');
  return role;
}

export const rolesOf = (enterpriseId: string): List<'Role'> => ({
  key: enterpriseId,
  spec: { model: 'Role', parent: { field: 'enterpriseId' }, order: ['name', 'id'] },
});
