import { describe, expect, it } from 'vitest';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import {
  configName,
  createClusterPlace,
  type Deployed,
  deploy,
  jobsOf,
  objectIn,
  patience,
  somebody,
  statusesOf,
} from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';

const { trellis, server, place } = useClusterWorld(
  { jobs: { backoffMaxMs: 200 }, reconciles: true },
  { place: { token: 'platform' } },
);

/** The path of an object in the namespace of the place. */
const path = (group: string, plural: string, name: string) =>
  `/${group}/namespaces/${place.namespace}/${plural}/${name}`;

/** Somebody changes which pods the namespace of the place lets in. */
const relabelNamespace = (level: string) =>
  somebody(place, 'PATCH', `/api/v1/namespaces/${place.namespace}?fieldManager=kubectl-label`, {
    metadata: { labels: { 'pod-security.kubernetes.io/enforce': level } },
  });
const enforced = () =>
  server.cluster.store.get(kindNamed('Namespace'), undefined, place.namespace)?.object.metadata.labels[
    'pod-security.kubernetes.io/enforce'
  ];

async function deployWithPort(): Promise<Deployed> {
  const [component] = (await deploy(trellis, place)) as [Deployed];
  const { componentId } = component;
  const port = await trellis.addPort(componentId, 8080, { isInner: true });
  await trellis.succeed('openOuterService', { port: { id: port.id } }, '__typename');
  const variables = { component: { componentId }, set: [{ name: 'MODE', value: 'a' }] };
  await trellis.succeed('setVariables', variables, '__typename');
  await trellis.succeed('deployComponent', { component: { componentId } }, '__typename');
  await settled();
  return component;
}

const isActive = /PENDING|RUNNING/;

/** Waits until no work is left. */
const settled = (of = place) =>
  expect
    .poll(async () => (await jobsOf(trellis, of)).map(({ status }) => status), patience)
    .not.toContainEqual(expect.stringMatching(isActive));

/** The newest first. A late answer of the watch can begin another at any time, which finds nothing to do. */
const endedReconciliations = async () =>
  (await jobsOf(trellis, place, 'RECONCILE')).filter(({ status }) => !isActive.test(status));

describe('what others change in a cluster', () => {
  it('is put back: fields, objects that were deleted, and those of the team', async () => {
    const { componentId, alias } = await deployWithPort();
    const merge = 'application/merge-patch+json';
    const before = (await jobsOf(trellis, place, 'RECONCILE')).length;
    const deployment = path('apis/apps/v1', 'deployments', alias);
    somebody(place, 'PATCH', `${deployment}?fieldManager=kubectl-edit`, { spec: { replicas: 5 } }, merge);
    await expect.poll(() => objectIn(place, 'Deployment', alias).spec.replicas, patience).toBe(1);
    const name = configName(alias, 'env', { MODE: 'a' });
    const env = path('api/v1', 'configmaps', name);
    somebody(place, 'PATCH', `${env}?fieldManager=kubectl-edit`, { data: { MODE: null } }, merge);
    await expect.poll(() => objectIn(place, 'ConfigMap', name).data, patience).toEqual({ MODE: 'a' });
    const route = server.cluster.store
      .list(kindNamed('HTTPRoute'), place.namespace)
      .find(({ metadata }) => metadata.labels[`component.trellis.dev/${componentId}`])!.metadata.name;
    for (const [group, plural, name, kind] of [
      ['apis/apps/v1', 'deployments', alias, 'Deployment'],
      ['api/v1', 'services', `${alias}-backend`, 'Service'],
      ['apis/gateway.networking.k8s.io/v1', 'httproutes', route, 'HTTPRoute'],
      ['apis/gateway.networking.k8s.io/v1', 'gateways', 'trellis', 'Gateway'],
      ['apis/networking.k8s.io/v1', 'networkpolicies', 'trellis', 'NetworkPolicy'],
    ] as const) {
      const { uid } = objectIn(place, kind, name).metadata;
      somebody(place, 'DELETE', path(group, plural, name));
      const isBack = () => ![undefined, uid].includes(objectIn(place, kind, name)?.metadata.uid);
      await expect.poll(isBack, patience).toBe(true);
    }
    relabelNamespace('privileged');
    await expect.poll(enforced, patience).toBe('restricted');
    await settled();
    await expect.poll(() => statusesOf(trellis, [{ componentId, alias }]), patience).toEqual(['RUNNING']);
    const jobs = await endedReconciliations();
    expect(jobs.length).toBeGreaterThan(before);
    expect(jobs[0]).toMatchObject({ kind: 'RECONCILE', status: 'SUCCEEDED', error: null, user: null });
  });

  it('is removed if an older job has created it late', async () => {
    const [{ alias }] = (await deploy(trellis, place)) as [Deployed];
    const { labels } = objectIn(place, 'Deployment', alias).metadata;
    const annotations = { 'trellis.dev/job': '0', 'trellis.dev/applied': 'before' };
    const metadata = { name: `${alias}-late`, namespace: place.namespace, labels, annotations };
    server.cluster.store.put('Service', { metadata, spec: { ports: [{ port: 80 }] } });
    await expect.poll(() => objectIn(place, 'Service', metadata.name), patience).toBeUndefined();
    await settled();
  });

  it('is put back while a job of the component waits for its instances', async () => {
    const delayed = 'registry.example:5000/web:busy';
    const [{ alias }] = (await deploy(trellis, place, [{ image: delayed, replicas: 2 }], null)) as [Deployed];
    const budget = () => objectIn(place, 'PodDisruptionBudget', alias)?.metadata.uid;
    await expect.poll(budget, patience).toBeDefined();
    const before = budget();
    await expect
      .poll(() => objectIn(place, 'Deployment', alias)?.status?.observedGeneration, patience)
      .toBeDefined();
    somebody(place, 'DELETE', path('apis/policy/v1', 'poddisruptionbudgets', alias));
    await expect.poll(() => ![undefined, before].includes(budget()), patience).toBe(true);
    relabelNamespace('baseline');
    await expect.poll(enforced, patience).toBe('restricted');
    expect((await jobsOf(trellis, place, 'DEPLOY'))[0]!.status).toBe('RUNNING');
    server.cluster.start(delayed);
    await settled();
  });

  it('is put back if it is the labels by which objects are found', async () => {
    const { alias, componentId } = await deployWithPort();
    await trellis.succeed('restartComponent', { component: { componentId } }, '__typename');
    await settled();
    const { template } = objectIn(place, 'Deployment', alias).spec;
    const removed = { 'app.kubernetes.io/managed-by': null, 'trellis.dev/component': null };
    const [env] = server.cluster.store
      .list(kindNamed('ConfigMap'), place.namespace)
      .filter(({ metadata }) => metadata.labels?.['trellis.dev/component'] === componentId);
    for (const [group, plural, name, kind, labels] of [
      ['apis/apps/v1', 'deployments', alias, 'Deployment', removed],
      ['api/v1', 'services', `${alias}-backend`, 'Service', { ...removed, 'trellis.dev/team': null }],
      ['api/v1', 'configmaps', env!.metadata.name, 'ConfigMap', { 'trellis.dev/team': null }],
      [
        'apis/networking.k8s.io/v1',
        'networkpolicies',
        'trellis',
        'NetworkPolicy',
        { 'trellis.dev/team': null },
      ],
    ] as const) {
      const before = objectIn(place, kind, name).metadata;
      somebody(place, 'PATCH', `${path(group, plural, name)}?fieldManager=kubectl-label`, {
        metadata: { labels },
      });
      expect(objectIn(place, kind, name).metadata.labels).not.toEqual(before.labels);
      await expect
        .poll(() => objectIn(place, kind, name).metadata, patience)
        .toMatchObject({ uid: before.uid, labels: before.labels });
    }
    await settled();
    expect(objectIn(place, 'Deployment', alias).spec.template).toEqual(template);
    const [last] = await endedReconciliations();
    expect(last).toMatchObject({ status: 'SUCCEEDED', error: null });
  });

  it('is left where another field manager applies it, and told once with its name', async () => {
    const [{ alias }] = (await deploy(trellis, place)) as [Deployed];
    const mine = async () =>
      (await jobsOf(trellis, place, 'RECONCILE')).filter(({ error }) => error?.includes(alias));
    const object = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: alias, namespace: place.namespace },
      spec: { replicas: 7 },
    };
    const apply = 'application/apply-patch+yaml';
    const at = path('apis/apps/v1', 'deployments', alias);
    somebody(place, 'PATCH', `${at}?fieldManager=argocd&force=true`, object, apply);
    await expect.poll(mine, patience).toMatchObject([
      {
        status: 'FAILED',
        error: `${alias}: The Deployment of the component is also managed by argocd: .spec.replicas`,
      },
    ]);
    somebody(
      place,
      'PATCH',
      `${at}?fieldManager=argocd&force=true`,
      { ...object, spec: { replicas: 8 } },
      apply,
    );
    // A change of something else shows that the second one was looked at as well.
    const [other] = (await deploy(trellis, place)) as [Deployed];
    somebody(place, 'DELETE', path('apis/apps/v1', 'deployments', other.alias));
    await expect.poll(() => objectIn(place, 'Deployment', other.alias)?.spec.replicas, patience).toBe(1);
    await settled();
    expect(await mine()).toHaveLength(1);
    expect(objectIn(place, 'Deployment', alias).spec.replicas).toBe(8);
  });

  it('makes no work of what the platform itself writes, and of what is desired only since', async () => {
    const quiet = await createClusterPlace(trellis, server);
    const [{ componentId, alias }] = (await deploy(trellis, quiet, [{ name: 'dependency' }])) as [Deployed];
    const [dependent] = (await deploy(trellis, quiet)) as [Deployed];
    const component = { componentId: dependent.componentId };
    await trellis.succeed('addDependency', { component, dependency: { componentId } }, '__typename');
    await trellis.succeed('deployComponent', { component }, '__typename');
    await trellis.succeed('updateComponent', { component, image: 'nginx:2' }, '__typename');
    const variables = [{ name: 'TOLD', value: 'b', scope: 'CONNECTION' }];
    await trellis.succeed('setVariables', { component: { componentId }, set: variables }, '__typename');
    await trellis.succeed('scaleComponent', { component: { componentId }, replicas: 2 }, '__typename');
    await trellis.succeed('restartComponent', { component: { componentId } }, '__typename');
    await settled(quiet);
    const merge = 'application/merge-patch+json';
    const at = `/apis/apps/v1/namespaces/${quiet.namespace}/deployments/${dependent.alias}`;
    somebody(
      quiet,
      'PATCH',
      `${at}?fieldManager=kubectl-edit`,
      { metadata: { labels: { more: 'yes' } } },
      merge,
    );
    somebody(quiet, 'DELETE', `/apis/apps/v1/namespaces/${quiet.namespace}/deployments/${alias}`);
    await expect.poll(() => objectIn(quiet, 'Deployment', alias)?.spec.replicas, patience).toBe(2);
    await expect
      .poll(async () => (await jobsOf(trellis, quiet, 'RECONCILE')).map(({ status }) => status), patience)
      .toEqual(['SUCCEEDED']);
    expect(objectIn(quiet, 'Deployment', dependent.alias).spec.template.spec.containers[0].image).toBe(
      'nginx:1.29',
    );
  });
});
