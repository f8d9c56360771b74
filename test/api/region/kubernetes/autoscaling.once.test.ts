import { beforeAll, describe, expect, it } from 'vitest';
import { platform } from '../../../support/kubernetes/api/access.ts';
import { autoscale, describeKeptNumber, numbersGiven } from '../../../support/kubernetes/autoscaled.ts';
import {
  createClusterPlace,
  type Deployed,
  deploy,
  jobsOf,
  objectIn,
  patience,
  settledJobs,
  somebody,
  statusesOf,
} from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';

const { trellis, server, place } = useClusterWorld(
  { jobs: { backoffMaxMs: 200 }, reconciles: true },
  { place: { token: 'platform' } },
);
beforeAll(async () => {
  const earlier = platform().rules.filter(({ groups }) => !groups.includes('autoscaling'));
  server.cluster.users.set('earlier', { name: 'earlier', rules: earlier });
});

const settled = (of = place) => settledJobs(trellis, of);
const deploymentOf = ({ alias }: Deployed) => objectIn(place, 'Deployment', alias);
const replicasOf = (component: Deployed): number => deploymentOf(component).spec.replicas;
const readReplicas = async ({ componentId }: Deployed): Promise<number> =>
  (await trellis.data(`{ component(by: { componentId: "${componentId}" }) { replicas } }`)).component
    .replicas;
const numbersOf = (component: Deployed) => numbersGiven(server, component);
const setAutoscaling = (component: Deployed, input: object = {}) =>
  autoscale(trellis, place, component, input);

describe('an autoscaling in a cluster', { timeout: 180_000 }, () => {
  it('takes the number of instances over without changing it, and gives it back', async () => {
    const [component] = (await deploy(trellis, place, [{ replicas: 4 }])) as [Deployed];
    const seen = numbersOf(component);
    await setAutoscaling(component);
    expect(objectIn(place, 'HorizontalPodAutoscaler', component.alias).spec).toMatchObject({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: component.alias },
      minReplicas: 2,
      maxReplicas: 8,
    });
    // A deploy leaves the number to the autoscaler.
    server.cluster.loads.set(component.alias, { cpu: 300 });
    await expect.poll(() => replicasOf(component), patience).toBe(6);
    await expect.poll(() => readReplicas(component), patience).toBe(6);
    const changed = { component: { componentId: component.componentId }, image: 'nginx:1.30', deploy: true };
    await trellis.succeed('updateComponent', changed, '__typename');
    await settled();
    await expect.poll(() => statusesOf(trellis, [component]), patience).toEqual(['RUNNING']);
    expect(deploymentOf(component).spec.template.spec.containers[0].image).toBe('nginx:1.30');
    const own = { component: { componentId: component.componentId } };
    expect(await trellis.attempt('scaleComponent', { ...own, replicas: 1 })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('from 2 to 8'),
    });
    const { component: after } = await trellis.succeed(
      'removeAutoscaling',
      own,
      'component { replicas autoscaling { minReplicas } }',
    );
    expect(after).toEqual({ replicas: 6, autoscaling: null });
    await settled();
    expect(objectIn(place, 'HorizontalPodAutoscaler', component.alias)).toBeUndefined();
    expect(seen).toEqual([4, 6]);
    // The release of the deploy had the autoscaler, and the first one had none.
    const rollBack = async (release: number) => {
      await trellis.succeed('rollbackComponent', { ...own, release }, '__typename');
      await settled();
    };
    await rollBack(2);
    expect(objectIn(place, 'HorizontalPodAutoscaler', component.alias).spec.maxReplicas).toBe(8);
    await rollBack(1);
    expect(objectIn(place, 'HorizontalPodAutoscaler', component.alias)).toBeUndefined();
    expect(replicasOf(component)).toBe(4);
    await trellis.succeed('scaleComponent', { ...own, replicas: 3 }, '__typename');
    await expect.poll(() => replicasOf(component), patience).toBe(3);
    await settled();
    // And is put back again.
    const path = `/apis/apps/v1/namespaces/${place.namespace}/deployments/${component.alias}`;
    somebody(place, 'PATCH', `${path}?fieldManager=kubectl-edit`, { spec: { replicas: 5 } });
    await expect.poll(() => replicasOf(component), patience).toBe(3);
  });

  it('begins within its bounds, also after a stop, and comes back when it is deleted', async () => {
    const [component] = (await deploy(trellis, place, [{ replicas: 3 }])) as [Deployed];
    const own = { component: { componentId: component.componentId } };
    await setAutoscaling(component, { minReplicas: 3 });
    await trellis.succeed('stopComponent', own, '__typename');
    await expect.poll(() => statusesOf(trellis, [component]), patience).toEqual(['STOPPED']);
    expect(replicasOf(component)).toBe(0);
    expect(objectIn(place, 'HorizontalPodAutoscaler', component.alias)).toBeUndefined();
    const seen = numbersOf(component);
    await trellis.succeed('startComponent', own, '__typename');
    await expect.poll(() => statusesOf(trellis, [component]), patience).toEqual(['RUNNING']);
    expect(seen).toEqual([3]);
    const path = `/apis/autoscaling/v2/namespaces/${place.namespace}/horizontalpodautoscalers/${component.alias}`;
    somebody(place, 'DELETE', path);
    const isBack = () => objectIn(place, 'HorizontalPodAutoscaler', component.alias) !== undefined;
    await expect.poll(isBack, patience).toBe(true);
    await settled();
    const force = { ...own, force: true };
    await trellis.succeed('deleteComponent', force, '__typename');
    await expect.poll(() => isBack() || deploymentOf(component) !== undefined, patience).toBe(false);
  });

  it('begins a component that was not deployed with the least number', async () => {
    const [component] = (await deploy(trellis, place, [{ replicas: 1 }], null)) as [Deployed];
    await settled();
    const own = { component: { componentId: component.componentId } };
    await trellis.succeed('deleteComponent', { ...own, force: true }, '__typename');
    const alias = `${component.alias}x`;
    const input = {
      application: { appId: place.appId },
      name: alias,
      alias,
      image: 'nginx:1.29',
      replicas: 1,
    };
    const { component: created } = await trellis.succeed('createComponent', input, 'component { uid }');
    const next = { componentId: created.uid, alias };
    const seen = numbersOf(next);
    await setAutoscaling(next);
    await trellis.succeed('deployComponent', { component: { componentId: created.uid } }, '__typename');
    await expect.poll(() => statusesOf(trellis, [next]), patience).toEqual(['RUNNING']);
    // It is created without instances.
    expect(seen).toEqual([0, 2]);
  });

  it('leaves regions alone whose account may not read autoscalers, until one is wanted', async () => {
    const earlier = await createClusterPlace(trellis, server, { token: 'earlier' });
    const [component] = (await deploy(trellis, earlier)) as [Deployed];
    const path = `/apis/apps/v1/namespaces/${earlier.namespace}/deployments/${component.alias}`;
    somebody(earlier, 'PATCH', `${path}?fieldManager=kubectl-edit`, { spec: { replicas: 5 } });
    const replicas = () => objectIn(earlier, 'Deployment', component.alias).spec.replicas;
    await expect.poll(replicas, patience).toBe(1);
    await trellis.succeed(
      'setAutoscaling',
      {
        component: { componentId: component.componentId },
        ...{ minReplicas: 2, maxReplicas: 3, cpuPercent: 50 },
      },
      '__typename',
    );
    await expect
      .poll(async () => (await jobsOf(trellis, earlier, 'SCALE'))[0], patience)
      .toMatchObject({ status: 'FAILED', error: expect.stringContaining('horizontalpodautoscalers') });
  });
});

// autoscaling.long.once.test.ts has an hour of it.
describeKeptNumber({ minutes: 12 });
