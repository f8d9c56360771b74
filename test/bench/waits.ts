/** The sixth table: what others wait for while a team plans or applies, and while viewers filter a long record. */
import { setTimeout as sleep } from 'node:timers/promises';
import { changes } from './change-works.ts';
import { ask, type Contestant, contestants, startContestant, withToken } from './contestants.ts';
import { type Credential, type Databases, type Dataset, execute, fill } from './data.ts';
import { drive, encode, quantile, type Target } from './load.ts';
import type { Options } from './options.ts';
import { type Column, columns, say, section } from './report.ts';
import { placesOf } from './tree.ts';
import { graphql } from './work.ts';

const eventCount = 1_000_000;
/** How many requests the viewers have under way at once. */
const planning = 8;
/** How many applies another team has under way at once. */
const applying = 1;
const filtering = 4;
const reading = 12;
/** Each field of a filtering request reads the whole record of a team. */
const aliases = 50;
/** The fields of each of the objects that a reading request has. */
const readAliases = 100;
/** How many objects a request looks up, each by a name of its own. */
const lookups = 120;
/** As long as a document may be that has to be parsed first, about. */
const unseenFields = 400;

type Asked = Parameters<typeof withToken>[0];

/** A request, or what makes the next one. */
type Load = Asked | (() => Asked);

interface Line {
  name: string;
  /** What the viewers do. */
  load: string;
  latencies: number[];
  answered: number;
  refused: number;
}

/** What there is to measure on a database: a request that must not wait, and what viewers send meanwhile. */
interface Scene {
  waiting: Target;
  /** By the user whose request must not wait, unless it has the credential of another one. */
  loads: [name: string, request: Load | undefined, connections: number, credential?: Credential][];
}

export async function measureWaits(
  databases: Databases,
  datasets: Record<Contestant['database'], Dataset>,
  options: Options,
): Promise<string> {
  say(`waits: ${eventCount} events are written`);
  const long = await fill(`file:${databases.folder}/waits.db`, {
    teams: 2,
    applications: 2,
    components: 2,
    ports: 2,
  });
  await execute(long.url, [longRecord]);
  const [plans, filters]: [Line[], Line[]] = [[], []];
  for (const contestant of contestants) {
    if (contestant.kind !== 'trellis' || !options.contestants.includes(contestant.key)) continue;
    const dataset = datasets[contestant.database];
    plans.push(
      ...(await measure(contestant, dataset, options, await planScene(datasets, contestant, dataset))),
    );
    if (contestant.database !== 'sqlite') continue;
    filters.push(...(await measure(contestant, long, options, filterScene())));
  }
  const shown: Column<Line>[] = [
    ['', ({ name }) => name],
    ['meanwhile', ({ load }) => load],
    ['p50 ms', ({ latencies }) => quantile(latencies, 0.5).toFixed(1)],
    ['p99 ms', ({ latencies }) => quantile(latencies, 0.99).toFixed(1)],
    ['most ms', ({ latencies }) => quantile(latencies, 1).toFixed(1)],
    ['answered/s', ({ answered }) => (answered / (options.seconds * options.rounds)).toFixed(1)],
    ['refused', ({ refused }) => String(refused)],
  ];
  const table = [
    section(
      `## Waits\n\nA switch of a port in one team, while somebody else plans in another one with ${planning} concurrent requests, applies one new application after the other, or reads with ${reading} concurrent requests, for example the team of each of 100 components ${readAliases} times:`,
      columns(shown, plans),
      options,
    ),
    section(
      `\`/healthz\` of a gateway on SQLite with ${eventCount.toLocaleString('en')} events of a team, while viewers filter them with ${filtering} concurrent requests of ${aliases} fields:`,
      columns(shown, filters),
      options,
    ),
  ].join('\n');
  say('');
  process.stdout.write(`${table}\n`);
  return table;
}

async function measure(
  contestant: Contestant,
  dataset: Dataset,
  options: Options,
  sceneOf: (port: number) => Scene,
): Promise<Line[]> {
  const running = await startContestant(contestant, dataset, options.trellis);
  const { waiting, loads } = sceneOf(running.port);
  const lines = loads.map(
    ([load]): Line => ({ name: contestant.name, load, latencies: [], answered: 0, refused: 0 }),
  );
  await drive(waiting, { requests: 200 }, 1);
  for (let round = 0; round < options.rounds; round++) {
    for (const [index, [load, request, connections, credential = dataset.token]] of loads.entries()) {
      say(`waits: ${contestant.name}, ${load}, round ${round + 1} of ${options.rounds}`);
      const line = lines[index]!;
      const { stop, counts } = repeat(running.port, request, connections, credential);
      await sleep(500);
      const { latencies } = await drive(waiting, { seconds: options.seconds }, 1);
      // Too many to be arguments.
      for (const latency of latencies) line.latencies.push(latency);
      await stop();
      line.answered += counts.answered;
      line.refused += counts.refused;
    }
  }
  await running.stop();
  return lines;
}

/** Sends a request again and again, on several connections, whatever is answered. */
function repeat(port: number, request: Load | undefined, connections: number, token: Credential) {
  const counts = { answered: 0, refused: 0 };
  let isOver = false;
  const one = async () => {
    while (request && !isOver) {
      const next = typeof request === 'function' ? request() : request;
      await ask(port, withToken(next, token)).then(
        (text) => void (/"errors"|"message"/.test(text) ? counts.refused++ : counts.answered++),
        () => void counts.refused++,
      );
    }
  };
  const all = Array.from({ length: connections }, one);
  const stop = async () => {
    isOver = true;
    await Promise.all(all);
  };
  return { counts, stop };
}

/** A manifest whose ports are aliases: `components` × `ports` objects in some KB. */
const manifest = (components: number, ports: number, name = 'planned') => `application: ${name}
components:
  one: { image: nginx, ports: &ports { ${Array.from({ length: ports }, (_, index) => `${index + 1}: { protocol: tcp }`).join(', ')} } }
${Array.from({ length: components - 1 }, (_, index) => `  more-${index}: { image: nginx, ports: *ports }`).join('\n')}
`;

async function planScene(
  datasets: Record<Contestant['database'], Dataset>,
  { key }: Contestant,
  { token, tokens }: Dataset,
): Promise<(port: number) => Scene> {
  const places = await placesOf(datasets.postgres.url);
  const nth = contestants.findIndex((each) => each.key === key);
  const { sequence, request } = changes.find((work) => work.key === 'e')!;
  const requests = sequence(places, nth).map((each) => encode(withToken(request.trellis!(each), token)));
  const { region, teamId } = places.applications.find(
    (each) => each.teamId === places.teams[places.teams.length - 1]!.id,
  )!;
  const plan = (document: string): Asked =>
    graphql(`query ($team: TeamRef!, $region: RegionRef!, $document: String!) {
      planManifest(team: $team, region: $region, document: $document) { digest }
    }`)({ team: { teamId }, region: { name: region }, document } as never);
  const parents = Array.from({ length: readAliases }, (_, index) => `a${index}: team { id }`).join(' ');
  const read = graphql(`{ components(first: 100) { nodes { ${parents} } } }`)({});
  let nextName = 0;
  const lookUp = () =>
    graphql(
      `{ ${Array.from({ length: lookups }, (_, index) => `a${index}: team(by: { name: "${places.teams[nextName++ % places.teams.length]!.name}" }) { id name components(first: 1) { nodes { id } } }`).join(' ')} }`,
    )({});
  const unseen = () =>
    graphql(
      `{ teams(first: 1) { nodes { ${Array.from({ length: unseenFields }, () => `a${nextName++}: name`).join(' ')} } } }`,
    )({});
  const search = () =>
    graphql(
      `{ ${Array.from({ length: 20 }, (_, index) => `a${index}: components(words: "a e i o c ${nextName++}", first: 1) { totalCount }`).join(' ')} }`,
    )({});
  let applied = 0;
  const apply = (components: number, ports: number) => () =>
    graphql(`mutation ($input: ApplyManifestInput!) {
      applyManifest(input: $input) { ... on ApplyManifestPayload { plan { digest } } ... on Error { message } }
    }`)({
      input: {
        team: { teamId },
        region: { name: region },
        document: manifest(components, ports, `applied-${key}-${applied++}`),
      },
    } as never);
  return (port) => ({
    waiting: { port, requests, next: 0 },
    loads: [
      ['nothing', undefined, 0],
      ['applies of 10 ports', apply(1, 10), applying],
      ['applies of 5,000 ports', apply(10, 500), applying],
      // As large as a change may be.
      ['applies of 5,850 ports', apply(15, 390), applying],
      ['plans of 10 ports', plan(manifest(1, 10)), planning],
      ['plans of 2,400 ports', plan(manifest(24, 100)), planning],
      ['plans of 30,000 ports', plan(manifest(30, 1_000)), planning],
      ['reads of 10,000 objects', read, reading, tokens.narrow],
      [`${lookups} look-ups by name`, lookUp, reading, tokens.narrow],
      [`documents of ${unseenFields} fields that were never sent`, unseen, reading, tokens.narrow],
      ['20 searches for six words', search, reading, tokens.narrow],
    ],
  });
}

function filterScene(): (port: number) => Scene {
  const health = encode({ method: 'GET', path: '/healthz', headers: {} });
  const filtered = (filter: (index: number) => string): Asked => ({
    method: 'POST',
    path: '/graphql',
    body: {
      query: `{ teams(first: 1) { nodes { ${Array.from(
        { length: aliases },
        (_, index) => `e${index}: events(first: 1, ${filter(index)}) { nodes { id } }`,
      ).join(' ')} } } }`,
    },
  });
  const filters: [string, Asked, number][] = [
    ['by an action that none has', filtered((index) => `action: "a${index}"`), filtering],
    ['by a type that none has', filtered((index) => `objectType: "T${index}"`), filtering],
    ['by a type and an action', filtered((index) => `objectType: "Port", action: "a${index}"`), filtering],
    ['by a time', filtered((index) => `until: "1999-01-01T00:00:${10 + index}Z"`), filtering],
  ];
  return (port) => ({
    waiting: { port, requests: [health], next: 0 },
    loads: [['nothing', undefined, 0], ...filters],
  });
}

/** Of the first team. */
const longRecord = `
  INSERT INTO event (enterprise_id, team_id, at, request_id, action, subject_type, subject_id, changes)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${eventCount})
  SELECT t.enterprise_id, t.id, '2026-01-01T00:00:00.000+00:00', 'bench', 'port.open_inner', 'Port', i, '{"isInner":[false,true]}'
  FROM n, (SELECT id, enterprise_id FROM team ORDER BY name LIMIT 1) t`;
