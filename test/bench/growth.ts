/** The second table: the same page while the database grows, a page at the end of a long list, and what `growth-lists.ts` has. */
import { ask, type Contestant, contestants, startContestant, withToken } from './contestants.ts';
import { type Databases, type Dataset, fill } from './data.ts';
import { fillGrown } from './growth-data.ts';
import { measureLists } from './growth-lists.ts';
import { drive, encode, median, quantile, type Target } from './load.ts';
import type { Options } from './options.ts';
import type { Running } from './processes.ts';
import { type Column, columns, say, section } from './report.ts';

/** What grows is every list of applications, and with it all else but the number of teams. */
const sizes = [100, 1_000, 10_000];
/** In the databases in which everything grows. */
const portsOfLists = [10_000, 1_000_000] as const;
const shapeOf = (applications: number) => ({ teams: 20, applications, components: 1, ports: 1 });
/** Short turns and many of them: what else the machine does falls on all sizes alike. */
const seconds = 0.5;
const turnsOfRound = 2;

const pageOf = (args: string) => `query Page($name: String!${args ? ', $after: String!' : ''}) {
  team(by: { name: $name }) { applications(first: 20${args}) { nodes {
    appId: uid name note region { name } components(first: 5) { nodes { name image ports { nodes { number } } } }
  } } } }`;

interface Page {
  running: Running;
  target: Target;
  /** Milliseconds at the median, of each round. */
  rounds: number[];
}

interface Line {
  name: string;
  /** The first page of each size, then the last page of the largest. */
  pages: Page[];
}

export async function measureGrowth(databases: Databases, options: Options): Promise<string> {
  const lines: Line[] = [];
  const lists: string[] = [];
  const asked = contestants.filter(
    ({ key, kind }) => kind === 'trellis' && options.contestants.includes(key),
  );
  const filled: Record<string, Dataset[]> = { postgres: [], sqlite: [] };
  const grown: Record<string, Dataset[]> = { postgres: [], sqlite: [] };
  const emptyDatabase = (database: string, name: string) =>
    database === 'postgres' ? databases.createDatabase(name) : `file:${databases.folder}/${name}.db`;
  for (const applications of sizes) {
    say(`growth: ${20 * applications} applications are written`);
    // Two databases, two cores.
    await Promise.all(
      asked.map(async ({ database }) => {
        const url = await emptyDatabase(database, `growth_${applications}`);
        filled[database]!.push(await fill(url, shapeOf(applications)));
      }),
    );
  }
  for (const ports of portsOfLists) {
    say(`growth: ${ports} ports are written, with everything in proportion`);
    await Promise.all(
      asked.map(async ({ database }) => {
        const url = await emptyDatabase(database, `grown_${ports}`);
        grown[database]!.push(await fillGrown(url, ports));
      }),
    );
  }
  for (const contestant of asked) {
    const pages: Page[] = [];
    for (const dataset of filled[contestant.database]!)
      pages.push(await firstPage(contestant, dataset, options));
    pages.push(await lastPage(pages.at(-1)!, filled[contestant.database]!.at(-1)!));
    say(`growth: ${contestant.name} warms up`);
    for (const { target } of pages) await drive(target, { seconds: 2 }, options.connections);
    const rounds = options.rounds * turnsOfRound;
    for (let round = 0; round < rounds; round++) {
      say(`growth: ${contestant.name}, round ${round + 1} of ${rounds}`);
      for (let turn = 0; turn < pages.length; turn++) {
        const page = pages[(turn + round) % pages.length]!;
        // One at a time: what is asked for is how long an answer takes, not how many there are.
        const { latencies } = await drive(page.target, { seconds }, 1);
        page.rounds.push(quantile(latencies, 0.5));
      }
    }
    lines.push({ name: contestant.name, pages });
    await Promise.all(pages.map(({ running }) => running.stop()));
    const [smaller, larger] = grown[contestant.database]!;
    lists.push(await measureLists(contestant, [smaller!, larger!], options.trellis));
  }
  const table = tableOf(lines, lists, options);
  say('');
  process.stdout.write(`${table}\n`);
  return table;
}

const teamNames = ({ token }: Dataset, port: number) =>
  ask(
    port,
    withToken(
      { method: 'POST', path: '/graphql', body: { query: '{ teams(first: 100) { nodes { name } } }' } },
      token,
    ),
  ).then((text) => JSON.parse(text).data.teams.nodes.map(({ name }: { name: string }) => name) as string[]);

async function targetOf(
  port: number,
  { token }: Dataset,
  query: string,
  sequence: Record<string, string>[],
): Promise<Target> {
  const requests = sequence.map((variables) =>
    withToken({ method: 'POST', path: '/graphql', body: { query, variables } }, token),
  );
  const answers: number[] = [];
  for (const request of requests) {
    const text = await ask(port, request);
    const found = JSON.parse(text).data?.team?.applications.nodes;
    if (found?.length !== 20)
      throw new Error(`growth: not a page of 20 applications: ${text.slice(0, 1000)}`);
    answers.push(Buffer.byteLength(text));
  }
  return { port, requests: requests.map(encode), next: 0, sizes: answers };
}

async function firstPage(contestant: Contestant, dataset: Dataset, options: Options): Promise<Page> {
  const running = await startContestant(contestant, dataset, options.trellis);
  const sequence = (await teamNames(dataset, running.port)).map((name) => ({ name }));
  return { running, target: await targetOf(running.port, dataset, pageOf(''), sequence), rounds: [] };
}

/** In the same process: behind all applications of each team but its last hundred. */
async function lastPage({ running }: Page, dataset: Dataset): Promise<Page> {
  const query =
    'query Last($name: String!) { team(by: { name: $name }) { applications(last: 100) { pageInfo { startCursor } } } }';
  const sequence: { name: string; after: string }[] = [];
  for (const name of await teamNames(dataset, running.port)) {
    const body = { query, variables: { name } };
    const text = await ask(
      running.port,
      withToken({ method: 'POST', path: '/graphql', body }, dataset.token),
    );
    sequence.push({ name, after: JSON.parse(text).data.team.applications.pageInfo.startCursor });
  }
  return {
    running,
    target: await targetOf(running.port, dataset, pageOf(', after: $after'), sequence),
    rounds: [],
  };
}

function tableOf(lines: Line[], lists: string[], options: Options): string {
  const figure = (value: number) => value.toLocaleString('en').replaceAll(',', ' ');
  const milliseconds = ({ pages }: Line, index: number) => median(pages[index]!.rounds).toFixed(2);
  // Of the same round, the median of them.
  const ratio = ({ pages }: Line, index: number, to: number) =>
    median(pages[index]!.rounds.map((value, round) => value / pages[to]!.rounds[round]!)).toFixed(2);
  const shown: Column<Line>[] = [
    ['p50 ms, one request at a time', ({ name }) => name],
    ...sizes.map(
      (applications, index): Column<Line> => [
        `${figure(20 * applications)} applications`,
        (line) => milliseconds(line, index),
      ],
    ),
    ['10×', (line) => ratio(line, 1, 0)],
    ['100×', (line) => ratio(line, 2, 0)],
    ['page from 9 901', (line) => milliseconds(line, 3)],
    ['÷ first page', (line) => ratio(line, 3, 2)],
  ];
  const heading =
    '## Growth\n\nThe first 20 applications of one of 20 teams, with region, component and port, while every list grows:';
  const ofLists = [
    'Every query of the console and every list, by what they cost with a hundred times as much of everything:',
    ...lists,
  ].join('\n\n');
  return section(heading, `${columns(shown, lines)}\n${ofLists}`, options);
}
