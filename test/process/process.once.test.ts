import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { built } from '../support/built.ts';
import { startProcess, type TrellisProcess } from '../support/process.ts';
import { send } from '../support/send.ts';
import {
  ask,
  endStarts,
  expectRefusal,
  migratedDatabase,
  startHere,
  stop,
  viewer,
} from '../support/starts.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

const timeout = 120_000;
const BOOTSTRAP_TOKEN = 'a-token-of-at-least-32-characters';

afterEach(endStarts);

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

  it('names the limit of open files', () => {
    const start = ['-c', 'ulimit -n 64 && exec "$0" "$1"', process.execPath, join(built(), 'main.js')];
    const { status, stderr } = spawnSync('sh', start, { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Trellis cannot start: .*`ulimit -n`.*EMFILE.*\n$/);
  });

  it('says what is wrong with the trusted documents, and starts when that is put right', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trellis-documents-'));
    const write = (text: string) => writeFileSync(join(folder, 'old.graphql'), text);
    const settings = { ...(await migratedDatabase()), BOOTSTRAP_TOKEN, TRUSTED_DOCUMENTS: folder };
    write('query Old {\n  teams { nodes { nothing } }\n}');
    await expect(startHere(settings)).rejects.toThrow(
      'TRUSTED_DOCUMENTS: old, line 2: Cannot query field "nothing"',
    );
    write('query Old {\n  teams { nodes { name } }\n}');
    const trellis = await startHere(settings);
    const { status } = await ask(trellis.url, BOOTSTRAP_TOKEN, '{"documentId":"old"}');
    expect(status).toBe(200);
    await trellis.stop();
    rmSync(folder, { recursive: true });
  });

  it('names the port that is in use before it prints the first token', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const settings = await migratedDatabase();
    const refused = startProcess({ ...settings, PORT: String(port) });
    await expectRefusal(refused, /EADDRINUSE/, String(port), /Set PORT to another port/);
    const metrics = startProcess({ ...settings, METRICS_PORT: String(port) });
    await expectRefusal(metrics, /EADDRINUSE/, String(port), /Set METRICS_PORT to another port/);
    await new Promise((resolve) => other.close(resolve));
    expect([refused.printedToken(), metrics.printedToken()]).toEqual([undefined, undefined]);
    const trellis = startProcess(settings);
    const url = await trellis.listening;
    expect((await ask(url, trellis.printedToken()!)).status).toBe(200);
    await stop(trellis);
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
    expect.poll(() => trellis.log().some(({ msg }) => msg === 'stopping'), { timeout: 90_000 }).toBe(true);

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

  it('does not wait for idle connections, and what was written has no BOOTSTRAP_TOKEN, which is accepted', async () => {
    const settings = { ...(await migratedDatabase()), SHUTDOWN_TIMEOUT_MS, BOOTSTRAP_TOKEN };
    const trellis = startProcess(settings);
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
    expect((await ask(url, BOOTSTRAP_TOKEN)).status).toBe(200);
    await stop(trellis);
    expect(await closed).toBe('');
    agent.destroy();
    const { stdout, stderr } = trellis.output();
    expect(stdout + stderr).not.toContain(BOOTSTRAP_TOKEN);
    expect(stdout + stderr).not.toContain('trl_');
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
    trellis.child.kill('SIGSTOP');
    // Waits on time: the process is busy for longer than it keeps an idle connection.
    await sleep(1_200);
    socket.write(probe);
    trellis.child.kill('SIGCONT');
    const answers = (await received).split('HTTP/1.1 ').slice(1);
    expect(answers.map((text) => text.slice(0, 6))).toEqual(['200 OK', '200 OK']);
    expect(answers[1]).toMatch(/\r\nConnection: close\r\n/);
    expect(await trellis.ended).toBe(0);
  });

  it('closes the connections of requests that are not finished at SHUTDOWN_TIMEOUT_MS', async () => {
    const settings = { ...(await migratedDatabase()), BOOTSTRAP_TOKEN, SHUTDOWN_TIMEOUT_MS: '500' };
    const { url, stop } = await startHere(settings);
    const socket = await open(url);
    socket.on('error', () => undefined);
    const answered = rest(socket);
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${BOOTSTRAP_TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    );
    await ask(url, BOOTSTRAP_TOKEN);
    await stop();
    expect(await answered).toBe('');
  });
});
