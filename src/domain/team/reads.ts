import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Filter } from '../../db/query/statement.ts';
import type { Row } from '../../db/tables.ts';
import {
  type Actor,
  administers,
  allows,
  allowsAll,
  maySeeSome,
  type ObjectLocation,
  placeOf,
  requireRight,
  sees,
  seesSome,
} from '../../kernel/access.ts';
import {
  type Action,
  type ActionOn,
  type ActionSet,
  actionWords,
  type Role,
  requiredRoles,
} from '../../kernel/actions.ts';
import { batched, existing } from '../../kernel/batch.ts';
import { ForbiddenError, NotFoundError } from '../../kernel/errors.ts';
import { idOfType } from '../../kernel/global-id.ts';
import { fold } from '../../kernel/validate.ts';
import { roleById } from '../role/reads.ts';
import { onlyAdministrators } from '../user/reads.ts';
import { type TeamRef, teamOrders } from './model.ts';
import { inVisibleTeams, ofOwnTeams, visibleTeams } from './visible-reads.ts';
import { withWords } from './word-reads.ts';

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

/** The team, or null if the actor may see nothing of it. */
export async function visibleTeam(context: Context, id: string): Promise<Row<'Team'> | null> {
  const team = await teamById(context, id);
  return team && maySeeSome(context.actor, placeOf(team)) ? team : null;
}

/** Where something in a team is. */
export type PlaceInTeam = Omit<ObjectLocation, 'enterpriseId'> & { teamId: string };

/** Whether the actor may see what is there. Members are checked without reading the team. */
export const seesIn = (context: Context, place: PlaceInTeam): boolean | Promise<boolean> =>
  sees(context.actor, place) || administersTeam(context, place.teamId);

/** Reads an object of a team, for those who may see what belongs to the team. */
export const visibleIn =
  <K, R extends { teamId: string }>(read: (context: Context, key: K) => Promise<R | null>) =>
  async (context: Context, key: K): Promise<R | null> => {
    const row = await read(context, key);
    return row && (await seesIn(context, { teamId: row.teamId })) ? row : null;
  };

/** Whether the actor may see the team or application there, because it may see something in it. */
export const seesSomeIn = (context: Context, place: PlaceInTeam): boolean | Promise<boolean> =>
  seesSome(context.actor, place) || administersTeam(context, place.teamId);

async function administersTeam(context: Context, id: string): Promise<boolean> {
  if (!context.actor.everywhere) return false;
  const team = await teamById(context, id);
  return team !== null && administers(context.actor, team);
}

/**
 * The team that a reference identifies, for a caller who may do the action in it. NOT_FOUND if the caller may see nothing
 * of the team, FORBIDDEN if it may not do the action.
 */
export async function requireTeam(
  context: Context,
  ref: TeamRef,
  action: Action = 'read',
): Promise<Row<'Team'>> {
  const team =
    ref.name != null
      ? await teamByName(context, ref.name)
      : await teamById(context, ref.teamId ?? idOfType('Team', ref.id ?? '') ?? '');
  if (!team || !maySeeSome(context.actor, placeOf(team))) throw new NotFoundError('team');
  if (action !== 'read') requireAllowed(context, team, action);
  return team;
}

/** Finds the team for a caller who may do the action. */
export async function requireTeamFor(
  context: Context,
  ref: TeamRef,
  action: ActionOn<'Team'>,
): Promise<Row<'Team'>> {
  const team = await requireTeam(context, ref);
  if (requiredRoles[action] === 'administrator') requireTeamAdministrator(context, team, action);
  else requireAllowed(context, team, action);
  return team;
}

/** The object that a right is about, if it is not the team. */
interface About {
  /** The noun for the object in NOT_FOUND. */
  noun: string;
  applicationId?: number | null;
  componentId?: string;
}

/**
 * FORBIDDEN if the caller may not do the action with an object of the team. NOT_FOUND if it can no longer see the object.
 */
export function requireAllowed(
  context: Context,
  team: Row<'Team'>,
  action: Action,
  { noun, ...within }: About = { noun: 'team' },
): void {
  const place = { ...placeOf(team), ...within };
  requireRight(
    context,
    (actor) => {
      if (!maySeeSome(actor, place)) throw new NotFoundError(noun);
      if (!allows(actor, action, place)) throw notAllowed(actor, team, requiredRoles[action]);
    },
    place,
  );
}

/** FORBIDDEN, with the role that is enough, and what else can be missing. */
export function notAllowed(actor: Actor, { id, name }: Row<'Team'>, role: Role | 'administrator') {
  const who =
    role === 'administrator' ? 'an enterprise administrator' : `the ${role} role in the team ${name}`;
  if (actor.grants !== null)
    return new ForbiddenError(`This requires ${who}, and an access token that allows the action.`);
  if (actor.isShortLived) {
    return new ForbiddenError(
      `This requires ${who}. With an exchanged access token, or one that expires within a day, lasting changes also require a grant that names the action.`,
    );
  }
  const isLimited = actor.teams.get(id)?.some(({ applications }) => applications !== null);
  return new ForbiddenError(`This requires ${who}${isLimited ? ', in all of its applications' : ''}.`);
}

/** What a role allows. `role` is null for one that an enterprise has made. */
export interface RoleRights {
  role: Role | null;
  actions: ActionSet;
}

/** FORBIDDEN for callers who may not do themselves, in the whole team, what a role allows that they give or take. */
export function requireGiving(context: Context, team: Row<'Team'>, { role, actions }: RoleRights): void {
  const place = placeOf(team);
  requireRight(
    context,
    (actor) => {
      if (!maySeeSome(actor, place)) throw new NotFoundError('team');
      if (allowsAll(actor, actions, place)) return;
      if (role) throw notAllowed(actor, team, role);
      throw new ForbiddenError(`The role has more rights than you have in the team ${team.name}.`);
    },
    place,
  );
}

/**
 * FORBIDDEN if the caller may not do what administrators of the team's enterprise may; NOT_FOUND if it may see nothing of
 * the team.
 */
export const requireTeamAdministrator = (
  context: Context,
  team: Row<'Team'>,
  action: Action,
  what = actionWords[action],
): void =>
  requireRight(
    context,
    (actor) => {
      if (!maySeeSome(actor, placeOf(team))) throw new NotFoundError('team');
      if (!actor.isAdministrator || !allows(actor, action, placeOf(team)))
        throw onlyAdministrators(actor, what);
    },
    placeOf(team),
  );

interface TeamFilter {
  search?: string | null;
  words?: string | null;
  orderBy?: { field: keyof typeof teamOrders; direction?: string | null } | null;
}

const filtered = ({ search, words }: TeamFilter): Filter<'Team'>[] => [
  ...(search ? [{ field: 'folded' as const, contains: fold(search) }] : []),
  ...withWords<'Team'>(words ?? '', (contains) => [{ field: 'folded', contains }]),
];

const orderOf = ({ orderBy }: TeamFilter) => ({
  order: teamOrders[orderBy?.field ?? 'NAME'],
  descending: orderBy?.direction === 'desc',
});

/** The teams that the actor is a member of. */
export const ownTeams = (context: Context, filter: TeamFilter): List<'Team'> =>
  ofOwnTeams(context, (parentBy) => ({
    model: 'Team',
    parent: parentBy('id'),
    where: [...(context.actor.grants === null ? [] : visibleTeams(context)), ...filtered(filter)],
    ...orderOf(filter),
  }));

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

/** A role of the caller in a team: one of the four, or one of the enterprise with its name. */
export interface OwnRole {
  role: Role;
  custom: Pick<Row<'Role'>, 'id' | 'name'> | null;
}

/** The role of the actor in a team. Re-reads the actor, so that earlier mutations in the request count. */
export const ownRole = batched(
  async (context: Context, teamIds: string[]): Promise<Map<string, OwnRole>> => {
    const { db, actor } = context;
    if (actor.userId === null) {
      const rows = await db.serviceAccount.findManyByKeys({ by: 'id', keys: [actor.serviceAccountId!] });
      return new Map(rows.map(({ teamId, role }) => [teamId, { role: role as Role, custom: null }]));
    }
    const where = [{ field: 'userId' as const, is: actor.userId }];
    const rows = await db.membership.findManyByKeys({ by: 'teamId', keys: teamIds, where });
    const roles = await Promise.all(
      rows.map(({ roleId }) => (roleId === null ? null : roleById(context, roleId))),
    );
    return new Map(
      rows.map(({ teamId, role }, index) => [teamId, { role: role as Role, custom: roles[index] ?? null }]),
    );
  },
  null as OwnRole | null,
);

/** The number of components of a team, in all regions. */
export const componentCountOf = batched(
  (context: Context, keys: string[]) =>
    context.db.component.countByKeys({
      parent: { field: 'teamId' },
      keys,
      where: inVisibleTeams.components(context.actor),
    }),
  0,
);

/** The number of regions that are open for a team. */
export const regionCountOf = batched(
  (context: Context, keys: string[]) =>
    context.db.teamRegion.countByKeys({ parent: { field: 'teamId' }, keys }),
  0,
);
