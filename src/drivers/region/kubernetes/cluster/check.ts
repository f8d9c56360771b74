import { setMaxListeners } from 'node:events';
import type { ClusterCheck, ClusterRight, KubernetesRegion } from '../../clusters.ts';
import { bounded } from '../../driver.ts';
import { ClusterError } from './answers.ts';
import type { Client } from './client.ts';
import { workError } from './errors.ts';
import { neededRights } from './rights.ts';

const timeoutMs = 10_000;

/** Whether the cluster serves a group of its API. */
async function serves(client: Client, group: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.get(`/apis/${group}`, signal);
    return true;
  } catch (error) {
    if (error instanceof ClusterError && error.code < 500) return false;
    throw error;
  }
}

async function mayDo(client: Client, right: Omit<ClusterRight, 'isAllowed'>, signal: AbortSignal) {
  const [resource, subresource] = right.resource.split('/');
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { ...right, resource, ...(subresource && { subresource }) } },
  };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const { status } = await client.post<{ status: { allowed: boolean } }>(path, review, signal);
  return { ...right, isAllowed: status.allowed };
}

/** Looks at a cluster: its version, what the account may do, and what is installed. */
export async function checkCluster(
  { cluster }: KubernetesRegion,
  connect: () => Promise<Client>,
  signal?: AbortSignal,
): Promise<ClusterCheck> {
  const needed = neededRights
    .filter(({ group }) => !group.startsWith('gateway') || cluster.gatewayClass)
    .filter(({ group }) => group !== 'cert-manager.io' || cluster.certificateIssuer)
    .flatMap(({ group, resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => ({ verb, group, resource }))),
    );
  let client: Client | undefined;
  try {
    return await bounded(
      async (ended) => {
        setMaxListeners(0, ended);
        client = await connect();
        const { gitVersion } = await client.get('/version', ended);
        const hasSnapshots = await serves(client, 'snapshot.storage.k8s.io', ended);
        const asked = needed.filter(({ group }) => group !== 'snapshot.storage.k8s.io' || hasSnapshots);
        const [rights, hasGatewayApi, hasMetrics, hasCertManager] = await Promise.all([
          Promise.all(asked.map((right) => mayDo(client!, right, ended))),
          serves(client, 'gateway.networking.k8s.io', ended),
          serves(client, 'metrics.k8s.io', ended),
          serves(client, 'cert-manager.io', ended),
        ]);
        const has = { hasGatewayApi, hasMetrics, hasCertManager, hasSnapshots };
        return { isReachable: true, problem: null, version: gitVersion, rights, ...has };
      },
      signal,
      timeoutMs,
    );
  } catch (error) {
    signal?.throwIfAborted();
    const problem = (workError(error) as Error).message;
    const isReachable = error instanceof ClusterError;
    const has = { hasGatewayApi: false, hasMetrics: false, hasCertManager: false, hasSnapshots: false };
    return { isReachable, problem, version: null, rights: [], ...has };
  } finally {
    client?.close();
  }
}
