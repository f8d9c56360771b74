import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Services } from '../../../src/context.ts';
import type { Database } from '../../../src/db/open.ts';
import { snapshotWork } from '../../../src/domain/component/snapshots/schedule/rows.ts';
import { JobWorker } from '../../../src/domain/job/worker/worker.ts';
import { writeOutcomes } from '../../../src/domain/job/worker-rows.ts';
import { runWork } from '../../../src/domain/run/rows.ts';
import { RegionWorkError } from '../../../src/drivers/region/driver.ts';
import { UnavailableError } from '../../../src/kernel/errors.ts';
import { unique } from '../../support/fixtures.ts';
import {
  createJobPlace,
  ended,
  type JobPlace,
  jobRows,
  type LoggedCall,
  mostAtOnce,
  recordingDriver,
  submit,
} from '../../support/jobs.ts';
import { once } from '../../support/once.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

type Behavior = (call: LoggedCall, signal: AbortSignal, attempt: number) => unknown;
const done = { isDone: true };

/** What the driver does with a component; it is done at once by default. */
const behaviors = new Map<string, Behavior>();
const recorded = recordingDriver('recorded', (call, signal) => {
  const attempt = callsOf(call.componentId).length;
  const behavior = behaviors.get(call.componentId);
  return behavior ? behavior(call, signal, attempt) : done;
});
const callsOf = (...ids: string[]) => recorded.calls.filter(({ componentId }) => ids.includes(componentId));

// Waits on time: only where its callers say why.
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

let trellis: Trellis;
beforeAll(async () => {
  const jobs = { callTimeoutMs: 60_000, leaseMs: 1_500, maxAttempts: 3 };
  trellis = await startTrellis({ drivers: [recorded.driver], jobs });
});
afterAll(() => trellis?.close());

const place = (components = 1) => createJobPlace(trellis, 'recorded', components);
const started = (id: string) => expect.poll(() => callsOf(id).length, { timeout: 60_000 }).toBeGreaterThan(0);

/** Another team in the region, with one component. */
async function neighbor(at: JobPlace): Promise<JobPlace> {
  const team = await trellis.createTeam();
  const region = { regionId: at.region.regionId };
  await trellis.succeed('openTeamRegion', { team: { teamId: team.teamId }, region }, '__typename');
  const there = { team, region: at.region };
  const { appId } = await trellis.createApplication(there);
  return { ...there, appId, componentIds: [(await trellis.createComponent(appId)).componentId] };
}

/** Another application of the team, with one component. */
async function sibling(at: JobPlace): Promise<JobPlace> {
  const { appId } = await trellis.createApplication(at);
  return { ...at, appId, componentIds: [(await trellis.createComponent(appId)).componentId] };
}

describe.each([
  ['another team', neighbor],
  ['another application of its team', sibling],
])('an application with much work', (others, createOther) => {
  it(`leaves the next call to ${others}, if it has some`, async () => {
    const at = await place(8);
    const other = await createOther(at);
    const ends: (() => void)[] = [];
    const held = () => new Promise((resolve) => ends.push(() => resolve(done)));
    for (const id of [...at.componentIds, ...other.componentIds]) behaviors.set(id, held);
    const job = await submit(trellis, at);
    await expect.poll(() => ends.length, { timeout: 60_000 }).toBe(4);
    const small = await submit(trellis, other);
    ends.shift()!();
    await started(other.componentIds[0]!);
    expect(callsOf(...at.componentIds).length).toBe(4);
    ends.pop()!();
    expect((await ended(trellis, small)).job.status).toBe('succeeded');
    for (const id of at.componentIds) behaviors.set(id, () => done);
    for (const end of ends) end();
    expect((await ended(trellis, job)).job.status).toBe('succeeded');
  });

  it(`has its runs looked at after those of ${others}`, async () => {
    const at = await place(1);
    const other = await createOther(at);
    const add = (componentId: string, minute: number) => ({
      ...{ id: unique('run'), componentId, regionId: at.region.regionId, command: '["x"]' },
      ...{ timeoutSeconds: 60, status: 'pending', requestId: 'test' },
      createdAt: new Date(2020, 0, 1, 0, minute),
      dueAt: new Date(2020, 0, 1, 0, minute),
    });
    const own = Array.from({ length: 6 }, (_, minute) => add(at.componentIds[0]!, minute));
    const theirs = add(other.componentIds[0]!, 30);
    const { db } = trellis.services;
    await db.transaction((tx) => tx.componentRun.createMany({ data: [...own, theirs] }));
    const now = new Date(2020, 0, 2);
    const claim = (except: typeof own, limit: number) => {
      const ids = except.map(({ id }) => id);
      const until = new Date(2020, 0, 3);
      const lease = { owner: 'test', heldFromMs: 0, now, until, latest: until };
      return db.transaction(async (tx) => {
        const taken = await runWork.take({ context: { db }, tx }, lease, {
          limit,
          except: ids,
          mostOfTeam: 3,
        });
        await tx.componentRun.updateMany({ where: { owner: 'test' }, data: { dueAt: now } });
        return taken.map(({ id }) => id);
      });
    };
    expect(await claim(own.slice(0, 2), 1)).toEqual([own[2]!.id]);
    expect(await claim(own.slice(0, 3), 1)).toEqual([theirs.id]);
    expect((await claim(own.slice(0, 4), 3)).sort()).toEqual([own[4]!.id, own[5]!.id, theirs.id].sort());
    const all = [...own, theirs].map(({ id }) => id);
    await db.transaction((tx) => tx.componentRun.deleteMany({ where: { id: { in: all } } }));
  });

  it(`has its snapshots made after those of ${others}`, async () => {
    const at = await place(1);
    const other = await createOther(at);
    const { db } = trellis.services;
    const add = async (componentId: string, minute: number) => {
      const name = unique('data');
      const input = { component: { componentId }, name, path: `/${name}`, type: 'share-file' };
      await trellis.succeed('addVolume', input, '__typename');
      const dueAt = new Date(2020, 0, 1, 0, minute);
      const timing = { cron: '0 3 * * *', timeZone: 'UTC', keep: 1, dueAt, createdAt: dueAt };
      await db.transaction(async (tx) => {
        const volume = await tx.volume.findFirstOrThrow({ where: { name } });
        await tx.snapshotSchedule.create({ data: { id: name, volumeId: volume.id, ...timing } });
      });
      return name;
    };
    const own: string[] = [];
    for (let minute = 0; minute < 5; minute++) own.push(await add(at.componentIds[0]!, minute));
    const theirs = await add(other.componentIds[0]!, 30);
    const [now, until] = [new Date(2020, 0, 2), new Date(2020, 0, 3)];
    const claim = (except: string[], limit: number) =>
      db.transaction(async (tx) => {
        const lease = { owner: 'test', heldFromMs: 0, now, until, latest: until };
        const taken = await snapshotWork.take({ context: { db }, tx }, lease, {
          limit,
          except,
          mostOfTeam: 3,
        });
        await tx.snapshotSchedule.updateMany({ where: { owner: 'test' }, data: { dueAt: now } });
        return taken.map(({ id }) => id);
      });
    expect(await claim(own.slice(0, 2), 1)).toEqual([own[2]]);
    expect(await claim(own.slice(0, 3), 1)).toEqual([theirs]);
    expect((await claim(own.slice(0, 4), 2)).sort()).toEqual([own[4], theirs].sort());
    await db.transaction((tx) => tx.snapshotSchedule.deleteMany({ where: { id: { in: [...own, theirs] } } }));
  });
});

describe('a job', () => {
  it('is carried out in steps, with at most four components of a region at once', async () => {
    const at = await place(10);
    // As many as may start at once are in progress before the first one ends.
    let reached = () => {};
    const four = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const together = async () => {
      if (callsOf(...at.componentIds).length >= 4) reached();
      await four;
      // Waits on time: a fifth one would start meanwhile.
      await wait(30);
      return done;
    };
    for (const id of at.componentIds) behaviors.set(id, together);
    const steps = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2];
    const { job, components } = await ended(trellis, await submit(trellis, at, { steps }));
    expect(job).toMatchObject({ status: 'succeeded', error: null, applicationId: at.appId });
    expect(new Set(components.map(({ status }) => status))).toEqual(new Set(['succeeded']));
    const calls = callsOf(...at.componentIds);
    expect(calls.length).toBe(10);
    expect(mostAtOnce(calls)).toBe(4);
    const stepOf = ({ componentId }: LoggedCall) => steps[at.componentIds.indexOf(componentId)]!;
    for (const call of calls) {
      for (const earlier of calls.filter((one) => stepOf(one) < stepOf(call))) {
        expect(earlier.endedAt).toBeLessThanOrEqual(call.startedAt);
      }
    }
  });

  it('starts when the request that leaves it has committed, without waiting for a poll', async () => {
    const prompt = await startTrellis({ drivers: [recorded.driver], jobs: { pollMs: 600_000 } });
    const { componentIds } = await createJobPlace(prompt, 'recorded');
    const component = { componentId: componentIds[0] };
    const { job } = await prompt.succeed('deployComponent', { component }, 'job { uid }');
    expect((await ended(prompt, { id: job.uid })).job.status).toBe('succeeded');
    await prompt.close();
  });

  once('asks the driver again until the work is done', async () => {
    const at = await place();
    const [id] = at.componentIds as [string];
    behaviors.set(id, (_call, _signal, attempt) => ({ isDone: attempt > 4, checkAgainMs: 10 }));
    const { job, components } = await ended(trellis, await submit(trellis, at));
    expect(job.status).toBe('succeeded');
    expect(components[0]).toMatchObject({ attempts: 1, leaseOwner: null, leaseUntil: null });
    expect(callsOf(id).length).toBe(5);
  });

  it('ends at the deadline of its component, if that is before the one of all', async () => {
    const [id] = (await place()).componentIds as [string];
    const { db } = trellis.services;
    behaviors.set(id, async () => {
      const data = { startedAt: new Date(Date.now() - 11_000) };
      await db.transaction((tx) => tx.jobComponent.updateMany({ where: { componentId: id }, data }));
      return { isDone: false, checkAgainMs: 10, reason: 'Not ready.' };
    });
    const change = { component: { componentId: id }, deployDeadlineSeconds: 10, deploy: true };
    const { job } = await trellis.succeed('updateComponent', change, 'job { uid }');
    const { components } = await ended(trellis, { id: job.uid });
    expect(components[0]).toMatchObject({ status: 'failed', error: 'Not finished within 10 s. Not ready.' });
  });

  once('repeats calls that fail', async () => {
    const at = await place();
    const [id] = at.componentIds as [string];
    behaviors.set(id, (_call, _signal, attempt) => {
      if (attempt < 3) throw new RegionWorkError('The cluster is busy.');
      return done;
    });
    const { job, components } = await ended(trellis, await submit(trellis, at));
    expect(job).toMatchObject({ status: 'succeeded', error: null });
    expect(components[0]).toMatchObject({ status: 'succeeded', attempts: 3, error: null });
  });

  once.each<[string, Behavior, number, string]>([
    [
      'the driver refuses it for good',
      () => {
        throw new RegionWorkError('The image cannot be pulled.', { isPermanent: true });
      },
      1,
      'The image cannot be pulled.',
    ],
    [
      'the driver keeps failing',
      () => {
        throw new Error('password=hunter2');
      },
      3,
      'The region driver failed.',
    ],
    ['the driver answers nothing', () => null, 3, 'The region driver gave an invalid answer.'],
    ['the driver answers garbage', () => 'done', 3, 'The region driver gave an invalid answer.'],
    [
      'the driver answers half',
      () => ({ isDone: false, checkAgainMs: 'soon' }),
      3,
      'The region driver gave an invalid answer.',
    ],
  ])('fails when %s, and ends what comes later', async (_, behavior, calls, error) => {
    const at = await place(3);
    const [first, second, third] = at.componentIds as [string, string, string];
    behaviors.set(first, behavior);
    const { job, components } = await ended(trellis, await submit(trellis, at, { steps: [0, 0, 1] }));
    expect(job).toMatchObject({ status: 'failed', error: `c000: ${error}` });
    expect(components.map((each) => [each.status, each.error])).toEqual([
      ['failed', error],
      ['succeeded', null],
      ['cancelled', 'Not started, because c000 failed.'],
    ]);
    expect(callsOf(first).length).toBe(calls);
    expect(callsOf(second).length).toBe(1);
    expect(callsOf(third).length).toBe(0);
  });

  once('is one warning for a region, however many components and attempts fail', async () => {
    const at = await place(2);
    for (const id of at.componentIds) {
      behaviors.set(id, () => {
        throw new Error('broken');
      });
    }
    const { length: before } = trellis.logged;
    await ended(trellis, await submit(trellis, at));
    const lines = trellis.logged.slice(before).filter(({ msg }) => msg === 'region driver failed');
    expect(lines.filter(({ level }) => level === 40)).toHaveLength(1);
    expect(lines.filter(({ level }) => level === 20)).toHaveLength(2 * 3 - 1);
  });

  once('has failed when every call hangs until its timeout', async () => {
    const jobs = { callTimeoutMs: 50, maxAttempts: 2, backoffMinMs: 10 };
    const impatient = await startTrellis({ drivers: [recorded.driver], jobs });
    try {
      const at = await createJobPlace(impatient, 'recorded');
      const [id] = at.componentIds as [string];
      behaviors.set(id, () => new Promise(() => {}));
      const { job, components } = await ended(impatient, await submit(impatient, at));
      expect(job.status).toBe('failed');
      expect(components[0]).toMatchObject({ status: 'failed', attempts: 2, leaseOwner: null });
      expect(callsOf(id)).toHaveLength(2);
    } finally {
      await impatient.close();
    }
  });

  it('removes what is left of the other components when the removal of one fails', async () => {
    const at = await place(2);
    behaviors.set(at.componentIds[0]!, () => {
      throw new RegionWorkError('A volume is in use.', { isPermanent: true });
    });
    const job = await submit(trellis, at, { kind: 'delete', action: 'remove', steps: [0, 1] });
    const { components } = await ended(trellis, job);
    expect(components.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  });

  it('is superseded by a newer one before it starts', async () => {
    const at = await place(2);
    const [first] = at.componentIds as [string, string];
    let release = () => {};
    behaviors.set(first, () => new Promise((resolve) => (release = () => resolve(done))));
    const older = await submit(trellis, at, { steps: [0, 1] });
    await started(first);
    const newer = await submit(trellis, at, { state: 'closed', componentIds: [at.componentIds[1]!] });
    expect((await ended(trellis, newer)).job.status).toBe('succeeded');
    release();
    const { job, components } = await ended(trellis, older);
    expect(job.status).toBe('succeeded');
    expect(components.map(({ status, error }) => [status, error])).toEqual([
      ['succeeded', null],
      ['cancelled', 'Superseded by a newer job.'],
    ]);
  });

  it('is superseded while its call is in progress, and the newer one waits for the end of the call', async () => {
    const at = await place();
    const [id] = at.componentIds as [string];
    behaviors.set(id, async (_, signal, attempt) => {
      if (attempt > 1) return done;
      // A driver may need some time to end a call.
      return untilAborted(signal).catch(async (error) => {
        // Waits on time: the newer job would start meanwhile.
        await wait(30);
        throw error;
      });
    });
    const older = await submit(trellis, at);
    await started(id);
    const newer = await submit(trellis, at);
    expect((await ended(trellis, newer)).job.status).toBe('succeeded');
    expect((await jobRows(trellis, older.id)).job.status).toBe('cancelled');
    expect(callsOf(id).map(({ generation }) => generation)).toEqual([1, 2]);
  });
});

describe('the work of a job', () => {
  /** A server that carries out nothing by itself. */
  let idle: Trellis;
  beforeAll(async () => {
    idle = await startTrellis();
  });
  afterAll(() => idle?.close());

  it('goes on elsewhere when the worker stops, and leaves nothing behind', async () => {
    const at = await createJobPlace(idle, 'moved', 2);
    const names: string[] = [];
    const worker = (name: string) => {
      const { driver } = recordingDriver('moved', (_, signal) => {
        names.push(name);
        return name === 'stopping' ? untilAborted(signal) : done;
      });
      const drivers = { ...idle.services.drivers, region: new Map([['moved', driver]]) };
      return new JobWorker({ ...idle.services, drivers }, { leaseMs: 60_000, pollMs: 50 });
    };
    const stopping = worker('stopping');
    const job = await submit(idle, at);
    stopping.start();
    await expect.poll(() => names.length, { timeout: 60_000 }).toBe(2);
    await stopping.stop(4_000);
    const { job: paused, components } = await jobRows(idle, job.id);
    expect(paused).toMatchObject({ status: 'running', endedAt: null });
    for (const each of components) {
      expect(each).toMatchObject({ status: 'running', attempts: 0, leaseOwner: null, leaseUntil: null });
    }
    const next = worker('next');
    next.start();
    expect((await ended(idle, job)).job.status).toBe('succeeded');
    expect(names).toEqual(['stopping', 'stopping', 'next', 'next']);
    await next.stop(200);
  });

  it('is taken over when a lease expires, and what the old owner says then does not count', async () => {
    const { driver } = recordingDriver('recorded');
    const drivers = { ...idle.services.drivers, region: new Map([['recorded', driver]]) };
    const services = { ...idle.services, drivers };
    const at = await createJobPlace(idle, 'recorded');
    const { id: jobId } = await submit(idle, at);
    const { components } = await jobRows(idle, jobId);
    const leaseUntil = new Date(Date.now() + 300);
    const held = { status: 'running', leaseOwner: 'dead', leaseUntil, dueAt: leaseUntil, attempts: 1 };
    await services.db.transaction((tx) =>
      tx.jobComponent.update({
        where: { id: components[0]!.id },
        data: { ...held, startedAt: new Date() },
      }),
    );
    const worker = new JobWorker(services, { pollMs: 50 });
    worker.start();
    const { job, components: after } = await ended(idle, { id: jobId });
    expect(job.status).toBe('succeeded');
    expect(after[0]!.attempts).toBe(2);
    expect(job.endedAt!.getTime()).toBeGreaterThanOrEqual(leaseUntil.getTime());
    await services.db.transaction((tx) =>
      writeOutcomes(
        { context: { db: services.db }, tx, announce: () => {} },
        [{ work: components[0]!, outcome: { kind: 'failed', error: 'too late' } }],
        { owner: 'dead', now: new Date() },
      ),
    );
    expect((await jobRows(idle, jobId)).components[0]).toMatchObject({ status: 'succeeded', error: null });
    await worker.stop(200);
  });

  it('has one call at a time when a worker loses the database, which ends its call in time', async () => {
    const { services } = idle;
    const at = await createJobPlace(idle, 'lonely');
    let isAway = false;
    const db: Database = Object.create(services.db, {
      transaction: {
        value: (...args: Parameters<Database['transaction']>) =>
          isAway ? Promise.reject(new UnavailableError('away')) : services.db.transaction(...args),
      },
    });
    const workerOf = (of: Partial<Services>, run: (signal: AbortSignal) => unknown) => {
      const { driver, calls } = recordingDriver('lonely', (_, signal) => run(signal));
      const drivers = { ...services.drivers, region: new Map([['lonely', driver]]) };
      const settings = { leaseMs: 900, pollMs: 50, backoffMinMs: 10 };
      return { worker: new JobWorker({ ...services, ...of, drivers }, settings), calls };
    };
    const lonely = workerOf({ db }, (signal) => {
      isAway = true;
      return untilAborted(signal);
    });
    const submitted = await submit(idle, at);
    lonely.worker.start();
    await expect.poll(() => lonely.calls.length, { timeout: 60_000 }).toBe(1);
    const other = workerOf({}, () => done);
    other.worker.start();
    expect((await ended(idle, submitted)).job.status).toBe('succeeded');
    expect(lonely.calls[0]!.endedAt).toBeLessThanOrEqual(other.calls[0]!.startedAt);
    isAway = false;
    await Promise.all([lonely, other].map(({ worker }) => worker.stop(1_000)));
  });

  it('goes on for longer than a lease while that is renewed', async () => {
    const leaseMs = 3_000;
    const at = await createJobPlace(idle, 'slow');
    const submitted = await submit(idle, at);
    const leaseUntil = async () => {
      const [part] = await idle.services.db.jobComponent.findManyByKeys({
        by: 'jobId',
        keys: [submitted.id],
        fields: ['leaseUntil'],
      });
      return part!.leaseUntil!.getTime();
    };
    const { driver, calls } = recordingDriver('slow', async () => {
      const first = await leaseUntil();
      await expect.poll(leaseUntil, { timeout: 60_000 }).toBeGreaterThan(first + leaseMs);
      return done;
    });
    const drivers = { ...idle.services.drivers, region: new Map([['slow', driver]]) };
    const worker = new JobWorker({ ...idle.services, drivers }, { leaseMs, pollMs: 50 });
    worker.start();
    try {
      expect((await ended(idle, submitted)).job.status).toBe('succeeded');
      expect(calls).toHaveLength(1);
    } finally {
      await worker.stop(1_000);
    }
  });

  it('goes on when the clock of the database has been set back', async () => {
    const { driver } = recordingDriver('recorded');
    const region = new Map([['recorded', driver]]);
    const services = { ...idle.services, drivers: { ...idle.services.drivers, region } };
    const at = await createJobPlace(idle, 'recorded');
    const { id: jobId } = await submit(idle, at);
    const dueAt = new Date(Date.now() + 3_600_000);
    await services.db.transaction((tx) => tx.jobComponent.updateMany({ where: { jobId }, data: { dueAt } }));
    const worker = new JobWorker(services, { pollMs: 50 });
    worker.start();
    expect((await ended(idle, { id: jobId })).job.status).toBe('succeeded');
    await worker.stop(1_000);
  });

  it('is not lost while the database is away', async () => {
    const { services } = idle;
    const at = await createJobPlace(idle, 'recorded', 2);
    /** How many requests the database does not answer from now on. */
    let refused = 0;
    const reach = <T>(ask: () => Promise<T>) =>
      refused-- > 0 ? Promise.reject<T>(new UnavailableError('away')) : ask();
    const db: Database = Object.create(services.db, {
      transaction: {
        value: (...args: Parameters<Database['transaction']>) =>
          reach(() => services.db.transaction(...args)),
      },
      query: { value: (...args: Parameters<Database['query']>) => reach(() => services.db.query(...args)) },
    });
    const { driver, calls } = recordingDriver('recorded', () => {
      refused = 5;
      return done;
    });
    const drivers = { ...services.drivers, region: new Map([['recorded', driver]]) };
    const worker = new JobWorker({ ...services, db, drivers }, { pollMs: 20, backoffMinMs: 10 });
    const submitted = await submit(idle, at, { steps: [0, 1] });
    worker.start();
    expect((await ended(idle, submitted)).job.status).toBe('succeeded');
    expect(calls.map(({ componentId }) => componentId)).toEqual(at.componentIds);
    await worker.stop(4_000);
  });
});
