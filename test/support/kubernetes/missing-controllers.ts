import { setTimeout as sleep } from 'node:timers/promises';
import type { NamespaceOwner } from '../../../src/drivers/region/desired.ts';
import { ClusterError } from '../../../src/drivers/region/kubernetes/cluster/answers.ts';
import { namespaceIn } from '../../../src/drivers/region/kubernetes/objects/namespaces.ts';
import { type KubernetesObject, managed } from '../../../src/drivers/region/kubernetes/objects/objects.ts';
import type { TestCluster } from './test-cluster.ts';

const forever = new AbortController().signal;

/** How long a controller may take to notice an object, in ms. */
const noticeMs = 30_000;

/** Why no certificates are issued for tests. Null if they are. */
export async function missingIssuer({ client, region }: TestCluster): Promise<string | null> {
  const { certificateIssuer } = region.cluster;
  if (certificateIssuer === null) return 'No issuer of certificates was named.';
  const path = `/apis/cert-manager.io/v1/clusterissuers/${certificateIssuer}`;
  const found = await client.get<KubernetesObject>(path, forever).catch((error) => {
    if (error instanceof ClusterError) return undefined;
    throw error;
  });
  const isReady = found?.status?.conditions?.some(
    ({ type, status }: { type: string; status: string }) => type === 'Ready' && status === 'True',
  );
  return isReady ? null : `There is no ClusterIssuer ${certificateIssuer} that is ready.`;
}

/**
 * Why snapshots of volumes are not made ready. Null if they are. A controller says of a snapshot of a claim that is not there that
 * it cannot be made; nobody says anything where there is no controller.
 */
export async function missingSnapshots(
  { client, region }: TestCluster,
  owner: NamespaceOwner,
): Promise<string | null> {
  const namespace = namespaceIn(region, owner);
  const kind = 'VolumeSnapshot';
  const name = 'probe';
  const probe: KubernetesObject = {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind,
    metadata: { name, namespace, labels: managed },
    spec: { source: { persistentVolumeClaimName: 'nothing' } },
  };
  await client.apply(probe, forever);
  try {
    for (const endsAt = performance.now() + noticeMs; performance.now() < endsAt; ) {
      const found = await client.read(kind, namespace, name, forever);
      if (found?.status || found?.metadata.finalizers?.length) return null;
      // Waits on time: a controller says nothing of when it looks.
      await sleep(500);
    }
    return 'There is no snapshot controller: nobody has looked at a snapshot.';
  } finally {
    await client.remove(probe, forever);
  }
}
