/** Every query of the console, the lists of a team and those of all teams, with 10,000 ports and with 1,000,000. */
import { type Contestant, startContestant } from './contestants.ts';
import type { Dataset } from './data.ts';
import { type Query, queriesFor } from './growth-queries.ts';
import { type Column, columns, say } from './report.ts';

/** Measured in alternate turns. The shortest of them counts, because the machine may do other things as well. */
const turns = 3;

interface Line extends Pick<Query, 'name' | 'team'> {
  /** Milliseconds, of the smaller and of the larger database. */
  ms: [number, number];
}

/** The slowest lines first, by their ratio. Requests that take less than a millisecond more are not told apart from noise. */
export async function measureLists(
  contestant: Contestant,
  datasets: readonly [smaller: Dataset, larger: Dataset],
  trellis?: string,
): Promise<string> {
  const databases: { send: (body: object) => Promise<any>; queries: Query[] }[] = [];
  const running = [];
  try {
    for (const dataset of datasets) {
      const started = await startContestant(contestant, dataset, trellis);
      running.push(started);
      const send = sender(started.port, dataset.settings.BOOTSTRAP_TOKEN!);
      const data = async (query: string, variables?: object) => (await send({ query, variables })).data;
      databases.push({ send, queries: await queriesFor(data) });
    }
    const [smaller, larger] = databases as [(typeof databases)[0], (typeof databases)[0]];
    const lines: Line[] = [];
    const failed: string[] = [];
    for (const query of smaller.queries) {
      const { name, team } = query;
      const twin = larger.queries.find((each) => each.name === name && each.team === team);
      if (!twin) continue;
      say(`growth: ${contestant.name}, ${name} (${team})`);
      const pair = [
        { send: smaller.send, body: query.body },
        { send: larger.send, body: twin.body },
      ];
      const errors = (await Promise.all(pair.map(({ send, body }) => send(body)))).flatMap(
        (each) => each.errors ?? [],
      );
      if (errors.length) failed.push(`${name}: ${errors[0].message}`);
      else lines.push({ name, team, ms: await fastest(pair) });
    }
    lines.sort((one, other) => ratioOf(other) - ratioOf(one));
    const note = failed.length ? `\nNot measured: ${[...new Set(failed)].join('; ')}\n` : '';
    return `${columns(shown(contestant.name), lines)}${note}`;
  } finally {
    await Promise.all(running.map(({ stop }) => stop()));
  }
}

async function fastest(
  pair: { send: (body: object) => Promise<any>; body: object }[],
): Promise<[number, number]> {
  const ms: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let turn = 0; turn < turns; turn++) {
    for (const index of turn % 2 ? ([1, 0] as const) : ([0, 1] as const)) {
      const startedAt = performance.now();
      await pair[index]!.send(pair[index]!.body);
      ms[index] = Math.min(ms[index], performance.now() - startedAt);
    }
  }
  return ms;
}

const sender = (port: number, token: string) => async (body: object) => {
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json',
    },
    body: JSON.stringify(body),
  });
  return response.json() as Promise<any>;
};

const ratioOf = ({ ms: [smaller, larger] }: Line) => larger / smaller;

const shown = (title: string): Column<Line>[] => [
  [title, ({ name }) => `\`${name}\``],
  ['team', ({ team }) => team],
  ['10 000 ports, ms', ({ ms: [smaller] }) => smaller.toFixed(1)],
  ['1 000 000, ms', ({ ms: [, larger] }) => larger.toFixed(1)],
  ['ratio', (line) => ratioOf(line).toFixed(1)],
];
