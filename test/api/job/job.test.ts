import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import {
  createJobPlace,
  ended,
  type JobPlace,
  jobRows,
  type Submission,
  submit,
} from '../../support/jobs.ts';
import { once } from '../../support/once.ts';
import { driverOf } from '../../support/region-drivers.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

/** A simulated cluster in which nothing ends while it is held. */
let isHeld = false;
const progress = async () =>
  isHeld ? { isDone: false as const, checkAgainMs: 10 } : { isDone: true as const };
const { observe } = createSimulatedRegion();
const held = driverOf({ name: 'held', observe, apply: progress, restart: progress, remove: progress });

let trellis: Trellis;
beforeAll(async () => {
  const drivers = [createSimulatedRegion({ delayMs: 0 }), held];
  trellis = await startTrellis({ drivers, jobs: {} });
});
afterAll(() => trellis?.close());

const statuses = async ({ appId }: JobPlace): Promise<string[]> => {
  const { application } = await trellis.data(
    `{ application(by: { appId: ${appId} }) { components(first: 100) { nodes { status: state } } } }`,
  );
  return application.components.nodes.map(({ status }: { status: string }) => status);
};

/** The state of the application, and of its components with their problems. */
const stateOf = async ({ appId }: JobPlace) => {
  const { application } = await trellis.data(
    `{ application(by: { appId: ${appId} }) { state components(first: 100) { nodes { state problem { message } } } } }`,
  );
  const { nodes } = application.components;
  return [application.state, ...nodes.map(({ state, problem }: any) => [state, problem?.message ?? null])];
};

const running = async (place: JobPlace, submission = {}) => {
  isHeld = true;
  const job = await submit(trellis, place, submission);
  const status = async () => (await jobRows(trellis, job.id)).job.status;
  await expect.poll(status, { timeout: 60_000 }).toBe('running');
  return job;
};

const finished = async (job: { id: number }) => {
  isHeld = false;
  return ended(trellis, job);
};

describe('the status of a component', () => {
  it('is that of the work in progress, and of the last work when it is over', async () => {
    const place = await createJobPlace(trellis, 'held', 2);
    const seen = [await statuses(place)];
    for (const submission of [
      { steps: [0, 1] },
      { kind: 'restart', action: 'restart' },
      { kind: 'scale' },
      { kind: 'stop', state: 'closed' },
      { kind: 'start' },
    ] as const) {
      const job = await running(place, submission);
      seen.push(await statuses(place));
      await finished(job);
      seen.push(await statuses(place));
    }
    expect(seen).toEqual([
      ['NOT_DEPLOYED', 'NOT_DEPLOYED'],
      ['STARTING', 'WAITING'],
      ['RUNNING', 'RUNNING'],
      ['STARTING', 'STARTING'],
      ['RUNNING', 'RUNNING'],
      ['UPGRADING', 'UPGRADING'],
      ['RUNNING', 'RUNNING'],
      ['STOPPING', 'STOPPING'],
      ['STOPPED', 'STOPPED'],
      ['STARTING', 'STARTING'],
      ['RUNNING', 'RUNNING'],
    ]);
  });

  it('is UNHEALTHY after a failure', async () => {
    const place = await createJobPlace(trellis, 'simulated', 2);
    await trellis.services.db.transaction((tx) =>
      tx.component.update({ where: { id: place.componentIds[0]! }, data: { image: 'web:1-crash' } }),
    );
    const { job } = await finished(await submit(trellis, place));
    expect(job.error).toBe('c000: The image web:1-crash crashes when it starts.');
    expect(await statuses(place)).toEqual(['UNHEALTHY', 'RUNNING']);
    await finished(await submit(trellis, place, { kind: 'stop', state: 'closed' }));
    expect(await statuses(place)).toEqual(['STOPPED', 'STOPPED']);
  });

  once('takes as many statements for many components as for one', async () => {
    const count = async (place: JobPlace) => {
      await ended(trellis, await submit(trellis, place));
      await statuses(place);
      // Polls of the worker are not the request's.
      trellis.statements.length = 0;
      await statuses(place);
      return trellis.statements.filter((text) => !text.includes('min(due_at)')).length;
    };
    const one = await count(await createJobPlace(trellis, 'simulated', 1));
    expect(await count(await createJobPlace(trellis, 'simulated', 12))).toBe(one);
    // Where nothing has to be carried out, jobs are not looked at.
    expect(await count(await createJobPlace(trellis, 'declared', 12))).toBe(one - 1);
  });
});

describe('jobs', () => {
  it('are listed for a team, an application and a component, newest first', async () => {
    const place = await createJobPlace(trellis, 'simulated', 2);
    const [first, second] = place.componentIds as [string, string];
    const both = await finished(await submit(trellis, place, { steps: [0, 1] }));
    const stop: Submission = { kind: 'stop', state: 'closed', componentIds: [first] };
    const one = await finished(await submit(trellis, place, stop));
    const fields = `uid kind status error startedAt endedAt user { email } application { appId: uid } region { name }
      components { totalCount nodes { componentUid name action status step attemptCount error component { name } job { uid } } }`;
    const data = await trellis.data(
      `query($team: String!, $app: Int!, $first: String!, $second: String!, $job: Int!) {
        team(by: { teamId: $team }) { jobs { totalCount nodes { uid } } }
        application(by: { appId: $app }) { jobs(kind: DEPLOY) { nodes { ${fields} } } }
        first: component(by: { componentId: $first }) { jobs { nodes { uid } } }
        second: component(by: { componentId: $second }) { jobs(status: SUCCEEDED) { nodes { uid } } }
        job(by: { jobId: $job }) { id uid kind team { name } } }`,
      { team: place.team.teamId, app: place.appId, first, second, job: one.job.id },
    );
    const uids = ({ nodes }: { nodes: { uid: number }[] }) => nodes.map(({ uid }) => uid);
    expect(data.team.jobs.totalCount).toBe(2);
    expect(uids(data.team.jobs)).toEqual([one.job.id, both.job.id]);
    expect(uids(data.first.jobs)).toEqual([one.job.id, both.job.id]);
    expect(uids(data.second.jobs)).toEqual([both.job.id]);
    expect(data.job).toMatchObject({ uid: one.job.id, kind: 'STOP', team: { name: place.team.name } });
    const part = { action: 'APPLY', status: 'SUCCEEDED', attemptCount: 1, error: null };
    expect(data.application.jobs.nodes).toEqual([
      {
        uid: both.job.id,
        kind: 'DEPLOY',
        status: 'SUCCEEDED',
        error: null,
        startedAt: both.job.startedAt!.toISOString(),
        endedAt: both.job.endedAt!.toISOString(),
        user: { email: 'admin@trellis.example' },
        application: { appId: place.appId },
        region: { name: place.region.name },
        components: {
          totalCount: 2,
          nodes: [first, second].map((componentUid, step) => {
            const name = `c00${step}`;
            return { ...part, componentUid, name, step, component: { name }, job: { uid: both.job.id } };
          }),
        },
      },
    ]);
  });
});

describe('cancelJob', () => {
  const cancel = (jobId: number, token?: string) =>
    trellis.attempt('cancelJob', { job: { jobId } }, 'job { status endedAt }', token);

  it('cancels what is pending and what is in progress, and answers the same when repeated', async () => {
    const place = await createJobPlace(trellis, 'held', 2);
    const { id } = await running(place, { steps: [0, 1] });
    const developer = await trellis.createMember(place.team.teamId, 'DEVELOPER');
    const cancelled = await cancel(id, developer.token);
    expect(cancelled).toMatchObject({ job: { status: 'CANCELLED', endedAt: expect.any(String) } });
    expect(await cancel(id)).toEqual(cancelled);
    const { components } = await jobRows(trellis, id);
    expect(components.map(({ status, error }) => [status, error])).toEqual([
      ['cancelled', 'Cancelled after the start.'],
      ['cancelled', 'Cancelled before the start.'],
    ]);
  });

  it('leaves each component in the state that it has, and says why', async () => {
    const place = await createJobPlace(trellis, 'held', 2);
    const seen: unknown[] = [];
    const cancelOne = async (submission: Submission) => {
      await cancel((await running(place, { steps: [0, 1], ...submission })).id);
      seen.push(await stateOf(place));
    };
    const [after, before] = ['Cancelled after the start.', 'Cancelled before the start.'];
    await cancelOne({});
    // The state before is still known when it is cancelled twice.
    await cancelOne({});
    await finished(await submit(trellis, place));
    seen.push(await stateOf(place));
    await cancelOne({});
    await cancelOne({ kind: 'stop', state: 'closed' });
    await finished(await submit(trellis, place, { kind: 'stop', state: 'closed' }));
    await cancelOne({ kind: 'start' });
    expect(seen).toEqual([
      ['UNHEALTHY', ['NOT_DEPLOYED', after], ['NOT_DEPLOYED', before]],
      ['UNHEALTHY', ['NOT_DEPLOYED', after], ['NOT_DEPLOYED', before]],
      ['RUNNING', ['RUNNING', null], ['RUNNING', null]],
      // It has the configuration of before.
      ['RUNNING', ['RUNNING', null], ['RUNNING', before]],
      ['PARTLY_UNHEALTHY', ['RUNNING', after], ['RUNNING', before]],
      ['UNHEALTHY', ['STOPPED', after], ['STOPPED', before]],
    ]);
  });

  it('of a job that fails leaves those that were not started as they were', async () => {
    const place = await createJobPlace(trellis, 'simulated', 2);
    await trellis.services.db.transaction((tx) =>
      tx.component.update({ where: { id: place.componentIds[0]! }, data: { image: 'web:1-crash' } }),
    );
    await finished(await submit(trellis, place, { steps: [0, 1] }));
    expect(await stateOf(place)).toEqual([
      'UNHEALTHY',
      ['UNHEALTHY', 'The image web:1-crash crashes when it starts.'],
      ['NOT_DEPLOYED', 'Not started, because c000 failed.'],
    ]);
  });

  it('refuses jobs that have ended, and those that remove components', async () => {
    const place = await createJobPlace(trellis, 'held');
    const { id } = (await finished(await submit(trellis, place))).job;
    expect(await cancel(id)).toMatchObject({
      code: 'CONFLICT',
      message: 'The job has already succeeded.',
    });
    const removal = await running(place, { kind: 'delete', action: 'remove' });
    expect(await cancel(removal.id)).toMatchObject({ code: 'CONFLICT' });
    expect((await finished(removal)).job.status).toBe('succeeded');
  });
});

describe('createRegion', () => {
  it('takes a driver', async () => {
    const input = { url: 'https://r.example', websocketUrl: 'wss://r.example', httpDomain: 'r.example' };
    for (const [given, driver] of [
      [{ driver: 'SIMULATED' }, 'SIMULATED'],
      [{}, 'DECLARED'],
    ] as const) {
      const name = `driver-${driver.toLowerCase()}`;
      const region = { ...input, ...given, name, tcpDomain: 'tcp.example' };
      expect(await trellis.succeed('createRegion', region, 'region { driver }')).toMatchObject({
        region: { driver },
      });
    }
  });
});
