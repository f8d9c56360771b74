import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { requireWritable, type Write } from '../../db/write/change.ts';
import type { EventAction } from '../../db/write/events.ts';
import type { Reading } from '../../db/write/reading.ts';
import { plannedImages } from '../component/deploy/image-rows.ts';
import type { ManifestPlan } from '../plan/model.ts';
import type { ApplyWrite } from '../plan/parts-rows.ts';
import { makePlanned } from '../plan/planned-operations.ts';
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
  plan(reading: Reading<Context>): Promise<P>;
  /** Records what was made. */
  record(write: Write<Context>, planned: P): Promise<T> | T;
}

/** Makes a change, or a dry run of it. */
export async function restoreWith<P extends { restore: RestorePlan }, T>(
  context: Context,
  { place, action, isDryRun, plan, record }: Restore<P, T>,
): Promise<T & RestoreOutcome> {
  if (!isDryRun) requireWritable(context);
  return makePlanned(context, {
    action,
    isDryRun,
    plan,
    before: ({ restore }) => restore.application,
    async make(write, planned) {
      const job = await carryOutRestore({ ...write, ...place }, planned.restore);
      const images = plannedImages(write);
      return { ...(await record(write, planned)), job, plan: { ...planned.restore.plan, images } };
    },
  });
}
