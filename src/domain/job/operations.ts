import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import type { CancelJob } from './model.ts';
import { requireJob } from './reads.ts';
import { setCancelled } from './rows.ts';

/** Cancels a job. Calls to the driver that are in progress are aborted. */
export async function cancelJob(
  context: Context,
  { job: ref, ...expecting }: CancelJob,
): Promise<Row<'Job'>> {
  const job = await requireJob(context, ref, 'cancelJob');
  return change(context, 'job.cancel', (write) => setCancelled(write, job, expecting));
}
