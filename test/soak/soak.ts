// npm run test:soak: minutes of mixed load on one process, whose memory must be flat after the warm-up, and then the changes
// of test/robustness/isolation.long.test.ts and the applications of test/api/manifest/properties.test.ts for as long.
import { spawnSync } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect, parseArgs } from 'node:util';
import { startPostgres } from '../../src/commands/migration.ts';
import { openDatabase } from '../../src/db/open.ts';
import { columns } from '../bench/report.ts';
import { clientOf } from '../support/gateways.ts';
import { contradictionsIn } from '../support/invariants.ts';
import { endProcesses, startProcess } from '../support/process.ts';
import { randomOf } from '../support/random.ts';
import { Client } from './client.ts';
import { medianOf, quantile, readMetrics, type Sample, sampleOf } from './samples.ts';
import { createWorks, type Place } from './works.ts';

const usage = `usage: npm run test:soak -- [options]
  --minutes N                  of load on each database, 5 by default
  --rate N                     requests per second, 60 by default
  --database sqlite,postgres   one after the other; both by default`;

/** How much more the last third may hold than the second; the first is the warm-up. */
const tolerance = { heap: 1.05, heapMiB: 4, resident: 1.15 };
/** More than the caches of documents hold, so that these are full after the warm-up. */
const unseenDocuments = 1_200;
const [sampleEveryMs, mostUnderWay, subscribers] = [5_000, 16, 20];

interface Minute extends Sample {
  minute: number;
  requests: number;
  refused: number;
  subscriptions: number;
  items: number;
  p50: number;
  p99: number;
}

/** About as many as both databases make in a minute. */
const isolatedPerMinute = 12_000;
const manifestsPerMinute = 400;

/** Begins work at a steady rate while `isOver` says no. What is due while too much is under way is left out. */
async function keepUp(rate: number, work: () => unknown, isOver: () => boolean): Promise<void> {
  const started = performance.now();
  const underWay = new Set<Promise<unknown>>();
  for (let due = 0; !isOver(); ) {
    for (; due < ((performance.now() - started) * rate) / 1000; due++) {
      if (underWay.size >= mostUnderWay) continue;
      const one: Promise<unknown> = Promise.resolve(work()).finally(() => underWay.delete(one));
      one.catch(() => {});
      underWay.add(one);
    }
    await sleep(5);
  }
  await Promise.all(underWay);
}

async function soak(database: string, url: string, { minutes, rate }: { minutes: number; rate: number }) {
  const token = `trl_${'s'.repeat(43)}`;
  const server = startProcess({
    DATABASE_URL: url,
    SECRET_KEY: 'ab'.repeat(32),
    BOOTSTRAP_TOKEN: token,
    METRICS_PORT: '0',
    RATE_LIMIT_PER_SECOND: '0',
    FAILED_AUTHENTICATIONS_PER_MINUTE: '0',
    SIMULATED_DELAY_MS: '200',
    NODE_OPTIONS: `--import=${new URL('collect.mjs', import.meta.url)}`,
  });
  const db = await openDatabase({ url, poolSize: 1 });
  const client = new Client(await server.listening, token);
  const places: Place[] = [];
  for (const driver of ['declared', 'simulated']) {
    const { team, region } = await clientOf(client.url, token, db).createPlace();
    await db.transaction((tx) => tx.region.update({ where: { id: region.regionId }, data: { driver } }));
    places.push({ team, region, applications: [] });
  }
  const random = randomOf(12);
  const { next, unseen } = createWorks(client, places, random);
  let left = unseenDocuments;
  await keepUp(
    1_000,
    () => --left && unseen(),
    () => left <= 0,
  );

  const samples: Sample[] = [];
  const table: Minute[] = [];
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  const guarded = async (work: () => unknown) => {
    try {
      await work();
    } catch (error) {
      client.problem(inspect(error));
    }
  };
  const following = Array.from({ length: subscribers }, async () => {
    while (!over.signal.aborted && client.problems.length === 0) {
      await guarded(() => client.follow(random.pick(places).team.teamId, 1 + random.below(50), over.signal));
    }
  });
  const load = keepUp(
    rate,
    () => guarded(next),
    () => over.signal.aborted,
  );
  const started = performance.now();
  client.reset();
  for (let minute = 1; minute <= Math.ceil(minutes); minute++) {
    const from = samples.length;
    const endsAt = started + Math.min(minute, minutes) * 60_000;
    while (performance.now() < endsAt) {
      await sleep(Math.min(sampleEveryMs, endsAt - performance.now()));
      samples.push(await sampleOf(server));
    }
    const { milliseconds, ...counts } = client.counts;
    table.push({
      minute,
      ...counts,
      ...medianOf(samples.slice(from)),
      p50: quantile(milliseconds, 0.5),
      p99: quantile(milliseconds, 0.99),
    });
    client.reset();
  }
  over.abort();
  await Promise.all([load, ...following]);

  const third = Math.floor(samples.length / 3);
  const [second, last] = [medianOf(samples.slice(third, 2 * third)), medianOf(samples.slice(2 * third))];
  if (last.heapMiB > second.heapMiB * tolerance.heap + tolerance.heapMiB) client.problem('the heap grows');
  if (last.residentMiB > second.residentMiB * tolerance.resident) client.problem('the resident memory grows');
  const failed = (await readMetrics(server))(/^trellis_http_requests_total\{.*outcome="failed"/);
  if (failed > 0) client.problem(`${failed} requests failed`);
  const errors = server.log().filter(({ level }) => level >= 50);
  for (const error of errors) client.problem(JSON.stringify(error));
  const found = await contradictionsIn(db);
  if (Object.keys(found).length > 0) client.problem(JSON.stringify(found));
  client.close();
  await db.close();
  server.child.kill('SIGTERM');
  const code = await server.ended;
  if (code !== 0) client.problem(`the process ended with ${code}`);
  if (server.output().stderr !== '') client.problem(server.output().stderr);

  const whole = (value: number) => value.toFixed(0);
  const text = columns<Minute>(
    [
      [database, ({ minute }) => `minute ${minute}`],
      ['requests', ({ requests }) => whole(requests)],
      ['refused', ({ refused }) => whole(refused)],
      ['p50 ms', ({ p50 }) => p50.toFixed(1)],
      ['p99 ms', ({ p99 }) => p99.toFixed(1)],
      ['subscriptions', ({ subscriptions }) => whole(subscriptions)],
      ['items', ({ items }) => whole(items)],
      ['heap MiB', ({ heapMiB }) => heapMiB.toFixed(1)],
      ['resident MiB', ({ residentMiB }) => whole(residentMiB)],
    ],
    table,
  );
  const shown = ({ heapMiB, residentMiB }: Sample) =>
    `${heapMiB.toFixed(1)} MiB heap, ${whole(residentMiB)} MiB resident`;
  process.stdout.write(`${text}second third: ${shown(second)}; last third: ${shown(last)}\n`);
  for (const problem of client.problems) process.stdout.write(`${database}: ${problem}\n`);
  if (client.problems.length > 0) process.exitCode = 1;
}

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { minutes: text, rate: text, database: text } });
  const options = { minutes: Number(values.minutes ?? 5), rate: Number(values.rate ?? 60) };
  const databases = (values.database ?? 'sqlite,postgres').split(',');
  const isKnown = databases.every((each) => each === 'sqlite' || each === 'postgres');
  if (!(options.minutes > 0 && options.rate > 0 && isKnown)) throw new Error(usage);
  try {
    for (const database of databases) {
      if (database === 'postgres') {
        const { url, stop } = await startPostgres();
        await soak(database, url, options).finally(endProcesses).finally(stop);
      } else {
        const folder = mkdtempSync(join(tmpdir(), 'trellis-soak-'));
        const run = soak(database, `file:${join(folder, 'trellis.db')}`, options);
        await run.finally(endProcesses).finally(() => rmSync(folder, { recursive: true }));
      }
    }
    const projects = databases.flatMap((database) => ['--project', database]);
    const env = {
      ...process.env,
      ISOLATION_REQUESTS: String(Math.ceil(options.minutes * isolatedPerMinute)),
      MANIFEST_RUNS: String(Math.ceil(options.minutes * manifestsPerMinute)),
    };
    const isolation = ['--config', 'vitest.long.config.ts', 'test/robustness/isolation.long.test.ts'];
    for (const suite of [isolation, ['test/api/manifest/properties.test.ts']]) {
      const { status } = spawnSync('npx', ['vitest', 'run', ...suite, ...projects], {
        stdio: 'inherit',
        env,
      });
      if (status !== 0) process.exitCode = 1;
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}

await main();
