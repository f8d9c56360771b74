import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { copy } from '../../support/copies.ts';
import { createJobPlace, ended } from '../../support/jobs.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
beforeAll(async () => {
  trellis = await startTrellis({ drivers: [createSimulatedRegion({ delayMs: 0 })], jobs: {} });
});
afterAll(() => trellis?.close());

const componentsOf = async (appId: number) => {
  const { application } = await trellis.data(
    `{ application(by: { appId: ${appId} }) { components { nodes { uid name state releaseCount hasUndeployedChanges } } } }`,
  );
  return application.components.nodes as { uid: string; name: string; state: string }[];
};
const shortly = async (appId: number) =>
  (await componentsOf(appId)).map(({ uid: _, ...component }) => Object.values(component).join(' '));

/** Makes a change, and waits for its job. */
const done = async (mutation: string, input: object) => {
  const { job } = await trellis.succeed(mutation, input, 'job { uid }');
  return ended(trellis, { id: job.uid });
};

describe('a copy in a cluster', () => {
  it('is deployed with volumes from snapshots where these are simulated', async () => {
    const place = await createJobPlace(trellis, 'simulated');
    const { appId, componentIds } = place;
    const component = { componentId: componentIds[0]! };
    const volume = { component, name: 'data', path: '/data', type: 'share-file' };
    await trellis.succeed('addVolume', volume, '__typename');
    await done('deployComponent', { component });
    const at = { at: { component, name: 'data' } };
    await trellis.succeed('createVolumeSnapshot', { volume: at, name: 'one' }, '__typename');
    const input = { application: { appId }, name: 'copy', volumes: 'FROM_SNAPSHOT', deploy: true };
    const made = await copy(trellis, input);
    expect(made.omitted).toEqual([]);
    expect((await ended(trellis, { id: made.job!.uid })).job.status).toBe('succeeded');
    const query = `{ application(by: { appId: ${made.application!.appId} }) { components { nodes { volumes { nodes { name sourceSnapshot } } } } } }`;
    const { nodes } = (await trellis.data(query)).application.components;
    expect(nodes[0].volumes.nodes).toEqual([{ name: 'data', sourceSnapshot: 'one' }]);
  });

  it('is deployed by one job, runs beside the original, and can be started, deployed and deleted', async () => {
    const place = await createJobPlace(trellis, 'simulated', 3);
    const { appId, componentIds } = place;
    const [first, second] = componentIds as [string, string];
    const set = [{ name: 'TOKEN', value: 'hush' }];
    await trellis.succeed('setVariables', { component: { componentId: first }, set }, '__typename');
    for (const componentId of [first, second]) await done('deployComponent', { component: { componentId } });
    await done('stopComponent', { component: { componentId: second } });
    const made = await copy(trellis, { application: { appId }, name: 'copy', deploy: true });
    const copyId = made.application!.appId;
    const { job, components } = await ended(trellis, { id: made.job!.uid });
    expect([job.status, components.map(({ componentName }) => componentName)]).toEqual([
      'succeeded',
      ['c000'],
    ]);
    expect(made.leftStopped).toEqual(['c001']);
    expect(await shortly(copyId)).toEqual([
      'c000 RUNNING 1 false',
      'c001 STOPPED 0 false',
      'c002 NOT_DEPLOYED 0 false',
    ]);
    const stopped = (await componentsOf(copyId)).find(({ name }) => name === 'c001')!;
    await done('startComponent', { component: { componentId: stopped.uid } });
    await done('deployApplication', { application: { appId: copyId } });
    expect((await componentsOf(copyId)).map(({ state }) => state)).toEqual(['RUNNING', 'RUNNING', 'RUNNING']);
    expect((await componentsOf(appId)).map(({ state }) => state)).toEqual([
      'RUNNING',
      'STOPPED',
      'NOT_DEPLOYED',
    ]);
    await done('deleteApplication', { application: { appId: copyId }, force: true, deleteVolumes: true });
  });
});
