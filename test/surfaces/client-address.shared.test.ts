import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createClientAddress, type TrustProxy } from '../../src/http/client-address.ts';
import { send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';

const addressOf = (trust: TrustProxy, remoteAddress: string, forwarded?: string) =>
  createClientAddress(trust)({
    socket: { remoteAddress },
    headers: { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage);

describe('the address of a client', () => {
  it.each<[trust: TrustProxy, remote: string, forwarded: string | undefined, address: string]>([
    [[], '192.0.2.1', undefined, '192.0.2.1'],
    [[], '::ffff:192.0.2.1', undefined, '192.0.2.1'],
    [[], 'fe80::1%eth0', undefined, 'fe80::1'],
    [[], '10.0.0.1', '192.0.2.1', '10.0.0.1'],
    [0, '10.0.0.1', '192.0.2.1', '10.0.0.1'],
    [1, '10.0.0.1', '192.0.2.1', '192.0.2.1'],
    [1, '10.0.0.1', '203.0.113.9, 192.0.2.1', '192.0.2.1'],
    [2, '10.0.0.1', '203.0.113.9, 192.0.2.1, 10.0.0.2', '192.0.2.1'],
    [5, '10.0.0.1', '192.0.2.1', '192.0.2.1'],
    [1, '10.0.0.1', undefined, '10.0.0.1'],
    [1, '10.0.0.1', 'unknown', '10.0.0.1'],
    [1, '10.0.0.1', '192.0.2.1:51234', '192.0.2.1'],
    [1, '10.0.0.1', '[2001:DB8::1]:443', '2001:db8::1'],
    [['10.0.0.0/8'], '10.0.0.1', '203.0.113.9, 192.0.2.1, 10.9.9.9', '192.0.2.1'],
    [['10.0.0.0/8'], '::ffff:10.0.0.1', '192.0.2.1', '192.0.2.1'],
    [['10.0.0.0/8'], '192.0.2.7', '203.0.113.9', '192.0.2.7'],
    [['10.0.0.0/8'], '10.0.0.1', '192.0.2.1, nonsense', '10.0.0.1'],
    [['10.0.0.0/8', '::1'], '::1', '192.0.2.1, 10.0.0.3', '192.0.2.1'],
    [['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    [['2001:db8::/32'], '2001:db8::5', '2001:db9::1', '2001:db9::1'],
  ])(
    'with the proxies %j, of a connection from %s that forwards for %s, is %s',
    (trust, remote, forwarded, address) => {
      expect(addressOf(trust, remote, forwarded)).toBe(address);
    },
  );
});

describe('the last address of a user', () => {
  const trellis = useTrellis({ http: { trustProxy: ['127.0.0.1'] } });

  const body = '{"query":"{ viewer { user { clientIp } } }"}';

  it('is that of the last request with one of its tokens, on both surfaces', async () => {
    const { token, userId } = await trellis.createPerson({ isAdministrator: true });
    const from = async (address: string, sent: Parameters<typeof send>[1]) =>
      send(trellis, { ...sent, token, headers: { 'X-Forwarded-For': `203.0.113.1, ${address}` } });
    const restIp = async () => {
      const { body } = await send(trellis, { path: '/openapi/v1/administrators?page_size=100' });
      return body.users.find((user: any) => user.user_id === userId).client_ip;
    };
    const events = (await trellis.counts()).event;
    await from('192.0.2.1', { body });
    await expect.poll(restIp).toBe('192.0.2.1');
    const graphql = async () => (await from('2001:db8::7', { body })).body.data.viewer.user.clientIp;
    await expect.poll(graphql, { timeout: 90_000 }).toBe('2001:db8::7');
    await expect
      .poll(
        async () => {
          await from('192.0.2.3', { path: '/openapi/v1/teams' });
          return restIp();
        },
        { timeout: 90_000 },
      )
      .toBe('192.0.2.3');
    expect((await trellis.counts()).event).toBe(events);
  });

  it('is written once, however often the token is used', async () => {
    const { token } = await trellis.createPerson();
    trellis.statements.length = 0;
    for (let times = 0; times < 20; times++) await send(trellis, { body, token });
    await expect
      .poll(() => trellis.statements.filter((text) => /^UPDATE .*"?user"?/i.test(text)).length)
      .toBe(1);
  });

  it('is logged with the request', async () => {
    const headers = { 'X-Forwarded-For': '192.0.2.77', 'X-Request-Id': 'from-192.0.2.77' };
    await send(trellis, { path: '/healthz', headers });
    await expect
      .poll(() => trellis.logged.find(({ requestId }) => requestId === 'from-192.0.2.77'))
      .toMatchObject({ clientAddress: '192.0.2.77' });
  });
});
