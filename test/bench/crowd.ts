/** What a change takes while crowds subscribe: many to one application, and many to applications of their own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Contestant, contestants, startContestant, withToken } from './contestants.ts';
import { type Databases, type Dataset, fill } from './data.ts';
import { encode, median } from './load.ts';
import type { Options } from './options.ts';
import { cpuOfFamily, memoryOf } from './processes.ts';
import { type Column, columns, say, section } from './report.ts';
import { type Subscriber, subscribe } from './subscriber.ts';
import { graphql, type Variables } from './work.ts';

/** More applications than subscribers, so that each subscriber can have one. */
const shape = { teams: 50, applications: 110, components: 1, ports: 1 };
const mostSubscribers = 5_000;
/** Streams are opened so many at a time. */
const opened = 50;

const crowds = [
  { name: 'nobody', subscribers: 0, isOfOne: true },
  { name: 'one application', subscribers: 1_000, isOfOne: true },
  { name: 'applications of their own', subscribers: mostSubscribers, isOfOne: false },
];

interface Sample {
  /** Until the last subscriber of the application has it. */
  toldMs: number;
  /** For one change. */
  cpuMs: number;
  databaseCpuMs: number;
}

interface Line {
  name: string;
  crowd: (typeof crowds)[number];
  memoryKib: number;
  samples: Sample[];
}

export async function measureCrowds(databases: Databases, options: Options): Promise<string> {
  const lines: Line[] = [];
  for (const contestant of contestants) {
    if (contestant.kind !== 'trellis' || !options.contestants.includes(contestant.key)) continue;
    say(`live: ${shape.teams * shape.applications} applications are written`);
    const url =
      contestant.database === 'postgres'
        ? await databases.createDatabase('crowds')
        : `file:${databases.folder}/crowds.db`;
    const dataset = await fill(url, shape);
    for (const crowd of crowds) lines.push(await measure(contestant, dataset, databases, crowd, options));
  }
  const table = tableOf(lines, options);
  say('');
  process.stdout.write(`${table}\n`);
  return table;
}

async function measure(
  contestant: Contestant,
  dataset: Dataset,
  databases: Databases,
  crowd: Line['crowd'],
  options: Options,
): Promise<Line> {
  const { name, database } = contestant;
  const running = await startContestant(
    {
      ...contestant,
      env: {
        ...contestant.env,
        MAX_CONNECTIONS: String(2 * mostSubscribers),
        MAX_SUBSCRIPTIONS: String(mostSubscribers),
        MAX_SUBSCRIPTIONS_PER_TOKEN: String(mostSubscribers),
      },
    },
    dataset,
    options.trellis,
  );
  const { pid, port } = running;
  const { token } = dataset;
  const send = async ({ method, path, body }: ReturnType<ReturnType<typeof graphql>>) =>
    JSON.parse(await ask(port, withToken({ method, path, body }, token))).data;
  const ports = await portsOf(send, crowd.isOfOne ? 1 : crowd.subscribers);
  // Code is compiled and caches are filled by what is not measured.
  for (const isInner of [false, true, false, true]) await send(switchTo(isInner)({ id: ports[0]!.id }));
  const before = memoryOf(pid);
  const all: Subscriber[] = [];
  while (all.length < crowd.subscribers) {
    say(`live: ${name}, ${all.length} of ${crowd.subscribers} subscribers of ${crowd.name}`);
    all.push(
      ...(await Promise.all(
        Array.from({ length: opened }, (_, index) =>
          subscribe(port, subscriptionOf(ports[(all.length + index) % ports.length]!.application, token)),
        ),
      )),
    );
  }
  const memoryKib = ((memoryOf(pid) - before) * 1024) / crowd.subscribers;
  const samples: Sample[] = [];
  const changes = crowd.isOfOne ? 20 : 200;
  const made = new Map<number, number>();
  for (let round = 0; round < options.rounds; round++) {
    say(`live: ${name}, ${crowd.name}, round ${round + 1} of ${options.rounds}`);
    const cpu = [cpuOfFamily(pid), cpuOfFamily(databases.postmaster)] as const;
    const times: number[] = [];
    for (let change = 0; change < changes; change++) {
      const at = crowd.isOfOne ? 0 : (round * changes + change) % ports.length;
      const startedAt = performance.now();
      const count = (made.get(at) ?? 0) + 1;
      made.set(at, count);
      await send(switchTo(count % 2 === 0)({ id: ports[at]!.id }));
      const told = crowd.isOfOne ? all : [all[at]!];
      while (told.some((subscriber) => subscriber.told() < count)) await sleep(1);
      times.push(performance.now() - startedAt);
    }
    samples.push({
      toldMs: median(times),
      cpuMs: ((cpuOfFamily(pid) - cpu[0]) * 1000) / changes,
      databaseCpuMs:
        database === 'postgres'
          ? ((cpuOfFamily(databases.postmaster) - cpu[1]) * 1000) / changes
          : Number.NaN,
    });
  }
  for (const { socket } of all) socket.destroy();
  await running.stop();
  return { name, crowd, memoryKib, samples };
}

interface PortOfApplication {
  id: string;
  application: string;
}

async function portsOf(send: (body: any) => Promise<any>, count: number): Promise<PortOfApplication[]> {
  const query = graphql(
    `query Ports($after: String) { applications(first: 100, after: $after) {
      nodes { id components(first: 1) { nodes { ports(first: 1) { nodes { id } } } } } pageInfo { endCursor }
    } }`,
  );
  const ports: PortOfApplication[] = [];
  let after: string | undefined;
  while (ports.length < count) {
    const { applications } = await send(query((after === undefined ? {} : { after }) as never));
    after = applications.pageInfo.endCursor;
    for (const { id, components } of applications.nodes)
      ports.push({ id: components.nodes[0].ports.nodes[0].id, application: id });
  }
  return ports.slice(0, count);
}

const switchTo = (isInner: boolean) => (port: { id: string }) => {
  const name = `${isInner ? 'open' : 'close'}InnerService`;
  return graphql(
    `mutation Switch($port: PortRef!) { ${name}(input: { port: $port }) { ... on Error { message } } }`,
  )({ port } as unknown as Variables);
};

function subscriptionOf(id: string, token: Dataset['token']): Buffer {
  const { method, path, body } = graphql(
    'subscription Changes($application: ApplicationRef!) { applicationChanged(application: $application) { id updatedAt } }',
  )({ application: { id } } as unknown as Variables);
  const request = withToken({ method, path, body }, token);
  request.headers.Accept = 'text/event-stream';
  return encode(request);
}

function tableOf(lines: Line[], options: Options): string {
  const figure = (heading: string, value: (sample: Sample) => number, digits: number): Column<Line> => [
    heading,
    ({ samples }) => median(samples.map(value)).toFixed(digits),
  ];
  const shown: Column<Line>[] = [
    ['', ({ name }) => name],
    ['subscribers', ({ crowd }) => crowd.subscribers.toLocaleString('en')],
    ['of', ({ crowd }) => crowd.name],
    ['KiB for each', ({ memoryKib }) => (Number.isFinite(memoryKib) ? memoryKib.toFixed(1) : '–')],
    figure('ms until all notified', ({ toldMs }) => toldMs, 1),
    figure('CPU ms per change', ({ cpuMs }) => cpuMs, 1),
    figure('of Postgres', ({ databaseCpuMs }) => databaseCpuMs, 1),
  ];
  const heading = '### Crowds\n\nOne switch of a port after the other, with subscribers to its application:';
  return section(heading, columns(shown, lines), options);
}
