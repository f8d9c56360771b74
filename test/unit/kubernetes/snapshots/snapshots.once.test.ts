import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DesiredComponent } from '../../../../src/drivers/region/desired.ts';
import { platform } from '../../../support/kubernetes/api/access.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { dataIn } from '../../../support/kubernetes/controllers/snapshots.ts';
import { type KubernetesUnderTest, kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { beforeNextCall } from '../../../support/kubernetes/next-call.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

const { signal } = new AbortController();
const patience = { timeout: 60_000, interval: 20 };
let works = 0;
let under: KubernetesUnderTest;
beforeAll(async () => {
  under = await kubernetesUnderTest({}, { hasSnapshots: true });
  under.server.cluster.users.set('admin', platform());
});
afterAll(() => under.close());

async function carryOut(
  method: 'apply' | 'remove',
  component: DesiredComponent & { deletesVolumes?: boolean },
): Promise<void> {
  const id = ++works;
  for (let attempt = 1; ; attempt++) {
    if (method === 'remove') under.components.delete(component.id);
    const work = { id, job: id, attempt, elapsedMs: 0 };
    if ((await under.driver[method](under.region, component, work, signal)).isDone) return;
    await beforeNextCall();
  }
}

const volume = {
  name: 'data',
  path: '/data',
  type: 'share-file',
  fileContent: '',
  capacityGiB: 2,
  accessMode: null,
  sharePolicy: null,
};
const create = (given: Partial<DesiredComponent> = {}) =>
  desiredComponent('nginx:1.29', { replicas: 1, httpRules: [], tcpRules: [], volumes: [volume], ...given });
const ownerOf = (component: DesiredComponent) => ({ ...component, regionId: under.region.id });
const access = () => under.driver.snapshots!;
const listOf = async (component: DesiredComponent) =>
  (await access().list([ownerOf(component)], signal)).get(component.id)!;
const store = () => under.server.cluster.store;
const claimsOf = ({ id }: DesiredComponent): any[] =>
  store()
    .list(kindNamed('PersistentVolumeClaim'))
    .filter(({ metadata }) => metadata.labels['trellis.dev/component'] === id);
const contentsOf = (component: DesiredComponent) =>
  claimsOf(component).map(({ metadata }) => dataIn(store()).get(metadata.uid));
const isOf =
  ({ id }: DesiredComponent) =>
  ({ metadata }: any) =>
    metadata.labels?.['trellis.dev/component'] === id;
const contentObjectsOf = (component: DesiredComponent): any[] =>
  store().list(kindNamed('VolumeSnapshotContent')).filter(isOf(component));
let copies = 0;
const copyOf = ({ id: componentId, teamId, namespaceId }: DesiredComponent, given: object = {}) => {
  const source = { componentId, teamId, namespaceId, snapshot: 'one' };
  const place = { applicationId: ++copies + 100, namespaceId: copies + 100 };
  const copy = create({ ...given, ...place, volumes: [{ ...volume, source }] });
  under.components.set(copy.id, copy);
  return copy;
};
const write = (component: DesiredComponent, text: string) => {
  for (const [index, { metadata }] of claimsOf(component).entries()) {
    dataIn(store()).set(metadata.uid, `${text} ${index}`);
  }
};

describe('snapshots of volumes in a cluster', () => {
  it.each([
    ['shared by the instances', { extendMethod: 'stateless' }, ['first 0']],
    ['of each instance', { extendMethod: 'state', replicas: 2 }, ['first 0', 'first 1']],
  ])('have the data that the volume had, %s', async (_, given, expected) => {
    const component = create(given);
    const owner = ownerOf(component);
    await carryOut('apply', component);
    write(component, 'first');
    await access().create(owner, { volume: 'data', name: 'one' }, signal);
    await expect
      .poll(() => listOf(component), patience)
      .toEqual([
        {
          name: 'one',
          volume: 'data',
          isReady: true,
          createdAt: expect.any(Date),
          bytes: expected.length * 2 * 2 ** 30,
          problem: null,
          scheduleId: null,
        },
      ]);
    write(component, 'second');
    const closed = { ...component, state: 'closed' as const, generation: 2 };
    await carryOut('apply', closed);
    await access().restore(owner, { volume, name: 'one' }, signal);
    await expect.poll(() => contentsOf(component), patience).toEqual(expected);
    // Later deploys leave the source of a claim, which cannot change, and find nothing that others have changed.
    await carryOut('apply', { ...component, generation: 3 });
    await carryOut('apply', { ...component, generation: 4 });
    expect(contentsOf(component)).toEqual(expected);
    expect(await under.driver.drift(under.region, component, signal)).toEqual({ changed: [], refused: [] });
  });

  it('cannot be restored while instances have the volume, nor before they are ready', async () => {
    const component = create();
    const owner = ownerOf(component);
    await carryOut('apply', component);
    await access().create(owner, { volume: 'data', name: 'one' }, signal);
    await expect.poll(async () => (await listOf(component))[0]?.isReady, patience).toBe(true);
    const before = claimsOf(component);
    await expect(access().restore(owner, { volume, name: 'one' }, signal)).rejects.toThrow('still run');
    await expect(access().restore(owner, { volume, name: 'none' }, signal)).rejects.toThrow('not ready');
    expect(claimsOf(component).map(({ metadata }) => metadata.uid)).toEqual(
      before.map(({ metadata }) => metadata.uid),
    );
  });

  it('are refused for a volume that the cluster does not have', async () => {
    const component = create();
    await expect(
      access().create(ownerOf(component), { volume: 'data', name: 'one' }, signal),
    ).rejects.toThrow('has no data of the volume data yet');
  });

  it('stay with the claims of a component, or go with them', async () => {
    const [kept, gone] = [create(), create()] as const;
    for (const component of [kept, gone]) {
      await carryOut('apply', component);
      await access().create(ownerOf(component), { volume: 'data', name: 'one' }, signal);
    }
    await carryOut('remove', kept);
    await carryOut('remove', { ...gone, deletesVolumes: true });
    expect(await listOf(kept)).toHaveLength(1);
    expect(await listOf(gone)).toEqual([]);
    const left = await under.driver.objects!.list(under.region.id, signal);
    const found = left.filter(({ componentIds }) => componentIds.includes(kept.id));
    expect(found.map(({ kind, hasData }) => [kind, hasData])).toEqual(
      expect.arrayContaining([
        ['PersistentVolumeClaim', true],
        ['VolumeSnapshot', true],
      ]),
    );
  });

  it.each([
    ['shared by the instances', { extendMethod: 'stateless' }],
    ['of each instance', { extendMethod: 'state', replicas: 2 }],
  ])('are what a copy in another namespace begins with, %s', async (_, given) => {
    const component = create(given);
    await carryOut('apply', component);
    write(component, 'first');
    await access().create(ownerOf(component), { volume: 'data', name: 'one' }, signal);
    await expect.poll(async () => (await listOf(component))[0]?.isReady, patience).toBe(true);
    write(component, 'second');
    const expected = component.replicas === 2 ? ['first 0', 'first 1'] : ['first 0'];
    const copy = copyOf(component, given);
    await carryOut('apply', copy);
    await expect.poll(() => contentsOf(copy), patience).toEqual(expected);
    expect(new Set(claimsOf(copy).map(({ metadata }) => metadata.namespace))).not.toContain('trellis-team');
    // What it has is no snapshot of its own.
    expect(await listOf(copy)).toEqual([]);
    const [content] = contentObjectsOf(copy);
    expect(content.spec).toMatchObject({
      ...{ deletionPolicy: 'Retain', driver: 'csi.test', volumeSnapshotClassName: 'csi-test' },
      sourceVolumeMode: 'Filesystem',
    });
    // Nothing changes later, and the data of the copy does not depend on the original any more.
    write(copy, 'own');
    await access().remove(ownerOf(component), 'one', signal);
    await carryOut('apply', { ...copy, generation: 2 });
    expect(contentsOf(copy)).toEqual(expected.map((_, index) => `own ${index}`));
    expect(await under.driver.drift(under.region, copy, signal)).toEqual({ changed: [], refused: [] });
    const listed = await under.driver.objects!.list(under.region.id, signal);
    const ofCopy = listed.filter(
      ({ kind, componentIds }) => /Snap/.test(kind) && componentIds.includes(copy.id),
    );
    expect(new Set(ofCopy.map(({ kind, namespace }) => `${kind} ${namespace}`))).toEqual(
      new Set(
        ['VolumeSnapshot', 'VolumeSnapshotContent'].map(
          (kind) => `${kind} ${claimsOf(copy)[0].metadata.namespace}`,
        ),
      ),
    );
    await carryOut('remove', { ...copy, deletesVolumes: true });
    expect(contentObjectsOf(copy)).toEqual([]);
    expect(store().list(kindNamed('VolumeSnapshot')).filter(isOf(copy))).toEqual([]);
  });

  it('stay in the storage when a copy that had their data is removed', async () => {
    const component = create();
    await carryOut('apply', component);
    write(component, 'first');
    await access().create(ownerOf(component), { volume: 'data', name: 'one' }, signal);
    await expect.poll(async () => (await listOf(component))[0]?.isReady, patience).toBe(true);
    const [one, other] = [copyOf(component), copyOf(component)] as const;
    for (const copy of [one, other, one]) {
      under.components.set(copy.id, copy);
      await carryOut('apply', copy);
      await expect.poll(() => contentsOf(copy), patience).toEqual(['first 0']);
      await carryOut('remove', { ...copy, deletesVolumes: true });
      expect(claimsOf(copy)).toEqual([]);
    }
    expect(await listOf(component)).toMatchObject([{ name: 'one', isReady: true }]);
  });

  it('that are gone fail the deploy of a copy, which starts without them when it is asked to', async () => {
    const component = create();
    await carryOut('apply', component);
    const copy = copyOf(component);
    await expect(carryOut('apply', copy)).rejects.toThrow('the snapshot no longer exists');
    expect(claimsOf(copy)).toEqual([]);
    await carryOut('apply', { ...copy, volumes: [volume], generation: 2 });
    expect(contentsOf(copy)).toEqual([undefined]);
  });

  it('that the storage no longer has say so until the deploy ends', async () => {
    const component = create();
    await carryOut('apply', component);
    await access().create(ownerOf(component), { volume: 'data', name: 'one' }, signal);
    await expect.poll(async () => (await listOf(component))[0]?.isReady, patience).toBe(true);
    const [{ metadata }] = store().list(kindNamed('VolumeSnapshot')).filter(isOf(component)) as [any];
    dataIn(store()).delete(`handle-${metadata.uid}`);
    const copy = copyOf(component);
    await expect(carryOut('apply', copy)).rejects.toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^The volume data cannot get .* snapshot one: .* not in the storage/),
        isPermanent: false,
      }),
    );
    expect(claimsOf(copy)).toEqual([]);
  });

  it('that an account may not read the contents of are for the same namespace alone', async () => {
    const own = await kubernetesUnderTest({}, { hasSnapshots: true });
    try {
      own.server.cluster.users.set('admin', platform('volumesnapshotcontents'));
      const { snapshots } = own.driver;
      expect(await snapshots!.missing(own.region.id, signal)).toBeNull();
      expect(await snapshots!.missingForCopies(own.region.id, signal)).toContain(
        'cannot read volumesnapshotcontents',
      );
      own.server.cluster.users.set('admin', platform());
      expect(await snapshots!.missingForCopies(own.region.id, signal)).toBeNull();
    } finally {
      await own.close();
    }
  });

  it('are missing in a cluster without them', async () => {
    const bare = await kubernetesUnderTest();
    try {
      const { snapshots } = bare.driver;
      expect(await snapshots!.missing(bare.region.id, signal)).toContain('does not serve volumesnapshots');
      expect(await snapshots!.list([ownerOf(create())], signal)).toEqual(new Map());
    } finally {
      await bare.close();
    }
  });
});
