import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change, requireWritable, type Write } from '../../db/write/change.ts';
import type { EventAction } from '../../db/write/events.ts';
import { dryRunOf } from '../../db/write/plan.ts';
import { type Reading, unlocked } from '../../db/write/reading.ts';
import { isUnchanged } from '../application/reads.ts';
import { plannedImages } from '../component/deploy/image-rows.ts';
import type { ManifestPlan } from '../plan/model.ts';
import type { ApplyWrite } from '../plan/parts-rows.ts';
import { carryOutRestore, type RestorePlan } from './restore-rows.ts';

export interface RestoreOutcome {
  /** Null if there is nothing to carry out, and for a dry run. */
  job: Row<'Job'> | null;
  plan: ManifestPlan;
}

interface Restore<P, T> {
  place: Pick<ApplyWrite, 'team' | 'region'>;
  action: EventAction;
  isDryRun: boolean;
  /** A dry run plans before its transaction, so that others wait for what it writes alone. */
  plan(reading: Reading<Context>): Promise<P>;
  /** Records what was made. */
  record(write: Write<Context>, planned: P): Promise<T> | T;
}

/** Makes a change, or plans it: it is made, and rolled back, so that it fails as the change would. */
export async function restoreWith<P extends { restore: RestorePlan }, T>(
  context: Context,
  { place, action, isDryRun, plan, record }: Restore<P, T>,
): Promise<T & RestoreOutcome> {
  const make = async (write: Write<Context>, planned: P) => {
    const job = await carryOutRestore({ ...write, ...place }, planned.restore);
    const images = plannedImages(write);
    return { ...(await record(write, planned)), job, plan: { ...planned.restore.plan, images } };
  };
  if (isDryRun) {
    const planned = () => plan(unlocked(context));
    const made = await dryRunOf(context, planned, async (write, each) =>
      (await isUnchanged(write, each.restore.application)) ? make(write, each) : undefined,
    );
    return { ...made, job: null };
  }
  requireWritable(context);
  return change(context, action, async (write) => make(write, await plan(write)));
}
