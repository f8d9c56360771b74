import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { issue } from '../support/certificates.ts';
import { unique } from '../support/fixtures.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { endProcesses, startProcess, type TrellisProcess } from '../support/process.ts';
import { send } from '../support/send.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { databaseKind, startTrellis, type Trellis } from '../support/trellis.ts';
import { databaseUnavailable, expectUnavailableProblem } from '../support/unavailable.ts';

startsProcesses();

const timeout = 120_000;

const read = JSON.stringify({ query: '{ viewer { user { email } enterprise { teams { totalCount } } } }' });
const write = () =>
  JSON.stringify({ query: `mutation { createTeam(input: { name: "${unique('team')}" }) { __typename } }` });
const addRestPort = JSON.stringify({ port: 80, protocol: 'http' });

describe.runIf(databaseKind === 'postgres')('a Postgres that stops and starts again', { timeout }, () => {
  let postgres: OwnPostgres;
  let trellis: TrellisProcess;
  let server: { url: string; adminToken: string };

  beforeAll(async () => {
    postgres = await startOwnPostgres();
    trellis = startProcess({
      DATABASE_URL: postgres.url,
      SECRET_KEY: 'ab'.repeat(32),
      BOOTSTRAP_TOKEN: 'a-token-of-at-least-32-characters',
    });
    server = { url: await trellis.listening, adminToken: 'a-token-of-at-least-32-characters' };
  }, timeout);
  afterAll(async () => {
    await endProcesses();
    await postgres?.remove();
  });

  const status = async (path: string) => (await send(server, { path, token: null })).status;
  const works = async () => {
    const seen = await send(server, { body: read });
    expect(seen.body.errors).toBeUndefined();
    const made = await send(server, { body: write() });
    expect(made.body).toEqual({ data: { createTeam: { __typename: 'CreateTeamPayload' } } });
    return seen.body.data.viewer.enterprise.teams.totalCount as number;
  };

  const failsWell = async (body: string) => {
    const answer = await send(server, { body });
    expect(answer.body.errors).toHaveLength(1);
    const { message, extensions } = answer.body.errors[0];
    expect(extensions).toEqual({ code: 'UNAVAILABLE', requestId: answer.headers['x-request-id'] });
    expect(message).toBe(databaseUnavailable);
    expect(answer.headers['retry-after']).toBe('1');
    const logged = () => trellis.log().some((line) => line.requestId === extensions.requestId && line.error);
    await expect.poll(logged, { timeout: 90_000 }).toBe(true);
    return answer.status;
  };

  it('returns UNAVAILABLE to requests during the outage only', async () => {
    expect(await status('/readyz')).toBe(200);
    const before = await works();

    for (const outage of [1, 2]) {
      await postgres.stop();
      expect(await failsWell(read)).toBe(503);
      expect(await failsWell(write())).toBe(503);
      expectUnavailableProblem(await send(server, { path: '/openapi/v1/teams' }));
      // As far as can be told without the database, the change is valid.
      const path = '/openapi/v1/teams/team/regions/region/apps/1/services/service/ports';
      expectUnavailableProblem(await send(server, { path, body: addRestPort }));
      expect(await status('/readyz')).toBe(503);
      expect(await status('/healthz')).toBe(200);
      expect((await send(server, { body: read, token: null })).status).toBe(401);
      expect(trellis.child.exitCode).toBeNull();

      await postgres.start();
      await expect.poll(() => status('/readyz'), { timeout: 90_000 }).toBe(200);
      expect(await works()).toBe(before + outage);
    }
  });

  it('sends a response to requests in progress', async () => {
    const before = await works();
    const requests = Array.from({ length: 40 }, (_, index) =>
      send(server, { body: index % 2 ? write() : read }),
    );
    await postgres.stop();
    let written = 0;
    for (const { status: code, body } of await Promise.all(requests)) {
      expect([200, 503]).toContain(code);
      if (body.errors) expect(body.errors[0].extensions.code).toBe('UNAVAILABLE');
      else if (body.data.createTeam) written++;
    }
    await postgres.start();
    await expect.poll(() => status('/readyz'), { timeout: 90_000 }).toBe(200);
    // What was answered as done is there. A commit whose answer was lost may be there as well.
    expect(await works()).toBeGreaterThanOrEqual(before + 1 + written);
    expect(trellis.output().stderr).toBe('');
  });

  it('returns 503 from /readyz while it is read-only, and serves reads', async () => {
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    const setReadOnly = async (value: 'on' | 'off') => {
      await admin.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
      await admin.query('SELECT pg_reload_conf()');
    };
    const before = await works();
    await setReadOnly('on');
    await expect.poll(() => status('/readyz'), { timeout: 90_000 }).toBe(503);
    expect(await status('/healthz')).toBe(200);
    const refused = await send(server, { body: write() });
    expect(refused.body.errors).toMatchObject([
      { message: databaseUnavailable, extensions: { code: 'UNAVAILABLE' } },
    ]);
    expect((await send(server, { body: read })).body.errors).toBeUndefined();
    expect((await send(server, { path: '/openapi/v1/teams' })).status).toBe(200);
    await setReadOnly('off');
    await expect.poll(() => status('/readyz'), { timeout: 90_000 }).toBe(200);
    expect(await works()).toBe(before + 1);
    await admin.end();
  });

  it('answers probes and short reads while another read is slow', async () => {
    const db = await openDatabase({ url: postgres.url });
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    await admin.query('SELECT pg_advisory_lock(7)');
    let isSlowAnswered = false;
    const slow = db.query('SELECT 1, pg_advisory_lock_shared($1)', [7]).finally(() => {
      isSlowAnswered = true;
    });
    const waiting = async () =>
      (await admin.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)).rows.length;
    await expect.poll(waiting, { timeout: 90_000 }).toBe(1);
    // The lock is not released before these have been answered.
    await db.ping();
    expect(await db.query('SELECT 2', [])).toEqual([[2]]);
    expect(isSlowAnswered).toBe(false);
    await admin.query('SELECT pg_advisory_unlock(7)');
    await expect(slow).resolves.toEqual([[1, '']]);
    await admin.end();
    await db.close();
  });

  it('returns UNAVAILABLE from /readyz and for requests when it does not respond', async () => {
    // What no answer comes from: a connection that is taken and never spoken on.
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const db = await openDatabase({ url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres` });
    const timedOut = { code: 'UNAVAILABLE', cause: { message: expect.stringMatching(/timeout/) } };
    await Promise.all([
      expect(db.ping()).rejects.toThrow('no answer within 2000 ms'),
      expect(db.query('SELECT 1', [])).rejects.toMatchObject(timedOut),
      expect(db.transaction((tx) => tx.team.count())).rejects.toMatchObject(timedOut),
    ]);
    await db.close();
    silent.close();
  });

  it('does not delay the stop of the process', async () => {
    await postgres.stop();
    trellis.child.kill('SIGTERM');
    expect(await trellis.ended).toBe(0);
  });
});

describe.runIf(databaseKind === 'postgres')('a row that another client locks', { timeout }, () => {
  let trellis: Trellis;
  let holder: pg.Client;
  beforeAll(async () => {
    // The row is held for as long as a busy machine takes to let all of them wait.
    trellis = await startTrellis({ database: { lockTimeoutMs: 90_000 } });
    const [[name]] = (await trellis.services.db.query('SELECT current_database()', [])) as [[string]];
    const url = new URL(inject('postgresUrl'));
    url.pathname = `/${name}`;
    holder = new pg.Client({ connectionString: url.href });
    await holder.connect();
  });
  afterAll(async () => {
    await holder?.end();
    await trellis?.close();
  });

  /** How many transactions wait for a row. */
  async function waiting(): Promise<number> {
    // Within its transaction the holder would see the same numbers for ever.
    await holder.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await holder.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length;
  }

  it('does not block reads while 15 writes wait for it', async () => {
    const { component } = await trellis.createAll();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM component WHERE id = $1 FOR UPDATE', [component.componentId]);
    let written = 0;
    const writing = Array.from({ length: 15 }, async (_, index) => {
      await trellis.addPort(component.componentId, index + 1);
      written++;
    });
    // Those that wait for the row leave their place to others: up to twice as many as there are places.
    await expect.poll(waiting, { timeout: 90_000 }).toBe(15);
    // The row is not released before these have been answered.
    for (let times = 0; times < 10; times++) {
      expect((await send(trellis, { body: read })).body.errors).toBeUndefined();
    }
    expect((await send(trellis, { path: '/readyz' })).status).toBe(200);
    expect(written).toBe(0);
    await holder.query('COMMIT');
    await Promise.all(writing);
    expect(written).toBe(15);
  });

  it('makes deleteCertificate return CONFLICT when a rule is created first', async () => {
    const { team, region, application, component } = await trellis.createAll();
    const { pem, key } = await issue({ names: ['shop.example'] });
    const { certificate } = await trellis.succeed(
      'addCertificate',
      { team: { teamId: team.teamId }, chain: pem, key },
      'certificate { id name }',
    );
    const named = { certificate: { id: certificate.id } };
    await holder.query('BEGIN');
    await holder.query('INSERT INTO domain (region_id, name, team_id) VALUES ($1, $2, $3)', [
      region.regionId,
      'shop.example',
      team.teamId,
    ]);
    const creating = trellis.attempt(
      'createHttpRule',
      {
        application: { appId: application.appId },
        component: { componentId: component.componentId },
        portNumber: 8080,
        domain: 'shop.example',
        ...named,
      },
      'rule { certificate { name } }',
    );
    await expect.poll(waiting, { timeout: 90_000 }).toBe(1);
    const deleting = trellis.attempt('deleteCertificate', named);
    await expect.poll(waiting, { timeout: 90_000 }).toBe(2);
    await holder.query('ROLLBACK');
    expect(await creating).toMatchObject({ rule: { certificate: { name: certificate.name } } });
    expect(await deleting).toMatchObject({ code: 'CONFLICT' });
  });
});

describe.runIf(databaseKind === 'sqlite')('an SQLite file that another process locks', { timeout }, () => {
  let trellis: Trellis;
  let holder: ChildProcess | undefined;
  beforeAll(async () => {
    trellis = await startTrellis();
    await trellis.createTeam();
  });
  afterAll(async () => {
    holder?.kill('SIGKILL');
    await trellis?.close();
  });

  /** Another process that holds the database until `release`. */
  async function hold(of = trellis): Promise<() => Promise<void>> {
    const [[, , path]] = (await of.services.db.query('PRAGMA database_list', [])) as [string[]];
    const script = `import Sqlite from 'better-sqlite3';
      const held = new Sqlite(process.argv[1]).exec('BEGIN EXCLUSIVE');
      process.stdout.write('held');
      process.stdin.once('data', () => { held.exec('COMMIT'); process.exit(0); });`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script, path!], {
      cwd: new URL('../..', import.meta.url),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    holder = child;
    await new Promise((resolve) => child.stdout.once('data', resolve));
    return async () => {
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.stdin.write('release');
      await closed;
    };
  }

  it('does not block reads, and writes wait for the lock', async () => {
    const release = await hold();
    let released = false;
    const writing = trellis.attempt('createTeam', { name: unique('team') }).then((result) => {
      expect(released).toBe(true);
      return result;
    });
    // The lock is not released before these have been answered.
    for (const path of ['/healthz', '/readyz']) expect((await send(trellis, { path })).status).toBe(200);
    expect((await send(trellis, { body: read })).body.errors).toBeUndefined();
    released = true;
    await release();
    expect(await writing).toMatchObject({ __typename: 'CreateTeamPayload' });
  });

  it('returns UNAVAILABLE for writes when it is locked for too long, and recovers', async () => {
    const impatient = await startTrellis({ database: { lockTimeoutMs: 500 } });
    onTestFinished(() => impatient.close());
    const { team, region, application, component } = await impatient.createAll();
    const apps = `/openapi/v1/teams/${team.teamId}/regions/${region.name}/apps`;
    const ports = `${apps}/${application.appId}/services/${component.componentId}/ports`;
    const release = await hold(impatient);
    const rest = send(impatient, { path: ports, body: addRestPort });
    const answer = await send(impatient, { body: write() });
    expect(answer.body.errors).toHaveLength(1);
    expect(answer.body.errors[0].extensions).toEqual({
      code: 'UNAVAILABLE',
      requestId: answer.headers['x-request-id'],
    });
    expectUnavailableProblem(await rest);
    expect((await send(impatient, { path: apps })).status).toBe(200);
    expect((await send(impatient, { body: read })).body.errors).toBeUndefined();
    await release();
    expect((await send(impatient, { path: ports, body: addRestPort })).status).toBe(200);
    expect(await impatient.attempt('createTeam', { name: unique('team') })).toMatchObject({
      __typename: 'CreateTeamPayload',
    });
  });
});
