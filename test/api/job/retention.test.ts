import { describe, expect, it } from 'vitest';
import { deleteEndedJobs } from '../../../src/domain/job/retention/operations.ts';
import { createJobPlace, type JobPlace, submit } from '../../support/jobs.ts';
import { send } from '../../support/send.ts';
import { useTrellis } from '../../support/trellis.ts';

// No worker carries out jobs here: their ends are written by the tests.
const trellis = useTrellis();

const old = new Date(Date.now() - 100 * 86_400_000);
const limit = new Date(Date.now() - 90 * 86_400_000);
const removeOld = () => deleteEndedJobs(trellis.services.db, limit);

/** Makes a job one that ended long ago. */
async function end(id: number, { status = 'succeeded', endedAt = old } = {}): Promise<void> {
  await trellis.services.db.transaction(async (tx) => {
    await tx.jobComponent.updateMany({ where: { jobId: id }, data: { status, startedAt: old, endedAt } });
    await tx.job.update({ where: { id }, data: { status, createdAt: old, startedAt: old, endedAt } });
  });
}

async function ended(place: JobPlace, options?: Parameters<typeof end>[1]): Promise<number> {
  const { id } = await submit(trellis, place);
  await end(id, options);
  return id;
}

const kept = async (ids: number[]) => {
  const rows = await trellis.services.db.job.findManyByKeys({ by: 'id', keys: ids, fields: ['id'] });
  return rows.map(({ id }) => id).sort((a, b) => a - b);
};
const partsOf = async (id: number) =>
  (await trellis.services.db.jobComponent.findManyByKeys({ by: 'jobId', keys: [id], fields: ['id'] })).length;

const jobQuery = 'query ($job: JobRef!) { job(by: $job) { uid } }';

describe('jobs that ended long ago', () => {
  it('are deleted with their parts, and their events stay', async () => {
    const place = await createJobPlace(trellis, 'simulated', 60);
    const [first, second] = [await ended(place), await ended(place)];
    const { events } = await trellis.data('{ events { totalCount } }');
    expect(await removeOld()).toBe(1);
    expect(await kept([first, second])).toEqual([second]);
    expect(await partsOf(first)).toBe(0);
    expect(await partsOf(second)).toBe(60);
    expect((await trellis.data('{ events { totalCount } }')).events).toEqual(events);
    expect(await removeOld()).toBe(0);
  });

  it('stay if they have the last work on a component that exists', async () => {
    const place = await createJobPlace(trellis, 'simulated', 2);
    const both = await ended(place, { status: 'failed' });
    const { id: one } = await submit(trellis, place, { componentIds: [place.componentIds[0]!] });
    await end(one);
    expect(await removeOld()).toBe(0);
    const read = () =>
      trellis.data(
        'query ($by: ComponentRef!) { component(by: $by) { status: state problem { message job { uid } } } }',
        {
          by: { componentId: place.componentIds[1] },
        },
      );
    const before = await read();
    expect(before.component).toMatchObject({ status: 'UNHEALTHY', problem: { job: { uid: both } } });
    await trellis.services.db.transaction((tx) =>
      tx.component.deleteMany({ where: { id: place.componentIds[1]! } }),
    );
    expect(await removeOld()).toBe(1);
    expect(await kept([both, one])).toEqual([one]);
  });

  it('stay until they have ended, and as long as the setting says', async () => {
    const place = await createJobPlace(trellis, 'simulated');
    const running = await ended(place, { status: 'running' });
    await trellis.services.db.transaction((tx) =>
      tx.job.update({ where: { id: running }, data: { endedAt: null } }),
    );
    // That a newer job takes over from it would end it.
    const other = await createJobPlace(trellis, 'simulated');
    const recent = await ended(other, { endedAt: new Date(limit.getTime() + 1_000) });
    const last = await ended(other);
    expect(await removeOld()).toBe(0);
    expect(await deleteEndedJobs(trellis.services.db, new Date(limit.getTime() + 2_000))).toBe(1);
    expect(await kept([running, recent, last])).toEqual([running, last]);
  });

  it('are not found any more, and a repeated request that has created one is answered', async () => {
    const place = await createJobPlace(trellis, 'simulated');
    const deploy = () =>
      send(trellis, {
        path: '/api/v1/deploy-component',
        body: JSON.stringify({ component: { componentId: place.componentIds[0] } }),
        headers: { 'Idempotency-Key': 'deploy-once' },
      });
    const first = await deploy();
    const { job } = first.body;
    const { uid } = (await trellis.data(jobQuery, { job: { id: job.id } })).job;
    await end(uid);
    const next = await ended(place);
    expect(await removeOld()).toBe(1);
    expect(await kept([uid, next])).toEqual([next]);
    expect((await trellis.graphql(jobQuery, { job: { jobId: uid } })).errors?.[0]?.extensions.code).toBe(
      'NOT_FOUND',
    );
    const again = await deploy();
    expect(again.status).toBe(200);
    expect(again.body.job.id).toBe(job.id);
    const cancel = await trellis.data(
      'mutation ($job: JobRef!) { cancelJob(input: { job: $job }) { ... on Error { code } } }',
      { job: { jobId: uid } },
    );
    expect(cancel.cancelJob).toEqual({ code: 'NOT_FOUND' });
    await trellis.succeed(
      'deployComponent',
      { component: { componentId: place.componentIds[0] } },
      'job { uid }',
    );
  });
});
