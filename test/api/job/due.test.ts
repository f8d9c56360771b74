import { beforeAll, describe, expect, it } from 'vitest';
import type { Row } from '../../../src/db/tables.ts';
import { isDue, mayStart, mayTakeOver } from '../../../src/db/work/protocol.ts';
import { isUnfinished, jobStatuses, maxPerRegion } from '../../../src/domain/job/model.ts';
import { renewWork, takeWork } from '../../../src/domain/job/take-rows.ts';
import type { Place } from '../../support/fixtures.ts';
import { type Random, randomOf } from '../../support/random.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let place: Place;
beforeAll(async () => {
  place = await trellis.createPlace();
});

const now = new Date('2030-01-01T00:00:00.000Z');
const at = (ms: number) => new Date(now.getTime() + ms);
const lease = { owner: 'self', heldFromMs: 0, now, until: at(30_000), latest: at(60_000) };
/** Before, at and after each time that a decision compares with. */
const times = [-1_000, -1, 0, 1, 30_000, 59_999, 60_000, 60_001, 3_600_000];

type Work = Row<'JobComponent'>;

const newJob = () => ({
  ...{ teamId: place.team.teamId, regionId: place.region.regionId, kind: 'deploy' },
  ...{ status: 'pending', requestId: 'request', createdAt: now },
});

const newWork = (jobId: number, name: string) => ({
  ...{ jobId, regionId: place.region.regionId, componentId: name, componentName: name },
  ...{ action: 'apply', generation: 1, dueAt: now },
});

const rowsOf = ({ below, chance, pick }: Random, jobIds: readonly number[]) =>
  jobIds.flatMap((jobId) =>
    Array.from({ length: 4 }, (_, index) => {
      const isHeld = chance(0.3);
      const name = `c${index + below(3)}`;
      return {
        ...newWork(jobId, name),
        ...{ step: below(3), status: pick(Object.keys(jobStatuses)) },
        dueAt: at(pick(times)),
        leaseOwner: isHeld ? pick(['self', 'other']) : null,
        leaseUntil: isHeld ? at(pick(times)) : null,
      };
    }).filter(
      (row, index, all) => all.findIndex(({ componentId }) => componentId === row.componentId) === index,
    ),
  );

const leaseOf = ({ leaseOwner, leaseUntil }: Work) => ({
  owner: leaseOwner,
  untilMs: leaseUntil?.getTime() ?? null,
});

/** What may be taken of all rows, as the protocol decides it. */
function expectedOf(rows: readonly Work[]): number[] {
  const nowMs = now.getTime();
  const held = rows.filter((row) => !mayTakeOver(leaseOf(row), nowMs));
  const isFirst = ({ jobId, step }: Work) =>
    !rows.some((row) => row.jobId === jobId && row.step < step && isUnfinished(row.status));
  const others = ({ id, componentId }: Work) =>
    rows.filter((row) => row.id !== id && row.componentId === componentId).map(leaseOf);
  return rows
    .filter((row) => isUnfinished(row.status) && isFirst(row))
    .filter((row) => isDue(leaseOf(row), row.dueAt.getTime(), nowMs, lease.latest.getTime()))
    .filter((row) => mayTakeOver(leaseOf(row), nowMs) && mayStart(others(row), nowMs))
    .sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime() || one.id - other.id)
    .slice(0, Math.max(0, maxPerRegion - held.length))
    .map(({ id }) => id);
}

/** Ends a transaction without its changes. */
class Undone extends Error {}

describe('the statements that take work', () => {
  it('take what the protocol allows, of whatever rows there are', async () => {
    const { db } = trellis.services;
    const random = randomOf(44);
    let taken = 0;
    for (let round = 0; round < 60; round++) {
      const undone = db.transaction(async (tx) => {
        const jobIds: number[] = [];
        for (let count = 1 + random.below(3); count > 0; count--) {
          const { id } = await tx.job.create({ data: newJob() });
          jobIds.push(id);
        }
        await tx.jobComponent.createMany({ data: rowsOf(random, jobIds) });
        const rows = await tx.jobComponent.findMany({ where: { jobId: { in: jobIds } } });
        const write = { context: { db }, tx, announce: () => {} };
        const work = await takeWork(write, place.region.regionId, lease, () => false);
        expect(
          work.map(({ id }) => id),
          JSON.stringify(rows),
        ).toEqual(expectedOf(rows));
        const own = await tx.jobComponent.findMany({
          where: { jobId: { in: jobIds }, leaseUntil: lease.until },
        });
        for (const { id } of work) expect(own.map((row) => row.id)).toContain(id);
        taken += work.length;
        throw new Undone();
      });
      await expect(undone).rejects.toThrow(Undone);
    }
    expect(taken).toBeGreaterThan(20);
  });

  // SQLite has one writer at a time.
  it.runIf(databaseKind === 'postgres')('leave work whose lease is being renewed', async () => {
    const { db } = trellis.services;
    const { id: jobId } = await db.transaction((tx) => tx.job.create({ data: newJob() }));
    const row = { ...newWork(jobId, 'late'), status: 'running', leaseOwner: 'other', leaseUntil: now };
    const { id } = await db.transaction((tx) => tx.jobComponent.create({ data: row }));
    const work = await db.transaction(async (renewing) => {
      await renewWork({ tx: renewing }, [id], { ...lease, owner: 'other' });
      // The row is locked, and its old lease is still what others read.
      return db.transaction((tx) => {
        const write = { context: { db }, tx, announce: () => {} };
        return takeWork(write, place.region.regionId, lease, () => false);
      });
    });
    expect(work).toEqual([]);
    const [found] = await db.jobComponent.findManyByKeys({ by: 'id', keys: [id] });
    expect(found).toMatchObject({ leaseOwner: 'other', leaseUntil: lease.until });
  });
});
