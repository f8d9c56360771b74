import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { unique } from '../support/fixtures.ts';
import { freePort } from '../support/free-port.ts';
import { endProcesses, startProcess } from '../support/process.ts';
import { send } from '../support/send.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { createDatabase, databaseKind } from '../support/trellis.ts';

startsProcesses();

const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0;
if (databaseKind === 'postgres' && !isInstalled) {
  process.stderr.write('pooler.test.ts is skipped: pgbouncer is not installed\n');
}

type Server = Parameters<typeof send>[0];

const timeout = 120_000;
const token = 'a-token-of-at-least-32-characters';
const range = (size: number) => Array.from({ length: size }, (_, each) => each);

describe.runIf(databaseKind === 'postgres' && isInstalled)(
  'behind PgBouncer in transaction mode',
  { timeout },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'trellis-pooler-'));
    let database: Awaited<ReturnType<typeof createDatabase>>;
    let pooler: ChildProcess;
    let url: string;

    beforeAll(async () => {
      database = await createDatabase();
      const direct = new URL(database.url);
      const port = await freePort();
      const settings = join(folder, 'pgbouncer.ini');
      writeFileSync(
        settings,
        [
          '[databases]',
          `* = host=127.0.0.1 port=${direct.port} user=${direct.username} password=${direct.password}`,
          '[pgbouncer]',
          'listen_addr = 127.0.0.1',
          `listen_port = ${port}`,
          'unix_socket_dir =',
          'auth_type = any',
          'pool_mode = transaction',
          // Few, so that everything shares them.
          'default_pool_size = 4',
          'max_client_conn = 200',
        ].join('\n'),
      );
      chmodSync(folder, 0o755);
      // It refuses to run as root.
      const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
      pooler = spawn('pgbouncer', ['-q', ...user, settings], { stdio: 'ignore' });
      await expect.poll(() => isListening(port)).toBe(true);
      direct.hostname = '127.0.0.1';
      direct.port = String(port);
      url = direct.href;
    }, timeout);
    afterAll(async () => {
      await endProcesses();
      pooler?.kill('SIGKILL');
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    });

    const tree = JSON.stringify({
      query: `{ viewer { enterprise { teams(first: 100) { totalCount nodes { name members { nodes { role } }
      applications(first: 5) { nodes { name components(first: 5) { nodes { name ports { nodes { number } } } } } } } } } } }`,
    });
    const createTeam = (name: string) =>
      JSON.stringify({ query: `mutation { createTeam(input: { name: "${name}" }) { __typename } }` });

    it('two processes migrate, read, write and carry out jobs at once', async () => {
      const settings = {
        DATABASE_URL: url,
        DATABASE_POOLER: 'transaction',
        SECRET_KEY: 'ab'.repeat(32),
        BOOTSTRAP_TOKEN: token,
        SIMULATED_DELAY_MS: '20',
        JOB_POLL_MS: '50',
      };
      const processes = [startProcess(settings), startProcess(settings)];
      const servers = await Promise.all(
        processes.map(async ({ listening }) => ({ url: await listening, adminToken: token })),
      );
      const answers = await Promise.all(
        range(80).map(async (each) => {
          const server = servers[each % 2]!;
          const { body } = await send(server, { body: each % 4 < 2 ? createTeam(unique('team')) : tree });
          return body;
        }),
      );
      for (const body of answers) expect(body.errors).toBeUndefined();
      for (const server of servers) {
        const { body } = await send(server, { body: tree });
        expect(body.data.viewer.enterprise.teams.totalCount).toBe(40);
        expect((await send(server, { path: '/readyz', token: null })).status).toBe(200);
      }
      await deployAtBoth(servers);
      for (const each of processes) {
        each.child.kill('SIGTERM');
        expect(await each.ended).toBe(0);
        expect(each.output().stderr).toBe('');
      }
    });

    it('what is aborted is cancelled, and a lock is not waited for for ever', async () => {
      const db = await openDatabase({ url, pooler: 'transaction', poolSize: 3, lockTimeoutMs: 50 });
      const other = new pg.Client({ connectionString: database.url });
      await other.connect();
      const running = async () => {
        const { rows } = await other.query(
          `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`,
        );
        return rows.length;
      };
      const controller = new AbortController();
      const gone = new Error('the caller is gone');
      const read = db.query('SELECT pg_sleep($1), pg_sleep(600)', [0], { signal: controller.signal });
      const refused = expect(read).rejects.toBe(gone);
      await expect.poll(running, { timeout: 90_000 }).toBe(1);
      controller.abort(gone);
      await refused;
      await expect.poll(running, { timeout: 90_000 }).toBe(0);
      expect(await db.query('SELECT $1::int', [7])).toEqual([[7]]);

      await other.query('BEGIN; LOCK TABLE enterprise');
      await expect(
        db.transaction((tx) => tx.enterprise.updateMany({ data: { alias: 'x' } })),
      ).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        cause: { code: '55P03' },
      });
      await other.query('ROLLBACK');
      await other.end();
      await db.close();
    });
  },
);

describe.runIf(databaseKind === 'postgres')('without a pooler', () => {
  it('a statement has the same name in every process, and another one has another', async () => {
    const database = await createDatabase();
    const names = async () => {
      const db = await openDatabase({ url: database.url, poolSize: 1 });
      await db.query('SELECT 1', []);
      const rows = await db.query(
        'SELECT name, statement FROM pg_prepared_statements ORDER BY statement',
        [],
      );
      await db.close();
      return rows as [string, string][];
    };
    const first = await names();
    expect(first).toHaveLength(2);
    expect(await names()).toEqual(first);
    expect(new Set(first.map(([name]) => name)).size).toBe(2);
    for (const [name] of first) expect(name.length).toBeLessThanOrEqual(63);
    await database.drop();
  });
});

/** Deploys components through both servers in a simulated region, and waits until all are running. */
async function deployAtBoth(servers: Server[]): Promise<void> {
  const run = async (query: string, server = servers[0]!) => {
    const { body } = await send(server, { body: JSON.stringify({ query }) });
    expect(body.errors).toBeUndefined();
    for (const result of Object.values<any>(body.data)) expect(result?.message).toBeUndefined();
    return body.data;
  };
  const failure = '... on Error { message }';
  const [team, region] = [unique('team'), unique('region')];
  const place = `team: { name: "${team}" }, region: { name: "${region}" }`;
  await run(`mutation {
    createTeam(input: { name: "${team}" }) { ${failure} }
    createRegion(input: {
      name: "${region}", url: "https://pooled.example", websocketUrl: "wss://pooled.example", driver: SIMULATED
      httpDomain: "${region}.example", tcpDomain: "tcp.${region}.example"
    }) { ${failure} }
    openTeamRegion(input: { ${place} }) { ${failure} }
  }`);
  const { createApplication } = await run(
    `mutation { createApplication(input: { ${place}, name: "shop" }) { ... on CreateApplicationPayload { application { appId: uid } } ${failure} } }`,
  );
  const by = `{ appId: ${createApplication.application.appId} }`;
  const create = (each: number) =>
    `mutation { createComponent(input: { application: ${by}, name: "web ${each}", alias: "web-${each}", image: "nginx:1.29", deploy: true }) { ${failure} } }`;
  await Promise.all(range(12).map((each) => run(create(each), servers[each % 2]!)));
  const read = `{ application(by: ${by}) { components(first: 20) { nodes { status: state jobs { nodes { status } } } } } }`;
  const statuses = async () =>
    (await run(read, servers[1]!)).application.components.nodes.map(({ status, jobs }: any) => [
      status,
      ...jobs.nodes.map((job: any) => job.status),
    ]);
  await expect.poll(statuses, { timeout: 90_000 }).toEqual(Array(12).fill(['RUNNING', 'SUCCEEDED']));
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.end(() => resolve(true)));
    socket.once('error', () => resolve(false));
  });
}
