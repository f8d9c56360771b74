import type { Context } from '../../../context.ts';
import { isDifferent } from '../../../db/write/record.ts';
import { type ComponentOutcome, changeComponent } from '../deploy/operations.ts';
import { requireComponentFor } from '../reads.ts';
import {
  autoscalingColumnsOf,
  autoscalingOf,
  type RemoveAutoscaling,
  requireScalable,
  type SetAutoscaling,
  withinBounds,
} from './model.ts';
import { requireReplicas } from './reads.ts';
import { requireSharedVolumes } from './rows.ts';

/** Lets the load set the number of the instances of a component. */
export const setAutoscaling = (
  context: Context,
  { component, minReplicas, maxReplicas, cpuPercent, memoryPercent, ...options }: SetAutoscaling,
): Promise<ComponentOutcome> =>
  changeComponent(context, component, 'setAutoscaling', options, async (write, row) => {
    const autoscaling = {
      minReplicas,
      maxReplicas,
      cpuPercent: cpuPercent ?? null,
      memoryPercent: memoryPercent ?? null,
    };
    const columns = autoscalingColumnsOf(autoscaling);
    const data = { ...columns, replicas: withinBounds(row.replicas, autoscaling) };
    requireScalable({ ...row, ...data });
    await requireSharedVolumes(write, { ...row, ...data });
    if (!isDifferent(row, data)) return null;
    return { row, action: 'scale', event: 'component.set_autoscaling', data };
  });

/** Removes the autoscaling of a component, which keeps the number of instances that it has. */
export async function removeAutoscaling(
  context: Context,
  { component: ref, ...options }: RemoveAutoscaling,
): Promise<ComponentOutcome> {
  const { component } = await requireComponentFor(context, ref, 'removeAutoscaling');
  // Clusters are not asked while the transaction is open.
  const count = await requireReplicas(context, component);
  return changeComponent(context, ref, 'removeAutoscaling', options, async (_, row) => {
    const autoscaling = autoscalingOf(row);
    if (!autoscaling) return null;
    const data = { ...autoscalingColumnsOf(null), replicas: withinBounds(count, autoscaling) };
    return { row, action: 'scale', event: 'component.remove_autoscaling', data };
  });
}
