import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { builtModules } from './built.ts';
import { freePort } from './free-port.ts';
import { clientOf } from './gateways.ts';
import { createClusterPlace } from './kubernetes/place.ts';
import { startCluster } from './kubernetes/server.ts';
import { contentOf, objectsOf } from './kubernetes/team-applications.ts';
import { apply } from './manifests.ts';
import { previewedDocument, previewsOf, tryClose, tryOpen } from './previews.ts';
import { endProcesses, startProcess, type TrellisProcess } from './process.ts';
import { createMigratedDatabase, databaseKind } from './trellis.ts';
import { contentsOf, rowsLeft, timeless } from './unchanged.ts';

const token = 'a-token-of-at-least-32-characters';
const patience = { timeout: 120_000, interval: 100 };
const isOwn = (table: string) =>
  !/_lease$|^(gateway|access_token|idempotency_.*|record_seal|record_key|deprecated_use)$/.test(table);
/** What a call writes that no job changes later. */
const written = [
  ...['application', 'component', 'port', 'environment_variable', 'volume', 'component_dependency'],
  ...['http_rule', 'tcp_rule', 'job', 'job_component', 'manifest', 'schedule'],
];

const allCalls = ['open', 'update', 'close'] as const;
type Call = (typeof allCalls)[number];

/** Kills a gateway before so many statements of each of these calls for a preview, and goes on with another one. */
export function testPreviewKills(kills: number, killed: readonly Call[] = allCalls): void {
  const folder = mkdtempSync(join(tmpdir(), 'trellis-kills-'));
  afterAll(async () => {
    await endProcesses();
    rmSync(folder, { recursive: true });
  });

  it(`a gateway that is killed at ${kills} statements of ${killed.join(', ')} leaves all of it or nothing, and the next goes on`, {
    timeout: 120_000 + kills * 120_000,
  }, async () => {
    const [database, server] = await Promise.all([createMigratedDatabase(), startCluster()]);
    const db = await openDatabase({ url: database.url, poolSize: 2 });
    const settings = {
      DATABASE_URL: database.url,
      PORT: String(await freePort()),
      SECRET_KEY: 'ab'.repeat(32),
      BOOTSTRAP_TOKEN: token,
      REGION_ALLOW_LOCAL: 'true',
      REQUESTS_PER_SECOND: '0',
      JOB_POLL_MS: '200',
      JOB_LEASE_MS: '2000',
      NODE_OPTIONS: `--import=${new URL('./kill-at-statement.mjs', import.meta.url)}`,
      TEST_KILL_FILE: join(folder, 'statement'),
    };
    // A bundle can have drivers of its own, whose statements would not be counted.
    const start = () => startProcess(settings, join(builtModules(), 'main.js'));
    let gateway = start();
    const trellis = clientOf(`http://127.0.0.1:${settings.PORT}`, token, db);
    await gateway.listening;
    const place = await createClusterPlace(trellis, server);
    const at = { team: { teamId: place.teamId }, region: { regionId: place.region.regionId } } as any;
    const document = previewedDocument('shop', '{ most: 100 }');
    const { appId } = (await apply(trellis, at, document, { deploy: 'ALL' })).application;

    const unfinished = () => db.query(`SELECT id FROM job WHERE status IN ('pending', 'running')`, []);
    const settled = () => expect.poll(unfinished, patience).toEqual([]);
    /** The statements of a gateway since the last time. It is killed before this one from now on. */
    const arm = async (
      { child, log }: TrellisProcess,
      statement = Number.POSITIVE_INFINITY,
    ): Promise<number> => {
      const seen = () => log().filter(({ msg }) => msg === 'statements');
      const before = seen().length;
      writeFileSync(settings.TEST_KILL_FILE, String(statement));
      child.kill('SIGUSR2');
      await expect.poll(() => seen().length, patience).toBe(before + 1);
      return seen().at(-1)!.count;
    };
    /** All rows, but previews that are closed: their rows go when the cluster has nothing of them any more. */
    const rowsNow = async () => {
      const rows = await contentsOf(trellis, isOwn);
      const closed = (await db.query('SELECT id FROM preview WHERE copy_id IS NULL', [])).map(([id]) => id);
      return { ...rows, preview: rows.preview!.filter((row) => !closed.includes(JSON.parse(row)[0])) };
    };
    const countsOf = async () => {
      const columns = written.map((table) => `(SELECT count(*) FROM "${table}")`);
      const previews = `(SELECT count(*) FROM event WHERE action LIKE 'preview.%')`;
      const [row] = await db.query(`SELECT ${[...columns, previews].join(', ')}`, []);
      return row!.map(Number);
    };
    const since = (before: number[], after: number[]) => after.map((count, index) => count - before[index]!);
    const previewOf = async (key: string) =>
      (await previewsOf(trellis, appId)).previews.nodes.filter((each: any) => each.key === key);
    const image = 'nginx:1.29';
    const opened = (key: string, given: object = {}) =>
      tryOpen(trellis, { application: { appId }, key, ...given });
    const calls = {
      open: (key: string) => opened(key),
      update: (key: string) => opened(key, { images: [{ component: 'web', image }] }),
      close: (key: string) => tryClose(trellis, appId, key),
    };
    const expectDone = async (call: Call, key: string) => {
      const found = await previewOf(key);
      if (call === 'close') {
        expect(found.filter(({ state }: any) => state !== 'DELETING')).toEqual([]);
        return;
      }
      expect(found).toMatchObject([{ state: 'READY' }]);
      if (call === 'update') expect(found[0].images).toContainEqual({ component: 'web', image });
    };
    await settled();
    const before = { rows: await rowsLeft(trellis), objects: contentOf(objectsOf(server.cluster)) };

    /** What each call writes, and how many statements it sends, when nobody is killed. */
    const whole = {} as Record<Call, { counts: number[]; statements: number }>;
    for (const call of allCalls) {
      // A second time, what is prepared once is there.
      for (const key of ['first', 'whole']) {
        const counts = await countsOf();
        await arm(gateway);
        await calls[call](key);
        const statements = await arm(gateway);
        whole[call] = { counts: since(counts, await countsOf()), statements };
        await settled();
        await expectDone(call, key);
      }
    }
    const outcomes: Record<Call, string[]> = { open: [], update: [], close: [] };
    for (let kill = 0; kill < kills; kill++) {
      const key = `pr-${kill}`;
      for (const call of allCalls) {
        if (!killed.includes(call)) {
          await calls[call](key);
          await settled();
          await expectDone(call, key);
          continue;
        }
        const rows = await rowsNow();
        const counts = await countsOf();
        await arm(gateway, 1 + Math.floor(((kill + 0.5) / kills) * whole[call].statements));
        const answer = await calls[call](key).then(
          () => 'answered',
          () => 'cut off',
        );
        if (answer === 'answered') gateway.child.kill('SIGKILL');
        expect(await gateway.ended).toBe('SIGKILL');
        // What the server has received by then is carried out.
        const active = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`;
        if (databaseKind === 'postgres') await expect.poll(() => db.query(active, []), patience).toEqual([]);
        const made = since(counts, await countsOf());
        const isAll = made.some((count) => count > 0 || count < 0);
        if (isAll) expect(made).toEqual(whole[call].counts);
        else expect(await rowsNow()).toEqual(rows);
        if (answer === 'answered') expect(isAll).toBe(true);
        outcomes[call].push(`${answer}: ${isAll ? 'all' : 'nothing'}`);

        gateway = start();
        await gateway.listening;
        await calls[call](key);
        await settled();
        await expectDone(call, key);
      }
    }
    process.stdout.write(`${JSON.stringify({ outcomes, whole })}\n`);
    for (const call of killed) expect(outcomes[call]).toContain('cut off: nothing');

    // Nothing of all the previews is left.
    const left = async () => (await previewsOf(trellis, appId)).previews.nodes;
    await expect.poll(left, patience).toEqual([]);
    await expect.poll(() => contentOf(objectsOf(server.cluster)), patience).toEqual(before.objects);
    expect(timeless(await rowsLeft(trellis))).toEqual(timeless(before.rows));
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toBe(0);
    await db.close();
    await server.close();
    await database.drop();
  });
}
