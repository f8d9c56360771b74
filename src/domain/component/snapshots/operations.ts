import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { change, requireWritable } from '../../../db/write/change.ts';
import { locked } from '../../../db/write/locked.ts';
import { changeWithPlan, type ObjectChange } from '../../../db/write/plan.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { requireEnabled } from '../../region/reads.ts';
import { requireVolume } from '../volumes/reads.ts';
import { newName, snapshotEvent } from './event-model.ts';
import type { CreateVolumeSnapshot, DeleteVolumeSnapshot, RestoreVolumeSnapshot } from './model.ts';
import {
  requireNewSnapshot,
  requireSnapshot,
  requireSnapshots,
  requireUnused,
  withSnapshots,
} from './reads.ts';
import { requireNotDeleting, setRestoring } from './schedule/rows.ts';

/** A change of a snapshot that is recorded, and then made in the cluster: nothing is if it is a dry run. */
export interface SnapshotChange {
  component: Row<'Component'>;
  volume: Row<'Volume'>;
  name: string;
  isDryRun: boolean;
  plan: ObjectChange[];
}

/** The volume of a reference. Its file content is read when it is asked for. */
async function findVolume(...args: Parameters<typeof requireVolume>) {
  const { volume, ...owner } = await requireVolume(...args);
  return { volume: volume as Row<'Volume'>, ...owner };
}

export async function recordSnapshot(context: Context, input: CreateVolumeSnapshot): Promise<SnapshotChange> {
  const { volume, component, region } = await findVolume(context, input.volume, 'createVolumeSnapshot');
  requireEnabled(region);
  requireWritable(context);
  const name = input.name ?? newName(new Date());
  await requireNewSnapshot(context, component, { volume, name });
  const made = { component, volume, name };
  await change(context, 'volume_snapshot.create', async ({ recordEvent }) =>
    recordEvent(snapshotEvent(made)),
  );
  return { ...made, isDryRun: false, plan: [] };
}

export async function makeSnapshot(context: Context, made: SnapshotChange): Promise<SnapshotChange> {
  const { component, volume, name } = made;
  await withSnapshots(context, component, (access, signal) =>
    access.create(component, { volume: volume.name, name }, signal),
  );
  return made;
}

export async function recordSnapshotDeletion(
  context: Context,
  { volume: ref, name, dryRun }: DeleteVolumeSnapshot,
): Promise<SnapshotChange> {
  const { volume, component, region } = await findVolume(context, ref, 'deleteVolumeSnapshot');
  requireEnabled(region);
  const isDryRun = dryRun ?? false;
  if (!isDryRun) requireWritable(context);
  await requireSnapshots(context, component);
  await requireSnapshot(context, component, volume, name);
  await requireUnused(context, component, name);
  const deleted = { component, volume, name };
  const { plan } = await changeWithPlan(
    context,
    'volume_snapshot.delete',
    { dryRun: isDryRun },
    async ({ recordEvent }) => recordEvent(snapshotEvent(deleted)),
  );
  return { ...deleted, isDryRun, plan };
}

export async function deleteSnapshot(context: Context, deleted: SnapshotChange): Promise<SnapshotChange> {
  const { component, name, isDryRun } = deleted;
  if (!isDryRun) {
    await withSnapshots(context, component, (access, signal) => access.remove(component, name, signal));
  }
  return deleted;
}

/** States in which a component has no instances that use its volumes. */
const stopped = ['closed', 'undeploy'];

export async function recordRestore(
  context: Context,
  { volume: ref, name, dryRun }: RestoreVolumeSnapshot,
): Promise<SnapshotChange> {
  const { volume, component, region } = await findVolume(context, ref, 'restoreVolumeSnapshot');
  requireEnabled(region);
  const isDryRun = dryRun ?? false;
  if (!isDryRun) requireWritable(context);
  await requireSnapshots(context, component);
  const snapshot = await requireSnapshot(context, component, volume, name);
  if (!snapshot.isReady) {
    throw new ConflictError(
      `The snapshot ${name} is not ready${snapshot.problem ? `: ${snapshot.problem}` : '.'}`,
    );
  }
  const restored = { component, volume, name };
  const { plan } = await changeWithPlan(
    context,
    'volume_snapshot.restore',
    { dryRun: isDryRun },
    async (write) => {
      const before = await locked(write, 'Component', component.id);
      if (!stopped.includes(before.deployState)) {
        throw new ConflictError(`The component ${before.name} runs. Stop it first.`);
      }
      await requireNotDeleting(write, volume, name);
      await setRestoring(write, volume.id, name);
      write.recordEvent(snapshotEvent(restored));
    },
  );
  return { ...restored, isDryRun, plan };
}

export async function restoreSnapshot(context: Context, restored: SnapshotChange): Promise<SnapshotChange> {
  const { component, volume, name, isDryRun } = restored;
  if (!isDryRun) {
    await withSnapshots(context, component, (access, signal) =>
      access.restore(component, { volume, name }, signal),
    );
    // From here on, the cluster says whether the snapshot is in use.
    await context.db.transaction((tx) => setRestoring({ tx }, volume.id, null));
  }
  return restored;
}
