import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DesiredComponent } from '../../../../src/drivers/region/desired.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { type KubernetesUnderTest, kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { beforeNextCall } from '../../../support/kubernetes/next-call.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

let under: KubernetesUnderTest;
beforeAll(async () => {
  under = await kubernetesUnderTest();
});
afterAll(() => under.close());

const namespace = 'trellis-team';
const [older, newer] = ['registry.example/web:1', 'registry.example/web:2'];
const never = new AbortController().signal;
type Method = 'apply' | 'restart' | 'remove';

/** Carries out the work of a job, as the worker does. */
async function carryOut(
  method: Method,
  component: DesiredComponent,
  job: number,
  { driver = under.driver, signal = never } = {},
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const work = { id: job, job, attempt, elapsedMs: 0 };
    if ((await driver[method](under.region, component, work, signal)).isDone) return;
    await beforeNextCall();
  }
}

const componentOf = (given: Partial<DesiredComponent> = {}) =>
  desiredComponent(older, { replicas: 1, ...given });
const read = (kind: string, name: string) =>
  under.server.cluster.store.get(kindNamed(kind), namespace, name)?.object;
const workloadOf = ({ clusterName }: DesiredComponent) => read('Deployment', clusterName);
const imageOf = (component: DesiredComponent) =>
  workloadOf(component)?.spec.template.spec.containers[0].image;
const objectsOf = ({ id }: DesiredComponent) =>
  ['Deployment', 'Service', 'ConfigMap', 'Secret', 'HTTPRoute'].flatMap((kind) =>
    under.server.cluster.store
      .list(kindNamed(kind), namespace)
      .filter(({ metadata: { labels } }: any) => labels?.['trellis.dev/component'] === id),
  );

/**
 * Holds back the first write of a path until it is released, as a slow API server does. Resolves when that write has come: the
 * gateway that has sent it gives up meanwhile.
 */
function holdWrite(matches: (path: string) => boolean) {
  const { cluster } = under.server;
  let release = () => {};
  let held: { method: string; path: string } | undefined;
  const arrived = new Promise<void>((resolve) => {
    cluster.fault = (request) => {
      if (held || request.method === 'GET' || !matches(request.path)) return undefined;
      held = request;
      resolve();
      release = () => {
        cluster.fault = undefined;
        cluster.handle(request, 'admin');
      };
      return { status: 503, body: { kind: 'Status', code: 503, message: 'too late' } };
    };
  });
  return { arrived, release: () => release() };
}

describe('a job that is older than what the cluster has', () => {
  it.each<Method>(['apply', 'restart', 'remove'])('is refused when it wants to %s', async (method) => {
    const component = componentOf();
    await carryOut('apply', { ...component, image: newer }, 20);
    const before = JSON.stringify(objectsOf(component));
    await expect(carryOut(method, component, 19, { driver: under.another() })).rejects.toMatchObject({
      isPermanent: true,
      message: expect.stringContaining('by a later job.'),
    });
    expect(JSON.stringify(objectsOf(component))).toBe(before);
  });

  it('is refused when it wants to start what was stopped', async () => {
    const component = componentOf();
    await carryOut('apply', component, 1);
    await carryOut('apply', { ...component, state: 'closed' }, 3);
    await expect(carryOut('apply', component, 2)).rejects.toThrow('by a later job.');
    expect(workloadOf(component).spec.replicas).toBe(0);
  });

  it('does not bring back what was removed, nor remove what was deployed again', async () => {
    const component = componentOf();
    await carryOut('apply', component, 1);
    await carryOut('remove', component, 3);
    await expect(carryOut('apply', component, 2)).rejects.toThrow(
      'The component was removed by a later job.',
    );
    expect(workloadOf(component)).toBeUndefined();
    await carryOut('apply', component, 4);
    await expect(carryOut('remove', component, 3)).rejects.toThrow('by a later job.');
    expect(workloadOf(component).spec.replicas).toBe(1);
  });

  it('goes on with what it has written itself', async () => {
    const component = componentOf();
    await carryOut('apply', component, 1);
    await carryOut('apply', component, 1, { driver: under.another() });
    expect(workloadOf(component).metadata.annotations['trellis.dev/job']).toBe('1');
  });
});

describe('a request that arrives late', () => {
  const objects: [string, (component: DesiredComponent) => string][] = [
    ['Deployment', ({ clusterName }) => `/deployments/${clusterName}?`],
    ['Service', ({ clusterName }) => `/services/${clusterName}?`],
    ['HTTPRoute', () => '/httproutes/'],
    ['Gateway', () => '/gateways/'],
  ];

  it.each(objects)('does not replace a newer %s', async (_, pathOf) => {
    const component = componentOf();
    await carryOut('apply', component, 1);
    const late = holdWrite((path) => path.includes(pathOf(component)));
    const cut = new AbortController();
    const changed = { ...component, replicas: 2 };
    const old = carryOut('apply', changed, 2, { driver: under.another(), signal: cut.signal });
    await late.arrived;
    cut.abort(new Error('cut off'));
    await expect(old).rejects.toThrow();
    await carryOut('apply', { ...component, image: newer }, 3);
    const before = under.server.cluster.store.version;
    late.release();
    expect(under.server.cluster.store.version).toBe(before);
    expect([imageOf(component), workloadOf(component).spec.replicas]).toEqual([newer, 1]);
  });

  it('does not replace what another gateway has created meanwhile', async () => {
    const component = componentOf();
    const late = holdWrite((path) => path.includes(`/deployments/${component.clusterName}?`));
    const cut = new AbortController();
    const old = carryOut('apply', component, 1, { driver: under.another(), signal: cut.signal });
    await late.arrived;
    cut.abort(new Error('cut off'));
    await expect(old).rejects.toThrow();
    await carryOut('apply', { ...component, image: newer }, 2);
    late.release();
    expect([imageOf(component), workloadOf(component).spec.replicas]).toEqual([newer, 1]);
  });

  it('starts no instance of a component that was removed meanwhile', async () => {
    const component = componentOf();
    const late = holdWrite((path) => path.includes(`/deployments/${component.clusterName}?`));
    const cut = new AbortController();
    const driver = under.another();
    const old = carryOut('apply', component, 1, { driver, signal: cut.signal });
    await late.arrived;
    cut.abort(new Error('cut off'));
    await expect(old).rejects.toThrow();
    await carryOut('remove', component, 2);
    late.release();
    expect(workloadOf(component).spec.replicas).toBe(0);
    // Nor does the gateway, should it go on after all.
    await expect(carryOut('apply', component, 1, { driver })).rejects.toThrow(
      'The component was removed by a later job.',
    );
    expect(workloadOf(component)).toBeUndefined();
  });
});

describe('what an older job has written after all', () => {
  /** Stores an object as if it had been written with the number of a job. */
  const store = (kind: string, object: any, job: number) => {
    const metadata = {
      ...object.metadata,
      annotations: {
        ...object.metadata.annotations,
        'trellis.dev/job': String(job),
        'trellis.dev/applied': 'other',
      },
    };
    under.server.cluster.store.put(kind, { ...structuredClone(object), metadata });
  };

  it('is found by its number', async () => {
    const component = componentOf({ image: newer });
    await carryOut('apply', component, 5);
    const drift = (lastJob?: number) => under.driver.drift(under.region, component, never, lastJob);
    expect(await drift(5)).toEqual({ changed: [], refused: [] });
    const old = structuredClone(workloadOf(component));
    old.spec.template.spec.containers[0].image = older;
    store('Deployment', old, 4);
    expect(await drift(5)).toEqual({ changed: [`Deployment ${component.clusterName}`], refused: [] });
    // Something else that is desired since then is no drift.
    expect(await drift(4)).toEqual({ changed: [], refused: [] });
    expect(await drift()).toEqual({ changed: [], refused: [] });
  });

  it('is found and removed if nothing wants it any more', async () => {
    const component = componentOf();
    await carryOut('apply', component, 5);
    const { labels } = workloadOf(component).metadata;
    const name = `late-${component.clusterName}`;
    const drift = (lastJob?: number) => under.driver.drift(under.region, component, never, lastJob);
    store('Service', { metadata: { name, namespace, labels }, spec: { ports: [{ port: 80 }] } }, 4);
    await expect.poll(() => drift(5)).toEqual({ changed: [`Service ${name}`], refused: [] });
    // It may be one that the last job has applied.
    expect(await drift(4)).toEqual({ changed: [], refused: [] });
    await carryOut('apply', component, 6);
    expect(read('Service', name)).toBeUndefined();
  });
});

describe('a database that was restored from a backup', () => {
  it('has lower numbers, which the cluster accepts after a reset', async () => {
    const component = componentOf();
    const removed = componentOf();
    await carryOut('apply', component, 90);
    await carryOut('apply', removed, 91);
    await carryOut('remove', removed, 92);
    for (const each of [component, removed]) {
      await expect(carryOut('apply', each, 7)).rejects.toThrow('reset the fence of the region');
    }
    expect(await under.driver.resetFence(under.region.id, never)).toBeGreaterThan(2);
    for (const each of [component, removed]) await carryOut('apply', { ...each, image: newer }, 7);
    expect([component, removed].map(imageOf)).toEqual([newer, newer]);
    await expect(carryOut('apply', component, 6)).rejects.toThrow('by a later job.');
    expect(await under.driver.resetFence('nowhere', never).catch((error) => error.message)).toContain(
      'no region',
    );
  });
});
