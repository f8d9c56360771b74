import { createHook } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();

/** Sends requests without waiting for the responses. Returns their statuses when there are as many, or the connection is closed. */
async function ask(path: string, count: number, body = ''): Promise<string[]> {
  const { hostname, port } = new URL(trellis.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status!);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    text += chunk;
    if (statuses().length === count) socket.end();
  });
  const head = body ? `POST ${path} HTTP/1.1\r\nContent-Length: ${body.length}` : `GET ${path} HTTP/1.1`;
  socket.write(`${head}\r\nHost: x\r\n\r\n${body}`.repeat(count));
  await once(socket, 'close');
  return statuses();
}

/** Counts what the parsers of new connections pass on, until the number is asked for. */
function countCalls(): () => number {
  const parsers = new Set<number>();
  let called = 0;
  const calls = createHook({
    init: (id, type) => void (type === 'HTTPINCOMINGMESSAGE' && parsers.add(id)),
    before: (id) => void (parsers.has(id) && called++),
  }).enable();
  return () => {
    calls.disable();
    return called;
  };
}

const handled = (path: string) => trellis.logged.filter((line) => line.path === path).length;

it('requests that are sent one after the other, without waiting, are answered', async () => {
  expect(await ask('/healthz', 4)).toEqual(Array.from({ length: 4 }, () => '200'));
});

it.each([
  ['/many', ''],
  ['/many-with-body', '{}'],
])(
  'a connection with hundreds of requests at %s is closed, and the rest of them is not handled',
  async (path, body) => {
    expect((await ask(path, 800, body)).length).toBeLessThan(100);
    const answer = await send(trellis, { body: '{"query":"{ viewer { isAdministrator } }"}' });
    expect(answer.status).toBe(200);
    // What arrives in several parts can have some more.
    expect(handled(path)).toBeLessThan(100);
  },
);

it.each(['', 'Expect: something\r\n'])(
  'the rest of what has arrived on such a connection is not parsed, with the header "%s"',
  async (header) => {
    let parsed = 0;
    const count = () => void parsed++;
    subscribe('http.server.request.start', count);
    const { hostname, port } = new URL(trellis.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {}).resume();
    socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\n${header}\r\n`.repeat(800));
    await once(socket, 'close');
    unsubscribe('http.server.request.start', count);
    expect(parsed).toBeLessThan(100);
  },
);

/** Opens connections and, when the number is set, writes to all of them. */
const writer = `
  const { connect } = require('node:net');
  const { once } = require('node:events');
  const { parentPort, workerData: { port, hostname, count, text, state } } = require('node:worker_threads');
  const opened = Array.from({ length: count }, async () => {
    const socket = connect(port, hostname);
    socket.on('error', () => {}).resume();
    await once(socket, 'connect');
    return socket;
  });
  Promise.all(opened).then((sockets) => {
    parentPort.postMessage('opened');
    Atomics.wait(state, 0, 0);
    Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(text, resolve)))).then(() => {
      Atomics.store(state, 1, 1);
      Atomics.notify(state, 1);
    });
  });
`;

it('the chunks of many connections that arrive in one turn are not all looked at', async () => {
  const { hostname, port } = new URL(trellis.url);
  const counted = countCalls();
  const head = 'POST /auth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  const text = head + `10\r\n${' '.repeat(16)}\r\n`.repeat(2_500);
  const state = new Int32Array(new SharedArrayBuffer(8));
  const workerData = { port: Number(port), hostname, count: 40, text, state };
  const worker = new Worker(writer, { eval: true, workerData });
  await once(worker, 'message');
  // They are accepted one by one.
  for (let index = 0; index < 40; index++) await send(trellis, { path: '/healthz', token: null });
  Atomics.store(state, 0, 1);
  Atomics.notify(state, 0);
  // Until all have written, the server does not read.
  Atomics.wait(state, 1, 0);
  await send(trellis, { path: '/healthz', token: null });
  expect(counted()).toBeLessThan(60_000);
  await worker.terminate();
});

it.each([
  ['/auth/token', 'application/x-www-form-urlencoded', undefined],
  ['/graphql', 'application/json', 'Bearer none'],
  ['/healthz', 'application/json', undefined],
])('a body at %s in chunks of single bytes has its connection closed', async (path, type, authorization) => {
  const counted = countCalls();
  const { hostname, port } = new URL(trellis.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.resume();
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n`;
  socket.write(
    `${head}${authorization ? `Authorization: ${authorization}\r\n` : ''}\r\n${'1\r\n \r\n'.repeat(8_000)}`,
  );
  await once(socket, 'close');
  // The chunks after those that are too many are not looked at.
  expect(counted()).toBeLessThan(2_000);
});

it('a body in chunks of some bytes is read', async () => {
  const chunks = [
    '{"query":"{ viewer { ',
    ...Array.from({ length: 1_000 }, () => ' '.repeat(16)),
    'isAdministrator } }"}',
  ];
  expect((await send(trellis, { body: chunks })).body).toEqual({
    data: { viewer: { isAdministrator: true } },
  });
});
