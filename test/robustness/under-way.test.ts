import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type HeldStore, startHeldStore } from '../support/held-store.ts';
import { send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';

const maxRequests = 3;
const trellis = useTrellis({ http: { maxRequests } });
let store: HeldStore;
let appId: number;
beforeAll(async () => {
  appId = (await trellis.createApplication(await trellis.createPlace())).appId;
});
beforeEach(async () => {
  store = await startHeldStore();
});
afterEach(() => store.close());

describe('running requests', () => {
  it('fail with UNAVAILABLE before parsing beyond the limit, except for probes', async () => {
    const installs = Array.from({ length: maxRequests }, () => send(trellis, { body: store.install(appId) }));
    // Calls of one team wait for each other: at least one of them has arrived.
    await store.holds(1);
    await expect.poll(async () => (await send(trellis, { path: '/openapi/v1/teams' })).status).toBe(503);
    trellis.statements.length = 0;
    for (const token of [trellis.adminToken, null, 'trl_unknown']) {
      const graphql = await send(trellis, { body: '{"query":"{ teams { totalCount } }"}', token });
      expect([graphql.status, graphql.headers['retry-after']]).toEqual([503, '1']);
      expect(graphql.body.errors[0].extensions.code).toBe('UNAVAILABLE');
      const rest = await send(trellis, { path: '/openapi/v1/teams', token });
      expect([rest.status, rest.headers['retry-after'], rest.body.code]).toEqual([503, '1', 'UNAVAILABLE']);
    }
    // The installs go on meanwhile, but nobody looks up a token.
    expect(trellis.statements.filter((text) => text.includes('"hash"'))).toEqual([]);
    expect((await send(trellis, { path: '/healthz' })).status).toBe(200);
    expect((await send(trellis, { path: '/readyz' })).status).toBe(200);
    store.release();
    for (const { status } of await Promise.all(installs)) expect(status).toBe(200);
    expect((await send(trellis, { path: '/openapi/v1/teams' })).status).toBe(200);
  });

  it('are cancelled when the client disconnects, and install nothing', async () => {
    const before = await trellis.counts();
    const { hostname, port } = new URL(trellis.url);
    const body = store.install(appId);
    const sent = request({
      hostname,
      port,
      path: '/graphql',
      method: 'POST',
      headers: { Authorization: `Bearer ${trellis.adminToken}`, 'Content-Type': 'application/json' },
    });
    sent.on('error', () => {});
    sent.end(body);
    await store.holds(1);
    sent.destroy();
    await expect.poll(() => store.brokenOff()).toBe(1);
    expect(await trellis.counts()).toEqual(before);
    // A client that went away is no fault of the server.
    expect(trellis.logged.filter(({ level }) => level >= 50)).toEqual([]);
  });

  it('are cancelled with those that wait for their answers on the same connection', async () => {
    const { hostname, port } = new URL(trellis.url);
    const head = `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${trellis.adminToken}\r\nContent-Type: application/json\r\n`;
    const requestOf = (body: string) => `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
    const read = '{"query":"{ teams { totalCount } }"}';
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write([store.install(appId), read, read].map(requestOf).join(''));
    await store.holds(1);
    // All places are taken.
    await expect.poll(async () => (await send(trellis, { body: read })).status).toBe(503);
    socket.destroy();
    await expect.poll(() => store.brokenOff()).toBe(1);
    const install = send(trellis, { body: store.install(appId) });
    await store.holds(1);
    await expect.poll(async () => (await send(trellis, { body: read })).status).toBe(200);
    store.release();
    expect((await install).status).toBe(200);
  });
});
