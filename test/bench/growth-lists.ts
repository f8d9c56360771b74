/** The lists, searches and counts of all teams of a caller, while the database grows. */
import { ask, withToken } from './contestants.ts';
import type { Dataset } from './data.ts';
import { drive, encode, median, quantile, type Target } from './load.ts';
import type { Options } from './options.ts';
import type { Running } from './processes.ts';
import { type Column, columns, say } from './report.ts';

const seconds = 0.5;
const turnsOfRound = 2;

/** What a request of each database takes from it. */
interface Known {
  /** The alias of one component. */
  alias: string;
  /** A cursor after all components but the last hundred. */
  deep: string;
}

type Asked = Parameters<typeof withToken>[0];
const rest = (path: string): Asked => ({ method: 'GET', path });
const graphql = (query: string): Asked => ({ method: 'POST', path: '/graphql', body: { query } });

const reads: [name: string, request: (known: Known) => Asked][] = [
  ['`applications(first: 20)`', () => graphql('{ applications(first: 20) { nodes { name } } }')],
  ['`components(first: 20)`', () => graphql('{ components(first: 20) { nodes { name } } }')],
  ['`components(last: 20)`', () => graphql('{ components(last: 20) { nodes { name } } }')],
  [
    '`components(first: 20)`, newest first',
    () =>
      graphql(
        '{ components(first: 20, orderBy: { field: CREATED_AT, direction: DESC }) { nodes { name } } }',
      ),
  ],
  [
    '`components(first: 20)` at the end',
    ({ deep }) => graphql(`{ components(first: 20, after: "${deep}") { nodes { name } } }`),
  ],
  [
    'search for a part of most aliases',
    () => graphql('{ components(first: 20, search: "e") { nodes { name } } }'),
  ],
  [
    'search for one alias',
    ({ alias }) => graphql(`{ components(first: 20, search: "${alias}") { nodes { name } } }`),
  ],
  [
    'the same with `totalCount`',
    ({ alias }) => graphql(`{ components(first: 20, search: "${alias}") { totalCount nodes { name } } }`),
  ],
  [
    "the console's search",
    ({ alias }) =>
      graphql(`{ teams(first: 5, search: "${alias}") { nodes { name } }
        applications(first: 8, search: "${alias}") { nodes { name team { alias } region { name } } }
        components(first: 10, search: "${alias}") { nodes { name team { alias } application { name } } }
        httpRules(first: 8, search: "${alias}") { nodes { domain path application { name } } } }`),
  ],
  ['`components { totalCount }`', () => graphql('{ components(first: 0) { totalCount } }')],
  ['`teams { componentCount }`', () => graphql('{ teams(first: 20) { nodes { name componentCount } } }')],
  ['REST: `GET /teams`', () => rest('/openapi/v1/teams')],
];

export interface Grown {
  running: Running;
  dataset: Dataset;
}

interface Line {
  name: string;
  /** Milliseconds at the median of each round, of the smallest and the largest database. */
  rounds: [number[], number[]];
}

/** Measures each read on the smallest and on the largest database, in alternate turns. */
export async function measureLists(
  title: string,
  grown: [smallest: Grown, largest: Grown],
  options: Options,
): Promise<string> {
  const known = [await knownOf(grown[0]), await knownOf(grown[1])];
  const lines: Line[] = [];
  for (const [name, request] of reads) {
    say(`growth: ${title}, ${name}`);
    const rounds: Line['rounds'] = [[], []];
    const targets: Target[] = [];
    for (const [index, { running, dataset }] of grown.entries()) {
      const authorized = withToken(request(known[index]!), dataset.token);
      const text = await ask(running.port, authorized);
      if (JSON.parse(text).errors) throw new Error(`growth: ${name}: ${text.slice(0, 1000)}`);
      targets.push({
        port: running.port,
        requests: [encode(authorized)],
        next: 0,
        sizes: [Buffer.byteLength(text)],
      });
    }
    for (const target of targets) await drive(target, { seconds: 1 }, 1);
    for (let round = 0; round < options.rounds * turnsOfRound; round++) {
      const medians = [0, 0];
      for (const index of round % 2 ? [1, 0] : [0, 1]) {
        const { latencies } = await drive(targets[index]!, { seconds }, 1);
        medians[index] = quantile(latencies, 0.5);
      }
      // On a machine that does much else, a turn can be over before an answer.
      if (medians.every(Number.isFinite)) for (const index of [0, 1]) rounds[index]!.push(medians[index]!);
    }
    lines.push({ name, rounds });
  }
  const shown: Column<Line>[] = [
    [`${title}, p50 ms`, ({ name }) => name],
    ['smallest', ({ rounds: [smallest] }) => median(smallest).toFixed(2)],
    ['100×', ({ rounds: [, largest] }) => median(largest).toFixed(2)],
    [
      'ratio',
      ({ rounds: [smallest, largest] }) =>
        median(largest.map((value, round) => value / smallest[round]!)).toFixed(2),
    ],
  ];
  return columns(shown, lines);
}

async function knownOf({ running, dataset }: Grown): Promise<Known> {
  const query = '{ components(last: 100) { pageInfo { startCursor } nodes { alias } } }';
  const text = await ask(running.port, withToken(graphql(query), dataset.token));
  const { pageInfo, nodes } = JSON.parse(text).data.components;
  return { alias: nodes[50].alias, deep: pageInfo.startCursor };
}
