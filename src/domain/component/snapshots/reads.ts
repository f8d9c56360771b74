import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { boundedLook, RegionWorkError } from '../../../drivers/region/driver.ts';
import type {
  SnapshotAccess,
  SnapshotOwner,
  VolumeSnapshot,
} from '../../../drivers/region/volume-snapshots.ts';
import { batched } from '../../../kernel/batch.ts';
import { ApiError, ConflictError, NotFoundError } from '../../../kernel/errors.ts';
import { warnOnce } from '../../../kernel/log.ts';
import { loadRegion } from '../../region/reads.ts';
import { loadComponent } from '../reads.ts';
import { dataProblem, maxSnapshots } from './model.ts';

/** The most components whose snapshots a request can list. */
export const maxSnapshotComponents = 20;

/** The parts of the context of a request, or of a background worker, that snapshots need. */
export type SnapshotContext = Pick<Context, 'drivers' | 'log' | 'loaders' | 'db'> & { signal?: AbortSignal };

/** Looks at the snapshots of a component, or changes them. REGION_UNAVAILABLE if the cluster does not respond. */
export async function withSnapshots<T>(
  context: SnapshotContext,
  component: Pick<SnapshotOwner, 'regionId'> & Partial<Pick<SnapshotOwner, 'id'>>,
  work: (access: SnapshotAccess, signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const region = await loadRegion(context, component.regionId);
  const driver = context.drivers.region.get(region.driver);
  const access = driver?.snapshots;
  if (!access) return undefined;
  try {
    return await boundedLook((signal) => work(access, signal), context, driver.timeoutMs);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof RegionWorkError && error.isPermanent) throw new ConflictError(error.message);
    const about = { region: region.id, component: component.id };
    warnOnce(context.log, { ...about, error }, 'region driver failed');
    const message =
      error instanceof RegionWorkError ? error.message : `The region ${region.name} did not respond.`;
    throw new ApiError('REGION_UNAVAILABLE', message);
  }
}

/** The reason why a region cannot make snapshots, or restore them in other namespaces. Null if it can. */
export async function missingForSnapshots(
  context: SnapshotContext,
  regionId: string,
  what: 'missing' | 'missingForCopies' = 'missing',
): Promise<string | null> {
  const region = await loadRegion(context, regionId);
  const missing = await withSnapshots(context, { regionId }, (access, signal) =>
    access[what](regionId, signal),
  );
  if (missing !== undefined) return missing;
  return `The region ${region.name} makes no snapshots: its driver is ${region.driver.toUpperCase()}.`;
}

/** CONFLICT, with what is missing, if the region of a component cannot make snapshots. */
export async function requireSnapshots(
  context: SnapshotContext,
  { regionId }: Pick<SnapshotOwner, 'regionId'>,
  what?: Parameters<typeof missingForSnapshots>[2],
): Promise<void> {
  const missing = await missingForSnapshots(context, regionId, what);
  if (missing !== null) throw new ConflictError(missing);
}

/** The snapshots of components of a region, by the ids of these. Newest first. */
export async function listSnapshots(
  context: SnapshotContext,
  owners: readonly SnapshotOwner[],
): Promise<ReadonlyMap<string, VolumeSnapshot[]>> {
  const [first] = owners;
  const found =
    first && (await withSnapshots(context, first, (access, signal) => access.list(owners, signal)));
  return found ?? new Map();
}

export const snapshotsOfOne = async (
  context: SnapshotContext,
  owner: SnapshotOwner,
): Promise<VolumeSnapshot[]> => (await listSnapshots(context, [owner])).get(owner.id) ?? [];

/** CONFLICT if there can be no snapshots of a volume, with what is missing. */
export async function requireSnapshotsOf(
  context: SnapshotContext,
  component: SnapshotOwner,
  volume: Pick<Row<'Volume'>, 'name' | 'type' | 'isShared'>,
): Promise<void> {
  const problem = dataProblem(volume);
  if (problem !== undefined) throw new ConflictError(problem);
  await requireSnapshots(context, component);
}

/**
 * CONFLICT if a snapshot cannot be made. Returns whether the schedule has made it already, before its process ended: for others,
 * the name is taken then. Also returns the snapshots of the component.
 */
export async function requireNewSnapshot(
  context: SnapshotContext,
  component: SnapshotOwner,
  {
    volume,
    name,
    scheduleId,
  }: { volume: Pick<Row<'Volume'>, 'name' | 'type' | 'isShared'>; name: string; scheduleId?: string },
): Promise<{ isMade: boolean; others: VolumeSnapshot[] }> {
  await requireSnapshotsOf(context, component, volume);
  const snapshots = await snapshotsOfOne(context, component);
  const same = snapshots.find((each) => each.name === name);
  if (same && scheduleId !== undefined && same.scheduleId === scheduleId)
    return { isMade: true, others: snapshots };
  if (same) throw new ConflictError(`The component ${component.name} already has a snapshot ${name}.`);
  if (snapshots.filter((each) => each.volume === volume.name).length >= maxSnapshots) {
    throw new ConflictError(`The volume ${volume.name} already has ${maxSnapshots} snapshots.`);
  }
  return { isMade: false, others: snapshots };
}

type Found = { snapshots: VolumeSnapshot[] } | { failure: unknown };

const snapshotsOfComponents = batched(
  async (context: Context, ids: string[]) => {
    if (ids.length > maxSnapshotComponents) {
      throw new ApiError(
        'LIMIT_EXCEEDED',
        `A request can list the snapshots of at most ${maxSnapshotComponents} components.`,
      );
    }
    const reads = ids.map(async (id): Promise<[string, Found]> => {
      try {
        const component = await loadComponent(context, id);
        return [id, { snapshots: await snapshotsOfOne(context, component) }];
      } catch (failure) {
        return [id, { failure }];
      }
    });
    return new Map(await Promise.all(reads));
  },
  { snapshots: [] } as Found,
);

/** The snapshots of a volume, newest first. Empty in regions without snapshots. */
export async function snapshotsOf(
  context: Context,
  { componentId, name }: Pick<Row<'Volume'>, 'componentId' | 'name'>,
): Promise<VolumeSnapshot[]> {
  const answer = await snapshotsOfComponents(context, componentId);
  if ('failure' in answer) throw answer.failure;
  const snapshots = answer.snapshots.filter(({ volume }) => volume === name);
  context.budget?.reserve(snapshots.reduce((sum, { problem }) => sum + 100 + (problem?.length ?? 0), 0));
  return snapshots;
}

/** A snapshot of a volume by its name. NOT_FOUND if there is none. */
export async function requireSnapshot(
  context: Context,
  component: SnapshotOwner,
  volume: Pick<Row<'Volume'>, 'name'>,
  name: string,
): Promise<VolumeSnapshot> {
  const snapshots = await snapshotsOfOne(context, component);
  const snapshot = snapshots.find((each) => each.name === name && each.volume === volume.name);
  if (!snapshot) throw new NotFoundError('snapshot');
  return snapshot;
}

/** CONFLICT if a restored volume still has to get the data of a snapshot: without it, the data would be lost. */
export async function requireUnused(context: Context, component: SnapshotOwner, name: string): Promise<void> {
  const inUse = await withSnapshots(context, component, (access, signal) => access.inUse(component, signal));
  if (!inUse?.includes(name)) return;
  throw new ConflictError(
    `The snapshot ${name} is in use: a volume of the component ${component.name} waits for its data. Start the component first.`,
  );
}
