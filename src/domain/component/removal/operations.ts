import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { lockedForDelete } from '../../../db/write/locked.ts';
import { changeByStatements, type ObjectChange } from '../../../db/write/plan.ts';
import { type Expecting, requireRevision } from '../../../db/write/revision.ts';
import { NotFoundError } from '../../../kernel/errors.ts';
import { applicationHooks } from '../../application/hooks.ts';
import { requireApplicationFor } from '../../application/reads.ts';
import { removeApplication } from '../../application/rows.ts';
import type { RemovalWrite } from '../hooks.ts';
import { requireComponentFor } from '../reads.ts';
import { changeWeights } from '../size/model.ts';
import type { DeleteApplication, DeleteComponent } from './model.ts';
import { lockForRemoval, removeComponents, removeGroups, requireRemovable } from './rows.ts';

/** The result of a deletion or its dry run. The job is null if there is nothing to remove from the cluster, and for a dry run. */
export interface Deletion {
  job: Row<'Job'> | null;
  plan: ObjectChange[];
}

export async function deleteComponent(
  context: Context,
  { component: ref, force, deleteVolumes, dryRun, ...expecting }: DeleteComponent,
): Promise<Deletion & { component: Row<'Component'> }> {
  const { component: found, team, region } = await requireComponentFor(context, ref, 'deleteComponent');
  const rows = { deleted: [{ model: 'Component' as const, ids: [found.id] }], weights: changeWeights };
  const { result, plan } = await changeByStatements(
    context,
    'component.delete',
    { dryRun, ...rows },
    async (open) => {
      const write = { ...open, team, region };
      const removal = await lockForRemoval(write, { field: 'id', is: [found.id] });
      const [component] = removal.components;
      if (!component) throw new NotFoundError('component');
      requireRevision(component, expecting, 'component');
      if (!force) requireRemovable(context, removal);
      return {
        component,
        job: await removeComponents(write, removal, component.applicationId, deleteVolumes),
      };
    },
  );
  return { component: result.component, job: result.job, plan };
}

/** Deletes an application with everything in it, in one transaction. */
export async function deleteApplication(
  context: Context,
  { application: ref, force, deleteVolumes, dryRun, ...expecting }: DeleteApplication,
): Promise<Deletion & { application: Row<'Application'> }> {
  const { application: found, team, region } = await requireApplicationFor(context, ref, 'deleteApplication');
  const rows = { deleted: [{ model: 'Application' as const, ids: [found.id] }], weights: changeWeights };
  const { result, plan } = await changeByStatements(
    context,
    'application.delete',
    { dryRun, ...rows },
    (open) =>
      removeWhole({ ...open, team, region }, found.id, {
        expecting,
        force: force ?? false,
        deletesVolumes: deleteVolumes ?? false,
      }),
  );
  return { application: result.application, job: result.job, plan };
}

/** Removes an application with everything in it. Returns the job that removes it from the cluster, as `removeComponents` does. */
export async function removeWhole(
  write: RemovalWrite,
  id: number,
  {
    force,
    deletesVolumes,
    expecting = {},
  }: { force: boolean; deletesVolumes: boolean; expecting?: Expecting },
): Promise<{ application: Row<'Application'>; job: Row<'Job'> | null }> {
  const removal = await lockForRemoval(write, { field: 'applicationId', is: id });
  const application = await lockedForDelete(write, 'Application', id, expecting);
  if (!force) requireRemovable(write.context, removal);
  const job = await removeComponents(write, removal, application.id, deletesVolumes);
  for (const { deleting } of applicationHooks) await deleting?.(write, application, job);
  const groups = await removeGroups(write, { field: 'applicationId', is: application.id });
  await removeApplication(write, application, {
    groups: groups.map(({ id, templateId, templateVersion }) => ({ id, templateId, templateVersion })),
  });
  return { application, job };
}
