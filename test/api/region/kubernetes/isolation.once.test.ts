import { describe, expect, it } from 'vitest';
import { over } from '../../../support/deployed-images.ts';
import { unique } from '../../../support/fixtures.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { NetworkPolicies, type Peer } from '../../../support/kubernetes/network-policies.ts';
import { deploy as deployIn, patience, somebody } from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';

const { trellis, server, place } = useClusterWorld(
  { jobs: { backoffMaxMs: 100 }, reconciles: true },
  { place: { token: 'platform' } },
);

interface Made {
  appId: number;
  namespace: string;
  /** The ids of its components, by name. */
  ids: Record<string, string>;
}

const list = (kind: string, namespace?: string): any[] =>
  server.cluster.store.list(kindNamed(kind), namespace);

/** An application with a database and a web server that depends on it, deployed. Two of them have equal names inside. */
async function createShop(
  isolation: 'OWN' | 'TEAM',
  given: { db?: object; web?: object } = {},
): Promise<Made> {
  const names = (name: string) =>
    isolation === 'OWN' ? { clusterName: name, serviceName: name } : { serviceName: `${name}-of-team` };
  const document = JSON.stringify({
    application: unique('shop'),
    isolation,
    components: {
      db: {
        ...{ image: 'postgres:18', needsRoot: true, ...names('db') },
        ports: {
          5432: { protocol: 'tcp', alias: 'SQL', isInner: true },
          9187: { protocol: 'tcp', alias: 'METRICS' },
        },
        connectionVariables: {
          DATABASE_URL: `postgres://shop@${names('db').serviceName}:5432/db`,
          NODES: `${names('db').serviceName}:5432,${names('db').serviceName}:5433`,
          DATABASE: names('db').serviceName,
        },
        ...given.db,
      },
      web: {
        ...{ image: 'nginx:1.29', ...names('web'), dependsOn: ['db'] },
        ports: { 80: { protocol: 'http', isInner: true } },
        ...given.web,
      },
    },
  });
  const { application, job } = await trellis.succeed(
    'applyManifest',
    { team: { teamId: place.teamId }, region: { regionId: place.region.regionId }, document, deploy: 'ALL' },
    'job { uid } application { uid components { nodes { name uid } } }',
  );
  await over(trellis, job.uid);
  const ids = Object.fromEntries(application.components.nodes.map((each: any) => [each.name, each.uid]));
  const [pod] = podsOf(ids.db);
  return { appId: application.uid, namespace: pod.metadata.namespace, ids };
}

const podsOf = (componentId: string) =>
  list('Pod').filter(({ metadata }) => metadata.labels?.['trellis.dev/component'] === componentId);

const deleteShop = async ({ appId }: Made, deleteVolumes = true) => {
  const input = { application: { appId }, force: true, deleteVolumes };
  const { job } = await trellis.succeed('deleteApplication', input, 'job { uid }');
  await over(trellis, job.uid);
};

const deploy = async (componentId: string) => {
  const { job } = await trellis.succeed('deployComponent', { component: { componentId } }, 'job { uid }');
  await over(trellis, job.uid);
};

const depend = (mutation: 'addDependency' | 'deleteDependency', from: string, to: string) =>
  trellis.succeed(
    mutation,
    { component: { componentId: from }, dependency: { componentId: to } },
    '__typename',
  );

const namespaces = () => list('Namespace').map(({ metadata }) => metadata.name);

/** The pods of the applications, named by the component. */
const peersOf = (made: Record<string, Made>): Peer[] =>
  Object.entries(made).flatMap(([name, { ids }]) =>
    Object.entries(ids).flatMap(([component, id]) =>
      podsOf(id).map(({ metadata }) => ({ metadata: { ...metadata, name: `${name}-${component}` } })),
    ),
  );

const ports = [5432, 9187, 80, 1].flatMap((port) => ['TCP', 'UDP'].map((protocol) => ({ port, protocol })));
const crossings = (made: Record<string, Made>) =>
  new NetworkPolicies(server.cluster.store).crossings(peersOf(made), ports);

/** The values of the variables of the first instance of a component. */
const variablesOf = (componentId: string): Record<string, string> => {
  const [{ metadata, spec }] = podsOf(componentId) as [any];
  return Object.assign(
    {},
    ...spec.containers[0].envFrom.map(
      ({ configMapRef, secretRef }: any) =>
        list(configMapRef ? 'ConfigMap' : 'Secret', metadata.namespace).find(
          (each) => each.metadata.name === (configMapRef ?? secretRef).name,
        ).data,
    ),
  );
};

describe('applications with namespaces of their own', { timeout: 240_000 }, () => {
  it('run side by side with equal names inside, each with a pod-security level of its own', async () => {
    const one = await createShop('OWN');
    const two = await createShop('OWN', { db: { needsRoot: false } });
    const three = await createShop('TEAM');
    expect(new Set([one, two, three].map(({ namespace }) => namespace)).size).toBe(3);
    expect(three.namespace).toBe(place.namespace);
    for (const { namespace, appId } of [one, two]) {
      expect(namespace.length).toBeLessThanOrEqual(63);
      expect(list('Service', namespace).map(({ metadata }) => metadata.name)).toEqual(['db', 'web']);
      const [{ metadata }] = list('Namespace').filter((each) => each.metadata.name === namespace);
      expect(metadata.labels).toMatchObject({
        'trellis.dev/team': place.teamId,
        'trellis.dev/application': String(appId),
        'trellis.dev/region': place.region.regionId,
      });
    }
    const levelOf = ({ namespace }: Made) =>
      list('Namespace').find(({ metadata }) => metadata.name === namespace).metadata.labels[
        'pod-security.kubernetes.io/enforce'
      ];
    expect([one, two].map(levelOf)).toEqual(['baseline', 'restricted']);
    // Within a namespace, a name is enough.
    expect(variablesOf(one.ids.web!)).toMatchObject({
      SQL_HOST: 'db',
      DATABASE_URL: 'postgres://shop@db:5432/db',
    });
    expect(crossings({ one, two, three })).toEqual([]);
    for (const each of [one, two]) await deleteShop(each);
    await expect.poll(namespaces, patience).not.toContain(one.namespace);
    await expect.poll(namespaces, patience).not.toContain(two.namespace);
    expect(namespaces()).toContain(three.namespace);
    await deleteShop(three);
  });

  it('reach what they depend on in others, and nothing else', async () => {
    const one = await createShop('OWN');
    const two = await createShop('OWN');
    // The variables of its own database have other names.
    const db = {
      ports: { 5432: { protocol: 'tcp', alias: 'OTHER', isInner: true } },
      connectionVariables: {},
    };
    const three = await createShop('TEAM', { db });
    const made = { one, two, three };
    await depend('addDependency', one.ids.web!, two.ids.db!);
    await depend('addDependency', three.ids.web!, two.ids.db!);
    await depend('addDependency', two.ids.web!, three.ids.web!);
    for (const { ids } of [one, two, three]) await deploy(ids.web!);
    expect(crossings(made)).toEqual([
      'one-web two-db TCP 5432',
      'two-web three-web TCP 80',
      'three-web two-db TCP 5432',
    ]);
    const host = `db.${two.namespace}.svc`;
    expect(variablesOf(three.ids.web!)).toMatchObject({
      SQL_HOST: host,
      SQL_PORT: '5432',
      DATABASE_URL: `postgres://shop@${host}:5432/db`,
      NODES: `${host}:5432,${host}:5433`,
      DATABASE: 'db',
    });

    for (const { metadata } of list('NetworkPolicy', one.namespace)) {
      const path = `/apis/networking.k8s.io/v1/namespaces/${one.namespace}/networkpolicies/${metadata.name}`;
      somebody(place, 'DELETE', path);
    }
    expect(crossings(made)).toEqual(
      expect.arrayContaining(['two-web one-db TCP 9187', 'three-db one-web UDP 1']),
    );
    // Somebody has removed it, and it is put back.
    await expect.poll(() => crossings(made), patience).toHaveLength(3);

    await depend('deleteDependency', one.ids.web!, two.ids.db!);
    await deploy(one.ids.web!);
    expect(crossings(made)).toEqual(['two-web three-web TCP 80', 'three-web two-db TCP 5432']);
    await deleteShop(three);
    expect(crossings({ one, two })).toEqual([]);
    await deleteShop(one);
    await deleteShop(two);
    await expect
      .poll(
        () => namespaces().filter((name) => [one, two].some(({ namespace }) => namespace === name)),
        patience,
      )
      .toEqual([]);
  });

  it('are reached by gateways, on the ports that routes use', async () => {
    const port = { protocol: 'http', isInner: true, isOuter: true };
    const shop = await createShop('OWN', { web: { ports: { 80: port } } });
    const policies = new NetworkPolicies(server.cluster.store);
    const [web] = podsOf(shop.ids.web!) as [Peer];
    const gateway = (namespace: string, labels: Record<string, string> = {}): Peer => ({
      metadata: { name: 'gateway', namespace, labels },
    });
    const at80 = { port: 80, protocol: 'TCP' };
    expect(policies.allows(gateway('kube-system'), web, at80)).toBe(true);
    const label = { 'gateway.networking.k8s.io/gateway-name': 'trellis' };
    expect(policies.allows(gateway(place.namespace, label), web, at80)).toBe(true);
    expect(policies.allows(gateway(place.namespace), web, at80)).toBe(false);
    const routes = list('HTTPRoute', place.namespace);
    const refs = routes.flatMap(({ spec }) => spec.rules.flatMap((each: any) => each.backendRefs));
    expect(refs).toContainEqual(expect.objectContaining({ name: 'web-backend', namespace: shop.namespace }));
    expect(list('HTTPRoute', shop.namespace)).toEqual([]);
    expect(list('ReferenceGrant', shop.namespace)[0].spec).toEqual({
      from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: place.namespace }],
      to: [{ group: '', kind: 'Service' }],
    });
    await deleteShop(shop);
    expect(list('HTTPRoute', place.namespace)).toEqual([]);
  });

  it('stay as long as they have data, and are listed with what is left', async () => {
    const volumes = { data: { path: '/data', type: 'share-file' } };
    const shop = await createShop('OWN', { db: { volumes } });
    await deleteShop(shop, false);
    const { namespace } = shop;
    expect(list('PersistentVolumeClaim', namespace)).toHaveLength(1);
    expect(namespaces()).toContain(namespace);
    const input = { region: { regionId: place.region.regionId } };
    const remove = async (deleteVolumes: boolean) =>
      (
        await trellis.succeed(
          'removeRegionOrphans',
          { ...input, deleteVolumes },
          'orphans { kind name namespace hasData teamUid componentUids }',
        )
      ).orphans.sort((one: any, other: any) => (one.kind < other.kind ? -1 : 1));
    const own = { namespace, hasData: true, teamUid: place.teamId };
    const { name } = list('PersistentVolumeClaim', namespace)[0].metadata;
    expect(await remove(false)).toEqual([]);
    expect(await remove(true)).toEqual([
      { ...own, kind: 'Namespace', name: namespace, componentUids: [] },
      { ...own, kind: 'PersistentVolumeClaim', name, componentUids: [shop.ids.db] },
    ]);
    await expect.poll(namespaces, patience).not.toContain(namespace);
  });

  it('stay where the account of the region may not delete them, or others have something in them', async () => {
    const platformBefore = server.cluster.users.get('platform')!;
    const without = (verb: string) => ({
      ...platformBefore,
      rules: platformBefore.rules.map((rule) =>
        rule.resources.includes('namespaces')
          ? { ...rule, verbs: rule.verbs.filter((each) => each !== verb) }
          : rule,
      ),
    });
    const one = await createShop('OWN');
    const two = await createShop('OWN');
    somebody(place, 'POST', `/api/v1/namespaces/${two.namespace}/persistentvolumeclaims`, {
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'theirs' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    server.cluster.users.set('platform', without('delete'));
    await deleteShop(one);
    server.cluster.users.set('platform', platformBefore);
    await deleteShop(two);
    expect(namespaces()).toEqual(expect.arrayContaining([one.namespace, two.namespace]));
    const text = `{ region(by: { regionId: "${place.region.regionId}" }) { orphans { kind name hasData } } }`;
    expect((await trellis.data(text)).region.orphans).toEqual(
      expect.arrayContaining([
        { kind: 'Namespace', name: one.namespace, hasData: false },
        { kind: 'Namespace', name: two.namespace, hasData: false },
      ]),
    );
    const input = { region: { regionId: place.region.regionId } };
    await trellis.succeed('removeRegionOrphans', input, '__typename');
    await expect.poll(namespaces, patience).not.toContain(one.namespace);
    expect(namespaces()).toContain(two.namespace);
  });

  it('are made anew once they are gone', async () => {
    const { appId, namespace, ids } = await createShop('OWN');
    const held = { metadata: { name: 'held', namespace, finalizers: ['trellis.dev/hold'] } };
    server.cluster.store.put('ConfigMap', held);
    for (const componentId of [ids.web!, ids.db!]) {
      const input = { component: { componentId }, force: true };
      await over(trellis, (await trellis.succeed('deleteComponent', input, 'job { uid }')).job.uid);
    }
    const isEnding = () =>
      list('Namespace').some(({ metadata }) => metadata.name === namespace && metadata.deletionTimestamp);
    expect(isEnding()).toBe(true);
    const input = { application: { appId }, name: 'again', image: 'nginx:1.29', replicas: 1 };
    const { component } = await trellis.succeed('createComponent', input, 'component { uid }');
    const { job } = await trellis.succeed(
      'deployComponent',
      { component: { componentId: component.uid } },
      'job { uid }',
    );
    const running = `{ job(by: { jobId: ${job.uid} }) { status } }`;
    await expect.poll(async () => (await trellis.data(running)).job.status, patience).toBe('RUNNING');
    const [found] = list('ConfigMap', namespace).filter(({ metadata }) => metadata.name === 'held');
    server.cluster.store.remove(kindNamed('ConfigMap'), found);
    await over(trellis, job.uid);
    expect(podsOf(component.uid)[0].metadata.namespace).toBe(namespace);
    await deleteShop({ appId, namespace, ids: {} });
    await expect.poll(namespaces, patience).not.toContain(namespace);
  });

  it('are those of the team for removals from before there were any', async () => {
    const { appId } = await trellis.createApplication(
      { team: { teamId: place.teamId }, region: place.region } as any,
      unique('old'),
      { isolation: 'TEAM' },
    );
    const [web] = await deployIn(trellis, { ...place, appId });
    server.setDown(true);
    const input = { component: { componentId: web!.componentId }, force: true };
    const { job } = await trellis.succeed('deleteComponent', input, 'job { uid }');
    await trellis.services.db.transaction(async (tx) => {
      const [row] = await tx.jobComponent.findMany({ where: { jobId: job.uid } });
      const { namespaceId, ...removed } = JSON.parse(row!.removed!);
      expect(namespaceId).toBe(0);
      await tx.jobComponent.updateMany({
        where: { jobId: job.uid },
        data: { removed: JSON.stringify(removed) },
      });
    });
    server.setDown(false);
    await over(trellis, job.uid);
    expect(podsOf(web!.componentId)).toEqual([]);
  });
});
