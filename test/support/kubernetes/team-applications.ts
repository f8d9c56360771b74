import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { refsOf } from '../fixtures.ts';
import type { Trellis } from '../trellis.ts';
import { kinds } from './api/kinds.ts';
import type { Cluster } from './cluster.ts';
import type { FakeServer } from './server.ts';

/** Components of an application that have, together, every kind of object that a component can have. */
function componentsOf(index: number): Record<string, any> {
  const some = (every: number) => index % every === 0;
  return {
    db: {
      image: `postgres:${14 + (index % 5)}`,
      extendMethod: 'STATE',
      needsRoot: some(4),
      cpuMillicores: 20,
      memoryMiB: 64,
      volumes: {
        data: { path: '/data', type: some(2) ? 'local' : 'share-file', capacityGiB: 1 + (index % 3) },
      },
      ports: { 5432: { protocol: 'tcp', isInner: true, isOuter: some(3) } },
      connectionVariables: {
        DATABASE: `shop-${index}`,
        DB_PASSWORD: { value: `hush-${index}`, isSecret: true },
      },
    },
    cache: {
      image: 'redis:8',
      replicas: 2,
      cpuMillicores: 10,
      memoryMiB: 16,
      placement: { spread: 'NODE', minAvailable: 1 },
      volumes: {
        config: { path: '/etc/redis', type: 'config-file', fileContent: `databases ${index}` },
        scratch: { path: '/scratch', type: 'memoryfs' },
      },
      ports: { 6379: { protocol: 'tcp', isInner: true } },
    },
    api: {
      image: `registry.example:5000/shop/api:${index % 7}`,
      cpuMillicores: 10,
      memoryMiB: 32,
      variables: { MODE: `mode-${index % 4}`, API_TOKEN: { value: `token-${index}`, isSecret: true } },
      dependsOn: ['db', 'cache'],
      preStopSeconds: 2,
      probes: {
        readiness: { http: { port: 8080, path: '/ready' }, periodSeconds: 5 },
        liveness: { tcp: { port: 8080 } },
      },
      ports: { 8080: { protocol: 'http', isInner: true }, 9090: { protocol: 'grpc', isInner: some(2) } },
    },
    web: {
      image: 'nginx:1.29',
      cpuMillicores: 10,
      memoryMiB: 16,
      variables: { GREETING: `hello ${index}` },
      dependsOn: ['api', ...(index > 0 ? [{ application: `app-${index - 1}`, component: 'api' }] : [])],
      autoscaling: { minReplicas: 1, maxReplicas: 3, cpuPercent: 70 },
      ports: { 80: { protocol: 'http', isInner: true, isOuter: true } },
    },
    worker: {
      image: `registry.example:5000/shop/worker:${index % 3}`,
      command: 'work --forever',
      replicas: index % 3,
      cpuMillicores: 10,
      memoryMiB: 16,
      variables: { QUEUE: `queue-${index}` },
      dependsOn: ['db'],
      volumes: { files: { path: '/files', type: 'share-file', capacityGiB: 1 } },
      schedules: { nightly: { cron: '0 0 1 1 *', command: ['clean'] } },
    },
  };
}

const manifestOf = (index: number, isolation: object) =>
  JSON.stringify({
    application: `app-${index}`,
    ...isolation,
    components: componentsOf(index),
    routes: [
      {
        domain: `www-${index}.shop.example`,
        component: 'web',
        port: 80,
        ...(index % 2 === 0 && { autoSsl: true }),
      },
      { domain: `www-${index}.shop.example`, path: '/api', component: 'api', port: 8080, weight: 10 },
    ],
  });

/** The same id in every run. */
const idOf = (name: string) => createHash('md5').update(name).digest('hex');

/** Gives the teams, regions and components that were made ids that are the same in every run. */
async function fixIds({ services: { db } }: Trellis): Promise<void> {
  await db.transaction(async (tx) => {
    for (const { id, name } of await tx.team.findMany()) {
      const to = idOf(name);
      await tx.team.update({ where: { id }, data: { id: to } });
      for (const rules of [tx.httpRule, tx.tcpRule] as any[])
        await rules.updateMany({ where: { teamId: id }, data: { teamId: to } });
    }
    for (const { id, name } of await tx.region.findMany())
      await tx.region.update({ where: { id }, data: { id: idOf(name) } });
    for (const { id, applicationId, name } of await tx.component.findMany())
      await tx.component.update({ where: { id }, data: { id: idOf(`${applicationId} ${name}`) } });
  });
}

/**
 * Deploys so many applications that share the namespace of their team, in regions with and without the Gateway API. Nothing of
 * them is random.
 */
export async function deployTeamApplications(
  trellis: Trellis,
  server: FakeServer,
  count: number,
  isolation: object = { isolation: 'TEAM' },
): Promise<void> {
  let aliases = 0;
  trellis.services.newAlias = () => `gr${String(++aliases).padStart(6, '0')}`;
  const { team } = await trellis.succeed('createTeam', { name: 'shop' }, 'team { uid }');
  const credential = {
    host: 'registry.example:5000',
    username: 'shop',
    password: 'hush',
    team: { teamId: team.uid },
  };
  await trellis.succeed('createRegistryCredential', credential, '__typename');
  const regions: string[] = [];
  for (const [name, classes] of Object.entries({
    gateways: { gatewayClass: 'test', certificateIssuer: 'test' },
    ingresses: { ingressClass: 'test' },
  })) {
    const { regionId } = await trellis.createRegion({
      name,
      driver: 'KUBERNETES',
      url: server.url,
      httpDomain: `${name}.apps.example`,
      tcpDomain: `${name}.tcp.example`,
      credentials: { token: 'platform', caCertificate: server.caCertificate },
      cluster: { namespacePrefix: `${name}-`, sharedStorageClass: 'shared', ...classes },
    });
    const place = { team: { teamId: team.uid }, region: { regionId } };
    await trellis.succeed('openTeamRegion', place, '__typename');
    const quota = { cpuQuotaMillicores: 1_000_000, memoryQuotaMiB: 1_000_000 };
    await trellis.succeed('setTeamQuota', { ...place, ...quota }, '__typename');
    regions.push(regionId);
  }
  for (const [place, regionId] of regions.entries()) {
    const at = refsOf({ team: { teamId: team.uid }, region: { regionId } } as any);
    for (let index = 0; index < count / regions.length; index++) {
      const document = manifestOf(index, isolation).replaceAll('shop.example', `shop-${place}.example`);
      await trellis.succeed('applyManifest', { ...at, document, deploy: 'NONE' }, '__typename');
    }
  }
  await fixIds(trellis);
  await deployAll(trellis);
}

/** Deploys every application, and waits for the jobs. */
export async function deployAll(trellis: Trellis): Promise<void> {
  const { db } = trellis.services;
  const applications = await db.query('SELECT id FROM application ORDER BY id', []);
  for (const [id] of applications)
    await trellis.succeed('deployApplication', { application: { appId: Number(id) } }, '__typename');
  const unfinished = () => db.query(`SELECT id FROM job WHERE status IN ('pending', 'running')`, []);
  await expect.poll(unfinished, { timeout: 900_000, interval: 500 }).toEqual([]);
  expect(await db.query(`SELECT id, error FROM job WHERE status <> 'succeeded'`, [])).toEqual([]);
}

/** What the cluster adds to objects, and what depends on the order in which jobs end and instances start. */
const incidental: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'trellis.dev/job',
  'trellis.dev/room',
  // A hash that the room is part of.
  'trellis.dev/applied',
]);

/** The objects that Trellis has written to a cluster, with their paths. */
export const ownObjects = ({ store }: Cluster) =>
  kinds.flatMap((kind) => {
    // Controllers make these of the objects that own them.
    if (kind.kind === 'Pod' || kind.kind === 'ReplicaSet') return [];
    const base = `/${kind.group ? `apis/${kind.group}` : 'api'}/${kind.version}`;
    return store
      .list(kind)
      .filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] === 'trellis')
      .map(({ metadata: { namespace, name } }) => {
        const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
        return { kind: kind.kind, path: `${base}${place}/${kind.plural}/${name}` };
      });
  });

/** By kind, how many objects Trellis has written to a cluster, and a digest of what it has sent of them last. */
export function recordOf(cluster: Cluster): Record<string, string> {
  const sent = new Map<string, string[]>();
  for (const { kind, path } of ownObjects(cluster)) {
    const text = JSON.stringify([path, cluster.applied.get(path)], (key, value) =>
      incidental.has(key) ? undefined : value,
    );
    sent.set(kind, [...(sent.get(kind) ?? []), text]);
  }
  const digestOf = (texts: string[]) =>
    createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16);
  return Object.fromEntries([...sent].map(([kind, texts]) => [kind, `${texts.length} ${digestOf(texts)}`]));
}

/** Objects as they are, but for what each job writes into them and for what the cluster says of them. */
export const contentOf = (objects: Record<string, any>) =>
  JSON.parse(JSON.stringify(objects), (key, value) =>
    key === 'status' || (key !== 'uid' && incidental.has(key)) ? undefined : value,
  );

/** Every object of a cluster as it is, by kind, namespace and name. */
export function objectsOf({ store }: Cluster): Record<string, any> {
  const objects = kinds.flatMap((kind) =>
    kind.kind === 'Event' ? [] : store.list(kind).map((object) => ({ kind, object })),
  );
  return Object.fromEntries(
    objects.map(({ kind, object }) => {
      const { namespace = '', name } = object.metadata;
      return [`${kind.kind} ${namespace} ${name}`, structuredClone(object)];
    }),
  );
}
