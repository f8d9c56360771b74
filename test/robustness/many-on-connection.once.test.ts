import { createHook } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
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

it.each([
  ['/auth/token', 'application/x-www-form-urlencoded', undefined],
  ['/graphql', 'application/json', 'Bearer none'],
  ['/healthz', 'application/json', undefined],
])('a body at %s in chunks of single bytes has its connection closed', async (path, type, authorization) => {
  const parsers = new Set<number>();
  let called = 0;
  const calls = createHook({
    init: (id, kind) => void (kind === 'HTTPINCOMINGMESSAGE' && parsers.add(id)),
    before: (id) => void (parsers.has(id) && called++),
  }).enable();
  const { hostname, port } = new URL(trellis.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.resume();
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n`;
  socket.write(
    `${head}${authorization ? `Authorization: ${authorization}\r\n` : ''}\r\n${'1\r\n \r\n'.repeat(8_000)}`,
  );
  await once(socket, 'close');
  calls.disable();
  // The chunks after those that are too many are not looked at.
  expect(called).toBeLessThan(2_000);
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
