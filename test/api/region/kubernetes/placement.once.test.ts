import { describe, expect, it } from 'vitest';
import { platform } from '../../../support/kubernetes/api/access.ts';
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
const { rules } = platform();

const settled = (of = place) => settledJobs(trellis, of);
const ref = ({ componentId }: Deployed) => ({ component: { componentId } });
const does = async (mutation: string, component: Deployed, input: object = {}, of = place) => {
  await trellis.succeed(mutation, { ...ref(component), ...input }, '__typename');
  await settled(of);
};
const budgetOf = ({ alias }: Deployed, of = place) => objectIn(of, 'PodDisruptionBudget', alias);
const workloadOf = ({ alias }: Deployed, of = place) => objectIn(of, 'Deployment', alias);
const podSpecOf = (component: Deployed) => workloadOf(component).spec.template.spec;
const budgetPath = ({ alias }: Deployed) =>
  `/apis/policy/v1/namespaces/${place.namespace}/poddisruptionbudgets/${alias}`;

describe('a placement in a cluster', { timeout: 180_000 }, () => {
  it('decides on the nodes of the instances from the next deploy on', async () => {
    const [component] = (await deploy(trellis, place)) as [Deployed];
    const before = podSpecOf(component);
    for (const field of ['nodeSelector', 'tolerations', 'topologySpreadConstraints']) {
      expect(before).not.toHaveProperty(field);
    }
    await does('setPlacement', component, {
      nodeLabels: [{ key: 'disktype', value: 'ssd' }],
      tolerations: [
        { key: 'dedicated', value: 'web', effect: 'NO_SCHEDULE' },
        { key: 'gpu', operator: 'EXISTS', effect: 'PREFER_NO_SCHEDULE' },
        { operator: 'EXISTS', effect: 'NO_EXECUTE' },
        { key: 'empty' },
      ],
      spread: 'ZONE',
    });
    expect(podSpecOf(component)).toEqual(before);
    await does('deployComponent', component);
    expect(podSpecOf(component)).toMatchObject({
      nodeSelector: { disktype: 'ssd' },
      tolerations: [
        { key: 'dedicated', operator: 'Equal', value: 'web', effect: 'NoSchedule' },
        { key: 'gpu', operator: 'Exists', effect: 'PreferNoSchedule' },
        { operator: 'Exists', effect: 'NoExecute' },
        { key: 'empty', operator: 'Equal' },
      ],
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { 'trellis.dev/component': component.componentId } },
        },
      ],
    });
    await does('setPlacement', component, { spread: 'NODE' });
    await does('deployComponent', component);
    const { nodeSelector, tolerations, topologySpreadConstraints } = podSpecOf(component);
    expect([nodeSelector, tolerations]).toEqual([undefined, undefined]);
    expect(topologySpreadConstraints).toMatchObject([{ topologyKey: 'kubernetes.io/hostname' }]);
    await does('setPlacement', component);
    await does('deployComponent', component);
    const { topologySpreadConstraints: left = [], ...rest } = podSpecOf(component);
    expect(left).toEqual([]);
    expect(rest).toEqual(before);
  });

  it('keeps an instance available while there are several, and no budget otherwise', async () => {
    const [component] = (await deploy(trellis, place)) as [Deployed];
    expect(budgetOf(component)).toBeUndefined();
    await does('scaleComponent', component, { replicas: 4 });
    expect(budgetOf(component).spec).toEqual({
      minAvailable: 1,
      selector: { matchLabels: { 'trellis.dev/component': component.componentId } },
    });
    await does('setPlacement', component, { minAvailable: 3 });
    expect(budgetOf(component).spec.minAvailable).toBe(1);
    await does('deployComponent', component);
    expect(budgetOf(component).spec.minAvailable).toBe(3);
    // Nodes can still be drained.
    await does('scaleComponent', component, { replicas: 3 });
    expect(budgetOf(component).spec.minAvailable).toBe(2);
    await does('stopComponent', component);
    expect(budgetOf(component)).toBeUndefined();
    await does('startComponent', component);
    await expect.poll(() => statusesOf(trellis, [component]), patience).toEqual(['RUNNING']);
    expect(budgetOf(component).spec.minAvailable).toBe(2);
    await does('setPlacement', component, { minAvailable: 0 });
    await does('deployComponent', component);
    expect(budgetOf(component)).toBeUndefined();
    await does('setPlacement', component);
    await does('deployComponent', component);
    expect(budgetOf(component).spec.minAvailable).toBe(1);
    await does('scaleComponent', component, { replicas: 1 });
    expect(budgetOf(component)).toBeUndefined();
    await does('setAutoscaling', component, { minReplicas: 2, maxReplicas: 3, cpuPercent: 50 });
    expect(budgetOf(component).spec.minAvailable).toBe(1);
    await does('deleteComponent', component, { force: true });
    await expect.poll(() => budgetOf(component) ?? workloadOf(component), patience).toBeUndefined();
  });

  it('comes back when it is changed or deleted by hand', async () => {
    const [component] = (await deploy(trellis, place, [{ replicas: 2 }])) as [Deployed];
    somebody(place, 'DELETE', budgetPath(component));
    await expect.poll(() => budgetOf(component)?.spec.minAvailable, patience).toBe(1);
    await settled();
    const path = `${budgetPath(component)}?fieldManager=kubectl-edit`;
    somebody(place, 'PATCH', path, { spec: { minAvailable: 2 } });
    await expect.poll(() => budgetOf(component)?.spec.minAvailable, patience).toBe(1);
    await settled();
    expect((await jobsOf(trellis, place, 'RECONCILE')).length).toBeGreaterThan(0);
  });

  it('is an orphan of the region when its component is gone', async () => {
    await deploy(trellis, place);
    const labels = {
      'app.kubernetes.io/managed-by': 'trellis',
      'trellis.dev/team': place.teamId,
      'trellis.dev/component': 'deleted',
    };
    const metadata = { name: 'left', namespace: place.namespace, labels };
    server.cluster.store.put('PodDisruptionBudget', { metadata, spec: { minAvailable: 1 } });
    const region = { regionId: place.region.regionId };
    const orphan = { kind: 'PodDisruptionBudget', name: 'left' };
    const found = await trellis.data(
      `{ region(by: { regionId: "${region.regionId}" }) { orphans { kind name } } }`,
    );
    expect(found.region.orphans).toEqual([orphan]);
    const removed = await trellis.succeed('removeRegionOrphans', { region }, 'orphans { kind name }');
    expect(removed.orphans).toEqual([orphan]);
    expect(objectIn(place, 'PodDisruptionBudget', 'left')).toBeUndefined();
  });

  it('is left out where the account may not make budgets, until it may', async () => {
    const earlier = rules.filter(({ groups }) => !groups.includes('policy'));
    server.cluster.users.set('earlier', { name: 'earlier', rules: earlier });
    const other = await createClusterPlace(trellis, server, { token: 'earlier' });
    const [component] = (await deploy(trellis, other, [{ replicas: 2 }])) as [Deployed];
    const noteOf = () => workloadOf(component, other).metadata.annotations['trellis.dev/not-applied'];
    expect(budgetOf(component, other)).toBeUndefined();
    expect(noteOf()).toBe('minAvailable');
    const { checkRegion } = await trellis.data(
      `{ checkRegion(region: { regionId: "${other.region.regionId}" }) { rights { resource isAllowed } } }`,
    );
    const missing = checkRegion.rights.filter(({ isAllowed }: any) => !isAllowed);
    expect([...new Set(missing.map(({ resource }: any) => resource))]).toEqual(['poddisruptionbudgets']);
    // Everything else is still put back.
    const path = `/apis/apps/v1/namespaces/${other.namespace}/deployments/${component.alias}`;
    somebody(other, 'PATCH', `${path}?fieldManager=kubectl-edit`, { spec: { replicas: 5 } });
    await expect.poll(() => workloadOf(component, other).spec.replicas, patience).toBe(2);
    await settled(other);
    server.cluster.users.set('earlier', { name: 'earlier', rules });
    await does('deployComponent', component, {}, other);
    expect(budgetOf(component, other).spec.minAvailable).toBe(1);
    expect(noteOf()).toBeUndefined();
    await does('stopComponent', component, {}, other);
    await does('deleteComponent', component, { force: true }, other);
    await expect.poll(() => budgetOf(component, other), patience).toBeUndefined();
  });
});
