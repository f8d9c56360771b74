import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { lockedForDelete } from '../../../db/write/locked.ts';
import { changeByStatements, type ObjectChange } from '../../../db/write/plan.ts';
import { requireRevision } from '../../../db/write/revision.ts';
import { NotFoundError } from '../../../kernel/errors.ts';
import { requireApplicationFor } from '../../application/reads.ts';
import { removeApplication } from '../../application/rows.ts';
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
    async (open) => {
      const write = { ...open, team, region };
      const removal = await lockForRemoval(write, { field: 'applicationId', is: found.id });
      const application = await lockedForDelete(write, 'Application', found.id, expecting);
      if (!force) requireRemovable(context, removal);
      const job = await removeComponents(write, removal, application.id, deleteVolumes);
      const groups = await removeGroups(write, { field: 'applicationId', is: application.id });
      await removeApplication(write, application, {
        groups: groups.map(({ id, templateId, templateVersion }) => ({ id, templateId, templateVersion })),
      });
      return { application, job };
    },
  );
  return { application: result.application, job: result.job, plan };
}
