import type {
  ClusterSettings,
  KubernetesRegion,
  OtherRule,
  RegionSource,
  TeamQuota,
} from '../../../src/drivers/region/clusters.ts';
import type { DesiredComponent } from '../../../src/drivers/region/desired.ts';
import { createKubernetesRegion } from '../../../src/drivers/region/kubernetes/kubernetes.ts';
import { type RolloutSettings, rolloutDefaults } from '../../../src/drivers/region/kubernetes/write/scope.ts';
import { anyRegion, type DriverUnderTest } from '../region-driver-contract.ts';
import type { ClusterOptions } from './cluster.ts';
import { missingIssuer, missingSnapshots } from './missing-controllers.ts';
import { type FakeServer, startCluster } from './server.ts';
import { openTestCluster } from './test-cluster.ts';

export interface KubernetesUnderTest extends DriverUnderTest {
  driver: ReturnType<typeof createKubernetesRegion>;
  region: KubernetesRegion;
  server: FakeServer;
  /** The components that can share routes, as the database has them. */
  components: Map<string, DesiredComponent>;
  /** Stands between the driver and the rules of other components. */
  readOthers?: ((read: () => Promise<OtherRule[]>) => Promise<OtherRule[]>) | undefined;
  /** Whether an application needs its namespace, if that is not because of these components. */
  isInUse?: (applicationId: number) => boolean;
  /** Another driver of the same region, as another gateway has it. */
  another(): ReturnType<typeof createKubernetesRegion>;
  close(): Promise<void>;
}

/** Seconds of the cluster in this process are short, and what fails there fails soon. */
const hastyRollouts: RolloutSettings = { ...rolloutDefaults, failingMs: 1_000 };

const busybox = 'registry.k8s.io/e2e-test-images/busybox:1.29-4';

/** Programs of the cluster in this process, which the tags of their images name. */
const programsOf = ({ cluster }: FakeServer) => {
  const delayed = 'registry.example:5000/web:busy';
  return {
    crashing: { image: 'registry.example:5000/web:crash-later' },
    stubborn: { image: 'registry.example:5000/web:stubborn' },
    delayed: { program: { image: delayed }, start: () => cluster.start(delayed) },
  };
};

const limitedTeamId = 'limited';
/** A quota for two instances of the components of the tests. */
const quotaOf = (teamId: string): TeamQuota =>
  teamId === limitedTeamId ? { cpuMillicores: 200, memoryMiB: 128 } : { cpuMillicores: 0, memoryMiB: 0 };
/** Another region in the cluster of a region. */
const neighbourOf = (region: KubernetesRegion): KubernetesRegion => ({
  ...region,
  id: 'neighbour',
  name: 'neighbour',
  cluster: { ...region.cluster, namespacePrefix: `${region.cluster.namespacePrefix.slice(0, 22)}n-` },
});

/** A driver and the cluster that tests are given, which can be a real one, with what every component has. */
export async function clusterUnderTest(given: Partial<DesiredComponent> = {}): Promise<DriverUnderTest> {
  const cluster = await openTestCluster({ issuers: ['test'], hasSnapshots: true });
  const neighbour = neighbourOf(cluster.region);
  const regions = [cluster.region, neighbour];
  const driver = createKubernetesRegion(
    {
      region: async (id) => regions.find((each) => each.id === id),
      quota: async (_, teamId) => quotaOf(teamId),
      needsRoot: async () => false,
      isInUse: async () => true,
      crossings: async () => [],
      otherRules: async () => [],
      allowsLocal: true,
      log: { info: () => {}, warn: () => {} },
    },
    cluster.fake && hastyRollouts,
  );
  return {
    driver,
    region: cluster.region,
    neighbour,
    images: ['registry.k8s.io/pause:3.9', 'registry.k8s.io/pause:3.10'],
    brokenImage: 'registry.k8s.io/pause:broken',
    given,
    ...(cluster.fake
      ? programsOf(cluster.fake)
      : {
          // They listen nowhere.
          given: { ...given, checksPorts: false },
          crashing: { image: busybox, command: "sh -c 'sleep 4; exit 3'", needsRoot: true },
          stubborn: { image: busybox, command: 'sleep 3600', needsRoot: true },
          missing: (controller, component) =>
            controller === 'certificates' ? missingIssuer(cluster) : missingSnapshots(cluster, component),
        }),
    limitedTeamId,
    async close() {
      await driver.close();
      await cluster.close();
    },
  };
}

/** A driver and a cluster in this process. */
export async function kubernetesUnderTest(
  settings: Partial<ClusterSettings> = {},
  options: ClusterOptions & {
    quota?: TeamQuota;
    rollouts?: Partial<RolloutSettings>;
    log?: RegionSource['log'];
  } = {},
): Promise<KubernetesUnderTest> {
  const server = await startCluster(options);
  const cluster = {
    gatewayClass: 'test',
    ingressClass: null,
    storageClass: null,
    sharedStorageClass: null,
    certificateIssuer: null,
    namespacePrefix: 'trellis-',
    metricsUrl: null,
    gatewayQueries: null,
    logsUrl: null,
    ...settings,
  };
  const region: KubernetesRegion = {
    ...anyRegion,
    url: server.url,
    credentials: { ...anyRegion.credentials, token: 'admin', caCertificate: server.caCertificate },
    cluster,
    queryCredentials: { metrics: null, logs: null },
  };
  const components: KubernetesUnderTest['components'] = new Map();
  const source: RegionSource = {
    region: async (id) => (id === region.id ? region : undefined),
    allowsLocal: true,
    quota: async (_, teamId) => options.quota ?? quotaOf(teamId),
    needsRoot: async (_, { teamId, namespaceId }) =>
      [...components.values()].some(
        (each) => each.teamId === teamId && each.namespaceId === namespaceId && each.needsRoot,
      ),
    isInUse: async (applicationId, componentId) =>
      under.isInUse?.(applicationId) ??
      [...components.values()].some(
        (each) => each.applicationId === applicationId && (componentId ?? each.id) === each.id,
      ),
    crossings: async (ids) =>
      ids.flatMap((id) => {
        const target = components.get(id);
        const dependents = [...components.values()].filter(
          ({ dependencies, namespaceId }) => dependencies.includes(id) && namespaceId !== target?.namespaceId,
        );
        const ports = target?.ports.filter(({ isInner }) => isInner) ?? [];
        return target && dependents.length > 0 && ports.length > 0 ? [{ target, ports, dependents }] : [];
      }),
    otherRules: (_, { id, teamId }, domains) => {
      const read = async () =>
        [...components.values()]
          .filter((each) => each.id !== id && each.teamId === teamId)
          .flatMap((component) =>
            component.httpRules
              .filter(({ domain }) => domains.includes(domain))
              .map((rule) => ({ ...rule, component, isRunning: component.state === 'running' })),
          );
      return under.readOthers ? under.readOthers(read) : read();
    },
    log: options.log ?? { info: () => {}, warn: () => {} },
  };
  const rollouts = { ...hastyRollouts, ...options.rollouts };
  const driver = createKubernetesRegion(source, rollouts);
  const others: ReturnType<typeof createKubernetesRegion>[] = [];
  const under: KubernetesUnderTest = {
    driver,
    region,
    server,
    components,
    images: ['registry.example:5000/web:1.0', 'registry.example:5000/web:2.0'],
    brokenImage: 'registry.example:5000/web:broken',
    ...programsOf(server),
    limitedTeamId,
    another() {
      others.push(createKubernetesRegion(source, rollouts));
      return others.at(-1)!;
    },
    async close() {
      for (const each of [driver, ...others]) await each.close();
      await server.close();
    },
  };
  return under;
}
