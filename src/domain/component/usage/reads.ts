import type { Context } from '../../../context.ts';
import { batchedRow } from '../../../db/list.ts';
import type { Row } from '../../../db/tables.ts';
import { boundedLook } from '../../../drivers/region/driver.ts';
import type { ComponentUsage } from '../../../drivers/region/usage.ts';
import { batched } from '../../../kernel/batch.ts';
import { groupBy } from '../../../kernel/group.ts';
import { regionById } from '../../region/reads.ts';
import { lookFailure, maxInstances } from '../instances/reads.ts';
import { measuredFields } from './history-reads.ts';

const measuredById = batchedRow('Component', 'id', [...measuredFields]);

/** The usage of a component, or why its driver did not return it. */
type Answer = { usage: ComponentUsage } | { failure: unknown };

const noCluster: Answer = { usage: { gap: 'no_cluster', instances: [] } };

/** The usage of components, with one call of the driver for each region. */
const usageById = batched(
  async (context: Context, ids: string[]): Promise<Map<string, Answer>> => {
    const rows = await Promise.all(ids.map((id) => measuredById(context, id)));
    const components = rows.filter((each) => each !== null);
    const answers = new Map<string, Answer>();
    await Promise.all(
      [...groupBy(components, ({ regionId }) => regionId)].map(async ([regionId, group]) => {
        try {
          const region = await regionById(context, regionId);
          const driver = context.drivers.region.get(region?.driver ?? '');
          if (!driver) throw new Error(`There is no region driver named ${region?.driver}.`);
          const access = driver.usage;
          if (!access) {
            for (const { id } of group) answers.set(id, noCluster);
            return;
          }
          const readUsages = (signal: AbortSignal) => access.now(regionId, group, signal);
          const usages = await boundedLook(readUsages, context, driver.timeoutMs);
          for (const { id } of group) {
            const usage = usages.get(id);
            answers.set(id, usage ? { usage } : { failure: new Error('The driver returned no usage.') });
          }
        } catch (failure) {
          for (const { id } of group) answers.set(id, { failure });
        }
      }),
    );
    return answers;
  },
  { failure: new Error('There is no such component.') } as Answer,
);

/** The present usage of the instances of a component. REGION_UNAVAILABLE if the cluster does not respond. */
export async function usageOf(
  context: Context,
  component: Pick<Row<'Component'>, 'id' | 'name'>,
): Promise<ComponentUsage> {
  const answer = await usageById(context, component.id);
  if ('failure' in answer) throw lookFailure(context, component, answer.failure);
  const { gap, instances } = answer.usage;
  return { gap, instances: instances.slice(0, maxInstances) };
}
