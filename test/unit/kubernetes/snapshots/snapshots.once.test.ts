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
const store = () => under.server.cluster.store;
const claimsOf = ({ id }: DesiredComponent): any[] =>
  store()
    .list(kindNamed('PersistentVolumeClaim'), 'trellis-team')
    .filter(({ metadata }) => metadata.labels['trellis.dev/component'] === id);
const contentsOf = (component: DesiredComponent) =>
  claimsOf(component).map(({ metadata }) => dataIn(store()).get(metadata.uid));
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
      .poll(() => access().list(owner, signal), patience)
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
    await expect.poll(async () => (await access().list(owner, signal))[0]?.isReady, patience).toBe(true);
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
    expect(await access().list(ownerOf(kept), signal)).toHaveLength(1);
    expect(await access().list(ownerOf(gone), signal)).toEqual([]);
    const left = await under.driver.objects!.list(under.region.id, signal);
    const found = left.filter(({ componentIds }) => componentIds.includes(kept.id));
    expect(found.map(({ kind, hasData }) => [kind, hasData])).toEqual(
      expect.arrayContaining([
        ['PersistentVolumeClaim', true],
        ['VolumeSnapshot', true],
      ]),
    );
  });

  it('are missing in a cluster without them', async () => {
    const bare = await kubernetesUnderTest();
    try {
      const { snapshots } = bare.driver;
      expect(await snapshots!.missing(bare.region.id, signal)).toContain('does not serve volumesnapshots');
      expect(await snapshots!.list(ownerOf(create()), signal)).toEqual([]);
    } finally {
      await bare.close();
    }
  });
});
