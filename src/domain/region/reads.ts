import type { Context } from '../../context.ts';
import { batchedRow } from '../../db/list.ts';
import type { Filter } from '../../db/query/statement.ts';
import type { Row } from '../../db/tables.ts';
import { type Bulk, findByKeys } from '../../db/write/bulk.ts';
import { administers, allows, type Requirement, requireRight } from '../../kernel/access.ts';
import { type Action, type ActionOn, actionWords } from '../../kernel/actions.ts';
import { batched, existing, readAhead } from '../../kernel/batch.ts';
import { ConflictError, NotFoundError } from '../../kernel/errors.ts';
import { idOfType } from '../../kernel/global-id.ts';
import { groupBy } from '../../kernel/group.ts';
import { loadTeam, type PlaceInTeam } from '../team/reads.ts';
import { onlyAdministrators } from '../user/reads.ts';
import type { RegionRef } from './model.ts';

/** The region by its id, without an access check. For objects related to one that the actor may see. */
export const regionById = batchedRow('Region', 'id');
/** Rejects with NOT_FOUND if there is none. */
export const loadRegion = existing('region', regionById);

const regionByName = batched(async (context: Context, names: string[]) => {
  const where: Filter<'Region'>[] = [{ field: 'enterpriseId', is: context.actor.enterpriseId }];
  const rows = await context.db.region.findManyByKeys({ by: 'name', keys: names, where });
  for (const row of rows) regionById.prime(context, row.id, row);
  return new Map(rows.map((row) => [row.name, row]));
}, null);

const openedFor = batched(
  async (context: Context, teamIds: string[]) => {
    const rows = await context.db.teamRegion.findManyByKeys({ by: 'teamId', keys: teamIds });
    return new Map(
      [...groupBy(rows, (row) => row.teamId)].map(([teamId, group]) => [
        teamId,
        new Map(group.map((row) => [row.regionId, row])) as ReadonlyMap<string, Row<'TeamRegion'>>,
      ]),
    );
  },
  new Map() as ReadonlyMap<string, Row<'TeamRegion'>>,
);

/** The row that opens the region for the team, with its quota. Null if the region is not open for the team. */
export async function teamRegionOf(context: Context, teamId: string, regionId: string) {
  return (await openedFor(context, teamId)).get(regionId) ?? null;
}

/** The region, if it is visible. Whether it is hidden or does not exist, the same is read. */
async function ifVisible(context: Context, region: Row<'Region'> | null): Promise<Row<'Region'> | null> {
  const { actor } = context;
  const own = region?.enterpriseId === actor.enterpriseId ? region : null;
  if (actor.everywhere || own?.scope === 'public') return own;
  const opened = await Promise.all([...actor.teams.keys()].map((teamId) => openedFor(context, teamId)));
  return own && opened.some((regions) => regions.has(own.id)) ? own : null;
}

/** The region, visible to administrators and members of teams that it is open for or, if public, to all users. */
export async function visibleRegion(context: Context, id: string): Promise<Row<'Region'> | null> {
  return ifVisible(context, await regionById(context, id));
}

/** The region with this name, or null if not visible to the actor. */
export async function visibleRegionByName(context: Context, name: string): Promise<Row<'Region'> | null> {
  return ifVisible(context, await regionByName(context, name));
}

export async function requireRegion(context: Context, ref: RegionRef): Promise<Row<'Region'>> {
  const region =
    ref.name != null
      ? await visibleRegionByName(context, ref.name)
      : await visibleRegion(context, ref.regionId ?? idOfType('Region', ref.id ?? '') ?? '');
  if (!region) throw new NotFoundError('region');
  return region;
}

/**
 * The region that a reference identifies, for a caller who may do the action. FORBIDDEN for other callers who can see the
 * region, NOT_FOUND for those who cannot.
 */
export async function requireRegionFor(
  context: Context,
  ref: RegionRef,
  action: ActionOn<'Region'>,
  what = actionWords[action],
): Promise<Row<'Region'>> {
  const region = await requireRegion(context, ref);
  const teamIds = [...context.actor.teams.keys()];
  const opened = await Promise.all(teamIds.map((teamId) => teamRegionOf(context, teamId, region.id)));
  const isOpenFor = new Set(teamIds.filter((_, index) => opened[index] !== null));
  requireRight(context, (actor) => {
    if (allows(actor, action, { enterpriseId: region.enterpriseId })) return;
    const isSeen =
      administers(actor, region) ||
      region.scope === 'public' ||
      [...actor.teams.keys()].some((id) => isOpenFor.has(id));
    throw isSeen ? onlyAdministrators(actor, what) : new NotFoundError('region');
  });
  return region;
}

/**
 * Locks the rows that open regions, or one region, for a team until the commit. Applications are created, names of
 * components taken and quotas used under these locks. Locks on components must be taken before, those on regions and the team after.
 */
export async function lockTeamRegions(
  write: Bulk,
  teamId: string,
  regionId?: string,
): Promise<Row<'TeamRegion'>[]> {
  return findByKeys(write, 'TeamRegion', 'teamId', [teamId], ['regionId'], {
    ...(regionId !== undefined && { where: { field: 'regionId', is: regionId } }),
    lock: true,
  });
}

/** The resources of a team in one region. NOT_FOUND if the region is not open for the team. */
export async function lockTeamRegion(
  write: Bulk,
  teamId: string,
  regionId: string,
): Promise<Row<'TeamRegion'>> {
  const [opened] = await lockTeamRegions(write, teamId, regionId);
  if (!opened) throw new NotFoundError('region');
  return opened;
}

/** The encrypted columns of a region. Null if not set. */
export type SealedField =
  | 'sealedToken'
  | 'sealedCaCertificate'
  | 'sealedClientCertificate'
  | 'sealedClientKey';

/** The region that a reference identifies. NOT_FOUND if it is not open for the team. */
export async function requireTeamRegion(
  context: Context,
  team: Pick<Row<'Team'>, 'id'>,
  ref: RegionRef,
): Promise<Row<'Region'>> {
  const region = await openRegion(context, team, ref);
  if (!region) throw new NotFoundError('region');
  return region;
}

/** The region with this name or, if none with it is open for the team, this id. NOT_FOUND if neither is open for the team. */
export const requireTeamRegionNamed = async (
  context: Context,
  team: Row<'Team'>,
  nameOrId: string,
): Promise<Row<'Region'>> =>
  (await openRegion(context, team, { name: nameOrId })) ??
  requireTeamRegion(context, team, { regionId: nameOrId });

/** Begins the reads of `requireTeamRegionNamed` before the team is read, if this is the id of a team of the caller. */
export function readTeamRegionAhead(context: Context, teamId: string, name?: string): void {
  if (!context.actor.teams.has(teamId)) return;
  if (name !== undefined) readAhead(regionByName(context, name));
  readAhead(openedFor(context, teamId));
}

/** Adds a region that another read has found. */
export function primeRegion(context: Context, region: Row<'Region'>): void {
  regionById.prime(context, region.id, region);
  if (region.enterpriseId === context.actor.enterpriseId) regionByName.prime(context, region.name, region);
}

/** The region, if it is open for the team. It is then visible to all who may see the team. */
async function openRegion(
  context: Context,
  team: Pick<Row<'Team'>, 'id'>,
  ref: RegionRef,
): Promise<Row<'Region'> | null> {
  const region =
    ref.name != null
      ? await regionByName(context, ref.name)
      : await regionById(context, ref.regionId ?? idOfType('Region', ref.id ?? '') ?? '');
  return region && (await teamRegionOf(context, team.id, region.id)) ? region : null;
}

export const isEnabled = ({ status }: Pick<Row<'Region'>, 'status'>) => status === 'enabled';

/** CONFLICT if the region is not enabled. Only changes require this; reads are always allowed. */
export function requireEnabled(region: Row<'Region'>): void {
  if (!isEnabled(region)) {
    throw new ConflictError(`The region ${region.name} is not enabled: its status is ${region.status}.`);
  }
}

/** Finds objects for callers who may do an action with them, in a region that allows it. */
export const requiredFor =
  <A extends Action, Ref, F extends { region: Row<'Region'> }>(
    actions: { readonly [action in A]: Requirement },
    find: (context: Context, ref: Ref, action: Action) => Promise<F>,
  ) =>
  async (context: Context, ref: Ref, action: A): Promise<F> => {
    const target = await find(context, ref, action);
    if (actions[action].needsEnabledRegion) requireEnabled(target.region);
    return target;
  };

/** Whether the caller may do what has this requirement with an object of the team in the region. Members are checked without reading the team. */
export function isAllowedAt(
  context: Context,
  row: { teamId: string; regionId: string },
  { action, needsEnabledRegion }: Requirement,
  place: PlaceInTeam,
): boolean | Promise<boolean> {
  const { actor } = context;
  const isAllowedIn = ({ enterpriseId }: { enterpriseId: string }) =>
    allows(actor, action, { enterpriseId, ...place });
  const isAllowed = actor.everywhere ? loadTeam(context, row.teamId).then(isAllowedIn) : isAllowedIn(actor);
  if (!isAllowed || !needsEnabledRegion) return isAllowed;
  const isPossible = loadRegion(context, row.regionId).then(isEnabled);
  return Promise.all([isAllowed, isPossible]).then(([may, can]) => may && can);
}

/** Whether the desired state of a component in the region is its actual state, so that jobs are done at once. */
export const isImmediate = (
  { drivers }: Pick<Context, 'drivers'>,
  { driver }: Pick<Row<'Region'>, 'driver'>,
) => drivers.region.get(driver)?.isImmediate ?? false;
