import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { changeByStatements, type ObjectChange } from '../../db/write/plan.ts';
import { requireRevision } from '../../db/write/revision.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { requireApplicationFor } from '../application/reads.ts';
import { removeWhole } from '../component/removal/operations.ts';
import { changeWeights } from '../component/size/model.ts';
import type { ClosePreview } from './model.ts';
import { previewWithKey } from './reads.ts';

type Preview = Row<'Preview'>;

interface Closed {
  preview: Preview;
  /** The job that removes it from the cluster. Null if there is nothing to remove, and for a dry run. */
  job: Row<'Job'> | null;
  plan: ObjectChange[];
}

/** Deletes a preview with its data. One that is being deleted already stays as it is. */
export async function closePreview(context: Context, input: ClosePreview): Promise<Closed> {
  const target = await requireApplicationFor(context, input.application, 'closePreview');
  const preview = await previewWithKey(context, target.application.id, input.key);
  if (!preview) throw new NotFoundError('preview');
  requireRevision(preview, input, 'preview');
  const { copyId } = preview;
  if (copyId === null) return { preview, job: null, plan: [] };
  return { preview, ...(await deleteCopy(context, target, copyId, input.dryRun ?? false)) };
}

/** Deletes the copy, which ends its preview. */
export async function deleteCopy(
  context: Context,
  { team, region }: { team: Row<'Team'>; region: Row<'Region'> },
  copyId: number,
  dryRun: boolean,
): Promise<Pick<Closed, 'job' | 'plan'>> {
  const deleted = [{ model: 'Application' as const, ids: [copyId] }];
  const options = { dryRun, deleted, weights: changeWeights };
  const { result, plan } = await changeByStatements(context, 'application.delete', options, (write) =>
    removeWhole({ ...write, team, region }, copyId, { force: true, deletesVolumes: true }),
  );
  return { job: result.job, plan };
}
