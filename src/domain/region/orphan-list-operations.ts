import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { boundedLook, type RegionDriver, RegionWorkError } from '../../drivers/region/driver.ts';
import type { ManagedObject, ManagedObjects } from '../../drivers/region/managed-objects.ts';
import { administers } from '../../kernel/access.ts';
import { batched } from '../../kernel/batch.ts';
import { ApiError, ConflictError, ForbiddenError } from '../../kernel/errors.ts';
import { regionHooks } from './hooks.ts';
import { maxOrphanRegions, maxOrphans } from './orphan-model.ts';

type Looked = Pick<Row<'Region'>, 'id' | 'name' | 'driver'>;

/** Calls the driver of a region. REGION_UNAVAILABLE if the cluster does not respond. */
export async function lookAtObjects<T>(
  context: Context,
  { name }: Looked,
  { objects, timeoutMs }: Pick<RegionDriver, 'objects' | 'timeoutMs'>,
  read: (objects: ManagedObjects, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await boundedLook((signal) => read(objects!, signal), context, timeoutMs);
  } catch (error) {
    context.log.warn({ region: name, error }, 'region driver failed');
    const message = error instanceof RegionWorkError ? error.message : `The region ${name} did not respond.`;
    throw new ApiError('REGION_UNAVAILABLE', message);
  }
}

/** The driver of a region. CONFLICT if the region has no cluster. */
export function requireObjects(context: Context, { name, driver }: Looked) {
  const regionDriver = context.drivers.region.get(driver);
  if (regionDriver?.objects) return regionDriver;
  throw new ConflictError(`The region ${name} has no cluster: its driver is ${driver.toUpperCase()}.`);
}

/** The objects of components, applications and teams that the region does not have, oldest first. */
async function inNoModel(
  context: Context,
  regionId: string,
  objects: readonly ManagedObject[],
): Promise<ManagedObject[]> {
  const { db } = context;
  const componentIds = [...new Set(objects.flatMap(({ componentIds: ids }) => ids))];
  const teamIds = [...new Set(objects.map(({ teamId }) => teamId))];
  const applicationIds = objects.flatMap(({ applicationId }) => applicationId ?? []);
  const [applications, components, opened, ...removed] = await Promise.all([
    db.application.findManyByKeys({ by: 'id', keys: applicationIds, fields: ['id', 'regionId'] }),
    db.component.findManyByKeys({ by: 'id', keys: componentIds, fields: ['id', 'regionId'] }),
    db.teamRegion.findManyByKeys({ by: 'teamId', keys: teamIds }),
    ...regionHooks.map((hook) => hook.removing?.(context, componentIds) ?? []),
  ]);
  const owners = new Set(components.filter((row) => row.regionId === regionId).map(({ id }) => id));
  for (const id of removed.flat()) owners.add(id);
  const teams = new Set(opened.filter((row) => row.regionId === regionId).map(({ teamId }) => teamId));
  const kept = new Set(applications.filter((row) => row.regionId === regionId).map(({ id }) => id));
  const isOwned = ({ componentIds: ids }: ManagedObject) => ids.some((id) => owners.has(id));
  // A namespace is needed as long as components in it are being removed.
  const needed = new Set(objects.filter(isOwned).map(({ namespace }) => namespace));
  return objects.filter((object) => {
    const { applicationId, componentIds: ids, namespace, teamId } = object;
    if (applicationId !== undefined) return !kept.has(applicationId) && !needed.has(namespace);
    return ids.length > 0 ? !isOwned(object) : !teams.has(teamId);
  });
}

/** The objects of Trellis in a region's cluster that are in no model, oldest first, at most `maxOrphans`. */
export async function orphansIn(context: Context, region: Looked): Promise<ManagedObject[]> {
  const driver = requireObjects(context, region);
  const objects = await lookAtObjects(context, region, driver, (access, signal) =>
    access.list(region.id, signal),
  );
  return (await inNoModel(context, region.id, objects)).slice(0, maxOrphans);
}

type Answer = { orphans: ManagedObject[] } | { failure: unknown } | null;

/** Every cluster is looked at once, however often a request asks. */
const orphans = batched(async (context: Context, names: string[]): Promise<Map<string, Answer>> => {
  if (names.length > maxOrphanRegions) {
    throw new ApiError(
      'LIMIT_EXCEEDED',
      `A request can list the orphans of at most ${maxOrphanRegions} regions.`,
    );
  }
  const answers = new Map<string, Answer>();
  await Promise.all(
    names.map(async (key) => {
      const region = JSON.parse(key) as Looked;
      const answer = orphansIn(context, region).then(
        (each) => ({ orphans: each }),
        (failure) => ({ failure }),
      );
      answers.set(key, await answer);
    }),
  );
  return answers;
}, null as Answer);

/** FORBIDDEN for callers who do not administer the region. Empty if it has no cluster. */
export async function orphansOf(
  context: Context,
  { id, name, driver, enterpriseId }: Looked & Pick<Row<'Region'>, 'enterpriseId'>,
): Promise<ManagedObject[]> {
  if (!administers(context.actor, { enterpriseId })) {
    throw new ForbiddenError('Only enterprise administrators can list the orphans of a cluster.');
  }
  if (!context.drivers.region.get(driver)?.objects) return [];
  const answer = await orphans(context, JSON.stringify({ id, name, driver } satisfies Looked));
  if (answer && 'failure' in answer) throw answer.failure;
  return answer?.orphans ?? [];
}
