import type { DesiredComponent } from '../desired.ts';
import { namespaceIn, type Place } from './apply-object.ts';
import { workError } from './errors.ts';
import { amountOf } from './figures.ts';
import type { Surge } from './workload.ts';

const mebibyte = 2 ** 20;

/** What one instance of a component counts in a quota. */
const countedFor = ({ cpuMillicores, memoryMiB }: DesiredComponent): Record<string, number> => {
  const [cpu, memory] = [cpuMillicores / 1000, memoryMiB * mebibyte];
  const requests = { cpu, memory, 'requests.cpu': cpu, 'requests.memory': memory };
  return { ...requests, 'limits.cpu': cpu, 'limits.memory': memory, pods: 1, 'count/pods': 1 };
};

/** How an update of a component can begin, by the quotas of its namespace and what they have left. */
export async function surgeOf(
  { connection, region, signal }: Place,
  component: DesiredComponent,
): Promise<Surge> {
  const namespace = namespaceIn(region, component);
  const { items } = await connection.client.list('ResourceQuota', signal, { namespace }).catch((error) => {
    throw workError(error);
  });
  const counted = countedFor(component);
  const limits = items.flatMap(({ spec, status }) =>
    Object.entries((spec?.hard ?? {}) as Record<string, string>)
      .filter(([name]) => name in counted)
      .map(([name, hard]) => ({
        needed: counted[name]!,
        left: amountOf(hard) - amountOf(status?.used?.[name]),
      })),
  );
  if (limits.length === 0) return 'free';
  return limits.every(({ needed, left }) => needed <= left) ? 'one' : 'none';
}
