import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, send } from '../support/send.ts';
import { startTrellis, type Trellis, type TrellisOptions } from '../support/trellis.ts';

const body = '{"query":"{ viewer { isAdministrator } }"}';
const bodyLimitBytes = 20_000;
const resources = '/openapi/v1/teams/resource';

let trellis: Trellis;
const sockets: Socket[] = [];
const start = async (http: TrellisOptions['http'], { identity }: { identity?: object } = {}) => {
  trellis = await startTrellis({
    bodyLimitBytes,
    http: { trustProxy: 1, ...http! },
    ...(identity && { identity: identity as TrellisOptions['identity'] }),
  });
};
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  const answers = () => trellis.logged.length;
  await expect.poll(answers).toBeGreaterThan(0);
});

/** Begins a request that is not answered. */
function beginGet(path: string, headers: Record<string, string>): Socket {
  const { hostname, port } = new URL(trellis.url);
  const socket = connect({ host: hostname, port: Number(port) });
  sockets.push(socket);
  const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

/** Begins a request whose body does not arrive, and resolves when the server has begun to handle it. */
async function beginPost(
  path: string,
  { token = trellis.adminToken, address = '192.0.2.1', length = body.length, type = 'application/json' } = {},
) {
  const { hostname, port } = new URL(trellis.url);
  const socket = connect({ host: hostname, port: Number(port) });
  sockets.push(socket);
  socket.on('error', () => {});
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nX-Forwarded-For: ${address}\r\n` +
      `Content-Type: ${type}\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await once(socket, 'data');
  text = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
  return {
    text: () => text,
    write: (part: string) => socket.write(part),
    async end() {
      socket.write(path === '/graphql' ? body : '[]'.padEnd(body.length));
      await expect.poll(() => text).toMatch(/^HTTP\/1\.1 200 /);
    },
  };
}

const post = (token: string, address = '192.0.2.1'): Promise<Answer> =>
  send(trellis, { body, token, headers: { 'X-Forwarded-For': address } });
const refusalOf = ({ status, headers, body }: Answer) => ({
  status,
  retryAfter: headers['retry-after'],
  code: body.errors?.[0].extensions.code,
});
const rateLimited = { status: 429, retryAfter: '1', code: 'RATE_LIMITED' };

describe('requests whose bodies have not arrived', () => {
  beforeAll(() => start({ maxRequests: 3, maxActive: 1 }));
  afterAll(() => trellis?.close());

  it.each(['/graphql', resources, '/mcp'])('take no place of others at %s', async (path) => {
    const begun = [];
    for (let each = 0; each < 3; each++) begun.push(await beginPost(path));
    // A request has a place until its token was looked up.
    await expect.poll(async () => (await post(trellis.adminToken)).status).toBe(200);
    for (const p of ['/healthz', '/readyz']) expect((await send(trellis, { path: p })).status).toBe(200);
    if (path !== '/mcp') for (const each of begun) await each.end();
  });

  it('are UNAVAILABLE when as much of them has arrived as the limits allow', async () => {
    const large = 'x'.repeat(bodyLimitBytes - 1);
    for (let each = 0; each < 3; each++)
      (await beginPost('/graphql', { length: bodyLimitBytes })).write(large);
    const last = await beginPost('/graphql', { length: bodyLimitBytes });
    last.write(large);
    await expect.poll(last.text).toMatch(/^HTTP\/1\.1 503 /);
    expect((await post(trellis.adminToken)).status).toBe(503);
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(async () => (await post(trellis.adminToken)).status).toBe(200);
  });
});

describe('requests of one user', () => {
  beforeAll(() => start({ maxRequests: 100, maxRequestsPerUser: 2 }));
  afterAll(() => trellis?.close());

  it('are RATE_LIMITED beyond the limit with all tokens, and those of others are not', async () => {
    const { secret } = await trellis.succeed('createAccessToken', { name: 'another' }, 'secret');
    const other = await trellis.createPerson();
    const begun = [await beginPost('/graphql'), await beginPost(resources, { token: secret })];
    for (const token of [trellis.adminToken, secret]) {
      await expect.poll(async () => refusalOf(await post(token))).toEqual(rateLimited);
    }
    expect((await post(other.token)).status).toBe(200);
    for (const each of begun) await each.end();
    expect((await post(secret)).status).toBe(200);
  });
});

describe('requests of one address', () => {
  const type = 'application/x-www-form-urlencoded';
  const address = '2001:db8::1';
  beforeAll(() =>
    start(
      { maxRequests: 100, maxRequestsPerAddress: 2 },
      { identity: { begin: () => new Promise(() => {}) } },
    ),
  );
  afterAll(() => trellis?.close());

  it('are RATE_LIMITED beyond the limit before authentication, except for health checks', async () => {
    const headers = { 'X-Forwarded-For': address };
    const begun = [1, 2].map(() => beginGet('/auth/sign-in', headers));
    await expect.poll(async () => (await post('trl_unknown', '2001:db8::2')).status).toBe(429);
    trellis.statements.length = 0;
    for (const token of [trellis.adminToken, 'trl_unknown']) {
      expect(refusalOf(await post(token, '2001:db8::2'))).toEqual(rateLimited);
    }
    expect(trellis.statements).toEqual([]);
    expect((await post(trellis.adminToken, '2001:db8:0:1::1')).status).toBe(200);
    for (const path of ['/healthz', '/readyz']) {
      expect((await send(trellis, { path, headers })).status).toBe(200);
    }
    for (const each of begun) each.destroy();
    await expect.poll(async () => (await post(trellis.adminToken, address)).status).toBe(200);
  });

  it('count for their user alone when it is known', async () => {
    const other = await trellis.createPerson();
    const begun = [];
    for (const path of ['/graphql', resources]) begun.push(await beginPost(path, { address }));
    expect((await post(other.token, address)).status).toBe(200);
    for (const each of begun) await each.end();
  });

  it('without a user take half of the limit while their bodies arrive', async () => {
    await beginPost('/auth/token', { address, type });
    const second = await beginPost('/auth/token', { address, type });
    await expect.poll(second.text).toMatch(/^HTTP\/1\.1 429 /);
    expect((await post(trellis.adminToken, address)).status).toBe(200);
  });
});
