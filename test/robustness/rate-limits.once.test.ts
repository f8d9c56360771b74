import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { networkOf } from '../../src/http/client-address.ts';
import { createPerson, succeed } from '../support/fixtures.ts';
import { send } from '../support/send.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

const body = '{"query":"{ viewer { isAdministrator } }"}';

describe('requests of one token', () => {
  let trellis: Trellis;
  // A window of 100 s: it does not end while the test runs.
  const requestBurst = 10;
  beforeAll(async () => {
    trellis = await startTrellis({ http: { requestsPerSecond: 0.1, requestBurst } });
  });
  afterAll(() => trellis?.close());

  it('are RATE_LIMITED beyond the burst on every surface, and other tokens are not', async () => {
    const person = await createPerson(trellis);
    const { token } = person;
    const paths = ['/openapi/v1/teams', '/app-server/openapi/apps/none'];
    let left = requestBurst;
    const expectLeft = (headers: Record<string, string>) => {
      expect(headers['ratelimit-policy']).toBe('"token";q=10;w=100');
      expect(headers.ratelimit).toMatch(new RegExp(`^"token";r=${--left};t=\\d+$`));
    };
    for (const path of paths) expectLeft((await send(trellis, { path, token })).headers);
    while (left > 0) expectLeft((await send(trellis, { body, token })).headers);

    trellis.statements.length = 0;
    const graphql = await send(trellis, { body, token });
    expect(graphql.status).toBe(429);
    expect(graphql.body.errors[0].extensions.code).toBe('RATE_LIMITED');
    const get = await send(trellis, { path: '/graphql?query=%7B__typename%7D', token });
    expect([get.status, get.body.errors[0].extensions.code]).toEqual([429, 'RATE_LIMITED']);
    for (const answer of [graphql, get]) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    for (const path of paths) {
      const answer = await send(trellis, { path, token });
      expect([answer.status, answer.body.code]).toEqual([429, 'RATE_LIMITED']);
      expect(answer.headers['content-type']).toBe('application/problem+json');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(answer.headers.ratelimit).toMatch(/^"token";r=0;t=\d+$/);
    }
    expect(trellis.statements).toEqual([]);
    const other = await createTokenOf(trellis, person.userId);
    expect((await send(trellis, { body, token: other })).status).toBe(200);
    expect((await send(trellis, { path: '/healthz', token })).status).toBe(200);
  });
});

const createTokenOf = async (trellis: Trellis, userId: number) =>
  (await succeed(trellis, 'createAccessToken', { user: { userId }, name: 'other' }, 'secret')).secret;

describe('failed authentications', () => {
  let trellis: Trellis;
  const failedAuthenticationsPerMinute = 5;
  beforeAll(async () => {
    trellis = await startTrellis({ http: { failedAuthenticationsPerMinute, trustProxy: 1 } });
  });
  afterAll(() => trellis?.close());

  const ask = (from: string, token: string | null, path?: string) =>
    send(trellis, { ...(path ? { path } : { body }), token, headers: { 'X-Forwarded-For': from } });

  it('from one address are RATE_LIMITED without a database lookup', async () => {
    const from = '192.0.2.1';
    expect((await ask(from, trellis.adminToken)).status).toBe(200);
    for (let times = 0; times < failedAuthenticationsPerMinute; times++) {
      expect(
        (await ask(from, `trl_unknown_${times}`, times % 2 ? '/openapi/v1/teams' : undefined)).status,
      ).toBe(401);
    }
    trellis.statements.length = 0;
    const graphql = await ask(from, 'trl_unknown_more');
    expect([graphql.status, graphql.body.errors[0].extensions.code]).toEqual([429, 'RATE_LIMITED']);
    const rest = await ask(from, 'trl_unknown_more', '/openapi/v1/teams');
    expect([rest.status, rest.body.code]).toEqual([429, 'RATE_LIMITED']);
    const store = await ask(from, 'trl_unknown_more', '/app-server/openapi/apps/x');
    expect([store.status, store.body.code]).toEqual([429, 'RATE_LIMITED']);
    for (const { headers } of [graphql, rest, store]) {
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(headers['ratelimit-policy']).toBe('"failed-authentications";q=5;w=60');
    }
    expect(trellis.statements).toEqual([]);
    // What was accepted before is no guess; no token is none either; others are not to blame.
    expect((await ask(from, trellis.adminToken)).status).toBe(200);
    expect((await ask(from, null)).status).toBe(401);
    expect((await ask('192.0.2.2', 'trl_unknown_more')).status).toBe(401);
  });

  it('from one /64 of IPv6 are counted together', async () => {
    for (let times = 0; times < failedAuthenticationsPerMinute; times++) {
      expect((await ask(`2001:db8:0:7::${times + 1}`, 'trl_unknown')).status).toBe(401);
    }
    expect((await ask('2001:db8:0:7:ffff::1', 'trl_unknown')).status).toBe(429);
    expect((await ask('2001:db8:0:8::1', 'trl_unknown')).status).toBe(401);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['2001:0DB8:0000:0001::', '2001:db8:0:1::/64'],
  ])('from %s are counted for %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
