import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { unique } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { eventsOf } from '../../support/own-events.ts';
import { makeDue, rarely } from '../../support/schedules.ts';
import {
  createMigratedDatabase,
  startTrellis,
  type TestDatabase,
  type Trellis,
} from '../../support/trellis.ts';

const patience = { timeout: 90_000, interval: 100 };
const fields =
  'uid cron timeZone command concurrency timeoutSeconds isPaused nextRuns lastSkippedAt lastSkipReason revision';
const long = ['sleep', '600'];

let database: TestDatabase;
let trellis: Trellis;
/** Another gateway on the same database. */
let second: Trellis;
beforeAll(async () => {
  database = await createMigratedDatabase();
  const options = { database: { url: database.url }, jobs: {}, runs: {} };
  trellis = await startTrellis({ ...options, drivers: [createSimulatedRegion({ delayMs: 20 })] });
  second = await startTrellis({ ...options, drivers: [createSimulatedRegion({ delayMs: 20 })] });
});
afterAll(async () => {
  await Promise.all([trellis?.close(), second?.close()]);
  await database?.drop();
});

/** A component that was deployed in a simulated region. */
async function deployed(given: object = { deploy: true }) {
  const { teamId } = await trellis.createTeam();
  const region = await trellis.createRegion({ driver: 'SIMULATED' });
  const team = { teamId };
  await trellis.succeed('openTeamRegion', { team, region: { name: region.name } }, '__typename');
  const { appId } = await trellis.createApplication({ team, region } as never, unique('app'));
  const { componentId } = await trellis.createComponent(appId, given);
  return { teamId, region, component: { componentId } };
}

const create = async (component: object, more: object = {}) =>
  (
    await trellis.succeed(
      'createSchedule',
      { component, cron: rarely, command: ['true'], ...more },
      `schedule { ${fields} }`,
    )
  ).schedule;

const read = async (uid: string, selection = fields) =>
  (
    await trellis.data(`query($by: ScheduleRef!) { schedule(by: $by) { ${selection} } }`, {
      by: { scheduleId: uid },
    })
  ).schedule;

/** The runs of a component, newest first. */
const runsOf = async (component: object) =>
  (
    await trellis.data(
      `query($by: ComponentRef!) { component(by: $by) { runs(first: 100) { nodes {
        uid status exitCode command timeoutSeconds creator { __typename } schedule { uid }
      } } } }`,
      { by: component },
    )
  ).component.runs.nodes;
const statuses = async (component: object) =>
  (await runsOf(component)).map(({ status }: { status: string }) => status);

/** Waits until a schedule that was due is no longer. */
async function pass(uid: string) {
  const isDue = async () => {
    const [row] = await trellis.services.db.schedule.findManyByKeys({ by: 'id', keys: [uid] });
    return row!.nextRunAt !== null && row!.nextRunAt <= new Date();
  };
  await expect.poll(isDue, patience).toBe(false);
  return read(uid);
}
const fire = async (uid: string, agoMs?: number) => {
  const at = await makeDue(trellis, uid, agoMs);
  return { at: at.toISOString(), ...(await pass(uid)) };
};

describe('a schedule', () => {
  it('starts a run at its time, and then waits for the next one', async () => {
    const { component, teamId } = await deployed();
    const schedule = await create(component, {
      command: ['sh', '-c', 'exit 3'],
      timeoutSeconds: 60,
      cron: '0  0 1 JAN *',
    });
    expect(schedule).toMatchObject({
      ...{ cron: '0 0 1 JAN *', timeZone: 'UTC', concurrency: 'FORBID', isPaused: false, revision: 1 },
      ...{ timeoutSeconds: 60, lastSkippedAt: null, lastSkipReason: null },
    });
    expect(schedule.nextRuns).toHaveLength(3);
    expect(schedule.nextRuns[0]).toMatch(/^20\d\d-01-01T00:00:00/);
    const after = await fire(schedule.uid);
    expect(after).toMatchObject({ lastSkippedAt: null, nextRuns: schedule.nextRuns, revision: 1 });
    await expect.poll(() => statuses(component), patience).toEqual(['FAILED']);
    expect(await runsOf(component)).toEqual([
      {
        uid: expect.any(String),
        ...{ status: 'FAILED', exitCode: 3, command: ['sh', '-c', 'exit 3'], timeoutSeconds: 60 },
        creator: null,
        schedule: { uid: schedule.uid },
      },
    ]);
    for (const action of ['run.start', 'run.failed'])
      expect(await eventsOf(trellis, teamId, action)).toMatchObject([
        { actor: null, tokenId: null, changes: { schedule: 'sh' } },
      ]);
    expect(await eventsOf(trellis, teamId, 'schedule.create')).toMatchObject([
      { objectUid: schedule.uid, changes: { cron: '0 0 1 JAN *', command: ['sh', '-c', 'exit 3'] } },
    ]);
  });

  it('starts one run for each time, with two gateways', async () => {
    const { component } = await deployed();
    const schedules = await Promise.all(Array.from({ length: 8 }, () => create(component)));
    const { db } = trellis.services;
    const nextRunAt = new Date(Date.now() - 500);
    const ids: string[] = schedules.map(({ uid }) => uid);
    for (let round = 1; round <= 2; round++) {
      await db.transaction((tx) =>
        tx.schedule.updateMany({ where: { id: { in: ids } }, data: { nextRunAt } }),
      );
      await Promise.all(ids.map(pass));
      await expect
        .poll(() => statuses(component), patience)
        .toEqual(Array.from({ length: round * 8 }, () => 'SUCCEEDED'));
    }
    const counts = new Map<string, number>();
    for (const { schedule } of await runsOf(component)) {
      counts.set(schedule.uid, (counts.get(schedule.uid) ?? 0) + 1);
    }
    expect(counts).toEqual(new Map(ids.map((uid) => [uid, 2])));
  });

  once('skips a time that has passed by more than a minute', async () => {
    const { component, teamId } = await deployed();
    const { uid, nextRuns } = await create(component);
    const { at, ...late } = await fire(uid, 61_000);
    expect(late).toMatchObject({ lastSkippedAt: at, lastSkipReason: 'LATE', nextRuns, revision: 1 });
    expect(await runsOf(component)).toEqual([]);
    expect(await eventsOf(trellis, teamId, 'run.start')).toEqual([]);
    // A later one is started.
    await fire(uid, 30_000);
    expect(await runsOf(component)).toHaveLength(1);
  });

  once('starts nothing for a component that is stopped, was never deployed, or cannot run', async () => {
    const fresh = await deployed({});
    const first = await create(fresh.component);
    expect(await fire(first.uid)).toMatchObject({ lastSkipReason: 'NOT_DEPLOYED' });
    const { component, region } = await deployed();
    const { uid } = await create(component);
    await trellis.succeed('stopComponent', { component }, '__typename');
    expect(await fire(uid)).toMatchObject({ lastSkipReason: 'STOPPED' });
    await trellis.succeed('startComponent', { component }, '__typename');
    const status = (to: string) =>
      trellis.succeed('updateRegion', { region: { name: region.name }, status: to }, '__typename');
    await status('MAINTENANCE');
    expect(await fire(uid)).toMatchObject({ lastSkipReason: 'UNAVAILABLE' });
    expect(await runsOf(component)).toEqual([]);
    await status('ENABLED');
    await fire(uid);
    expect(await runsOf(component)).toHaveLength(1);
  });

  once('skips a time, replaces the run or starts another if one has not ended', async () => {
    const { component, teamId } = await deployed();
    const forbid = await create(component, { command: long });
    await fire(forbid.uid);
    expect(await fire(forbid.uid)).toMatchObject({ lastSkipReason: 'UNFINISHED' });
    await expect.poll(() => statuses(component), patience).toEqual(['RUNNING']);
    // Runs of others do not count.
    const allow = await create(component, { command: long, concurrency: 'ALLOW' });
    await fire(allow.uid);
    await fire(allow.uid);
    await expect.poll(() => statuses(component), patience).toEqual(['RUNNING', 'RUNNING', 'RUNNING']);
    const other = await deployed();
    const replace = await create(other.component, { command: long, concurrency: 'REPLACE' });
    await fire(replace.uid);
    await expect.poll(() => statuses(other.component), patience).toEqual(['RUNNING']);
    await fire(replace.uid);
    await expect.poll(() => statuses(other.component), patience).toEqual(['RUNNING', 'CANCELLED']);
    expect(await eventsOf(trellis, other.teamId, 'run.cancel')).toMatchObject([
      { actor: null, changes: { status: 'cancelling' } },
    ]);
    expect(await eventsOf(trellis, teamId, 'run.cancel')).toEqual([]);
    for (let count = 3; count < 20; count++) {
      await trellis.succeed('runComponent', { component, command: long }, '__typename');
    }
    expect(await fire(allow.uid)).toMatchObject({ lastSkipReason: 'TOO_MANY' });
  });

  it('is changed, paused and deleted, while its runs go on', async () => {
    const { component, teamId } = await deployed();
    const { uid } = await create(component, { command: long });
    const schedule = { scheduleId: uid };
    const update = async (input: object) =>
      (await trellis.succeed('updateSchedule', { schedule, ...input }, `schedule { ${fields} }`)).schedule;
    // A time that has come is not lost by a change of something else.
    await makeDue(trellis, uid);
    expect(await update({ timeoutSeconds: 90 })).toMatchObject({ timeoutSeconds: 90, revision: 2 });
    await pass(uid);
    await expect.poll(() => statuses(component), patience).toEqual(['RUNNING']);
    expect(await update({ isPaused: true })).toMatchObject({ isPaused: true, nextRuns: [], revision: 3 });
    expect(await update({ isPaused: true })).toMatchObject({ revision: 3 });
    const [row] = await trellis.services.db.schedule.findManyByKeys({ by: 'id', keys: [uid] });
    expect(row!.nextRunAt).toBeNull();
    const resumed = await update({
      ...{ isPaused: false, cron: '30 12 * * *', timeZone: 'Europe/Berlin' },
      ...{ concurrency: 'ALLOW', command: ['true'], expectedRevision: 3 },
    });
    expect(resumed).toMatchObject({ cron: '30 12 * * *', concurrency: 'ALLOW', command: ['true'] });
    expect(resumed.nextRuns[0]).toMatch(/T1[01]:30:00/);
    const stale = await trellis.attempt('updateSchedule', { schedule, isPaused: true, expectedRevision: 3 });
    expect(stale.code).toBe('CONFLICT');
    const planned = await trellis.succeed(
      'deleteSchedule',
      { schedule, dryRun: true },
      'plan { action name }',
    );
    expect(planned.plan).toEqual([{ action: 'schedule.delete', name: 'sleep' }]);
    await trellis.succeed('deleteSchedule', { schedule }, '__typename');
    const [run] = await runsOf(component);
    expect(run).toMatchObject({ status: 'RUNNING', schedule: null });
    expect(await eventsOf(trellis, teamId, 'schedule.update')).toHaveLength(3);
    const gone = await trellis.attempt('updateSchedule', { schedule, isPaused: true });
    expect(gone.code).toBe('NOT_FOUND');
  });

  it('goes with its component, which its deletion lists', async () => {
    const { component, teamId } = await deployed();
    const { uid } = await create(component);
    const input = { component, force: true };
    const { plan } = await trellis.succeed('deleteComponent', input, 'plan { action objectUid }');
    expect(plan).toContainEqual({ action: 'schedule.delete', objectUid: uid });
    expect(await eventsOf(trellis, teamId, 'schedule.delete')).toHaveLength(1);
  });

  once('refuses what is no cron expression or time zone, and names the field', async () => {
    const { component } = await deployed();
    const pathOf = async (more: object) => {
      const given = { component, cron: rarely, command: ['true'], ...more };
      const { code, issues } = await trellis.attempt('createSchedule', given);
      expect(code).toBe('INVALID_INPUT');
      return issues[0].path.slice(0, 2);
    };
    for (const cron of ['', '* * * *', '0 0 0 * * *', '0 0 L * *', '60 * * * *', '0 0 30 2 *', '@daily']) {
      expect(await pathOf({ cron })).toEqual(['input', 'cron']);
    }
    for (const timeZone of ['', 'Mars/Base', '+02:00', 'Local']) {
      expect(await pathOf({ timeZone })).toEqual(['input', 'timeZone']);
    }
    expect(await pathOf({ command: [] })).toEqual(['input', 'command']);
    expect(await pathOf({ timeoutSeconds: 0 })).toEqual(['input', 'timeoutSeconds']);
    const { uid } = await create(component);
    for (const first of [0, 11]) {
      const { errors } = await trellis.graphql(
        `{ schedule(by: { scheduleId: "${uid}" }) { nextRuns(first: ${first}) } }`,
      );
      expect(errors![0]!.extensions.code).toBe('INVALID_INPUT');
    }
    expect((await read(uid, 'nextRuns(first: 10)')).nextRuns).toHaveLength(10);
  });

  once('is one of 20 at most, in a region with a cluster, and of developers', async () => {
    const { component, teamId } = await deployed();
    for (let count = 0; count < 20; count++) await create(component);
    const given = { cron: rarely, command: ['true'] };
    expect(await trellis.attempt('createSchedule', { component, ...given })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('20 schedules'),
    });
    const { appId } = await trellis.createApplication(await trellis.createPlace());
    const { componentId } = await trellis.createComponent(appId, { deploy: true });
    expect(await trellis.attempt('createSchedule', { component: { componentId }, ...given })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('DECLARED'),
    });
    const viewer = await trellis.createMember(teamId, 'VIEWER');
    const query =
      'query($by: ComponentRef!) { component(by: $by) { schedules { totalCount nodes { uid } } } }';
    const { schedules } = (await trellis.data(query, { by: component }, viewer.token)).component;
    expect(schedules.totalCount).toBe(20);
    const schedule = { scheduleId: schedules.nodes[0].uid };
    for (const [name, input] of [
      ['createSchedule', { component, ...given }],
      ['updateSchedule', { schedule, isPaused: true }],
      ['deleteSchedule', { schedule }],
    ] as const) {
      expect((await trellis.attempt(name, input, '__typename', viewer.token)).code).toBe('FORBIDDEN');
    }
    const outsider = await trellis.createMember((await trellis.createTeam()).teamId, 'OWNER');
    expect((await trellis.attempt('deleteSchedule', { schedule }, '__typename', outsider.token)).code).toBe(
      'NOT_FOUND',
    );
  });
});
