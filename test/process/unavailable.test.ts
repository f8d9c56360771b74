import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { type All, unique, withBuilder } from '../support/fixtures.ts';
import { endProcesses, startProcess } from '../support/process.ts';
import { send } from '../support/send.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { type Client, databaseKind, startTrellis, type Trellis } from '../support/trellis.ts';
import { expectUnavailableProblem } from '../support/unavailable.ts';

startsProcesses();

const timeout = 120_000;
const createTeam = () =>
  JSON.stringify({ query: `mutation { createTeam(input: { name: "${unique('team')}" }) { __typename } }` });
const addRestPort = JSON.stringify({ port: 80, protocol: 'http' });
const viewer = JSON.stringify({ query: '{ viewer { user { email } } }' });
const range = (size: number) => Array.from({ length: size }, (_, each) => each);

describe.runIf(databaseKind === 'postgres')('a Postgres with locks of others', { timeout }, () => {
  let trellis: Trellis;
  let all: All;
  let other: pg.Client;
  let url: URL;
  beforeAll(async () => {
    trellis = await startTrellis({ database: { lockTimeoutMs: 1_000 } });
    all = await trellis.createAll();
    const [[name]] = (await trellis.services.db.query('SELECT current_database()', [])) as [[string]];
    url = new URL(inject('postgresUrl'));
    url.pathname = `/${name}`;
    other = new pg.Client({ connectionString: url.href });
    other.on('error', () => {});
    await other.connect();
  });
  afterAll(async () => {
    await other?.end();
    await trellis?.close();
  });

  const succeeds = async () => {
    expect(await trellis.attempt('createTeam', { name: unique('team') })).toMatchObject({
      __typename: 'CreateTeamPayload',
    });
  };

  const expectReads = async () => {
    for (let times = 0; times < 5; times++) {
      expect((await send(trellis, { body: viewer })).body.errors).toBeUndefined();
      expect((await send(trellis, { path: '/readyz' })).status).toBe(200);
    }
  };

  /** How many transactions wait for a lock. */
  const waiting = async () => {
    // Within its own transaction the other client would see the same numbers for ever.
    await other.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await other.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length;
  };

  /** Writers of ports, each of which writes again as soon as it is answered; `end` answers with the codes. */
  const startWriters = (count: number, component: { componentId: string }) => {
    let ended = false;
    const codes = range(count).map(async (index) => {
      const answered = new Set<string | undefined>();
      do {
        const { errors, data } = await trellis.graphql(
          'mutation ($input: AddPortInput!) { addPort(input: $input) { __typename ... on Error { code } } }',
          { input: { component, number: index + 1, protocol: 'TCP' } },
        );
        answered.add(errors?.[0]?.extensions.code ?? data.addPort.code);
      } while (!ended);
      return [...answered];
    });
    return {
      end: async () => {
        ended = true;
        return new Set((await Promise.all(codes)).flat());
      },
    };
  };

  it('returns UNAVAILABLE for writes to a locked table, and serves other requests', async () => {
    const component = { componentId: all.component.componentId };
    await other.query('BEGIN; LOCK TABLE component');
    const writers = startWriters(25, component);
    try {
      await expect.poll(waiting, { timeout: 90_000 }).toBeGreaterThanOrEqual(4);
      await Promise.all(range(5).map(succeeds));
      await expectReads();
      expect(await writers.end()).toEqual(new Set(['UNAVAILABLE']));
    } finally {
      await writers.end();
      await other.query('ROLLBACK');
    }
    expect(await trellis.attempt('addPort', { component, number: 1, protocol: 'TCP' })).toMatchObject({
      __typename: 'AddPortPayload',
    });
  });

  it('returns UNAVAILABLE for more writers of locked rows than can wait, and serves other requests', async () => {
    const [held, elsewhere] = [await trellis.createAll(), await trellis.createAll()].map(({ component }) => ({
      componentId: component.componentId,
    })) as [{ componentId: string }, { componentId: string }];
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM component WHERE id = $1 FOR UPDATE', [held.componentId]);
    // More than the places for transactions and for those that wait for locks.
    const writers = startWriters(40, held);
    try {
      await expect.poll(waiting, { timeout: 90_000 }).toBeGreaterThanOrEqual(5);
      await Promise.all(
        range(5).map(async (index) => {
          const port = { component: elsewhere, number: index + 1, protocol: 'TCP' };
          expect(await trellis.attempt('addPort', port)).toMatchObject({ __typename: 'AddPortPayload' });
        }),
      );
      await expectReads();
      expect(await writers.end()).toEqual(new Set(['UNAVAILABLE']));
    } finally {
      await writers.end();
      await other.query('ROLLBACK');
    }
    expect(await trellis.attempt('addPort', { component: held, number: 1, protocol: 'TCP' })).toMatchObject({
      __typename: 'AddPortPayload',
    });
  });

  it('ends idle transactions', async () => {
    const db = await openDatabase({
      url: url.href,
      idleTransactionTimeoutMs: 200,
      onConnectionError: () => {},
    });
    const isThere = async (pid: unknown) =>
      (await other.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [pid])).rows.length > 0;
    const idle = db.transaction(async (tx) => {
      const [[pid]] = (await tx.$read('SELECT pg_backend_pid()', [])) as [[number]];
      await expect.poll(() => isThere(pid), { timeout: 90_000 }).toBe(false);
      await tx.team.count();
    });
    await expect(idle).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await db.transaction((tx) => tx.team.count())).toBeGreaterThan(0);
    await db.close();
  });
});

const canLimit = spawnSync('prlimit', ['--version']).status === 0;

describe.runIf(databaseKind === 'sqlite' && canLimit)('an SQLite file on a full disk', { timeout }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'trellis-full-'));
  afterAll(async () => {
    await endProcesses();
    rmSync(folder, { recursive: true, force: true });
  });

  it('returns UNAVAILABLE for writes and from /readyz, serves reads, and recovers when there is space', async () => {
    const token = 'a-token-of-at-least-32-characters';
    const trellis = startProcess({
      DATABASE_URL: `file:${join(folder, 'trellis.db')}`,
      BOOTSTRAP_TOKEN: token,
    });
    const server = { url: await trellis.listening, adminToken: token };
    const status = async (path: string) => (await send(server, { path, token: null })).status;
    const limit = (bytes: string) =>
      expect(spawnSync('prlimit', ['--pid', String(trellis.child.pid), `--fsize=${bytes}:`]).status).toBe(0);
    expect(await status('/readyz')).toBe(200);
    const all = await withBuilder({
      data: async (query: string, variables: object) =>
        (await send(server, { body: JSON.stringify({ query, variables }) })).body.data,
    } as Client).createAll();
    const ports = `/openapi/v1/teams/${all.team.teamId}/regions/${all.region.name}/apps/${all.application.appId}/services/${all.component.componentId}/ports`;

    // Every write beyond this size fails, as on a disk that is full.
    limit('4096');
    const refused = await send(server, { body: createTeam() });
    expect(JSON.stringify(refused.body)).toContain('UNAVAILABLE');
    expectUnavailableProblem(await send(server, { path: ports, body: addRestPort }));
    expect((await send(server, { path: ports })).status).toBe(200);
    await expect.poll(() => status('/readyz'), { timeout: 90_000 }).toBe(503);
    expect(await status('/healthz')).toBe(200);
    expect((await send(server, { body: viewer })).body.errors).toBeUndefined();

    limit('unlimited');
    await expect.poll(() => status('/readyz'), { timeout: 90_000 }).toBe(200);
    expect((await send(server, { path: ports, body: addRestPort })).status).toBe(200);
    expect((await send(server, { body: createTeam() })).body.data.createTeam.__typename).toBe(
      'CreateTeamPayload',
    );
  });
});
