import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { send } from '../support/send.ts';
import { startTrellis, useTrellis } from '../support/trellis.ts';

const http = {
  headersTimeoutMs: 600,
  receiveTimeoutMs: 1_200,
  idleTimeoutMs: 800,
  sendTimeoutMs: 1_500,
  maxConnections: 20,
};

// However large the schema is, all of it may be told many times.
const limits = { values: 50_000_000, textBytes: 2 ** 28 };
const trellis = useTrellis({ http, limits });

/** A connection that stays open on this side, whatever the other does. */
async function open(target = trellis): Promise<{
  socket: Socket;
  text: () => string;
  closed: Promise<unknown>;
  ended: Promise<unknown>;
}> {
  const { hostname, port } = new URL(target.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const ended = Promise.race([closed, new Promise((resolve) => socket.once('end', resolve))]);
  await once(socket, 'connect');
  return { socket, text: () => text, closed, ended };
}

/** Sends a byte now and then, so that no timeout of an idle connection ends it. */
function trickle(socket: Socket): () => void {
  // Waits on time: what makes a client slow is the time between its bytes.
  const timer = setInterval(() => socket.writable && socket.write('x'), 50);
  return () => clearInterval(timer);
}

const post = (path: string, token?: string, body?: string) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: trellis.example',
    ...(token ? [`Authorization: Bearer ${token}`] : []),
    'Content-Type: application/json',
    `Content-Length: ${body ? Buffer.byteLength(body) : 100_000}`,
    '',
    body ?? '{',
  ].join('\r\n');

describe.concurrent('a request that arrives slowly', () => {
  it.each(['/graphql', '/openapi/v1/teams/resource'])(
    'has its body cut off with 408 at %s, and the connection closed',
    async (path) => {
      const { socket, text, closed } = await open();
      socket.write(post(path, trellis.adminToken));
      const stop = trickle(socket);
      await closed;
      stop();
      expect(text()).toMatch(/^HTTP\/1\.1 408 /);
      expect(text()).toContain('X-Content-Type-Options: nosniff');
    },
  );

  it('returns 401 at once for a slow body without a token, and closes its connection', async () => {
    const cutOff = async (path: string) => {
      const { socket, text, closed } = await open();
      socket.write(post(path));
      const stop = trickle(socket);
      await closed;
      stop();
      expect(text()).toMatch(/^HTTP\/1\.1 40[14] /);
    };
    await Promise.all(['/graphql', '/openapi/v1/teams/resource', '/nothing'].map(cutOff));
  });

  it('returns 408 when the headers take too long', async () => {
    const { socket, text, closed } = await open();
    socket.write('GET /healthz HTTP/1.1\r\nX-Slow: ');
    const stop = trickle(socket);
    await closed;
    stop();
    expect(text()).toMatch(/^HTTP\/1\.1 408 /);
    expect(text()).toContain('application/problem+json');
  });
});

describe('a connection', () => {
  it.concurrent('is closed without a response if it was never used', async () => {
    const { text, ended } = await open();
    await ended;
    expect(text()).toBe('');
  });

  it.concurrent('is closed when idle after a request', async () => {
    const { socket, text, ended } = await open();
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await ended;
    expect(text()).toMatch(/^HTTP\/1\.1 200 /);
    expect(text()).not.toContain('HTTP/1.1 408');
  });

  it('is closed at once beyond the limit', async () => {
    const connections = await Promise.all(Array.from({ length: 30 }, () => open()));
    const { socket } = connections[0]!;
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    await Promise.all(connections.slice(20).map(({ ended }) => ended));
    expect(trellis.logged.some(({ msg }) => /connection limit of 20 reached/.test(msg))).toBe(true);
    await Promise.all(connections.map(({ ended }) => ended));
    expect((await send(trellis, { path: '/healthz' })).status).toBe(200);
  });
});

describe('a client that does not read its response', () => {
  it('is disconnected', async () => {
    const types = 'types { name description fields { name description args { name description } } }';
    const query = Array.from({ length: 40 }, (_, each) => `a${each}: __schema { ${types} }`).join(' ');
    const body = JSON.stringify({ query: `{ ${query} }` });
    // With more time: a busy machine takes longer to send all of it than a slow client may.
    const patient = await startTrellis({ limits });
    const whole = await send(patient, { body });
    await patient.close();
    // More than the sockets of both sides hold.
    expect(whole.text.length).toBeGreaterThan(8_000_000);
    const { socket, ended } = await open();
    socket.pause();
    trellis.logged.length = 0;
    socket.write(post('/graphql', trellis.adminToken, body));
    // A request is logged when its answer is closed, and this one nobody reads.
    await expect.poll(() => trellis.logged.length, { timeout: 90_000 }).toBeGreaterThan(0);
    expect(trellis.logged).toMatchObject([{ path: '/graphql', status: 200 }]);
    let read = 0;
    socket.on('data', (chunk) => {
      read += chunk.length;
    });
    socket.resume();
    await ended;
    expect(read).toBeLessThan(whole.text.length);
  });
});

describe('a connection without a request since a large response', () => {
  it('is closed when the response should have been read, although it could be idle for longer', async () => {
    const patient = await startTrellis({ http: { sendTimeoutMs: 400, idleTimeoutMs: 600_000 } });
    const body = '{"query":"{ __schema { types { name description fields { name description } } } }"}';
    const { socket, text, ended } = await open(patient);
    // Fits into the buffers of both sides, so that nobody knows when it is read.
    socket.write(post('/graphql', patient.adminToken, body));
    await ended;
    expect(text()).toMatch(/^HTTP\/1\.1 200 /);
    await patient.close();
  });
});

describe('a request that arrives while the process is stalled', () => {
  it('is answered on a connection that was never used', async () => {
    const { socket, text, ended } = await open();
    // Accepted before this answer.
    await send(trellis, { path: '/healthz' });
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    // Blocks the event loop, which the server shares, for longer than headers may take.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    await ended;
    expect(text()).toMatch(/^HTTP\/1\.1 200 /);
  });
});
