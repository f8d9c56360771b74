import { beforeAll, expect, it } from 'vitest';
import type { Transaction } from '../../../src/db/open.ts';
import { maxPerRegion } from '../../../src/domain/job/model.ts';
import { takeWork } from '../../../src/domain/job/take-rows.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let place: Place;
let [busyId, otherId] = [0, 0];
beforeAll(async () => {
  place = await trellis.createPlace();
  busyId = (await trellis.createApplication(place)).appId;
  otherId = (await trellis.createApplication(place)).appId;
});

const now = new Date('2030-01-01T00:00:00.000Z');
const at = (ms: number) => new Date(now.getTime() + ms);
const lease = { owner: 'self', heldFromMs: 0, now, until: at(30_000), latest: at(60_000) };

/** Adds a job of an application with work that is due at a time. Returns the id of the work. */
async function submit(tx: Transaction, applicationId: number, dueAt: Date): Promise<number> {
  const { teamId } = place.team;
  const { regionId } = place.region;
  const job = await tx.job.create({
    data: {
      ...{ teamId, regionId, applicationId, kind: 'restart' },
      ...{ status: 'running', requestId: 'request', createdAt: now },
    },
  });
  const name = unique('part');
  const work = await tx.jobComponent.create({
    data: {
      ...{
        jobId: job.id,
        regionId,
        componentId: name,
        componentName: name,
        action: 'restart',
        generation: 1,
      },
      ...{ status: 'running', dueAt },
    },
  });
  return work.id;
}

it('an application whose calls have all just ended leaves the next one to others', async () => {
  const { db } = trellis.services;
  const taken = await db.transaction(async (tx) => {
    const endedIds: number[] = [];
    for (let count = 0; count < maxPerRegion; count++) endedIds.push(await submit(tx, busyId, at(1_000)));
    // New work is due before what goes on.
    for (let count = 0; count < 2 * maxPerRegion; count++) await submit(tx, busyId, new Date(0));
    const next = await submit(tx, otherId, at(-1));
    const write = { context: { db }, tx, announce: () => {} };
    const rows = await takeWork(write, place.region.regionId, lease, () => false, endedIds);
    return { next, ids: rows.map(({ id }) => id) };
  });
  expect(taken.ids).toHaveLength(maxPerRegion);
  expect(taken.ids[0]).toBe(taken.next);
});
