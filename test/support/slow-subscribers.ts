import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, expect, it } from 'vitest';
import { sampleOf } from '../soak/samples.ts';
import { endProcesses, startProcess } from './process.ts';
import { send } from './send.ts';
import { type Subscription, subscribe } from './subscribe.ts';

const adminToken = 'a-token-of-at-least-32-characters';
const sockets: Socket[] = [];
/** An item of a slow client has 60 times the text of its event. */
const changes = Array.from(
  { length: 30 },
  (_, each) => `c${each}: changes { before: oldValue after: newValue }`,
).join(' ');
const slowDocument = `subscription { events(team: { name: "team" }) { id ${changes} } }`;
const document = 'subscription { events(team: { name: "team" }) { id changes { after: newValue } } }';

let started = 0;
async function start(folder: string, settings: Record<string, string>) {
  const name = join(folder, String(++started));
  const file = `${name}.db`;
  const trellis = startProcess({
    DATABASE_URL: `file:${file}`,
    BOOTSTRAP_TOKEN: adminToken,
    RATE_LIMIT_PER_SECOND: '0',
    MAX_SUBSCRIPTIONS_PER_TOKEN: '2000',
    MAX_REQUESTS_PER_USER: '500',
    HEARTBEAT_MS: '100',
    METRICS_PORT: '0',
    UNIX_SOCKET: `${name}.sock`,
    NODE_OPTIONS: ['../soak/collect.mjs', './unix-socket.mjs']
      .map((path) => `--import=${new URL(path, import.meta.url)}`)
      .join(' '),
    ...settings,
  });
  const server = { url: await trellis.listening, adminToken };
  const metricsUrl = trellis.log().find(({ msg }) => msg === 'metrics are served')!.url;
  const ask = async (query: string) => {
    const { body } = await send(server, { body: JSON.stringify({ query }) });
    expect(body.errors).toBeUndefined();
  };
  await ask('mutation { createTeam(input: { name: "team" }) { __typename } }');
  const rename = (alias: string) =>
    ask(`mutation { updateTeam(input: { team: { name: "team" }, alias: "${alias}" }) { __typename } }`);
  await rename('before');
  return {
    trellis,
    ask,
    rename,
    follow: () => subscribe(server, document),
    /** The number of open subscriptions. */
    async open() {
      const text = await (await fetch(metricsUrl)).text();
      return Number(/^trellis_subscriptions (\d+)/m.exec(text)![1]);
    },
    /** Subscribes as clients that do not read on. */
    followSlowly: (number: number, lastEventId?: string) =>
      Promise.all(Array.from({ length: number }, () => slowClient(`${name}.sock`, lastEventId))),
    /** Records events, of which the process learns with the next one. */
    record(number: number, length: number) {
      const text = 'x'.repeat(length);
      const db = new Database(file);
      db.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        INSERT INTO event (enterprise_id, team_id, at, request_id, action, subject_type, subject_id, changes)
        SELECT enterprise_id, team_id, at, request_id, action, subject_type, subject_id, json_object('alias', json_array(?, ?))
        FROM n, (SELECT * FROM event WHERE action = 'team.update' LIMIT 1)`,
      ).run(number, text, text);
      db.close();
    },
  };
}

/** A connection that has subscribed and does not read before `read` is called. */
interface SlowClient {
  socket: Socket;
  /** Resolves with all that was sent, when the connection or the response has ended. */
  read(): Promise<string>;
}

function slowClient(path: string, lastEventId: string | undefined): Promise<SlowClient> {
  const socket = connect(path);
  sockets.push(socket);
  const body = JSON.stringify({ query: slowDocument });
  const resume = lastEventId === undefined ? '' : `Last-Event-ID: ${lastEventId}\r\n`;
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nAuthorization: Bearer ${adminToken}\r\n${resume}Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  const chunks: Buffer[] = [];
  const read = () =>
    new Promise<string>((resolve) => {
      const end = () => resolve(Buffer.concat(chunks).toString());
      socket.on('error', end).on('close', end);
      socket.on('data', (chunk) => {
        chunks.push(chunk);
        if (chunk.subarray(-5).equals(Buffer.from('0\r\n\r\n'))) end();
      });
      socket.resume();
    });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('data', (chunk) => {
      socket.pause();
      chunks.push(chunk);
      if (!/^HTTP\/1.1 200/.test(String(chunk))) reject(new Error(String(chunk)));
      socket.off('error', reject);
      resolve({ socket, read });
    });
  });
}

/** Reads items up to the event of a change. */
async function readTo(subscription: Subscription, alias: string): Promise<number> {
  for (let read = 1; ; read++) {
    const { errors, data } = (await subscription.next())!.data;
    expect(errors).toBeUndefined();
    if (data.events.changes.some(({ after }: { after: string }) => after === alias)) return read;
  }
}

/** Has so many clients subscribe that do not read. */
export function testSlowSubscribers(count: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'trellis-slow-'));
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await endProcesses();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it(`${count} clients that never read take bounded memory, and others do not wait for them`, async () => {
    const { trellis, ask, rename, follow, followSlowly, open, record } = await start(folder, {});
    const healthy = await follow();
    await expect.poll(() => healthy.lastId()).toBeDefined();
    const beginning = healthy.lastId();
    await followSlowly(count / 2);
    const before = await sampleOf(trellis);

    // More than can wait for a client. Sent to all of them, it would be 30 GB.
    record(1_200, 800);
    let isOver = false;
    let answers = 0;
    const requests = (async () => {
      for (; !isOver; answers++) await ask('{ viewer { isAdministrator } }');
    })();
    await rename('first');
    expect(await readTo(healthy, 'first')).toBe(1_201);
    isOver = true;
    await requests;
    expect(answers).toBeGreaterThan(count / 25);

    // These have missed all of it.
    await followSlowly(count / 2, beginning);
    await rename('second');
    expect(await readTo(healthy, 'second')).toBe(1);
    const after = await sampleOf(trellis);
    const kibOfEach = ((after.heapMiB - before.heapMiB) * 1024) / count;
    process.stderr.write(
      `${count} slow clients: ${Math.round(kibOfEach)} KiB each; ${answers} other requests meanwhile\n`,
    );
    // An item of 60 KB as text and as bytes, and a hundred events; and what the process takes by itself meanwhile.
    expect(kibOfEach).toBeLessThan(600 + 65_536 / count);
    expect(await open()).toBe(count + 1);
    healthy.close();
  });

  it('clients that do not read for too long are told so and disconnected', async () => {
    const { trellis, rename, followSlowly, open, record } = await start(folder, { SEND_TIMEOUT_MS: '1000' });
    const clients = await followSlowly(count);
    record(3, 2_000);
    await rename('first');
    // A request is logged when its connection is done with it.
    const disconnected = () => trellis.log().filter(({ errorCodes }) => errorCodes?.[0] === 'LIMIT_EXCEEDED');
    await expect.poll(() => disconnected().length, { timeout: 60_000 }).toBe(count);
    expect(await open()).toBe(0);

    // This one reads on between the two.
    const [late] = await followSlowly(1);
    record(3, 2_000);
    await rename('second');
    await expect.poll(open, { timeout: 60_000 }).toBe(0);
    const told = await late!.read();
    expect(told).toContain('"code":"LIMIT_EXCEEDED"');
    for (const text of [told, ...(await Promise.all(clients.map((client) => client.read())))]) {
      expect(text).toContain('event: next');
      // It would tell them not to subscribe again.
      expect(text).not.toContain('event: complete');
    }
  });
}
