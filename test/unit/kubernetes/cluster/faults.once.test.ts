import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DesiredComponent } from '../../../../src/drivers/region/desired.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { type CarryOutOptions, carryOut as carryOutWith } from '../../../support/kubernetes/carry-out.ts';
import { type KubernetesUnderTest, kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { configName } from '../../../support/kubernetes/place.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

let under: KubernetesUnderTest;
beforeAll(async () => {
  under = await kubernetesUnderTest();
});
afterAll(() => under.close());

const namespace = 'trellis-team';
const [image, nextImage] = ['registry.example/web:1', 'registry.example/web:2'];
const carryOut = (
  method: 'apply' | 'restart' | 'remove',
  component: DesiredComponent,
  options: Partial<CarryOutOptions> = {},
) => carryOutWith({ ...under, ...options }, method, component);

async function statusOf({ id }: DesiredComponent, deployState = 'running') {
  const knowledge = { id, regionId: under.region.id, deployState };
  return (await under.driver.observe([knowledge], new AbortController().signal)).get(id);
}

async function explanationOf({ id }: DesiredComponent) {
  const knowledge = { id, regionId: under.region.id, deployState: 'running' };
  return (await under.driver.explain!([knowledge], new AbortController().signal)).get(id);
}

const read = (kind: string, name: string) =>
  under.server.cluster.store.get(kindNamed(kind), namespace, name)?.object;
const send = (method: string, path: string, body: object, contentType: string) =>
  under.server.cluster.handle({ method, path, body, contentType }, 'admin') as { status: number };
const volume = (name: string, capacityGiB: number) => ({
  name,
  path: `/${name}`,
  type: 'share-file',
  fileContent: '',
  capacityGiB,
  accessMode: null,
  sharePolicy: null,
});

describe('the Kubernetes driver', () => {
  it('goes on when the API server is gone for a while, restarts, and answers again', async () => {
    const component = desiredComponent(image);
    await carryOut('apply', component);
    under.server.setDown(true);
    let hasFailed = () => {};
    const failed = new Promise<void>((resolve) => {
      hasFailed = resolve;
    });
    // As often as it takes: how many calls fail depends on how long the server is down.
    const given = { calls: Number.POSITIVE_INFINITY, onError: hasFailed };
    const work = carryOut('apply', { ...component, image: nextImage }, given);
    await failed;
    await expect.poll(() => statusOf(component), { timeout: 60_000 }).toBe('unknown');
    under.server.cluster.restart();
    under.server.setDown(false);
    const errors = await work;
    expect(new Set(errors.map((error) => error.replace(/E[A-Z]+/, 'CODE')))).toEqual(
      new Set(['The cluster did not answer: CODE.']),
    );
    await expect.poll(() => statusOf(component), { timeout: 60_000 }).toBe('running');
    // What happens after the restart is seen as well.
    await carryOut('apply', { ...component, state: 'closed' });
    expect(await statusOf(component, 'closed')).toBe('closed');
  });

  it('sends requests again whose connections the API server has closed', async () => {
    const component = desiredComponent(image);
    expect(await carryOut('apply', component)).toEqual([]);
    under.server.dropUsed();
    expect(await carryOut('apply', { ...component, generation: 2, image: nextImage })).toEqual([]);
  });

  it('goes on watching when watches end, and when their versions are too old', async () => {
    const component = desiredComponent(image);
    await carryOut('apply', component);
    const { cluster } = under.server;
    const save = (change: (spec: any) => void) => {
      const next = structuredClone(read('Deployment', component.clusterName));
      change(next.spec);
      cluster.store.save(kindNamed('Deployment'), next);
    };
    for (const cut of [() => cluster.dropWatches(), () => cluster.restart()]) {
      cut();
      // Somebody else changes it, which nobody tells the driver but the watch.
      save((spec) => {
        spec.template.spec.containers[0].image = 'registry.example/web:broken';
      });
      await expect.poll(() => statusOf(component), { timeout: 60_000 }).toBe('some_abnormal');
      save((spec) => {
        spec.template.spec.containers[0].image = image;
      });
      await expect.poll(() => statusOf(component), { timeout: 60_000 }).toBe('running');
    }
  });

  it('retries what a busy or broken server refuses', async () => {
    const { cluster } = under.server;
    let left = 40;
    const text = { 'content-type': 'text/plain', 'retry-after': '0' };
    cluster.fault = ({ method }) => {
      if (method === 'GET' || left-- <= 0) return undefined;
      return left % 2
        ? { status: 429, body: 'Too many requests, please try again later.\n', headers: text }
        : {
            status: 500,
            body: { kind: 'Status', status: 'Failure', message: 'etcdserver: request timed out', code: 500 },
          };
    };
    const component = desiredComponent(image);
    await carryOut('apply', component);
    cluster.fault = undefined;
    expect(left).toBeLessThanOrEqual(0);
    expect(await statusOf(component)).toBe('running');
  });

  it('says that the credentials are refused, and goes on with others', async () => {
    const component = desiredComponent(image);
    const { credentials } = under.region;
    under.region.credentials = { ...credentials, token: 'expired' };
    await expect(carryOut('apply', component, { calls: 2 })).rejects.toThrow('rejected the credentials');
    under.region.credentials = credentials;
    await carryOut('apply', component);
  });

  it('takes back what was changed by hand, and names who else applies a field', async () => {
    const component = desiredComponent(image);
    await carryOut('apply', component);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${component.clusterName}`;
    const merge = 'application/merge-patch+json';
    send('PATCH', `${path}/scale?fieldManager=hpa`, { spec: { replicas: 5 } }, merge);
    send('PATCH', `${path}?fieldManager=kubectl-edit`, { spec: { minReadySeconds: 0, replicas: 6 } }, merge);
    await carryOut('apply', component);
    expect(read('Deployment', component.clusterName).spec.replicas).toBe(2);
    const object = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: component.clusterName },
      spec: { replicas: 7 },
    };
    send('PATCH', `${path}?fieldManager=argocd&force=true`, object, 'application/apply-patch+yaml');
    await expect(carryOut('apply', component)).rejects.toMatchObject({
      message: 'The Deployment of the component is also managed by argocd: .spec.replicas',
    });
  });

  it('never touches objects of others', async () => {
    const { store } = under.server.cluster;
    const component = desiredComponent(image);
    const name = configName(component.clusterName, 'env', { MODE: 'test' });
    const foreign = { metadata: { name, namespace }, data: { OWN: 'yes' } };
    store.put('Secret', { metadata: { name: 'of-somebody', namespace } });
    store.put('ConfigMap', foreign);
    await expect(carryOut('apply', component)).rejects.toThrow('belongs to somebody else');
    await carryOut('remove', component);
    expect(read('ConfigMap', foreign.metadata.name).data).toEqual({ OWN: 'yes' });
    expect(read('Secret', 'of-somebody')).toBeDefined();
    const other = { ...desiredComponent(image), clusterName: component.clusterName, variables: [] };
    await carryOut('apply', other);
    const third = { ...desiredComponent(image), clusterName: component.clusterName, variables: [] };
    await expect(carryOut('apply', third)).rejects.toThrow('belongs to another component');
    await carryOut('remove', third);
    expect(read('Deployment', component.clusterName)).toBeDefined();
  });

  it('makes a StatefulSet again when its volumes change, with its instances and data', async () => {
    const component = desiredComponent(image, { extendMethod: 'state', volumes: [volume('data', 1)] });
    await carryOut('apply', component);
    const set = () => read('StatefulSet', component.clusterName);
    const [uid, claim] = [
      set().metadata.uid,
      read('PersistentVolumeClaim', `data-${component.clusterName}-0`),
    ];
    await carryOut('apply', { ...component, volumes: [volume('data', 1), volume('more', 2)] });
    expect(set().metadata.uid).not.toBe(uid);
    expect(read('PersistentVolumeClaim', `data-${component.clusterName}-0`).metadata.uid).toBe(
      claim.metadata.uid,
    );
    expect(await statusOf(component)).toBe('running');
    await carryOut('remove', component);
    expect(read('PersistentVolumeClaim', `data-${component.clusterName}-0`)).toBeDefined();
  });

  it('repairs a StatefulSet whose instances could not start', async () => {
    const component = desiredComponent('registry.example/db:broken', { extendMethod: 'state' });
    await expect(carryOut('apply', component)).rejects.toThrow('ImagePullBackOff');
    expect(await statusOf(component)).toBe('abnormal');
    await carryOut('apply', { ...component, image });
    expect(await statusOf(component)).toBe('running');
  });

  it('tells why containers crash and a quota refuses instances', async () => {
    const crashing = desiredComponent('registry.example/web:crash');
    await expect(carryOut('apply', crashing)).rejects.toThrow('CrashLoopBackOff');
    expect(await explanationOf(crashing)).toContain('CrashLoopBackOff');
    const { store } = under.server.cluster;
    const metadata = { name: 'small', namespace };
    store.put('ResourceQuota', { metadata, spec: { hard: { 'requests.cpu': '1m' } } });
    const component = desiredComponent(image);
    await expect(carryOut('apply', component)).rejects.toThrow('exceeded quota: small');
    expect(await statusOf(component)).toBe('abnormal');
    expect(await explanationOf(component)).toContain('exceeded quota: small');
    store.remove(
      kindNamed('ResourceQuota'),
      store.get(kindNamed('ResourceQuota'), namespace, 'small')!.object,
    );
    // The cluster tries again by itself.
    under.server.cluster.step();
    await expect.poll(() => statusOf(component), { timeout: 60_000 }).toBe('running');
    expect(await explanationOf(component)).toBeUndefined();
    expect(await explanationOf(desiredComponent(image))).toBeUndefined();
  });

  it('waits for a namespace that is being deleted', async () => {
    const component = { ...desiredComponent(image), teamId: 'leaving' };
    const { store } = under.server.cluster;
    await carryOut('apply', component);
    store.put('ConfigMap', {
      metadata: { name: 'held', namespace: 'trellis-leaving', finalizers: ['example.com/hold'] },
    });
    send('DELETE', '/api/v1/namespaces/trellis-leaving', {}, 'application/json');
    let hasFailed = () => {};
    const failed = new Promise<void>((resolve) => {
      hasFailed = resolve;
    });
    const work = carryOut('apply', component, { calls: Number.POSITIVE_INFINITY, onError: hasFailed });
    await failed;
    const held = store.get(kindNamed('ConfigMap'), 'trellis-leaving', 'held')!.object;
    store.save(kindNamed('ConfigMap'), { ...held, metadata: { ...held.metadata, finalizers: [] } });
    expect((await work)[0]).toContain('is being deleted');
    expect(await statusOf(component)).toBe('running');
  });
});
