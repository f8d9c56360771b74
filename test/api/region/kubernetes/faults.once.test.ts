import { beforeEach, describe, expect, it } from 'vitest';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import {
  type ClusterPlace,
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

const { trellis, server } = useClusterWorld({ jobs: { maxAttempts: 1_000 }, reconciles: true });
let place: ClusterPlace;
beforeEach(async () => {
  place = await createClusterPlace(trellis, server);
});

const first = async (input: object = {}, status: string | null = 'RUNNING'): Promise<Deployed> =>
  (await deploy(trellis, place, [input], status))[0]!;

const statusOf = async (component: Deployed) => (await statusesOf(trellis, [component]))[0];
const becomes = (component: Deployed, status: string) =>
  expect.poll(() => statusOf(component), patience).toBe(status);
const change = (mutation: string, { componentId }: Deployed, input: object = {}) =>
  trellis.succeed(mutation, { component: { componentId }, ...input }, '__typename');
const newestJob = async () => (await jobsOf(trellis, place))[0]!;
const jobEnds = (status: string) =>
  expect.poll(async () => (await newestJob()).status, patience).toBe(status);

const setQuota = (hard: object | undefined) => {
  const { store } = server.cluster;
  const found = store.get(kindNamed('ResourceQuota'), place.namespace, 'small');
  if (hard)
    store.put('ResourceQuota', { metadata: { name: 'small', namespace: place.namespace }, spec: { hard } });
  else if (found) store.remove(kindNamed('ResourceQuota'), found.object);
  server.cluster.step();
};

describe('a cluster', () => {
  it('is gone for a while: work waits, statuses are unknown, and everything goes on', async () => {
    const component = await first();
    server.setDown(true);
    await becomes(component, 'UNKNOWN');
    await change('updateComponent', component, { image: 'nginx:1.30' });
    await change('deployComponent', component);
    const attempts = async () =>
      Number((await trellis.services.db.query('SELECT max(attempts) FROM job_component', []))[0]![0]);
    await expect.poll(attempts, patience).toBeGreaterThan(2);
    server.cluster.restart();
    server.setDown(false);
    await jobEnds('SUCCEEDED');
    await becomes(component, 'RUNNING');
    const { containers } = objectIn(place, 'Deployment', component.alias).spec.template.spec;
    expect(containers[0].image).toBe('nginx:1.30');
  });

  it('is busy and broken: requests are repeated after the time that it asks for', async () => {
    const headers = { 'content-type': 'text/plain', 'retry-after': '0' };
    let left = 30;
    server.cluster.fault = ({ method }) => {
      if (method === 'GET' || left-- <= 0) return undefined;
      if (left % 2) return { status: 429, body: 'Too many requests, please try again later.\n', headers };
      const message = 'etcdserver: request timed out';
      return { status: 500, body: { kind: 'Status', status: 'Failure', message, code: 500 }, headers };
    };
    try {
      await first();
    } finally {
      server.cluster.fault = undefined;
    }
    expect(left).toBeLessThanOrEqual(0);
    expect(await newestJob()).toMatchObject({ status: 'SUCCEEDED', error: null });
  });

  it('tells nothing for a while: what a job has read is true, and what is told late is put back', async () => {
    const component = await first();
    server.holdWatches(true);
    try {
      await change('stopComponent', component);
      await jobEnds('SUCCEEDED');
      expect(await statusOf(component)).toBe('STOPPED');
      await change('startComponent', component);
      await jobEnds('SUCCEEDED');
      expect(await statusOf(component)).toBe('RUNNING');
      somebody(place, 'DELETE', `/apis/apps/v1/namespaces/${place.namespace}/deployments/${component.alias}`);
      expect(await statusOf(component)).toBe('RUNNING');
    } finally {
      server.holdWatches(false);
    }
    await expect.poll(() => objectIn(place, 'Deployment', component.alias)?.spec.replicas, patience).toBe(1);
    await becomes(component, 'RUNNING');
  });

  it('forgets the versions of its watches: what has changed meanwhile is seen and put back', async () => {
    const component = await first();
    server.holdWatches(true);
    somebody(
      place,
      'PATCH',
      `/apis/apps/v1/namespaces/${place.namespace}/deployments/${component.alias}?fieldManager=kubectl-edit`,
      { spec: { replicas: 3 } },
    );
    // The events that are held are lost, and the version of the watches is too old.
    server.cluster.restart();
    server.holdWatches(false);
    await expect.poll(() => objectIn(place, 'Deployment', component.alias).spec.replicas, patience).toBe(1);
    await becomes(component, 'RUNNING');
  });

  it('refuses a token that has expired, until the region has another', async () => {
    server.cluster.users.set('short-lived', server.cluster.users.get('admin')!);
    place = await createClusterPlace(trellis, server, { token: 'short-lived' });
    const component = await first();
    server.cluster.users.delete('short-lived');
    await change('restartComponent', component);
    const error = async () =>
      (
        await trellis.services.db.query('SELECT error FROM job_component ORDER BY id DESC LIMIT 1', [])
      )[0]![0];
    await expect
      .poll(error, patience)
      .toBe('The cluster rejected the credentials of the region. Ask an administrator to update them.');
    expect(await newestJob()).toMatchObject({
      status: 'RUNNING',
      error: `${component.alias}: The cluster rejected the credentials of the region. Ask an administrator to update them.`,
    });
    const credentials = { token: 'admin' };
    const region = { regionId: place.region.regionId };
    await trellis.succeed('updateRegion', { region, credentials }, '__typename');
    await jobEnds('SUCCEEDED');
    await becomes(component, 'RUNNING');
    // Watches go on with the new token as well.
    somebody(place, 'DELETE', `/apis/apps/v1/namespaces/${place.namespace}/deployments/${component.alias}`);
    await expect.poll(() => objectIn(place, 'Deployment', component.alias)?.spec.replicas, patience).toBe(1);
  });

  it('has a quota of its own: the job says so, and the component runs once there is room', async () => {
    const component = await first();
    setQuota({ 'requests.cpu': '1m' });
    await change('scaleComponent', component, { replicas: 2 });
    await jobEnds('FAILED');
    expect((await newestJob()).error).toContain('exceeded quota: small');
    await becomes(component, 'PARTLY_UNHEALTHY');
    setQuota(undefined);
    await becomes(component, 'RUNNING');
  });

  it('cannot pull an image: the job says so, and another image repairs it', async () => {
    for (const extendMethod of ['STATELESS', 'STATE']) {
      const component = await first({ image: 'nginx:broken', extendMethod }, null);
      await jobEnds('FAILED');
      expect((await newestJob()).error).toContain('ImagePullBackOff');
      await becomes(component, 'UNHEALTHY');
      await change('updateComponent', component, { image: 'nginx:1.29' });
      await change('deployComponent', component);
      await becomes(component, 'RUNNING');
    }
  });

  it('does not allow something: the job says what while it waits, and goes on once that is allowed', async () => {
    const user = server.cluster.users.get('admin')!;
    const rules = [
      {
        verbs: ['get', 'list', 'watch', 'create', 'patch'],
        groups: ['', 'networking.k8s.io'],
        resources: ['*'],
      },
    ];
    server.cluster.users.set('limited', { name: 'limited', rules });
    place = await createClusterPlace(trellis, server, { token: 'limited' });
    const component = await first({}, null);
    await expect
      .poll(newestJob, patience)
      .toMatchObject({ status: 'RUNNING', error: expect.stringContaining('is forbidden') });
    expect((await newestJob()).error).toContain(`${component.alias}: `);
    server.cluster.users.set('limited', { ...user, name: 'limited' });
    await jobEnds('SUCCEEDED');
    expect((await newestJob()).error).toBeNull();
  });

  it('has no node for an instance: the component waits, and the job says why', async () => {
    const component = await first({ cpuMillicores: 64_000 }, null);
    await becomes(component, 'WAITING');
    await expect
      .poll(newestJob, patience)
      .toMatchObject({ status: 'RUNNING', error: expect.stringContaining('Insufficient cpu') });
    const { componentId } = component;
    const query = `{ component(by: { componentId: "${componentId}" }) { instances { reason } } }`;
    const { instances } = (await trellis.data(query)).component;
    expect(instances).toEqual([{ reason: expect.stringMatching(/^Unschedulable: 0\/2 nodes/) }]);
    await change('updateComponent', component, { cpuMillicores: 100 });
    await change('deployComponent', component);
    await becomes(component, 'RUNNING');
  });

  it('cannot change the claims of a StatefulSet: it is made again around its instances and their data', async () => {
    const component = await first({ extendMethod: 'STATE' });
    const add = (name: string) =>
      change('addVolume', component, { name, path: `/${name}`, type: 'SHARE_FILE', capacityGiB: 1 });
    await add('data');
    await change('deployComponent', component);
    await jobEnds('SUCCEEDED');
    const claim = () => objectIn(place, 'PersistentVolumeClaim', `data-${component.alias}-0`)?.metadata.uid;
    const [uid, data] = [objectIn(place, 'StatefulSet', component.alias).metadata.uid, claim()];
    await add('more');
    await change('deployComponent', component);
    await jobEnds('SUCCEEDED');
    await becomes(component, 'RUNNING');
    expect(objectIn(place, 'StatefulSet', component.alias).metadata.uid).not.toBe(uid);
    expect(claim()).toBe(data);

    // Data outlives its component, unless it is to go as well.
    await change('deleteComponent', component, { force: true });
    await expect.poll(() => objectIn(place, 'StatefulSet', component.alias), patience).toBeUndefined();
    await jobEnds('SUCCEEDED');
    expect(claim()).toBe(data);
    const other = await first({ extendMethod: 'STATE' });
    await change('addVolume', other, { name: 'data', path: '/data', type: 'SHARE_FILE', capacityGiB: 1 });
    await change('deployComponent', other);
    await jobEnds('SUCCEEDED');
    await change('deleteComponent', other, { force: true, deleteVolumes: true });
    const gone = () => objectIn(place, 'PersistentVolumeClaim', `data-${other.alias}-0`);
    await expect.poll(gone, patience).toBeUndefined();
    expect(claim()).toBe(data);
  });

  it('keeps a namespace in termination: work waits until it can be made again', async () => {
    const component = await first();
    const { store } = server.cluster;
    const held = { name: 'held', namespace: place.namespace, finalizers: ['example.com/hold'] };
    store.put('ConfigMap', { metadata: held });
    somebody(place, 'DELETE', `/api/v1/namespaces/${place.namespace}`);
    await change('deployComponent', component);
    const error = async () =>
      (
        await trellis.services.db.query('SELECT error FROM job_component ORDER BY id DESC LIMIT 1', [])
      )[0]![0];
    await expect.poll(error, patience).toContain('The namespace in the cluster is being deleted.');
    const stuck = store.get(kindNamed('ConfigMap'), place.namespace, 'held')!.object;
    store.save(kindNamed('ConfigMap'), { ...stuck, metadata: { ...stuck.metadata, finalizers: [] } });
    await becomes(component, 'RUNNING');
    await jobEnds('SUCCEEDED');
  });

  it('has objects of others, which nobody touches', async () => {
    const { store } = server.cluster;
    const component = await first();
    const name = configName(component.alias, 'env', { MODE: 'a' });
    const metadata = { name, namespace: place.namespace };
    store.put('ConfigMap', { metadata, data: { OWN: 'yes' } });
    store.put('Secret', { metadata: { name: 'theirs', namespace: place.namespace } });
    await change('setVariables', component, { set: [{ name: 'MODE', value: 'a' }] });
    await change('deployComponent', component);
    await jobEnds('FAILED');
    expect((await newestJob()).error).toContain('belongs to somebody else');
    await change('deleteComponent', component, { force: true, deleteVolumes: true });
    await expect.poll(() => objectIn(place, 'Deployment', component.alias), patience).toBeUndefined();
    await jobEnds('SUCCEEDED');
    expect(objectIn(place, 'ConfigMap', metadata.name).data).toEqual({ OWN: 'yes' });
    expect(objectIn(place, 'Secret', 'theirs')).toBeDefined();
  });
});
