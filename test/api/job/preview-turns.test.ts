import { beforeAll, describe, expect, it } from 'vitest';
import type { Transaction } from '../../../src/db/open.ts';
import { maxOfTeam } from '../../../src/domain/job/model.ts';
import { takeWork } from '../../../src/domain/job/take-rows.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import { planOf } from '../../support/plan.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let place: Place;
let appId: number;
let otherId: number;
/** The applications that are previews of the one. */
let copyIds: number[];
beforeAll(async () => {
  place = await trellis.createPlace();
  const create = async () => (await trellis.createApplication(place)).appId;
  [appId, otherId] = [await create(), await create()];
  copyIds = [];
  for (let count = 0; count < maxOfTeam + 3; count++) copyIds.push(await create());
});

const now = new Date('2030-01-01T00:00:00.000Z');
const at = (ms: number) => new Date(now.getTime() + ms);
const lease = { owner: 'self', heldFromMs: 0, now, until: at(30_000), latest: at(60_000) };

/** A job of an application with work on one component, which another process may be at. */
async function submit(tx: Transaction, applicationId: number, kind: string, isHeld: boolean) {
  const { teamId } = place.team;
  const { regionId } = place.region;
  const job = await tx.job.create({
    data: {
      ...{ teamId, regionId, applicationId, kind },
      ...{ status: 'pending', requestId: 'request', createdAt: now },
    },
  });
  const name = unique('part');
  await tx.jobComponent.create({
    data: {
      ...{ jobId: job.id, regionId, componentId: name, componentName: name, action: 'apply', generation: 1 },
      ...{ status: isHeld ? 'running' : 'pending', dueAt: isHeld ? at(30_000) : new Date(0) },
      ...(isHeld && { leaseOwner: 'other', leaseUntil: at(30_000) }),
    },
  });
  return job.id;
}

const previewOf = (copyId: number | null, jobId: number) => {
  const times = { expiresAt: at(3_600_000), createdAt: now, updatedAt: now };
  const key = unique('pr');
  return {
    id: unique('preview'),
    applicationId: appId,
    teamId: place.team.teamId,
    key,
    copyId,
    jobId,
    ...times,
  };
};

/** The applications whose work is taken, in a transaction that is undone. */
async function takenAfter(work: (tx: Transaction) => Promise<void>): Promise<number[]> {
  const { db } = trellis.services;
  let taken: number[] = [];
  class Undone extends Error {}
  const undone = db.transaction(async (tx) => {
    await work(tx);
    const write = { context: { db }, tx, announce: () => {} };
    const rows = await takeWork(write, place.region.regionId, lease, () => false);
    const jobs = await tx.job.findMany({ where: { id: { in: rows.map(({ jobId }) => jobId) } } });
    taken = jobs.map(({ applicationId }) => applicationId!);
    throw new Undone();
  });
  await expect(undone).rejects.toThrow(Undone);
  return taken;
}

describe('the work on previews of an application', () => {
  it.each([
    ['are deployed', 'deploy', false],
    ['are removed', 'delete', true],
  ])('has the turns of one application while they %s', async (_, kind, isGone) => {
    const taken = await takenAfter(async (tx) => {
      for (const [index, copyId] of copyIds.entries()) {
        const jobId = await submit(tx, copyId, kind, index < maxOfTeam);
        await tx.preview.create({ data: previewOf(isGone ? null : copyId, jobId) });
      }
      // What somebody else of the team asks for after it.
      await submit(tx, otherId, 'deploy', false);
    });
    expect(taken).toEqual([otherId]);
  });

  it('is found without reading all previews', async () => {
    trellis.statements.length = 0;
    await takenAfter(async (tx) => {
      for (const copyId of copyIds.slice(0, maxOfTeam)) {
        const jobId = await submit(tx, copyId, 'delete', true);
        await tx.preview.create({ data: previewOf(null, jobId) });
      }
    });
    const reads = new Set(
      trellis.statements.filter((text) => /preview.* WHERE .*\bjob_id\W? IN /s.test(text)),
    );
    expect([...reads]).not.toEqual([]);
    for (const text of reads) {
      const plan = await planOf(trellis, text);
      expect(plan, text).toContain('preview_job_id_idx');
      expect(plan, text).not.toMatch(/SCAN|Seq Scan/);
    }
  });

  it('shares its turns with the application itself', async () => {
    const taken = await takenAfter(async (tx) => {
      for (let count = 0; count < maxOfTeam; count++) await submit(tx, appId, 'deploy', true);
      const jobId = await submit(tx, copyIds[0]!, 'deploy', false);
      await tx.preview.create({ data: previewOf(copyIds[0]!, jobId) });
      await submit(tx, otherId, 'deploy', false);
    });
    expect(taken).toEqual([otherId]);
  });
});
