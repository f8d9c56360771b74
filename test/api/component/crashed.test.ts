import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJobPlace, ended, submit } from '../../support/jobs.ts';
import { kindNamed } from '../../support/kubernetes/api/kinds.ts';
import { createClusterPlace, deploy, patience } from '../../support/kubernetes/place.ts';
import { type FakeServer, startCluster } from '../../support/kubernetes/server.ts';
import { eventsOf } from '../../support/own-events.ts';
import { startTrellis, type Trellis, useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ jobs: { maxAttempts: 2 } });

const crashesOf = (teamId: string, of = trellis) => eventsOf(of, teamId, 'component.crashed');

describe('a component that crashes in a simulated region', () => {
  it('is recorded with each deploy of it, for the request that deployed it', async () => {
    const place = await createJobPlace(trellis, 'simulated');
    const [componentId] = place.componentIds as [string];
    const component = { componentId };
    await trellis.succeed('updateComponent', { component, image: 'nginx:crash' }, '__typename');
    const first = await ended(trellis, await submit(trellis, place));
    expect(first.job.status).toBe('failed');
    expect(await crashesOf(place.team.teamId)).toEqual([
      {
        requestId: first.job.requestId,
        tokenId: null,
        actor: null,
        objectUid: componentId,
        changes: { name: 'c000', reason: 'The image nginx:crash crashes when it starts.' },
      },
    ]);
    // With the failure of the job, which is an event of its own.
    expect(await eventsOf(trellis, place.team.teamId, 'job.failed')).toHaveLength(1);
    await ended(trellis, await submit(trellis, place));
    expect(await crashesOf(place.team.teamId)).toHaveLength(2);
    await trellis.succeed('deleteComponent', { component, force: true }, '__typename');
    const rows = await trellis.services.db.query('SELECT count(*) FROM component_crash', []);
    expect(Number(rows[0]![0])).toBe(0);
  });

  it('is not recorded if the job fails for another reason, or succeeds', async () => {
    const place = await createJobPlace(trellis, 'simulated');
    await ended(trellis, await submit(trellis, place));
    expect(await crashesOf(place.team.teamId)).toEqual([]);
  });
});

describe('a component that crashes in a cluster', { timeout: 180_000 }, () => {
  let own: Trellis;
  let server: FakeServer;
  beforeAll(async () => {
    [own, server] = await Promise.all([
      startTrellis({ jobs: { backoffMaxMs: 200 }, reconciles: true }),
      startCluster(),
    ]);
  });
  afterAll(async () => {
    await own?.close();
    await server?.close();
  });

  it('is recorded once an instance was started again three times, and once for a deploy', async () => {
    const place = await createClusterPlace(own, server);
    const image = 'registry.example:5000/web:crash-later';
    const [component] = await deploy(own, place, [{ image }], null);
    const { componentId } = component!;
    const count = async () => (await crashesOf(place.teamId, own)).length;
    await expect.poll(count, patience).toBe(1);
    const [event] = await crashesOf(place.teamId, own);
    expect(event).toMatchObject({ actor: null, objectUid: componentId });
    const pods = () =>
      [...server.cluster.store.list(kindNamed('Pod'), place.namespace)].map(
        ({ status }: any) => status.containerStatuses[0].restartCount as number,
      );
    expect(Math.max(...pods())).toBeGreaterThanOrEqual(3);
    // It goes on crashing, which is not recorded again.
    await expect.poll(() => Math.max(...pods()), patience).toBeGreaterThanOrEqual(5);
    expect(await count()).toBe(1);
  });
});
