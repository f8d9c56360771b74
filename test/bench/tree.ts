/** The first table: each work, asked of every contestant in alternating rounds. */
import { isDeepStrictEqual } from 'node:util';
import { AnswerError, ask, type Contestant, contestants, startContestant, withToken } from './contestants.ts';
import { ask as askDatabase, type Credential, type Databases, type Dataset } from './data.ts';
import { drive, encode, median, quantile, type Request, type Target } from './load.ts';
import type { Options } from './options.ts';
import { cpuOfFamily, peakMemoryOf, type Running } from './processes.ts';
import { type Column, columns, say, section } from './report.ts';
import { normal, type Places, type Variables, type Work } from './work.ts';
import { works } from './works.ts';

/**
 * Code that has answered thousands of requests is compiled, and takes a third of the time of the first ones. Works with large
 * answers need fewer.
 */
const warmUp = { requests: 20_000, seconds: 6 };
/** Each round is made of short turns, so that what else the machine does falls on all contestants alike. */
const turnsOfRound = 2;
/** Many connections are measured in every third turn only: asking once on each can take as long as a measurement. */
const turnsOfCrowd = 3;

/** What one turn measured of one contestant, or the median of what all turns did. */
export interface Sample {
  perSecond: number;
  p50: number;
  p99: number;
  /** Processor seconds for 1 000 requests: of the server, of Postgres. */
  cpu: number;
  databaseCpu: number;
  /** Share of a core that the load took. */
  load: number;
  /** The same over many connections, not in every turn. */
  crowdPerSecond: number;
  crowdP50: number;
  crowdP99: number;
}

export interface Entry {
  contestant: Contestant;
  running: Running;
  target: Target;
  samples: Sample[];
}

export async function placesOf(url: string): Promise<Places> {
  const teams = await askDatabase(url, 'SELECT id, name, enterprise_id FROM team ORDER BY name, id');
  return {
    enterpriseId: teams[0].enterprise_id,
    teams,
    applications: await askDatabase(
      url,
      `SELECT a.id, a.team_id AS "teamId", r.name AS region
       FROM application a JOIN region r ON r.id = a.region_id ORDER BY a.id`,
    ),
    ports: await askDatabase(
      url,
      `SELECT p.id, p.number, c.id AS "componentId", c.application_id AS "applicationId", c.team_id AS "teamId",
         r.name AS region
       FROM port p JOIN component c ON c.id = p.component_id JOIN region r ON r.id = c.region_id
       WHERE p.is_inner ORDER BY p.id`,
    ),
  };
}

/** Where Trellis says that each team stands in its list. */
async function withCursors(places: Places, port: number, token: Credential): Promise<Places> {
  const query = '{ teams(first: 100) { edges { cursor node { uid } } } }';
  const answer = await ask(port, withToken({ method: 'POST', path: '/graphql', body: { query } }, token));
  const cursors = new Map<string, string>(
    JSON.parse(answer).data.teams.edges.map(({ cursor, node }: any) => [node.uid, cursor]),
  );
  return { ...places, teams: places.teams.map((team) => ({ ...team, cursor: cursors.get(team.id) })) };
}

/** Asks everything once, and compares what is answered with what the first contestant answered. */
async function checked(
  work: Work,
  port: number,
  requests: Request[],
  sequence: Variables[],
  right: unknown[],
  name: string,
): Promise<number[]> {
  const sizes: number[] = [];
  for (const [index, request] of requests.entries()) {
    const text = await ask(port, request);
    sizes.push(Buffer.byteLength(text));
    const data = normal(work.data(JSON.parse(text)));
    if (data === undefined || data === null) throw new Error(`${work.key}, ${name}: ${text.slice(0, 1000)}`);
    if (work.writes) {
      if ((data as { isInner?: boolean }).isInner === sequence[index]!.isInner) continue;
      throw new Error(`${work.key}, ${name}: not switched: ${text}`);
    }
    right[index] ??= data;
    if (!isDeepStrictEqual(data, right[index])) {
      const [had, wanted] = [data, right[index]].map((each) => JSON.stringify(each).slice(0, 3000));
      throw new Error(`${work.key}, ${name}: other data than the first\n${had}\n${wanted}`);
    }
  }
  return sizes;
}

/** Starts one and compares its answers; undefined if it does not have the route. */
export async function enter(
  work: Work,
  contestant: Contestant,
  dataset: Dataset,
  places: Places,
  right: unknown[],
  options: Options,
): Promise<Entry | undefined> {
  const running = await startContestant(contestant, dataset, options.trellis);
  try {
    const { port } = running;
    const token = contestant.caller ? dataset.tokens[contestant.caller] : dataset.token;
    const isTrellis = contestant.kind === 'trellis';
    const known = work.key === 'b' && isTrellis ? await withCursors(places, port, token) : places;
    const sequence = work.sequence(
      known,
      contestants.findIndex(({ key }) => key === contestant.key),
    );
    const requests = sequence.map((each) => withToken(work.request[contestant.kind]!(each), token));
    const sizes = await checked(work, port, requests, sequence, right, contestant.name);
    const { writes, isUnseen = false } = work;
    const target: Target = {
      port,
      requests: requests.map(encode),
      next: 0,
      isUnseen,
      ...(!writes && { sizes }),
    };
    return { contestant, running, target, samples: [] };
  } catch (error) {
    await running.stop();
    if (!(error instanceof AnswerError) || error.status !== 404) throw error;
    say(`${work.key}: left out for ${contestant.name}, which has no such route\n`);
    return undefined;
  }
}

async function measure(
  entry: Entry,
  databases: Databases,
  options: Options,
  crowdSize: number,
): Promise<Sample> {
  const { contestant, running, target } = entry;
  const before = [cpuOfFamily(running.pid), cpuOfFamily(databases.postmaster)] as const;
  const measured = await drive(target, { seconds: options.seconds / turnsOfRound }, options.connections);
  const thousands = measured.requests / 1000;
  const used = [cpuOfFamily(running.pid), cpuOfFamily(databases.postmaster)] as const;
  const crowd = crowdSize ? await drive(target, { seconds: options.seconds }, crowdSize) : undefined;
  return {
    perSecond: measured.requests / measured.seconds,
    p50: quantile(measured.latencies, 0.5),
    p99: quantile(measured.latencies, 0.99),
    cpu: (used[0] - before[0]) / thousands,
    databaseCpu: contestant.database === 'postgres' ? (used[1] - before[1]) / thousands : Number.NaN,
    load: measured.ownCpu / measured.seconds,
    crowdPerSecond: crowd ? crowd.requests / crowd.seconds : Number.NaN,
    crowdP50: quantile(crowd?.latencies ?? [], 0.5),
    crowdP99: quantile(crowd?.latencies ?? [], 0.99),
  };
}

export const medians = (samples: Sample[]): Sample =>
  Object.fromEntries(
    (Object.keys(samples[0]!) as (keyof Sample)[]).map((name) => [
      name,
      median(samples.map((sample) => sample[name]).filter((value) => !Number.isNaN(value))),
    ]),
  ) as unknown as Sample;

/** Warms all of them up, and measures them in alternating turns. */
export async function alternate(
  work: Work,
  entries: Entry[],
  databases: Databases,
  options: Options,
): Promise<void> {
  for (const { contestant, target } of entries) {
    say(`${work.key}: ${contestant.name} warms up`);
    await drive(target, warmUp, options.connections);
  }
  const turns = options.rounds * turnsOfRound;
  for (let turn = 0; turn < turns; turn++) {
    const crowdSize = turn % turnsOfCrowd === 0 ? options.crowd : 0;
    // Each turn begins with another one: what follows whom is no one's advantage.
    for (let nth = 0; nth < entries.length; nth++) {
      const entry = entries[(nth + turn) % entries.length]!;
      say(`${work.key}: turn ${turn + 1} of ${turns}, ${entry.contestant.name}`);
      entry.samples.push(await measure(entry, databases, options, crowdSize));
    }
  }
}

export async function measureTree(
  databases: Databases,
  datasets: Record<Contestant['database'], Dataset>,
  options: Options,
): Promise<string> {
  const places = await placesOf(datasets.postgres.url);
  const tables: string[] = [];
  for (const work of works.filter(({ key }) => options.works.includes(key))) {
    const right: unknown[] = [];
    const entries: Entry[] = [];
    for (const contestant of contestants) {
      if (!options.contestants.includes(contestant.key) || !work.request[contestant.kind]) continue;
      say(`${work.key}: ${contestant.name} starts, and its answers are compared`);
      const dataset = datasets[contestant.database];
      const entry = await enter(work, contestant, dataset, places, right, options);
      if (entry) entries.push(entry);
    }
    if (!entries.some(({ contestant }) => contestant.kind === 'trellis') && !work.request.postgraphile) {
      await Promise.all(entries.map(({ running }) => running.stop()));
      continue;
    }
    await alternate(work, entries, databases, options);
    const table = tableOf(work, entries, options);
    await Promise.all(entries.map(({ running }) => running.stop()));
    say('');
    process.stdout.write(`${table}\n`);
    tables.push(table);
  }
  return tables.join('\n');
}

function tableOf(work: Work, entries: Entry[], options: Options): string {
  const { crowd } = options;
  const rows = entries.map(({ contestant, running, samples }) => ({
    contestant,
    memory: peakMemoryOf(running.pid),
    samples,
    ...medians(samples),
  }));
  type Line = (typeof rows)[number];
  const over = (row: Line, key: Contestant['key']) => {
    const other = rows.find(({ contestant }) => contestant.key === key);
    if (!other || other === row) return Number.NaN;
    // Of each turn, in which both had the same machine.
    return median(row.samples.map(({ perSecond }, turn) => perSecond / other.samples[turn]!.perSecond));
  };
  const shown: Column<Line>[] = [
    ['contestant', ({ contestant }) => contestant.name],
    ['requests/s', ({ perSecond }) => perSecond.toFixed(0)],
    ['p50 ms', ({ p50 }) => p50.toFixed(2)],
    ['p99 ms', ({ p99 }) => p99.toFixed(2)],
    ['CPU s per 1 000', ({ cpu }) => cpu.toFixed(2)],
    ['of Postgres', ({ databaseCpu }) => databaseCpu.toFixed(2)],
    ['peak MiB', ({ memory }) => memory.toFixed(0)],
    // On the same database and Node.js only.
    [
      '÷ PostGraphile',
      (row) => (row.contestant.key === 'postgres' ? over(row, 'postgraphile') : Number.NaN).toFixed(2),
    ],
    [
      '÷ with rights',
      (row) => (row.contestant.key === 'postgres' ? over(row, 'rights') : Number.NaN).toFixed(2),
    ],
    ['÷ limit', (row) => over(row, row.contestant.database === 'postgres' ? 'limit' : 'raw').toFixed(2)],
    [`requests/s of ${crowd}`, ({ crowdPerSecond }) => crowdPerSecond.toFixed(0)],
    ['p50 ms', ({ crowdP50 }) => crowdP50.toFixed(0)],
    ['p99 ms', ({ crowdP99 }) => crowdP99.toFixed(0)],
  ];
  // A column that has no figure is left out.
  const filled = shown.filter(([, text]) => rows.some((row) => text(row) !== 'NaN'));
  const load = Math.max(...rows.map((row) => row.load));
  const note = `${work.note ? `${work.note} ` : ''}The load took at most ${(load * 100).toFixed(0)} % of a core.`;
  return section(`### (${work.key}) ${work.title}`, columns(filled, rows), options, note);
}
