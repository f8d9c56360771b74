import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { endProcesses, type TrellisProcess } from '../support/process.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { createDatabase, databaseKind, type TestDatabase } from '../support/trellis.ts';
import { childrenOf, isAlive, startWorkers, token } from '../support/workers.ts';

startsProcesses(2);

let database: TestDatabase;

/** One request on a connection of its own, which any of the workers gets. Resolves with the names of all teams. */
function teamsOf(url: string): Promise<string[]> {
  const body = JSON.stringify({ query: 'query Teams { teams { nodes { name } } }' });
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
    const sent = request(
      `${url}/graphql`,
      { method: 'POST', agent: false, headers, timeout: 90_000 },
      async (res) => {
        const chunks: Buffer[] = [];
        for await (const chunk of res) chunks.push(chunk);
        const { data } = JSON.parse(String(Buffer.concat(chunks)));
        resolve(data.teams.nodes.map(({ name }: { name: string }) => name));
      },
    );
    sent.once('error', reject);
    sent.once('timeout', () => sent.destroy(new Error('no response within 90 s')));
    sent.end(body);
  });
}

/** The workers that have answered requests, by the log: all of it, or what comes after so many lines. */
const answering = (trellis: TrellisProcess, lines = 0) =>
  new Set(
    trellis
      .log()
      .slice(lines)
      .filter(({ msg }) => msg === 'request')
      .map(({ worker }) => worker),
  );

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  await endProcesses();
  await database.drop();
});

describe.runIf(databaseKind === 'sqlite')('workers with SQLite', () => {
  it('are refused', async () => {
    const trellis = startWorkers(database);
    expect(await trellis.ended).toBe(1);
    expect(trellis.output().stderr).toContain('WORKERS requires a Postgres database');
  });
});

describe.runIf(databaseKind === 'postgres')('workers', () => {
  // Each of them starts one program after another, which takes its time on a busy machine.
  let trellis: TrellisProcess;
  let url: string;
  beforeAll(async () => {
    trellis = startWorkers(database);
    url = await trellis.listening;
  });

  it('share a port, and are replaced when one is killed', async () => {
    // One migration, of the main process.
    expect(trellis.log().filter(({ msg }) => msg.startsWith('applying migrations'))).toHaveLength(1);
    const workers = childrenOf(trellis);
    expect(workers).toHaveLength(2);
    for (let index = 0; index < 6; index++) expect(await teamsOf(url)).toEqual([]);
    await vi.waitFor(() => expect(answering(trellis)).toEqual(new Set([1, 2])), { timeout: 90_000 });

    process.kill(workers[0]!, 'SIGKILL');
    // What the main process hands to a worker before it knows of its end is lost.
    const ended = () => trellis.log().filter(({ msg }) => msg === 'a worker has ended and is replaced');
    await vi.waitFor(() => expect(ended()).toHaveLength(1), { timeout: 90_000 });
    for (let index = 0; index < 4; index++) expect(await teamsOf(url)).toEqual([]);
    const replaced = () => trellis.log().filter(({ msg }) => msg === 'worker is listening');
    await vi.waitFor(() => expect(replaced()).toHaveLength(3), { timeout: 90_000 });
    await vi.waitFor(
      async () => {
        expect(await teamsOf(url)).toEqual([]);
        expect(answering(trellis)).toEqual(new Set([1, 2, 3]));
      },
      { timeout: 90_000 },
    );

    // The sums of the two workers that run.
    const metricsUrl = trellis.log().find(({ msg }) => msg === 'metrics are served')!.url;
    const metrics = await (await fetch(metricsUrl)).text();
    expect(metrics).toMatch(/^trellis_workers 2$/m);
    expect(metrics).toMatch(/^trellis_worker_restarts_total 1$/m);
    expect(metrics).toMatch(/^trellis_database_connections_max\{pool="read"\} 20$/m);
    expect(metrics).toMatch(
      /^trellis_http_requests_total\{surface="graphql",operation="Teams",outcome="ok"\} \d+$/m,
    );
    expect(metrics).toMatch(/^trellis_jobs\{status="pending"\} 0$/m);
  });

  it('finish their requests when told to stop', async () => {
    const [begun, rest] = ['{"query": "{ teams ', '{ nodes { name } } }"}'];
    const headers = {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${token}`,
      'Content-Length': String(begun.length + rest.length),
    };
    const sent = request(`${url}/graphql`, { method: 'POST', agent: false, headers });
    await new Promise((resolve) => sent.write(begun, resolve));
    // A worker gets its connections in their order: one that answers a later request has the first one.
    const { length: lines } = trellis.log();
    const answeredBy = async () => {
      await teamsOf(url);
      return answering(trellis, lines).size;
    };
    await expect.poll(answeredBy).toBe(2);
    const all = childrenOf(trellis);
    trellis.child.kill('SIGTERM');
    const stopping = () => trellis.log().filter(({ msg }) => msg === 'stopping');
    await vi.waitFor(() => expect(stopping()).toHaveLength(3), { timeout: 90_000 });
    const answered = once(sent, 'response');
    sent.end(rest);
    const [response] = await answered;
    expect(response.statusCode).toBe(200);
    response.resume();
    expect(await trellis.ended).toBe(0);
    expect(all.filter(isAlive)).toEqual([]);
    expect(trellis.output().stderr).toBe('');
  });
});
