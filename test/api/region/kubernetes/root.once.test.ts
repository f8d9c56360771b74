import { describe, expect, it } from 'vitest';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import {
  type Deployed,
  deploy,
  jobsOf,
  objectIn,
  patience,
  settledJobs,
  statusesOf,
} from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';

const { trellis, server, place } = useClusterWorld(
  { jobs: { backoffMaxMs: 200 }, runs: {}, reconciles: true },
  { place: { token: 'platform' } },
);

const settled = () => settledJobs(trellis, place);
const does = async (mutation: string, { componentId }: Deployed, input: object = {}) => {
  await trellis.succeed(mutation, { component: { componentId }, ...input }, '__typename');
  await settled();
};
const level = () =>
  server.cluster.store.get(kindNamed('Namespace'), undefined, place.namespace)!.object.metadata.labels[
    'pod-security.kubernetes.io/enforce'
  ];
const podOf = ({ alias }: Deployed) => objectIn(place, 'Deployment', alias).spec.template.spec;
const problemOf = async ({ componentId }: Deployed) =>
  (await trellis.data(`{ component(by: { componentId: "${componentId}" }) { problem { message } } }`))
    .component.problem?.message;

describe('instances without root', { timeout: 180_000 }, () => {
  it('are those of components that do not need it, and the namespace refuses others', async () => {
    const [component] = (await deploy(trellis, place)) as [Deployed];
    const restricted = structuredClone(podOf(component));
    expect(restricted.securityContext).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(restricted.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    expect(level()).toBe('restricted');

    // What runs beside them is restricted as well.
    const { run } = await trellis.succeed(
      'runComponent',
      { component: { componentId: component.componentId }, command: ['sh', '-c', 'exit 0'] },
      'run { id }',
    );
    const runStatus = async () =>
      (await trellis.data(`{ node(id: "${run.id}") { ... on ComponentRun { status } } }`)).node.status;
    await expect.poll(runStatus, patience).toBe('SUCCEEDED');

    // A volume is for the group of the instance.
    const [data] = (await deploy(trellis, place, [
      { volumes: [{ name: 'data', path: '/data', type: 'share-file', capacityGiB: 1 }] },
    ])) as [Deployed];
    expect(podOf(data).securityContext).toMatchObject({
      fsGroup: 1000,
      fsGroupChangePolicy: 'OnRootMismatch',
    });

    // The namespace changes before the first instance with root, and after the last one.
    await does('updateComponent', component, { needsRoot: true });
    expect([podOf(component), level()]).toEqual([restricted, 'restricted']);
    await does('deployComponent', component);
    expect(level()).toBe('baseline');
    expect(podOf(component).securityContext).toEqual({ seccompProfile: { type: 'RuntimeDefault' } });
    const [second] = (await deploy(trellis, place, [{ needsRoot: true }])) as [Deployed];
    await does('updateComponent', component, { needsRoot: false, deploy: true });
    expect(level()).toBe('baseline');
    await does('stopComponent', second);
    expect(level()).toBe('baseline');
    await does('startComponent', second);
    await does('deleteComponent', second, { force: true });
    await expect.poll(level, patience).toBe('restricted');
    await does('updateComponent', component, { needsRoot: true, deploy: true });
    expect(level()).toBe('baseline');
    await does('updateComponent', component, { needsRoot: false, deploy: true });
    await expect.poll(level, patience).toBe('restricted');
    expect(podOf(component)).toEqual(restricted);
    expect(await statusesOf(trellis, [component])).toEqual(['RUNNING']);
    await expect
      .poll(
        async () => (await jobsOf(trellis, place)).filter(({ status }) => status !== 'SUCCEEDED'),
        patience,
      )
      .toEqual([]);
  });

  it('do not start with an image that runs as root, and the component says what to do', async () => {
    const [component] = (await deploy(trellis, place, [{ image: 'nginx:root' }], null)) as [Deployed];
    await settled();
    const reason =
      /CreateContainerConfigError: container has runAsNonRoot and image will run as root.*Use an image.*set `needsRoot`/;
    const [job] = await jobsOf(trellis, place, 'DEPLOY');
    expect(job).toMatchObject({ status: 'FAILED', error: expect.stringMatching(reason) });
    expect(await problemOf(component)).toMatch(reason);
    await does('updateComponent', component, { needsRoot: true, deploy: true });
    expect(await statusesOf(trellis, [component])).toEqual(['RUNNING']);
    expect(await problemOf(component)).toBeUndefined();
    await does('deleteComponent', component, { force: true });
    await expect.poll(level, patience).toBe('restricted');
  });
});
