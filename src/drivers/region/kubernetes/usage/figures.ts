import { amountOf } from '../../../../formats/quantities.ts';
import type { KubernetesRegion } from '../../clusters.ts';
import type { RegionFigures, RegionKnowledge } from '../../driver.ts';
import { fromMemory, hasCode, type List } from '../cluster/answers.ts';
import type { Client } from '../cluster/client.ts';
import { isOfRegion } from '../objects/namespaces.ts';
import { managedSelector } from '../objects/objects.ts';

const sum = (amounts: (string | undefined)[]) => amounts.reduce((total, each) => total + amountOf(each), 0);

/** The use of each node, if the cluster measures it. */
async function measured(
  client: Client,
  signal: AbortSignal,
): Promise<{ cpu: number; memory: number } | undefined> {
  try {
    const { items } = await client.get<List>('/apis/metrics.k8s.io/v1beta1/nodes', signal);
    return {
      cpu: sum(items.map(({ usage }) => usage?.cpu)),
      memory: sum(items.map(({ usage }) => usage?.memory)),
    };
  } catch (error) {
    // A cluster without metrics, or one that does not show them to the platform.
    if (hasCode(error, 403, 404, 503)) return undefined;
    throw error;
  }
}

/** Capacity from what nodes can allocate, and use as it is measured, or else as it is requested. */
export async function figuresOf(
  client: Client,
  region: RegionKnowledge & Pick<KubernetesRegion, 'cluster'>,
  signal: AbortSignal,
): Promise<RegionFigures> {
  const [nodes, claims, use] = await Promise.all([
    client.list('Node', signal, fromMemory),
    client.list('PersistentVolumeClaim', signal, { labelSelector: managedSelector, ...fromMemory }),
    measured(client, signal),
  ]);
  const allocatable = (resource: string) =>
    sum(nodes.items.map(({ status }) => status?.allocatable?.[resource]));
  const disk = sum(
    claims.items
      .filter(isOfRegion(region))
      .map(({ spec, status }) => status?.capacity?.storage ?? spec?.resources?.requests?.storage),
  );
  return {
    usedCpuCores: use?.cpu ?? region.requestedCpuMillicores / 1000,
    totalCpuCores: allocatable('cpu'),
    usedMemoryMiB: (use ? use.memory : region.requestedMemoryMiB * 2 ** 20) / 2 ** 20,
    totalMemoryMiB: allocatable('memory') / 2 ** 20,
    usedDiskGiB: disk / 2 ** 30,
    totalDiskGiB: region.diskGiB,
  };
}
