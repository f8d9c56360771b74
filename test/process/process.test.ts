import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { built } from '../support/built.ts';
import { endProcesses, startProcess, type TrellisProcess } from '../support/process.ts';
import { send } from '../support/send.ts';
import { createDatabase, createMigratedDatabase, databaseKind } from '../support/trellis.ts';

const timeout = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'trellis-process-'));
const drops: (() => Promise<void>)[] = [];
afterEach(endProcesses);
afterAll(async () => {
  for (const drop of drops) await drop();
  rmSync(folder, { recursive: true, force: true });
});

const secretKey = 'cd'.repeat(32);

/** The settings of an empty database. */
async function emptyDatabase(): Promise<Record<string, string> & { DATABASE_URL: string }> {
  const { url, drop } = await createDatabase();
  drops.push(drop);
  return { DATABASE_URL: url, ...(databaseKind === 'postgres' && { SECRET_KEY: secretKey }) };
}

/** The settings of a database with every table and no row, for tests that are not about the first start. */
async function migratedDatabase(): Promise<Record<string, string> & { DATABASE_URL: string }> {
  const { url, drop } = await createMigratedDatabase();
  drops.push(drop);
  return { DATABASE_URL: url, SECRET_KEY: secretKey };
}

const viewer = JSON.stringify({ query: '{ viewer { user { email } } }' });
const ask = (url: string, token: string, body = viewer) => send({ url, adminToken: token }, { body });

async function stop(trellis: TrellisProcess): Promise<void> {
  trellis.child.kill('SIGTERM');
  expect(await trellis.ended).toBe(0);
}

/** A start that fails must say why in words, and nothing else. */
async function expectRefusal(trellis: TrellisProcess, ...words: (string | RegExp)[]) {
  expect(await trellis.ended).toBe(1);
  const { stdout, stderr } = trellis.output();
  expect(trellis.log().some(({ msg }) => msg === 'listening')).toBe(false);
  for (const word of words) expect(stderr).toMatch(word);
  expect(stderr).not.toMatch(/^\s+at |node:internal|\.[jt]s:\d|undefined/m);
  expect(stderr.endsWith('\n')).toBe(true);
  return { stdout, stderr };
}

describe('npm start when it fails', { timeout }, () => {
  it('lists every invalid setting on standard error and exits with 1', async () => {
    const trellis = startProcess({
      PORT: 'x',
      DATABASE_URL: 'mysql://localhost',
      BOOTSTRAP_TOKEN: 'short-secret',
      LOG_LEVEL: 'loud',
    });
    const { stdout, stderr } = await expectRefusal(trellis);
    expect(stderr.trim().split('\n')).toEqual([
      'Invalid settings:',
      expect.stringMatching(/^ {2}- PORT must /),
      expect.stringMatching(/^ {2}- DATABASE_URL must /),
      expect.stringMatching(/^ {2}- BOOTSTRAP_TOKEN must /),
      expect.stringMatching(/^ {2}- LOG_LEVEL must /),
    ]);
    expect(stdout).toBe('');
    expect(stderr).not.toContain('short-secret');
  });

  it.runIf(databaseKind === 'postgres')('names the unreachable database without its password', async () => {
    const settings = { SECRET_KEY: secretKey };
    const closed = startProcess({ ...settings, DATABASE_URL: 'postgres://me:pass-word@127.0.0.1:1/none' });
    const { stderr } = await expectRefusal(closed, /127\.0\.0\.1:1\/none/);
    expect(stderr).not.toContain('pass-word');
    const { DATABASE_URL } = await emptyDatabase();
    const none = startProcess({ ...settings, DATABASE_URL: `${DATABASE_URL}_none` });
    await expectRefusal(none, /_none.*does not exist/);
    const url = new URL(DATABASE_URL);
    url.password = 'pass-word';
    url.username = 'nobody';
    const refused = startProcess({ ...settings, DATABASE_URL: url.href });
    expect((await expectRefusal(refused, /cannot connect/)).stderr).not.toContain('pass-word');
  });

  it.runIf(databaseKind === 'sqlite')('names the file that it cannot open as a database', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, 'no database, and long enough to tell. '.repeat(50));
    const below = join(file, 'below', 'trellis.db');
    await expectRefusal(startProcess({ DATABASE_URL: `file:${below}` }), below);
    await expectRefusal(startProcess({ DATABASE_URL: `file:${below}`, SECRET_KEY: secretKey }), below);
    await expectRefusal(startProcess({ DATABASE_URL: `file:${file}` }), file, /not a database/);
    expect(readFileSync(file, 'utf8')).toMatch(/^no database/);
    await expectRefusal(startProcess({ DATABASE_URL: 'file::memory:' }), /DATABASE_URL must be a file/);
  });

  it('names the limit of open files', () => {
    const start = ['-c', 'ulimit -n 64 && exec "$0" "$1"', process.execPath, join(built(), 'main.js')];
    const { status, stderr } = spawnSync('sh', start, { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Trellis cannot start: .*`ulimit -n`.*EMFILE.*\n$/);
  });

  it('names the port that is in use, after it has printed the first token', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const settings = await migratedDatabase();
    const refused = startProcess({ ...settings, PORT: String(port) });
    await expectRefusal(refused, /EADDRINUSE/, String(port), /Set PORT to another port/);
    const metrics = startProcess({ ...settings, METRICS_PORT: String(port) });
    await expectRefusal(metrics, String(port), /Set METRICS_PORT to another port/);
    await new Promise((resolve) => other.close(resolve));
    const token = refused.printedToken();
    const trellis = startProcess(settings);
    expect((await ask(await trellis.listening, token!)).status).toBe(200);
  });
});

describe('npm start', { timeout }, () => {
  it('prints a token on the first start only', async () => {
    const settings = await emptyDatabase();
    const first = startProcess(settings);
    const url = await first.listening;
    const token = first.printedToken()!;
    expect(token).toMatch(/^trl_[\w-]{43}$/);
    expect((await ask(url, token)).body.data.viewer.user.email).toBe('admin@trellis.example');
    await stop(first);
    expect(first.output().stdout.split(token)).toHaveLength(2);

    const second = startProcess(settings);
    const again = await second.listening;
    expect((await ask(again, token)).status).toBe(200);
    await stop(second);
    expect(second.output().stdout).not.toContain('trl_');
    expect(second.printedToken()).toBeUndefined();
  });

  it('accepts BOOTSTRAP_TOKEN and does not print it', async () => {
    const BOOTSTRAP_TOKEN = 'a-token-of-at-least-32-characters';
    const settings = { ...(await migratedDatabase()), BOOTSTRAP_TOKEN };
    const trellis = startProcess(settings);
    expect((await ask(await trellis.listening, BOOTSTRAP_TOKEN)).status).toBe(200);
    await stop(trellis);
    const { stdout, stderr } = trellis.output();
    expect(stdout + stderr).not.toContain(BOOTSTRAP_TOKEN);
    expect(stdout + stderr).not.toContain('trl_');
  });

  it('prints one token when two processes start on an empty database at once', async () => {
    const settings = await emptyDatabase();
    const both = [startProcess(settings), startProcess(settings)];
    const urls = await Promise.all(both.map(({ listening }) => listening));
    const tokens = both.map((each) => each.printedToken()).filter(Boolean);
    expect(tokens).toHaveLength(1);
    for (const url of urls) expect((await ask(url, tokens[0]!)).status).toBe(200);
    await Promise.all(both.map(stop));
  });

  it.runIf(databaseKind === 'sqlite')(
    'creates a folder and a key file that only their owner can read',
    async () => {
      const { DATABASE_URL, ...others } = await emptyDatabase();
      const folder = join(dirname(DATABASE_URL.slice('file:'.length)), 'new');
      const settings = { ...others, DATABASE_URL: `file:${join(folder, 'trellis.db')}` };
      const trellis = startProcess(settings);
      await trellis.listening;
      const key = `${settings.DATABASE_URL.slice('file:'.length)}.key`;
      expect(existsSync(key)).toBe(true);
      expect(statSync(key).mode & 0o777).toBe(0o600);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(trellis.output().stdout).not.toContain(readFileSync(key, 'utf8').trim());
    },
  );

  it('refuses another SECRET_KEY from the first start on, also of a gateway that starts at the same time', async () => {
    const settings = await migratedDatabase();
    const keys = ['ab', 'cd'].map((digits) => digits.repeat(32));
    const both = keys.map((SECRET_KEY) => startProcess({ ...settings, SECRET_KEY }));
    const started = await Promise.all(
      both.map(({ listening }) =>
        listening.then(
          (url) => url,
          () => undefined,
        ),
      ),
    );
    expect(started.filter(Boolean)).toHaveLength(1);
    const first = started[0] ? 0 : 1;
    expect(both[first]!.printedToken()).toMatch(/^trl_/);
    await expectRefusal(both[1 - first]!, /SECRET_KEY does not match/);
    await stop(both[first]!);
    await expectRefusal(
      startProcess({ ...settings, SECRET_KEY: keys[1 - first]! }),
      /SECRET_KEY does not match/,
    );
  });

  it('exits with 1 when SECRET_KEY cannot decrypt the stored credentials', async () => {
    const settings = { ...(await migratedDatabase()), SECRET_KEY: secretKey };
    const first = startProcess(settings);
    const url = await first.listening;
    const mutation = `mutation { createRegion(input: {
      name: "north", url: "https://n.example", websocketUrl: "wss://n.example", httpDomain: "n.example",
      tcpDomain: "n.example", credentials: { clientKey: "secret" }
    }) { __typename } }`;
    const answer = await ask(url, first.printedToken()!, JSON.stringify({ query: mutation }));
    expect(answer.body.data.createRegion.__typename).toBe('CreateRegionPayload');
    await stop(first);
    await expectRefusal(startProcess({ ...settings, SECRET_KEY: 'ef'.repeat(32) }), /SECRET_KEY/);
    const again = startProcess(settings);
    await again.listening;
    await stop(again);
  });
});

describe('the log', { timeout }, () => {
  it('is JSON lines with request ids, and never contains a token', async () => {
    const trellis = startProcess({ ...(await migratedDatabase()), LOG_LEVEL: 'trace' });
    const url = await trellis.listening;
    const token = trellis.printedToken()!;
    const headers = { 'X-Request-Id': 'from-the-caller', Cookie: 'session=cookie-secret' };
    const path = '/graphql?query=%7B__typename%7D&operationName=';
    await send({ url, adminToken: token }, { path, headers });
    const { headers: answered } = await ask(url, token, '{"query":"{ nothing }"}');
    await send({ url, adminToken: token }, { body: viewer, token: 'trl_unknown-token' });
    await stop(trellis);
    const { stdout, stderr } = trellis.output();
    expect(stderr).toBe('');
    const lines = stdout.trimEnd().split('\n');
    expect(lines.filter((line) => !line.startsWith('{'))).toEqual([expect.stringContaining(token)]);
    const log = trellis.log();
    const ids = log.filter(({ msg }) => msg === 'request').map(({ requestId }) => requestId);
    expect(ids).toContain('from-the-caller');
    expect(ids).toContain(answered['x-request-id']);
    for (const line of log) expect(Number.isNaN(Date.parse(line.time))).toBe(false);
    for (const secret of [
      token,
      'trl_unknown-token',
      'cookie-secret',
      'Bearer',
      'uthorization',
      '__typename',
    ]) {
      expect(JSON.stringify(log)).not.toContain(secret);
    }
  });
});

describe('SIGTERM', { timeout }, () => {
  // So long that a process that waits for it fails the test.
  const SHUTDOWN_TIMEOUT_MS = '600000';

  const open = (url: string) =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => resolve(socket));
      socket.once('error', reject);
    });

  /** All that arrives until the other side closes. */
  const rest = (socket: Socket) =>
    new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.once('close', () => resolve(text));
    });

  const stopping = (trellis: TrellisProcess) =>
    expect.poll(() => trellis.log().some(({ msg }) => msg === 'stopping'), { timeout: 30_000 }).toBe(true);

  it('lets requests in progress finish and accepts no new connections', async () => {
    const trellis = startProcess({ ...(await migratedDatabase()), SHUTDOWN_TIMEOUT_MS });
    const url = await trellis.listening;
    const socket = await open(url);
    const answered = rest(socket);
    const head = [
      'POST /graphql HTTP/1.1',
      'Host: 127.0.0.1',
      `Authorization: Bearer ${trellis.printedToken()}`,
      'Content-Type: application/json',
      `Content-Length: ${viewer.length}`,
      '',
      viewer.slice(0, 10),
    ];
    socket.write(head.join('\r\n'));
    // When another request has been answered, the first part of this one has arrived.
    await ask(url, trellis.printedToken()!);
    trellis.child.kill('SIGTERM');
    await stopping(trellis);
    await expect
      .poll(() =>
        open(url).then(
          () => 'taken',
          (error) => error.code,
        ),
      )
      .toBe('ECONNREFUSED');
    expect(trellis.child.exitCode).toBeNull();
    socket.write(viewer.slice(10));
    const answer = await answered;
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    // Or the caller would send the next one on a connection that ends.
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    expect(answer).toContain('{"data":{"viewer":{"user":{"email":"admin@trellis.example"}}}}');
    expect(await trellis.ended).toBe(0);
    expect(trellis.output().stderr).toBe('');
  });

  it('does not wait for idle connections', async () => {
    const trellis = startProcess({ ...(await migratedDatabase()), SHUTDOWN_TIMEOUT_MS });
    const url = await trellis.listening;
    const agent = new Agent({ keepAlive: true });
    const status = await new Promise((resolve, reject) => {
      request(`${url}/healthz`, { agent }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      })
        .once('error', reject)
        .end();
    });
    expect(status).toBe(200);
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
    // Browsers and load balancers open connections ahead of any request.
    const unused = await open(url);
    const closed = rest(unused);
    await ask(url, trellis.printedToken()!);
    await stop(trellis);
    expect(await closed).toBe('');
    agent.destroy();
  });

  it('answers a request on a kept connection that arrived while the process was busy', async () => {
    const trellis = startProcess({ ...(await migratedDatabase()), SHUTDOWN_TIMEOUT_MS });
    const url = await trellis.listening;
    const socket = await open(url);
    const received = rest(socket);
    const probe = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const answer = once(socket, 'data');
    socket.write(probe);
    await answer;
    trellis.child.kill('SIGTERM');
    await stopping(trellis);
    // Longer than an idle connection is kept.
    trellis.child.kill('SIGSTOP');
    await sleep(1_200);
    socket.write(probe);
    trellis.child.kill('SIGCONT');
    const answers = (await received).split('HTTP/1.1 ').slice(1);
    expect(answers.map((text) => text.slice(0, 6))).toEqual(['200 OK', '200 OK']);
    expect(answers[1]).toMatch(/\r\nConnection: close\r\n/);
    expect(await trellis.ended).toBe(0);
  });

  it('closes the connections of requests that are not finished at SHUTDOWN_TIMEOUT_MS', async () => {
    const trellis = startProcess({ ...(await migratedDatabase()), SHUTDOWN_TIMEOUT_MS: '500' });
    const url = await trellis.listening;
    const socket = await open(url);
    socket.on('error', () => undefined);
    const answered = rest(socket);
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${trellis.printedToken()}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    );
    await ask(url, trellis.printedToken()!);
    await stop(trellis);
    expect(await answered).toBe('');
    expect(trellis.log().at(-1)?.msg).not.toBe('stopping');
  });
});
