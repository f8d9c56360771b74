import { expect, it } from 'vitest';
import { lookAfterPreviews } from '../../../src/domain/preview/look-operations.ts';
import { useDriver } from '../../support/deploys.ts';
import { failStatement } from '../../support/failing.ts';
import { close, open, previewed, previewsOf, tryClose, tryOpen } from '../../support/previews.ts';
import { failing } from '../../support/region-drivers.ts';
import { declaredWithRuns } from '../../support/schedules.ts';
import { useTrellis } from '../../support/trellis.ts';
import { contentsOf } from '../../support/unchanged.ts';

const trellis = useTrellis({ drivers: [declaredWithRuns, failing] });

const contents = () => contentsOf(trellis, (table) => table !== 'access_token');

/** Makes a change with one statement after the other failing, until none does. Each failure leaves everything as it was. */
async function failEach(change: () => Promise<boolean>, least: number): Promise<void> {
  const before = await contents();
  for (let failed = 0; ; failed++) {
    const restore = failStatement(trellis, failed + 1);
    const isMade = await change().catch(() => false);
    const isDone = restore() <= failed;
    expect([failed, isMade]).toEqual([failed, isDone]);
    if (isDone) {
      expect(failed).toBeGreaterThan(least);
      return;
    }
    expect([failed, await contents()]).toEqual([failed, before]);
  }
}

it('opens, updates and closes all of a preview or nothing, whichever statement fails', async () => {
  const { appId } = await previewed(trellis);
  const isPayload = async (result: Promise<{ __typename: string }>, type: string) =>
    (await result).__typename === type;
  const input = { application: { appId }, key: 'pr-1' };
  const opens = (given: object) => () => isPayload(tryOpen(trellis, given), 'OpenPreviewPayload');
  await failEach(opens(input), 30);
  await failEach(opens({ ...input, images: [{ component: 'web', image: 'nginx:1.29' }] }), 15);
  const [preview] = (await previewsOf(trellis, appId)).previews.nodes;
  expect(preview.images).toContainEqual({ component: 'web', image: 'nginx:1.29' });
  await failEach(() => isPayload(tryClose(trellis, appId, 'pr-1'), 'ClosePreviewPayload'), 15);
  expect((await previewsOf(trellis, appId)).previews.nodes).toEqual([]);
});

it('tries again to remove a preview that its cluster keeps', async () => {
  const { appId, region } = await previewed(trellis);
  await useDriver(trellis, region.regionId, 'failing');
  await open(trellis, { application: { appId }, key: 'pr-1' });
  await close(trellis, appId, 'pr-1');
  const [preview] = (await previewsOf(trellis, appId)).previews.nodes;
  expect(preview).toMatchObject({ state: 'DELETING', application: null });
  const { db } = trellis.services;
  const jobs = () =>
    db.query(
      `SELECT id, status FROM job WHERE kind = 'delete' AND region_id = '${region.regionId}' ORDER BY id`,
      [],
    );
  const [first] = await jobs();
  const failedAt = new Date();
  await db.transaction(async (tx) => {
    const data = { status: 'failed', endedAt: failedAt };
    await tx.job.updateMany({ where: { id: Number(first![0]) }, data });
    await tx.jobComponent.updateMany({
      where: { jobId: Number(first![0]) },
      data: { ...data, error: 'The cluster is busy.' },
    });
  });
  await lookAfterPreviews(trellis.services, failedAt);
  expect(await jobs()).toHaveLength(1);
  await lookAfterPreviews(trellis.services, new Date(failedAt.getTime() + 600_000));
  const [, second] = await jobs();
  expect(second![1]).toBe('pending');
  expect((await previewsOf(trellis, appId)).previews.nodes).toMatchObject([
    { state: 'DELETING', reason: 'The cluster is busy.' },
  ]);
  await db.transaction(async (tx) => {
    await tx.job.updateMany({ where: { id: Number(second![0]) }, data: { status: 'succeeded' } });
  });
  await lookAfterPreviews(trellis.services, new Date());
  expect((await previewsOf(trellis, appId)).previews.nodes).toEqual([]);
});

it('does not show an internal error of its upkeep', async () => {
  const { appId } = await previewed(trellis);
  await open(trellis, { application: { appId }, key: 'pr-1' });
  const { db } = trellis.services;
  const { transaction } = db;
  // The list of previews is read, the deletion fails, and what happened is stored.
  let count = 0;
  db.transaction = (work, signal) => {
    if (++count === 2) throw new Error('connect ECONNREFUSED 10.0.0.7:5432');
    return transaction(work, signal);
  };
  const later = new Date(Date.now() + 100 * 3_600_000);
  await lookAfterPreviews(trellis.services, later);
  db.transaction = transaction;
  const [preview] = (await previewsOf(trellis, appId)).previews.nodes;
  expect(preview.reason).toBe('An internal error occurred. Trellis will try again.');
  await lookAfterPreviews(trellis.services, later);
  expect((await previewsOf(trellis, appId)).previews.nodes).toEqual([]);
});
