/** The third table: how soon the first query is answered, and how much memory is ever taken. */
import { ask, type Contestant, contestants, startContestant, withToken } from './contestants.ts';
import type { Dataset } from './data.ts';
import { drive, encode, median } from './load.ts';
import type { Options } from './options.ts';
import { peakMemoryOf } from './processes.ts';
import { type Column, columns, say, section } from './report.ts';
import { placesOf } from './tree.ts';
import { works } from './works.ts';

const starts = 5;
/** Memory stays the same after fewer trees, but grows until the cache of documents is full. */
const [treeCount, documentCount] = [2_000, 10_000];

interface Line {
  name: string;
  startMs: number;
  /** MiB. */
  idle: number;
  trees: number;
  thousandDocuments: number;
  documents: number;
}

export async function measureStart(
  datasets: Record<Contestant['database'], Dataset>,
  options: Options,
): Promise<string> {
  const places = await placesOf(datasets.postgres.url);
  const tree = works.find(({ key }) => key === 'a')!;
  const asked = contestants.filter(
    ({ key, kind }) => kind === 'trellis' && options.contestants.includes(key),
  );
  const started: Pick<Line, 'startMs' | 'idle'>[] = [];
  for (const contestant of asked) {
    say(`start: ${contestant.name}`);
    const times: number[] = [];
    let idle = 0;
    for (let nth = 0; nth < starts; nth++) {
      const running = await startContestant(contestant, datasets[contestant.database], options.trellis);
      times.push(running.startMs);
      idle = peakMemoryOf(running.pid);
      await running.stop();
    }
    started.push({ startMs: median(times), idle });
  }
  say(`memory: ${treeCount} trees, and ${documentCount} documents`);
  // Nothing is timed here: they may share the machine.
  const lines = await Promise.all(
    asked.map(async (contestant, index): Promise<Line> => {
      const dataset = datasets[contestant.database];
      const peaks = (bodies: object[], counts: number[]) =>
        peaksAfter(contestant, dataset, bodies, counts, options);
      const trees = tree.sequence(places, 0).map((variables) => tree.request.trellis!(variables).body!);
      const documents = Array.from({ length: documentCount }, (_, nth) => ({
        query: documentOf(nth),
        variables: { name: places.teams[nth % places.teams.length]!.name },
      }));
      const [afterTrees] = await peaks(trees, [treeCount]);
      const [thousandDocuments, afterDocuments] = await peaks(documents, [1_000, documentCount]);
      return {
        name: contestant.name,
        ...started[index]!,
        trees: afterTrees!,
        thousandDocuments: thousandDocuments!,
        documents: afterDocuments!,
      };
    }),
  );
  const table = tableOf(lines, options);
  say('');
  process.stdout.write(`${table}\n`);
  return table;
}

/** Peak memory of a new process after each of these many requests. */
async function peaksAfter(
  contestant: Contestant,
  dataset: Dataset,
  bodies: object[],
  counts: number[],
  options: Options,
): Promise<number[]> {
  const requests = bodies.map((body) => withToken({ method: 'POST', path: '/graphql', body }, dataset.token));
  const running = await startContestant(contestant, dataset, options.trellis);
  const { data, errors } = JSON.parse(await ask(running.port, requests[0]!));
  if (errors || !data.team) throw new Error(`memory: ${JSON.stringify(errors)}`);
  const target = { port: running.port, requests: requests.map(encode), next: 0 };
  const found: number[] = [];
  for (const count of counts) {
    await drive(target, { requests: count - target.next }, options.connections);
    found.push(peakMemoryOf(running.pid));
  }
  await running.stop();
  return found;
}

/** A document like any other of its length, and like none before it. */
const documentOf = (index: number) => `query Document${index}($name: String!) {
  team(by: { name: $name }) {
    uid alias field${index}: name
    applications(first: 2) { nodes {
      appId: uid name note
      components(first: 2) { nodes { uid name alias image replicas ports { nodes { number protocol isInner isOuter } } } }
    } }
  }
}`;

function tableOf(lines: Line[], options: Options): string {
  const mebibytes = (heading: string, value: (line: Line) => number): Column<Line> => [
    heading,
    (line) => value(line).toFixed(0),
  ];
  const shown: Column<Line>[] = [
    ['', ({ name }) => name],
    ['ms to the first answer', ({ startMs }) => startMs.toFixed(0)],
    mebibytes('peak MiB after it', ({ idle }) => idle),
    mebibytes('after 2 000 trees', ({ trees }) => trees),
    mebibytes('after 1 000 documents', ({ thousandDocuments }) => thousandDocuments),
    mebibytes('after 10 000 documents', ({ documents }) => documents),
  ];
  return section('## Start and memory', columns(shown, lines), options);
}
