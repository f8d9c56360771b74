import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { KubernetesRegion } from '../../../src/drivers/region/clusters.ts';
import { Client } from '../../../src/drivers/region/kubernetes/cluster/client.ts';
import { readKubeconfig } from '../../../src/drivers/region/kubernetes/cluster/kubeconfig.ts';
import { labels, managed } from '../../../src/drivers/region/kubernetes/objects/objects.ts';
import { anyRegion } from '../region-driver-contract.ts';
import type { ClusterOptions } from './cluster.ts';
import { type FakeServer, startCluster } from './server.ts';

/** The kubeconfig of a real cluster, if tests may use one. */
const realKubeconfig = process.env.TRELLIS_TEST_CLUSTER === 'yes' ? process.env.KUBECONFIG : undefined;

/** How long something may take in the cluster, in ms. */
export const patienceMs = realKubeconfig === undefined ? 60_000 : 600_000;

/** A cluster for tests, which is reached by a kubeconfig. */
export interface TestCluster {
  kubeconfig: string;
  /** With namespaces of its own, which start with a random prefix. */
  region: KubernetesRegion;
  client: Client;
  /** Undefined if it is a real one. */
  fake: FakeServer | undefined;
  /** Removes the namespaces. */
  close(): Promise<void>;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Writes the kubeconfig of an API server as files of it are, for its administrator. */
function writeKubeconfig({ url, caCertificate }: FakeServer): { path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'trellis-kubeconfig-'));
  const path = join(folder, 'config');
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'test', cluster: { server: url, 'certificate-authority-data': base64(caCertificate) } },
    ],
    users: [{ name: 'test', user: { token: 'admin' } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  };
  writeFileSync(path, JSON.stringify(content));
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}

const forever = new AbortController().signal;

/** The real cluster of `KUBECONFIG` if `TRELLIS_TEST_CLUSTER=yes`, else one in this process. */
export async function openTestCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  const fake = realKubeconfig === undefined ? await startCluster(options) : undefined;
  const written = fake && writeKubeconfig(fake);
  const kubeconfig = readFileSync(written?.path ?? realKubeconfig!, 'utf8');
  const content = await readKubeconfig(kubeconfig);
  if (typeof content === 'string') throw new Error(`The kubeconfig cannot be used: ${content}.`);
  const namespacePrefix = `trellis-${randomBytes(4).toString('hex')}-`;
  const cluster = {
    gatewayClass: fake ? 'test' : (process.env.TRELLIS_TEST_GATEWAY_CLASS ?? null),
    ingressClass: null,
    storageClass: null,
    sharedStorageClass: null,
    certificateIssuer: fake
      ? (options.issuers?.[0] ?? null)
      : (process.env.TRELLIS_TEST_CERTIFICATE_ISSUER ?? null),
    namespacePrefix,
    metricsUrl: null,
    gatewayQueries: null,
    logsUrl: null,
  };
  const region: KubernetesRegion = {
    ...anyRegion,
    ...content,
    cluster,
    queryCredentials: { metrics: null, logs: null },
  };
  const client = await Client.connect(region, { allowsLocal: true });
  const left = async () => {
    const labelSelector = `${labels.managedBy}=${managed[labels.managedBy]}`;
    const { items } = await client.list('Namespace', forever, { labelSelector });
    return items.filter(({ metadata }) => metadata.name.startsWith(namespacePrefix));
  };
  return {
    ...{ kubeconfig, region, client, fake },
    async close() {
      for (const namespace of await left()) await client.remove(namespace, forever);
      await vi.waitUntil(async () => (await left()).length === 0, { timeout: patienceMs, interval: 50 });
      client.close();
      written?.remove();
      await fake?.close();
    },
  };
}
