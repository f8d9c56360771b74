import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { JobWorker } from '../../src/domain/job/worker/worker.ts';
import { declaredRegion } from '../../src/drivers/region/declared.ts';
import type { RegionDriver } from '../../src/drivers/region/driver.ts';
import { builtModules } from '../support/built.ts';
import { createJobPlace, ended, jobRows, mostAtOnce, submit } from '../support/jobs.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { databaseKind, type Trellis, useTrellis } from '../support/trellis.ts';

startsProcesses();

const timeout = 120_000;
// A process that waits for the processor for long keeps its lease.
const settings = { pollMs: 100, leaseMs: 6_000 };
const callMs = 150;

/** A gateway without a surface: it carries out jobs, and prints the start and the end of every call to its driver. */
const script = `
import { setTimeout as sleep } from 'node:timers/promises';
const [folder, url] = process.argv.slice(1);
const load = (path) => import(new URL(path, folder));
await load('api.js');
const { openDatabase } = await load('db/open.js');
const { JobWorker } = await load('domain/job/worker/worker.js');
const { declaredRegion } = await load('drivers/region/declared.js');
const { createLog } = await load('kernel/log.js');
const { createSeal } = await load('kernel/seal.js');
const say = (...words) => process.stdout.write([...words, Date.now()].join(' ') + '\\n');
const apply = async (region, component, work, signal) => {
  say('start', component.id);
  try {
    // Waits on time: this is how long a call of the driver takes.
    await sleep(${callMs}, undefined, { signal });
  } finally {
    say('end', component.id);
  }
  return { isDone: true };
};
const driver = { ...declaredRegion, name: 'logged', isImmediate: false, apply };
const services = {
  db: await openDatabase({ url }),
  drivers: { region: new Map([['logged', driver]]) },
  seal: createSeal(Buffer.alloc(32)),
  log: createLog('silent'),
};
const worker = new JobWorker(services, ${JSON.stringify(settings)});
worker.start();
say('ready');
`;

interface Gateway {
  /** The calls to its driver; those of a process that was killed end with it. */
  calls: { componentId: string; startedAt: number; endedAt: number }[];
  /** Kills its process, or stops the worker of this process. */
  end(): Promise<void>;
}

const running = new Set<ChildProcess>();
const workers: JobWorker[] = [];

/** A gateway in a process of its own. */
async function startGateway(url: string): Promise<Gateway> {
  const folder = pathToFileURL(`${builtModules()}/`).href;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, folder, url], {
    cwd: join(builtModules(), '..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  const calls: Gateway['calls'] = [];
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => {
      running.delete(child);
      for (const call of calls) call.endedAt = Math.min(call.endedAt, Date.now());
      resolve();
    });
  });
  const ready = new Promise<void>((resolve, reject) => {
    closed.then(() => reject(new Error(`ended with ${child.exitCode}`)));
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const [word, componentId = '', time = ''] = line.split(' ');
      if (word === 'ready') resolve();
      const call = calls.findLast((each) => each.componentId === componentId);
      if (word === 'end' && call) call.endedAt = Number(time);
      if (word === 'start') calls.push({ componentId, startedAt: Number(time), endedAt: Number.MAX_VALUE });
    });
  });
  await ready;
  return {
    calls,
    end() {
      child.kill('SIGKILL');
      return closed;
    },
  };
}

/** The same in this process. */
function startHere(trellis: Trellis): Gateway {
  const calls: Gateway['calls'] = [];
  const apply: RegionDriver['apply'] = async (_region, { id }, _work, signal) => {
    const call = { componentId: id, startedAt: Date.now(), endedAt: Number.MAX_VALUE };
    calls.push(call);
    try {
      // Waits on time: this is how long a call of the driver takes.
      await sleep(callMs, undefined, { signal });
    } finally {
      call.endedAt = Date.now();
    }
    return { isDone: true };
  };
  const driver = { ...declaredRegion, name: 'logged', isImmediate: false, apply };
  const drivers = { ...trellis.services.drivers, region: new Map([['logged', driver]]) };
  const worker = new JobWorker({ ...trellis.services, drivers }, settings);
  worker.start();
  workers.push(worker);
  return { calls, end: () => worker.stop(2_000) };
}

/** Which of the gateways is in the middle of calls. Who has the work of a region tends to keep it. */
async function busyOf(gateways: readonly Gateway[], since: readonly number[]): Promise<Gateway> {
  const isBusy = ({ calls }: Gateway, from: number) =>
    calls.length > from + 3 && calls.at(-1)!.endedAt === Number.MAX_VALUE;
  let busy = -1;
  await expect
    .poll(() => (busy = gateways.findIndex((each, index) => isBusy(each, since[index]!))), {
      timeout: 90_000,
      interval: 5,
    })
    .not.toBe(-1);
  return gateways[busy]!;
}

describe.runIf(databaseKind === 'postgres')('the jobs of two gateways', { timeout }, () => {
  let url: string;
  /** Those that run. */
  let gateways: Gateway[] = [];
  const trellis = useTrellis();
  beforeAll(async () => {
    const [[name]] = (await trellis.services.db.query('SELECT current_database()', [])) as [[string]];
    url = new URL(`/${name}`, inject('postgresUrl')).href;
  }, timeout);
  afterAll(async () => {
    await Promise.all(
      [...running].map((child) => {
        const closed = new Promise((resolve) => child.once('close', resolve));
        child.kill('SIGKILL');
        return closed;
      }),
    );
    await Promise.all(workers.map((worker) => worker.stop(2_000)));
  });

  it('all end when one is killed, and none is carried out twice at the same time', async () => {
    const place = await createJobPlace(trellis, 'logged', 50);
    const jobs = [];
    for (const id of place.componentIds) jobs.push(await submit(trellis, place, { componentIds: [id] }));
    const killed = await startGateway(url);
    await busyOf([killed], [0]);
    const left = startHere(trellis);
    await busyOf([killed], [0]);
    await killed.end();
    const ends = await Promise.all(jobs.map((job) => ended(trellis, job, 60_000)));
    expect(new Set(ends.map(({ job }) => job.status))).toEqual(new Set(['succeeded']));
    for (const { components } of ends) {
      expect(components[0]).toMatchObject({ status: 'succeeded', leaseOwner: null, leaseUntil: null });
    }
    const calls = [...killed.calls, ...left.calls];
    const interrupted = calls.length - 50;
    expect(interrupted).toBeGreaterThanOrEqual(1);
    expect(interrupted).toBeLessThanOrEqual(4);
    for (const id of place.componentIds) {
      expect(mostAtOnce(calls.filter(({ componentId }) => componentId === id))).toBe(1);
    }
    expect(mostAtOnce(calls)).toBeLessThanOrEqual(4);
    gateways = [left];
  });

  it('go on in the other one when one stops, without waiting for a lease to expire', async () => {
    const place = await createJobPlace(trellis, 'logged', 12);
    gateways = [...gateways, ...Array.from({ length: 2 - gateways.length }, () => startHere(trellis))];
    const before = gateways.map(({ calls }) => calls.length);
    const job = await submit(trellis, place);
    const stopped = await busyOf(gateways, before);
    const next = gateways.find((gateway) => gateway !== stopped)!;
    await stopped.end();
    const { components } = await jobRows(trellis, job.id);
    expect(components.filter(({ status }) => status === 'pending').length).toBeGreaterThan(0);
    expect((await ended(trellis, job)).job.status).toBe('succeeded');
    const calls = gateways.flatMap((each, index) => each.calls.slice(before[index]));
    expect(next.calls.length).toBeGreaterThan(0);
    expect(new Set(calls.map(({ componentId }) => componentId)).size).toBe(12);
    expect(mostAtOnce(calls)).toBeLessThanOrEqual(4);
  });
});
