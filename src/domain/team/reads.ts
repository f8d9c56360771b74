import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Filter } from '../../db/query/statement.ts';
import type { Row } from '../../db/tables.ts';
import { type Actor, administers, holds, maySee, type Role, requireRight } from '../../kernel/access.ts';
import { batched, existing } from '../../kernel/batch.ts';
import { ForbiddenError, NotFoundError } from '../../kernel/errors.ts';
import { idOfType } from '../../kernel/global-id.ts';
import { fold } from '../../kernel/validate.ts';
import { type TeamAction, teamActions } from './action-model.ts';
import { type TeamRef, teamOrders } from './model.ts';

/** The team by its id, without an access check. For objects related to one that the actor may see. */
export const teamById = batchedRow('Team', 'id');
/** Rejects with NOT_FOUND if there is none. */
export const loadTeam = existing('team', teamById);

const teamByName = batched(async (context: Context, names: string[]) => {
  const where: Filter<'Team'>[] = [{ field: 'enterpriseId', is: context.actor.enterpriseId }];
  const rows = await context.db.team.findManyByKeys({ by: 'name', keys: names, where });
  for (const row of rows) teamById.prime(context, row.id, row);
  return new Map(rows.map((row) => [row.name, row]));
}, null);

/** The team, or null if the actor is neither a member nor an administrator of its enterprise. */
export async function visibleTeam(context: Context, id: string): Promise<Row<'Team'> | null> {
  const team = await teamById(context, id);
  return team && maySee(context.actor, team) ? team : null;
}

/** Whether the actor may see the team. Members are checked without reading the team. */
export const seesTeam = async (context: Context, id: string): Promise<boolean> =>
  context.actor.roles.has(id) || (context.actor.isAdministrator && (await visibleTeam(context, id)) !== null);

/**
 * The team that a reference identifies, for a caller with `role` in it. NOT_FOUND if the caller may not see the
 * team, FORBIDDEN if the caller has a lower role.
 */
export async function requireTeam(
  context: Context,
  ref: TeamRef,
  role: Role = 'viewer',
): Promise<Row<'Team'>> {
  const team =
    ref.name != null
      ? await teamByName(context, ref.name)
      : await teamById(context, ref.teamId ?? idOfType('Team', ref.id ?? '') ?? '');
  if (!team || !maySee(context.actor, team)) throw new NotFoundError('team');
  requireRole(context, team, role);
  return team;
}

/** Finds the team for a caller who may do the action. */
export async function requireTeamFor(
  context: Context,
  ref: TeamRef,
  action: TeamAction,
): Promise<Row<'Team'>> {
  const team = await requireTeam(context, ref);
  const requirement = teamActions[action];
  if ('role' in requirement) requireRole(context, team, requirement.role);
  else requireTeamAdministrator(context, team, requirement.administratorsMay);
  return team;
}

/**
 * FORBIDDEN if the caller does not have `role` in the team. NOT_FOUND, about the object that `noun` names, if
 * the caller can no longer see the team.
 */
export function requireRole(context: Context, team: Row<'Team'>, role: Role, noun = 'team'): void {
  const require = (actor: Actor) => {
    if (!maySee(actor, team)) throw new NotFoundError(noun);
    if (!holds(actor, team, role)) {
      throw new ForbiddenError(`This requires the ${role} role in the team ${team.name}.`);
    }
  };
  // Viewers cannot make changes, so there is nothing to check again.
  if (role === 'viewer') require(context.actor);
  else requireRight(context, require);
}

/** FORBIDDEN if the caller is not an administrator of the team's enterprise; NOT_FOUND if it may not see the team. */
export const requireTeamAdministrator = (context: Context, team: Row<'Team'>, what: string): void =>
  requireRight(context, (actor) => {
    if (!maySee(actor, team)) throw new NotFoundError('team');
    if (!administers(actor, team)) throw new ForbiddenError(`Only enterprise administrators may ${what}.`);
  });

interface TeamFilter {
  search?: string | null;
  orderBy?: { field: keyof typeof teamOrders; direction?: string | null } | null;
}

const filtered = ({ search }: TeamFilter): Filter<'Team'>[] =>
  search ? [{ field: 'folded', contains: fold(search) }] : [];

const orderOf = ({ orderBy }: TeamFilter) => ({
  order: teamOrders[orderBy?.field ?? 'NAME'],
  descending: orderBy?.direction === 'desc',
});

/** The teams that the actor is a member of. */
export const ownTeams = (context: Context, filter: TeamFilter): List<'Team'> => ({
  key: context.actor.userId,
  spec: {
    model: 'Team',
    parent: { through: 'Membership', parent: 'userId', target: 'teamId', field: 'id' },
    where: filtered(filter),
    ...orderOf(filter),
  },
});

/** The teams of an enterprise that are visible to the actor. */
export const teamsOfEnterprise = (
  context: Context,
  enterpriseId: string,
  filter: TeamFilter,
): List<'Team'> => ({
  key: enterpriseId,
  spec: {
    model: 'Team',
    parent: { field: 'enterpriseId' },
    where: [...visibleTeams(context), ...filtered(filter)],
    ...orderOf(filter),
  },
});

/** The condition that limits a list to teams visible to the actor. */
export const visibleTeams = ({ actor }: Context): Filter<'Team'>[] => [
  { field: 'enterpriseId', is: actor.enterpriseId },
  ...(actor.isAdministrator ? [] : [{ field: 'id' as const, in: [...actor.roles.keys()] }]),
];

/** The role of the actor in a team. Re-reads the actor, so that earlier mutations in the request count. */
export const ownRole = batched(async (context: Context, teamIds: string[]) => {
  const where = [{ field: 'userId' as const, is: context.actor.userId }];
  const rows = await context.db.membership.findManyByKeys({ by: 'teamId', keys: teamIds, where });
  return new Map(rows.map((row) => [row.teamId, row.role as Role]));
}, null);

export const membersOf = (teamId: string): List<'Membership'> => ({
  key: teamId,
  spec: { model: 'Membership', parent: { field: 'teamId' }, order: ['userId'] },
});

const membershipById = batchedRow('Membership', 'id');

export async function visibleMembership(context: Context, id: string): Promise<Row<'Membership'> | null> {
  const membership = await membershipById(context, id);
  return membership && (await visibleTeam(context, membership.teamId)) ? membership : null;
}

/** The number of components of a team, in all regions. */
export const componentCountOf = batched(
  (context: Context, keys: string[]) =>
    context.db.component.countByKeys({ parent: { field: 'teamId' }, keys }),
  0,
);

/** The number of regions that are open for a team. */
export const regionCountOf = batched(
  (context: Context, keys: string[]) =>
    context.db.teamRegion.countByKeys({ parent: { field: 'teamId' }, keys }),
  0,
);
