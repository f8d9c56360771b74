import { connect } from 'node:net';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { deprecate } from '../support/deprecations.ts';
import { withBuilder } from '../support/fixtures.ts';
import { type HeldStore, startHeldStore } from '../support/held-store.ts';
import { endProcesses, startProcess, type TrellisProcess } from '../support/process.ts';
import { send } from '../support/send.ts';
import { type Gateway, startHere } from '../support/starts.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { type Client, createMigratedDatabase, databaseKind } from '../support/trellis.ts';

startsProcesses();

const timeout = 120_000;
const drops: (() => Promise<unknown>)[] = [];
let store: HeldStore | undefined;
afterEach(async () => {
  await endProcesses();
  await store?.close();
  store = undefined;
});
afterAll(async () => {
  for (const drop of drops) await drop();
});

const token = 'a-token-of-at-least-32-characters';

async function newDatabase(): Promise<Record<string, string> & { DATABASE_URL: string }> {
  const { url, drop } = await createMigratedDatabase();
  drops.push(drop);
  return {
    DATABASE_URL: url,
    SECRET_KEY: 'cd'.repeat(32),
    BOOTSTRAP_TOKEN: token,
    STORE_ALLOW_PRIVATE: 'true',
  };
}

const api = (url: string) =>
  withBuilder({
    url,
    adminToken: token,
    async data(query: string, variables: object = {}) {
      const { body } = await send({ url, adminToken: token }, { body: JSON.stringify({ query, variables }) });
      if (body.errors) throw new Error(JSON.stringify(body.errors));
      return body.data;
    },
  } as Client);

async function stop(trellis: TrellisProcess): Promise<void> {
  trellis.child.kill('SIGTERM');
  expect(await trellis.ended).toBe(0);
}

/** A gateway: with SQLite in a process that gets the signal, with Postgres in this one, stopped in the same way. */
async function startGateway(settings: Record<string, string>): Promise<Pick<Gateway, 'url' | 'stop'>> {
  if (databaseKind === 'postgres') return startHere(settings);
  const trellis = startProcess(settings);
  const url = await trellis.listening;
  return {
    url,
    async stop() {
      await stop(trellis);
      expect(trellis.output().stderr).toBe('');
    },
  };
}

/** Reads with a gateway that starts after another one has ended. */
async function readAgain(settings: Record<string, string>, query: string): Promise<any> {
  const again = await startHere(settings);
  try {
    return await api(again.url).data(query);
  } finally {
    await again.stop();
  }
}

const timeoutMs = 500;

describe('A stop after the use of a deprecated field', { timeout }, () => {
  it('is followed by the write of its count', async () => {
    deprecate(schema, 'Team.isActive');
    const settings = await newDatabase();
    const trellis = await startHere(settings);
    await api(trellis.url).data('{ teams { nodes { isActive } } }');
    await trellis.stop();
    const query = '{ viewer { accessToken { deprecatedUses { field count } } } }';
    const { viewer } = await readAgain(settings, query);
    expect(viewer.accessToken.deprecatedUses).toEqual([{ field: 'Team.isActive', count: 1 }]);
  });
});

describe('SIGTERM during a change', { timeout }, () => {
  it('aborts an install that waits for the store, and the process exits', async () => {
    const settings = { ...(await newDatabase()), SHUTDOWN_TIMEOUT_MS: String(timeoutMs) };
    const trellis = await startGateway(settings);
    const client = api(trellis.url);
    const place = await client.createPlace();
    const { appId } = await client.createApplication(place);
    store = await startHeldStore();
    const answer = send(client, { body: store.install(appId) }).then(
      () => 'answered',
      () => 'cut off',
    );
    await store.holds(1);
    // The store never answers: a process that waits for it does not end.
    await trellis.stop();
    expect(await answer).toBe('cut off');
    expect(store.brokenOff()).toBe(1);
    const query = `{ application(by: { appId: ${appId} }) { componentCount } events { totalCount } }`;
    const found = await readAgain(settings, query);
    expect(found.application.componentCount).toBe(0);
  });

  it('rolls back an install in its transaction', async () => {
    const settings = { ...(await newDatabase()), SHUTDOWN_TIMEOUT_MS: '0' };
    const trellis = startProcess(settings);
    const client = api(await trellis.listening);
    const place = await client.createPlace();
    const { appId } = await client.createApplication(place);
    store = await startHeldStore(400);
    const answer = send(client, { body: store.install(appId) }).then(
      () => 'answered',
      () => 'cut off',
    );
    await store.holds(1);
    store.release();
    await stop(trellis);
    const query = `{ application(by: { appId: ${appId} }) { componentCount } }`;
    const { application } = await readAgain(settings, query);
    expect([await answer, application.componentCount]).toEqual(['cut off', 0]);
  });

  it('rolls back a change that waits for a lock, and the process exits', async () => {
    const settings = { ...(await newDatabase()), SHUTDOWN_TIMEOUT_MS: String(timeoutMs) };
    const trellis = startProcess(settings);
    const client = api(await trellis.listening);
    const release = await lockTeams(settings.DATABASE_URL);
    const body = '{"query":"mutation { createTeam(input: { name: \\"late\\" }) { __typename } }"}';
    const answer = send(client, { body }).then(
      ({ body: { data } }) => data?.createTeam?.__typename,
      () => 'cut off',
    );
    // When another request has been answered, this one has arrived.
    await client.data('{ viewer { isAdministrator } }');
    // The lock is held: a process that waits for it does not end.
    await stop(trellis);
    expect(await answer).not.toBe('CreateTeamPayload');
    await release();
    const { viewer } = await readAgain(
      settings,
      '{ viewer { enterprise { teams(search: "late") { totalCount } } } }',
    );
    expect(viewer.enterprise.teams.totalCount).toBe(0);
  });
});

/** Keeps others from writing teams; resolves with how to let go. */
async function lockTeams(url: string): Promise<() => Promise<unknown>> {
  if (databaseKind === 'sqlite') {
    const other = new Sqlite(url.slice('file:'.length));
    other.exec('BEGIN IMMEDIATE');
    return async () => other.close();
  }
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query('BEGIN');
  await other.query('LOCK TABLE team IN EXCLUSIVE MODE');
  return () => other.end();
}

// Connections are accepted and closed in the same way whichever database answers.
describe.runIf(databaseKind === 'sqlite')('SIGTERM under load', { timeout }, () => {
  const request = `GET /openapi/v1/teams HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n\r\n`;

  /** One request on a connection of its own: the status, or how it failed. */
  function ask(url: string, bytes = request): { connected: Promise<void>; outcome: Promise<string> } {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(bytes);
    let answer = '';
    let failure = 'closed';
    socket.on('data', (chunk) => {
      answer += chunk;
      if (answer.endsWith('}')) socket.end();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      failure = error.code ?? error.message;
    });
    return {
      connected: new Promise((resolve) => socket.once('connect', resolve)),
      outcome: new Promise((resolve) =>
        socket.once('close', () => resolve(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? failure)),
      ),
    };
  }

  it('answers requests on connections that were not accepted yet', async () => {
    // Long enough for a busy machine: the process ends when everything is answered.
    const trellis = startProcess({ ...(await newDatabase()), SHUTDOWN_TIMEOUT_MS: '60000' });
    const url = await trellis.listening;
    // While the process is stopped the kernel takes the connections, and keeps them for it.
    trellis.child.kill('SIGSTOP');
    const asked = Array.from({ length: 50 }, () => ask(url));
    const unused = Array.from({ length: 3 }, () => ask(url, ''));
    await Promise.all([...asked, ...unused].map(({ connected }) => connected));
    trellis.child.kill('SIGTERM');
    trellis.child.kill('SIGCONT');
    const outcomes = await Promise.all(asked.map(({ outcome }) => outcome));
    expect(outcomes.filter((outcome) => outcome !== '200')).toEqual([]);
    expect(await trellis.ended).toBe(0);
    expect(await Promise.all(unused.map(({ outcome }) => outcome))).toEqual(['closed', 'closed', 'closed']);
  });

  it('answers every request on an open connection while clients keep connecting', async () => {
    const trellis = startProcess(await newDatabase());
    const url = await trellis.listening;
    const outcomes: string[] = [];
    let isKilled = false;
    const clients = Array.from({ length: 20 }, async () => {
      for (let outcome = ''; outcome !== 'ECONNREFUSED'; ) {
        const asked = ask(url);
        let isBefore = false;
        asked.connected.then(() => {
          isBefore = !isKilled;
        });
        outcome = await asked.outcome;
        // A connection that is made in the very moment in which the server stops to listen is nobody's.
        if (isBefore) outcomes.push(outcome);
      }
    });
    await expect.poll(() => outcomes.length, { timeout: 60_000 }).toBeGreaterThan(50);
    isKilled = true;
    trellis.child.kill('SIGTERM');
    await Promise.all(clients);
    expect(await trellis.ended).toBe(0);
    expect(outcomes.filter((outcome) => outcome !== '200')).toEqual([]);
  });
});
