import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seed } from '../../src/commands/seed-data.ts';
import { migrate } from '../../src/db/migrate/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { bootstrap } from '../../src/domain/access-token/bootstrap-operations.ts';
import { endProcesses, startProcess, type TrellisProcess } from './process.ts';
import { type Answer, send } from './send.ts';

let folder: string;
const adminToken = `trl_${'overload'.repeat(5)}`;
const heapMiB = 512;
const mostResidentMiB = 1_024;
const fileBytes = 1_000_000;
let volumeId: string;
/** The address of the list of the many components. */
let listPath: string;

let process: TrellisProcess;
let target: { url: string; adminToken: string };

interface Size {
  /** Of the application whose components are asked for. */
  components: number;
  /** How many requests are sent at once. */
  atOnce: number;
}

function prepare(components: number): void {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trellis-overload-'));
    const url = `file:${join(folder, 'trellis.db')}`;
    await migrate({ url });
    const db = await openDatabase({ url });
    await bootstrap(db, adminToken);
    await seed(db, { teams: 1, applications: 1, components, ports: 1 });
    const id = await db.transaction(async (tx) => {
      const component = await tx.component.findFirstOrThrow();
      const volume = await tx.volume.create({
        data: {
          componentId: component.id,
          name: 'large',
          path: '/etc/large',
          type: 'config-file',
          fileContent: 'x'.repeat(fileBytes),
        },
      });
      return volume.id;
    });
    volumeId = Buffer.from(`Volume:${id}`).toString('base64url');
    await db.close();
    process = startProcess({
      DATABASE_URL: url,
      BOOTSTRAP_TOKEN: adminToken,
      LOG_LEVEL: 'info',
      NODE_OPTIONS: `--max-old-space-size=${heapMiB}`,
    });
    target = { url: await process.listening, adminToken };
    const { body } = await ask('{application(by:{appId:1}){team{uid} region{name}}}');
    const { team, region } = body.data.application;
    listPath = `/openapi/v1/teams/${team.uid}/regions/${region.name}/apps/1/services`;
  });
  afterAll(async () => {
    await endProcesses();
    rmSync(folder, { recursive: true, force: true });
  });
}

const ask = (query: string, variables?: object) =>
  send(target, { body: JSON.stringify({ query, variables }) });

const aliases = (field: string, count: number) =>
  Array.from({ length: count }, (_, index) => `a${index}:${field}`).join(' ');

/** Components of an application inside each other, `levels` deep. */
const nested = (levels: number, first: number, fields: string) =>
  `{application(by:{appId:1}){${`components(first:${first}){nodes{application{`.repeat(levels - 1)}components(first:${first}){nodes{${fields}}}${'}}}'.repeat(levels - 1)}}}`;

const application = (fields: string) => `application(by:{appId:1}){${fields}}`;

const tree = ' fragment C on Component{name application{components(first:60){nodes{name version image}}}}';

const unknown = Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`k${index}`, 1]));

type Request = () => Promise<Answer>;

/** What is refused, one at a time and many at once. */
const refused: [title: string, request: Request][] = [
  ['five levels of components with 1 500 aliases', () => ask(nested(5, 12, aliases('name', 1_500)))],
  ['10 000 components with 1 600 aliases', () => ask(nested(2, 100, aliases('name', 1_600)))],
  [
    '10 000 components whose cluster is asked 1 600 times',
    () => ask(nested(2, 100, aliases('state', 1_600))),
  ],
  [
    '150 aliases of lists inside lists',
    () => ask(`{${aliases(application('components(first:60){nodes{...C}}'), 150)}}${tree}`),
  ],
  ['a page of 47 at four levels', () => ask(nested(4, 47, 'name'))],
  ['full pages inside each other', () => ask(nested(4, 100, 'name'))],
  [
    'a large file 520 times',
    () => ask(`{node(id:"${volumeId}"){... on Volume{${aliases('fileContent', 520)}}}}`),
  ],
  ['many keys in a variable', () => ask('query($by: TeamRef!) { team(by: $by) { name } }', { by: unknown })],
];

/** More components than a REST list may have. */
const longList: (typeof refused)[0] = [
  'a REST list of 20 000 components',
  () => send(target, { path: listPath }),
];

/** The most that is still allowed: each of them is answered alone. */
const allowed: [title: string, request: Request][] = [
  ['nearly as many values as one answer may hold', () => ask(nested(2, 100, aliases('replicas', 48)))],
  [
    'nearly as much text as one answer may hold',
    () => ask(`{node(id:"${volumeId}"){... on Volume{${aliases('fileContent', 16)}}}}`),
  ],
  [
    '150 aliases of one list',
    () =>
      ask(`{${application(aliases('components(first:100){nodes{name ports{nodes{number alias}}}}', 150))}}`),
  ],
];

const codes = ['LIMIT_EXCEEDED', 'UNAVAILABLE'];

function expectTyped({ status, body }: Answer): string {
  if (status === 200 && !body.errors) return '200';
  const code = body.code ?? body.errors[0].extensions.code;
  expect(codes).toContain(code);
  expect(status).toBe(code === 'UNAVAILABLE' ? 503 : 400);
  return code;
}

/** The most memory that the process ever took. */
function peakMiB(): number | undefined {
  try {
    const status = readFileSync(`/proc/${process.child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1024;
  } catch {
    return undefined;
  }
}

const small = '{teams(first:5){nodes{name applications(first:5){nodes{name}}}}}';

/** Sends all of them at once, and small requests beside them, which have to be answered; resolves with the codes. */
async function overload(requests: Request[]): Promise<string[]> {
  let isDone = false;
  const all = Promise.all(requests.map((request) => request())).finally(() => {
    isDone = true;
  });
  for (let times = 0; times === 0 || !isDone; times++) {
    const { status, body } = await ask(small);
    expect(status).toBe(200);
    expect(body.data.teams.nodes).toHaveLength(1);
  }
  return (await all).map(expectTyped);
}

/** Sends what has to be refused, and the most that is allowed, one at a time and many at once. */
export function testOverload({ components, atOnce }: Size): void {
  const refusals = components < 20_000 ? refused : [...refused, longList];
  prepare(components);

  describe(`a process with a heap of ${heapMiB} MiB`, () => {
    it.each(refusals)('refuses %s', async (_, request) => {
      expect(expectTyped(await request())).toBe('LIMIT_EXCEEDED');
    });

    it.each(allowed)('answers %s', async (_, request) => {
      expect(expectTyped(await request())).toBe('200');
    });

    it(`survives ${atOnce} at once of the largest answer`, async () => {
      const codes = await overload(Array<Request>(atOnce).fill(allowed[1]![1]));
      expect(codes).toContain('200');
      expect(codes).not.toContain('LIMIT_EXCEEDED');
    });

    it(`survives ${atOnce} at once of the most expensive refusal`, async () => {
      expect(await overload(Array<Request>(atOnce).fill(refused[2]![1]))).not.toContain('200');
    });

    it('survives all of them at once', async () => {
      const most = Array(Math.ceil(atOnce / 8))
        .fill(allowed)
        .flat() as typeof allowed;
      await overload([...refusals, ...most].map(([, request]) => request));
      expect(process.child.exitCode).toBeNull();
    });

    it(`has never taken more than ${mostResidentMiB} MiB`, ({ skip }) => {
      const peak = peakMiB();
      if (peak === undefined) return skip('Only Linux reports how much memory a process has taken.');
      expect(peak).toBeLessThan(mostResidentMiB);
    });

    it('answers normally afterwards', async () => {
      for (const [, request] of allowed) expect(expectTyped(await request())).toBe('200');
    });

    it('leaves no rejection unhandled', () => {
      expect(process.log().filter(({ msg }) => msg === 'unhandled rejection')).toEqual([]);
    });
  });
}
