import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterSettings } from '../../../../src/drivers/region/clusters.ts';
import type { DesiredComponent, RemovedComponent } from '../../../../src/drivers/region/desired.ts';
import { componentsOf, kinds, labels } from '../../../../src/drivers/region/kubernetes/objects/objects.ts';
import { jobNameOf } from '../../../../src/drivers/region/object-names.ts';
import { platform } from '../../../support/kubernetes/api/access.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { carryOut } from '../../../support/kubernetes/carry-out.ts';
import { type KubernetesUnderTest, kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

const never = new AbortController().signal;
const image = 'registry.example:5000/web:1.0';

type Setting = 'gateway' | 'ingress';
const settings: Record<Setting, Partial<ClusterSettings>> = {
  gateway: { certificateIssuer: 'test' },
  ingress: { gatewayClass: null, ingressClass: 'nginx', certificateIssuer: 'test' },
};
const under = {} as Record<Setting, KubernetesUnderTest>;
beforeAll(async () => {
  for (const setting of ['gateway', 'ingress'] as const) {
    under[setting] = await kubernetesUnderTest(settings[setting], {
      hasSnapshots: true,
      issuers: ['test'],
      quota: { cpuMillicores: 1e6, memoryMiB: 1e6 },
    });
    under[setting].server.cluster.users.set('admin', platform());
  }
});
afterAll(async () => {
  for (const each of Object.values(under)) await each.close();
});

const volume = (accessMode: string | null) => ({
  ...{ name: 'data', path: '/data', type: 'share-file', fileContent: '', sharePolicy: null },
  ...{ capacityGiB: 1, accessMode },
});

const certificate = { name: 'own', chain: 'a chain', key: 'a key' };

/** A component with objects of many kinds. Those of a name have the same names. */
function component(name: string, given: Partial<DesiredComponent>): DesiredComponent {
  const made = desiredComponent(image, { replicas: 2, ...given });
  const issued = { ...made.httpRules[0]!, domain: `issued.${name}.example`, autoSsl: true };
  return {
    ...made,
    clusterName: name,
    serviceName: name,
    httpRules: [{ ...made.httpRules[0]!, domain: `${name}.example`, certificate }, issued],
    tcpRules: made.tcpRules.map((rule) => ({ ...rule, outerPort: 40_000 })),
    pullCredential: { host: 'registry.example:5000', username: 'robot', password: 'hunter2' },
    volumes: [...made.volumes, volume('rwx')],
  };
}

const shapes: { setting: Setting; shape: string; given: Partial<DesiredComponent> }[] = [
  {
    setting: 'gateway',
    shape: 'scaled',
    given: { autoscaling: { minReplicas: 2, maxReplicas: 3, cpuPercent: 50, memoryPercent: null } },
  },
  { setting: 'gateway', shape: 'stateful', given: { extendMethod: 'state' } },
  { setting: 'ingress', shape: 'plain', given: {} },
];

type Foreign = Record<string, any>;
const store = (setting: Setting) => under[setting].server.cluster.store;
const ownerOf = (object: Foreign) => componentsOf(object as Parameters<typeof componentsOf>[0]);

/** What the cluster has of a component. */
async function objectsOf(setting: Setting, made: DesiredComponent): Promise<Foreign[]> {
  under[setting].components.set(made.id, made);
  await carryOut(under[setting], 'apply', made);
  under[setting].components.delete(made.id);
  return store(setting)
    .contentOf(`trellis-${made.teamId}`)
    .filter(([{ kind }, object]) => kind in kinds && kind !== 'Pod' && ownerOf(object).includes(made.id))
    .map(([{ kind }, object]) => ({ ...structuredClone(object), kind }));
}

let places = 0;
/** Puts an object of a component, or of a team, where another has a place for one of the same name. */
function put(setting: Setting, object: Foreign): { teamId: string; stored: () => Foreign } {
  const teamId = `place${++places}`;
  const { labels: has, annotations } = object.metadata;
  const namespace = `trellis-${teamId}`;
  const isNamespace = object.kind === 'Namespace';
  const name = isNamespace ? namespace : object.metadata.name;
  const metadata = { name, annotations, labels: has, ...(!isNamespace && { namespace }) };
  const { status, metadata: _, ...content } = object;
  store(setting).put(object.kind, { ...content, metadata });
  return {
    teamId,
    stored: () => ({
      ...store(setting).get(kindNamed(object.kind), namespace, name)!.object,
      kind: object.kind,
    }),
  };
}

/** The kinds that were refused. */
const refused = new Set<string>();

async function expectRefusal(object: Foreign, stored: () => Foreign, work: () => Promise<unknown>) {
  const before = structuredClone(stored());
  await expect(work(), `${object.kind} ${object.metadata.name}`).rejects.toMatchObject({
    message: expect.stringMatching(
      new RegExp(`^The ${object.kind} .*belongs to (somebody else|another component)\\.$`, 'i'),
    ),
    isPermanent: true,
  });
  const { uid, labels: has, managedFields } = stored().metadata;
  expect({ uid, has }).toEqual({ uid: before.metadata.uid, has: before.metadata.labels });
  expect(JSON.stringify(managedFields ?? [])).not.toContain('trellis');
  refused.add(object.kind);
}

describe('an object of another component', () => {
  it.each(shapes)(
    'keeps a deploy from taking it: $shape behind $setting',
    async ({ setting, shape, given }) => {
      const { driver, region } = under[setting];
      const other = component('same', { teamId: `of-${shape}`, ...given });
      const found = await objectsOf(setting, other);
      expect(found.length).toBeGreaterThan(8);
      // One of each kind, in one of the shapes.
      const kindOf = new Map(found.map((object) => [object.kind, object]));
      for (const object of [...kindOf.values()].filter(({ kind }) => !refused.has(kind))) {
        const { teamId, stored } = put(setting, object);
        const own = component('same', { ...given, teamId });
        await expectRefusal(object, stored, () => carryOut({ driver, region }, 'apply', own));
        if (object.kind !== 'PersistentVolumeClaim') continue;
        // Nor does it go with the component that could not take it.
        const removed: RemovedComponent = { ...own, deletesVolumes: true };
        await carryOut({ driver, region }, 'remove', removed as DesiredComponent);
        expect(stored().metadata.deletionTimestamp).toBeUndefined();
      }
    },
  );

  it('keeps a run from reading it', async () => {
    const { driver, region } = under.gateway;
    const run = {
      ...{ id: 'f'.repeat(32), command: ['true'], timeoutSeconds: 60 },
      ...{ createdAt: new Date(), startedAt: null },
    };
    const other = component('same', { teamId: 'of-run' });
    const read = ['PersistentVolumeClaim', 'ConfigMap', 'Secret'];
    const found = (await objectsOf('gateway', other)).filter(({ kind }) => read.includes(kind));
    expect(found.map(({ metadata }) => metadata.name.replace(/-[0-9a-f]{8}$/, '')).sort()).toEqual([
      ...['same-data', 'same-env', 'same-env', 'same-files', 'same-pull', 'tls-same-example'],
    ]);
    const job = {
      ...{ apiVersion: 'batch/v1', kind: 'Job' },
      metadata: {
        name: jobNameOf({ clusterName: 'same' }, run),
        labels: { [labels.runOf]: other.id, [labels.run]: 'e'.repeat(32), [labels.team]: 'of-run' },
      },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image }] } } },
    };
    const others = found.filter(({ metadata }) => !metadata.name.startsWith('tls-'));
    for (const object of [...others, job]) {
      const { teamId, stored } = put('gateway', object);
      const own = component('same', { teamId });
      await expectRefusal(object, stored, () => driver.runs!.start(region, own, run, never));
      const jobs = store('gateway').list(kindNamed('Job'), `trellis-${teamId}`);
      expect(jobs.filter(({ metadata }) => metadata.labels[labels.run] === run.id)).toEqual([]);
      // Nor is it ended with the run.
      expect(await driver.runs!.end(region, own, run, never)).toBe(true);
      expect(stored()).toBeDefined();
    }
  });

  it('keeps a snapshot from being made, and a volume from being restored', async () => {
    const { driver, region } = under.gateway;
    const made = component('same', { teamId: 'snapshots' });
    const owner = { ...made, regionId: region.id };
    await objectsOf('gateway', made);
    const snapshot = (name: string) => ({
      ...{ apiVersion: 'snapshot.storage.k8s.io/v1', kind: 'VolumeSnapshot' },
      metadata: { name, namespace: 'trellis-snapshots', labels: { [labels.component]: 'other' } },
      spec: { source: { persistentVolumeClaimName: 'other-data' } },
    });
    const foreign = snapshot('one.same-data');
    store('gateway').put('VolumeSnapshot', foreign);
    const get = (kind: string, name: string) =>
      store('gateway').get(kindNamed(kind), 'trellis-snapshots', name)!.object;
    await expectRefusal(
      foreign,
      () => get('VolumeSnapshot', 'one.same-data'),
      () => driver.snapshots!.create(owner, { volume: 'data', name: 'one' }, never),
    );
    await driver.snapshots!.create(owner, { volume: 'data', name: 'two' }, never);
    await expect
      .poll(async () => (await driver.snapshots!.list([owner], never)).get(owner.id)![0]?.isReady, {
        timeout: 60_000,
      })
      .toBe(true);
    await carryOut({ driver, region }, 'remove', made);
    const claim = get('PersistentVolumeClaim', 'same-data');
    const taken = { ...claim, metadata: { ...claim.metadata, labels: { [labels.component]: 'other' } } };
    store('gateway').put('PersistentVolumeClaim', taken);
    await expectRefusal(
      { ...taken, kind: 'PersistentVolumeClaim' },
      () => get('PersistentVolumeClaim', 'same-data'),
      () => driver.snapshots!.restore(owner, { volume: volume('rwx'), name: 'two' }, never),
    );
  });

  it('is not read: instances, their logs and events, and the pods of runs', async () => {
    const { driver, region } = under.gateway;
    const own = component('mine', { teamId: 'readers', volumes: [] });
    await objectsOf('gateway', own);
    const [pod] = store('gateway').list(kindNamed('Pod'), 'trellis-readers');
    const name = 'mine-bcdfg-hjklm';
    const run = { ...own, id: 'f'.repeat(32), command: ['true'], timeoutSeconds: 60 };
    store('gateway').put('Pod', {
      ...pod,
      metadata: {
        ...{ name, namespace: 'trellis-readers' },
        labels: {
          ...pod.metadata.labels,
          [labels.component]: 'other',
          [labels.run]: run.id,
          [labels.runOf]: 'other',
        },
      },
    });
    const inspected = { ...own, regionId: region.id, deployState: 'running' };
    const names = async () => (await driver.instances!.list(inspected, never)).map((each) => each.name);
    await expect.poll(names, { timeout: 60_000 }).toHaveLength(2);
    expect(await names()).not.toContain(name);
    const reader = { callerId: 1, teamId: 'readers' };
    const asked = { reader, since: null, until: null, search: null, tail: 10 };
    const ofRun = {
      ...{ id: run.id, command: ['true'], timeoutSeconds: 60, createdAt: new Date(), startedAt: null },
      ...{ regionId: region.id, component: own, endedAt: null, exitCode: null },
    };
    expect(await driver.runs!.logs(ofRun, asked, never)).toBeNull();
  });

  it('keeps the volumes of a copy from being made of it', async () => {
    const { driver, region } = under.gateway;
    const original = component('same', { teamId: 'original' });
    const owner = { ...original, regionId: region.id };
    await objectsOf('gateway', original);
    await driver.snapshots!.create(owner, { volume: 'data', name: 'one' }, never);
    await expect
      .poll(async () => (await driver.snapshots!.list([owner], never)).get(owner.id)![0]?.isReady, {
        timeout: 60_000,
      })
      .toBe(true);
    const source = { componentId: original.id, teamId: 'original', namespaceId: 0, snapshot: 'one' };
    const copy = component('same', { teamId: 'copies' });
    const volumes = copy.volumes.map((each) => ({ ...each, ...(each.name === 'data' && { source }) }));
    const copied = { ...copy, volumes };
    await objectsOf('gateway', copied);
    const isOfCopy = (object: Foreign) => ownerOf(object).includes(copy.id);
    const made = ['VolumeSnapshotContent', 'VolumeSnapshot'].map((kind) => ({
      ...structuredClone(store('gateway').list(kindNamed(kind)).find(isOfCopy)!),
      kind,
    }));
    for (const { kind, metadata, spec } of made) {
      await carryOut({ driver, region }, 'remove', { ...copied, deletesVolumes: true } as DesiredComponent);
      const { name, namespace } = metadata;
      store('gateway').put(kind, {
        metadata: { name, namespace, labels: { [labels.component]: 'other' } },
        spec,
      });
      const stored = () => store('gateway').get(kindNamed(kind), namespace, name)!.object;
      await expectRefusal({ kind, metadata }, stored, () => objectsOf('gateway', copied));
      store('gateway').remove(kindNamed(kind), stored());
    }
  });

  it('is refused of every kind that components have', () => {
    // These belong to a namespace, or to nobody, or are only read by imports. A pod is found by its labels alone.
    const others = [
      'CronJob',
      'DaemonSet',
      'Namespace',
      'ResourceQuota',
      'NetworkPolicy',
      'ReferenceGrant',
      'Node',
      'Event',
      'Pod',
    ];
    expect(
      Object.keys(kinds)
        .filter((kind) => !refused.has(kind))
        .sort(),
    ).toEqual(others.sort());
  });
});

describe('an object of another team', () => {
  it('keeps a deploy from taking it', async () => {
    const { driver, region } = under.gateway;
    const other = component('same', { teamId: 'of-team' });
    await objectsOf('gateway', other);
    const isOfTeam = ({ metadata: { labels: has } }: Foreign) =>
      has?.[labels.team] !== undefined && has[labels.component] === undefined;
    const found = [
      ...store('gateway').contentOf('trellis-of-team'),
      [
        kindNamed('Namespace'),
        store('gateway').get(kindNamed('Namespace'), undefined, 'trellis-of-team')!.object,
      ] as const,
    ]
      .filter(([{ kind }, object]) => kind in kinds && isOfTeam(object))
      .map(([{ kind }, object]) => ({ ...structuredClone(object), kind }));
    expect([...new Set(found.map(({ kind }) => kind))].sort()).toEqual([
      'Certificate',
      'Gateway',
      'HTTPRoute',
      'Namespace',
      'NetworkPolicy',
      'ResourceQuota',
      'Secret',
    ]);
    for (const object of found) {
      const { teamId, stored } = put('gateway', object);
      const own = component('same', { teamId });
      await expectRefusal(stored(), stored, () => carryOut({ driver, region }, 'apply', own));
    }
  });
});
