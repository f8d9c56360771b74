import type { Context } from '../../../../context.ts';
import type { Row } from '../../../../db/tables.ts';
import { requireWritable, type Write } from '../../../../db/write/change.ts';
import type { EventAction } from '../../../../db/write/events.ts';
import { locked } from '../../../../db/write/locked.ts';
import { changeWithPlan, type ObjectChange } from '../../../../db/write/plan.ts';
import type { Expecting } from '../../../../db/write/revision.ts';
import { requireEnabled } from '../../../region/reads.ts';
import { tidyCron } from '../../timing/cron-model.ts';
import { defaultTimeZone } from '../../timing/model.ts';
import { requireVolume } from '../../volumes/reads.ts';
import { requireSnapshotsOf } from '../reads.ts';
import type { RemoveSnapshotSchedule, SetSnapshotSchedule } from './model.ts';
import { removeSchedule, setSchedule } from './rows.ts';

interface Outcome {
  volume: Row<'Volume'>;
  plan: ObjectChange[];
}

/** Makes snapshots of a volume at the times of a cron expression, from the next one. */
export async function setSnapshotSchedule(context: Context, input: SetSnapshotSchedule): Promise<Outcome> {
  const target = await requireVolume(context, input.volume, 'setSnapshotSchedule');
  requireEnabled(target.region);
  // A cluster is asked only for callers who may write.
  if (!input.dryRun) requireWritable(context);
  await requireSnapshotsOf(context, target.component, target.volume);
  const timeZone = input.timeZone ?? defaultTimeZone;
  const settings = { cron: tidyCron(input.cron), timeZone, keep: input.keep };
  return changeVolume(context, target, 'volume.set_snapshot_schedule', input, (write, component, volume) =>
    setSchedule(write, component, volume, settings),
  );
}

/** Removes the schedule of a volume, wherever its region is: the snapshots stay. */
export async function removeSnapshotSchedule(
  context: Context,
  input: RemoveSnapshotSchedule,
): Promise<Outcome> {
  const target = await requireVolume(context, input.volume, 'removeSnapshotSchedule');
  requireEnabled(target.region);
  return changeVolume(context, target, 'volume.remove_snapshot_schedule', input, removeSchedule);
}

async function changeVolume(
  context: Context,
  target: { component: Row<'Component'>; volume: Pick<Row<'Volume'>, 'id'> },
  action: EventAction,
  { dryRun, ...expecting }: Expecting & { dryRun?: boolean | null | undefined },
  work: (write: Write, component: Row<'Component'>, volume: Row<'Volume'>) => Promise<Row<'Volume'>>,
): Promise<Outcome> {
  const { result, plan } = await changeWithPlan(context, action, { dryRun }, async (write) => {
    const component = await locked(write, 'Component', target.component.id, {}, 'volume');
    return work(write, component, await locked(write, 'Volume', target.volume.id, expecting));
  });
  return { volume: result, plan };
}
