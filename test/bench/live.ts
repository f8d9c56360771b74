/** The fifth table: what a change takes while others subscribe to it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { changes } from './change-works.ts';
import { type Contestant, contestants, startContestant, withToken } from './contestants.ts';
import type { Databases, Dataset } from './data.ts';
import { drive, encode, median, type Target } from './load.ts';
import type { Options } from './options.ts';
import { cpuOfFamily, type Running, statementsOf } from './processes.ts';
import { type Column, columns, say, section } from './report.ts';
import { subscribe } from './subscriber.ts';
import { placesOf } from './tree.ts';
import { graphql, type Places } from './work.ts';

const subscriberCounts = [0, 1, 100];
/** The changes of one measurement, one after the other, and those that are timed until everybody has heard of them. */
const [changeCount, timedCount] = [200, 20];

interface Sample {
  perSecond: number;
  /** Until the last subscriber has the event. */
  toldMs: number;
  /** For one change. */
  cpuMs: number;
  databaseCpuMs: number;
  statements: number;
}

interface Line {
  name: string;
  subscribers: number;
  samples: Sample[];
}

export async function measureLive(
  databases: Databases,
  datasets: Record<Contestant['database'], Dataset>,
  options: Options,
): Promise<string> {
  const places = await placesOf(datasets.postgres.url);
  const lines: Line[] = [];
  for (const contestant of contestants) {
    if (contestant.kind !== 'trellis' || !options.contestants.includes(contestant.key)) continue;
    const metricsPort = await freePort();
    const running = await startContestant(
      { ...contestant, env: { ...contestant.env, METRICS_PORT: String(metricsPort) } },
      datasets[contestant.database],
      options.trellis,
    );
    const bench = benchOf(running, metricsPort, contestant, datasets[contestant.database], places, databases);
    const own = subscriberCounts.map(
      (subscribers): Line => ({ name: contestant.name, subscribers, samples: [] }),
    );
    say(`live: ${contestant.name} warms up`);
    for (const { subscribers } of own) await bench(subscribers);
    for (let round = 0; round < options.rounds; round++) {
      for (const { subscribers, samples } of own) {
        say(`live: ${contestant.name}, round ${round + 1} of ${options.rounds}, ${subscribers} subscribers`);
        samples.push(await bench(subscribers));
      }
    }
    lines.push(...own);
    await running.stop();
  }
  const table = tableOf(lines, options);
  say('');
  process.stdout.write(`${table}\n`);
  return table;
}

function benchOf(
  { pid, port }: Running,
  metricsPort: number,
  { key, database }: Contestant,
  { token }: Dataset,
  places: Places,
  databases: Databases,
): (subscribers: number) => Promise<Sample> {
  const nth = contestants.findIndex((each) => each.key === key);
  const { sequence, request } = changes.find((work) => work.key === 'e')!;
  const switches = sequence(places, nth).map((each) => encode(withToken(request.trellis!(each), token)));
  const target: Target = { port, requests: switches, next: 0 };
  const { method, path, body } = graphql(
    'subscription($team: String!) { events(team: { name: $team }) { id action objectUid } }',
  )({ team: places.teams[nth]!.name });
  const subscription = withToken({ method, path, body }, token);
  subscription.headers.Accept = 'text/event-stream';
  const cpuOfBoth = () => [cpuOfFamily(pid), cpuOfFamily(databases.postmaster)] as const;
  return async (subscribers) => {
    const all = await Promise.all(
      Array.from({ length: subscribers }, () => subscribe(port, encode(subscription))),
    );
    let made = 0;
    const change = async (requests: number) => {
      const { seconds } = await drive(target, { requests }, 1);
      made += requests;
      while (all.some(({ told }) => told() < made)) await sleep(1);
      return seconds;
    };
    const [cpu, statements] = [cpuOfBoth(), await statementsOf(metricsPort)];
    const seconds = await change(changeCount);
    const [used, sent] = [cpuOfBoth(), await statementsOf(metricsPort)];
    const times: number[] = [];
    while (times.length < timedCount) {
      const started = performance.now();
      await change(1);
      times.push(performance.now() - started);
    }
    for (const { socket } of all) socket.destroy();
    return {
      perSecond: changeCount / seconds,
      toldMs: median(times),
      cpuMs: ((used[0] - cpu[0]) * 1000) / changeCount,
      databaseCpuMs: database === 'postgres' ? ((used[1] - cpu[1]) * 1000) / changeCount : Number.NaN,
      statements: (sent - statements) / changeCount,
    };
  };
}

function tableOf(lines: Line[], options: Options): string {
  const figure = (heading: string, value: (sample: Sample) => number, digits: number): Column<Line> => [
    heading,
    ({ samples }) => median(samples.map(value)).toFixed(digits),
  ];
  const shown: Column<Line>[] = [
    ['', ({ name }) => name],
    ['subscribers', ({ subscribers }) => String(subscribers)],
    figure('changes/s', ({ perSecond }) => perSecond, 0),
    figure('ms until all notified', ({ toldMs }) => toldMs, 1),
    figure('CPU ms per change', ({ cpuMs }) => cpuMs, 2),
    figure('of Postgres', ({ databaseCpuMs }) => databaseCpuMs, 2),
    figure('statements per change', ({ statements }) => statements, 1),
  ];
  const heading =
    '## Subscribers\n\n(n): one change after the other, with subscribers to the events of its team:';
  return section(heading, columns(shown, lines), options);
}
