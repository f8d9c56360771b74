import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { requireWritable } from '../../../db/write/change.ts';
import { changeWithPlan, type ObjectChange } from '../../../db/write/plan.ts';
import { requireComponentFor } from '../reads.ts';
import type { DeleteInstance } from './model.ts';
import { look, pickInstances, requireAccess } from './reads.ts';

export interface InstanceDeletion {
  component: Row<'Component'>;
  /** Null for a dry run. */
  instance: { name: string; uid: string } | null;
  plan: ObjectChange[];
}

/** Records that an instance is deleted. It is deleted after the commit, because a cluster can be slow to answer. */
export async function recordInstanceDeletion(
  context: Context,
  { component: ref, instance: name, dryRun }: DeleteInstance,
): Promise<InstanceDeletion> {
  const { component } = await requireComponentFor(context, ref, 'deleteInstance');
  const isDryRun = dryRun ?? false;
  if (!isDryRun) requireWritable(context);
  await requireAccess(context, component);
  const listed = await look(context, component, (access, signal) => access.list(component, signal));
  const [instance] = pickInstances(listed ?? [], { instance: name });
  const { plan } = await changeWithPlan(context, 'instance.delete', { dryRun: isDryRun }, async (write) => {
    write.recordEvent({
      subject: { type: 'Component', id: component.id },
      name,
      teamId: component.teamId,
      applicationId: component.applicationId,
      after: { instance: name },
    });
  });
  return { component, instance: isDryRun ? null : { name, uid: instance!.uid }, plan };
}

/** Deletes the instance. Another one with its name is not touched, so that this can be repeated. */
export async function deleteInstance(
  context: Context,
  deletion: InstanceDeletion,
): Promise<InstanceDeletion> {
  const { component, instance } = deletion;
  if (instance) {
    await look(context, component, (access, signal) => access.remove(component, instance, signal));
  }
  return deletion;
}
