import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { change } from '../../src/db/write/change.ts';
import { networkOf } from '../../src/http/client-address.ts';
import { administratorContext } from '../support/jobs.ts';
import { send } from '../support/send.ts';
import { type SentItem, type Subscription, subscribe } from '../support/subscribe.ts';
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
    const person = await trellis.createPerson();
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

describe('requests of one user', () => {
  let trellis: Trellis;
  const requestBurst = 5;
  beforeAll(async () => {
    trellis = await startTrellis({ http: { requestsPerSecond: 0.05, requestBurst } });
  });
  afterAll(() => trellis?.close());

  it('are RATE_LIMITED with all tokens together beyond the burst of two', async () => {
    const person = await trellis.createPerson();
    // Each of these takes two requests of another user.
    const tokens = [person.token, await createTokenOf(trellis, person.userId)];
    tokens.push(await createTokenOf(trellis, person.userId));
    for (const token of tokens.slice(0, 2)) {
      for (let each = 0; each < requestBurst; each++) {
        expect((await send(trellis, { body, token })).status).toBe(200);
      }
    }
    const { status, headers, body: refused } = await send(trellis, { body, token: tokens[2]! });
    expect([status, refused.errors[0].extensions.code]).toEqual([429, 'RATE_LIMITED']);
    expect(headers['ratelimit-policy']).toBe('"user";q=10;w=100');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('items of subscriptions', () => {
  const document = `subscription Events($team: TeamRef!) { events(team: $team) { action } }`;
  const start = async (http: { requestsPerSecond: number; requestBurst: number }) => {
    const trellis = await startTrellis({ http });
    const team = await trellis.createTeam();
    const follow = () => subscribe(trellis, document, { variables: { team: { teamId: team.teamId } } });
    /** Records events without requests. */
    const record = async (count: number) =>
      change(await administratorContext(trellis), 'team.update', async (write) => {
        for (let index = 0; index < count; index++) {
          const subject = { type: 'Team' as const, id: team.teamId };
          write.recordEvent({ subject, teamId: team.teamId, after: { alias: `${index}` } });
        }
      });
    return { trellis, follow, record };
  };
  const actionOf = (item: SentItem | undefined) => item?.data?.data?.events.action;

  it('wait beyond the burst, and are not lost', async () => {
    const { trellis, follow, record } = await start({ requestsPerSecond: 20, requestBurst: 20 });
    const subscription = await follow();
    await record(50);
    for (let each = 0; each < 50; each++) expect(actionOf(await subscription.next())).toBe('team.update');
    subscription.close();
    await trellis.close();
  });

  it('do not arrive beyond the burst, take nothing of the requests, and end with the server', async () => {
    // A window of 1000 s: it does not end while the test runs.
    const { trellis, follow, record } = await start({ requestsPerSecond: 0.02, requestBurst: 20 });
    const [one, two] = [await follow(), await follow()];
    await record(30);
    let arrived = 0;
    const read = async (subscription: Subscription) => {
      while (actionOf(await subscription.next())) arrived++;
    };
    const reading = [read(one), read(two)];
    await expect.poll(() => arrived).toBe(20);
    expect((await send(trellis, { body })).status).toBe(200);
    await trellis.close();
    await Promise.all(reading);
    expect(arrived).toBe(20);
  });
});

describe('subscriptions of one user', () => {
  it('are limited with all tokens together to as many as two may have', async () => {
    const trellis = await startTrellis({ http: { maxSubscriptionsPerToken: 2 } });
    const team = await trellis.createTeam();
    const { userId } = (await trellis.data('{ viewer { user { userId: uid } } }')).viewer.user;
    const open: Subscription[] = [];
    const follow = async (token: string) => {
      const variables = { team: { teamId: team.teamId } };
      const next = await subscribe(
        trellis,
        'subscription($team: TeamRef!) { events(team: $team) { action } }',
        {
          variables,
          token,
        },
      );
      open.push(next);
      return next;
    };
    for (let token = 0; token < 2; token++) {
      const secret = await createTokenOf(trellis, userId);
      for (let each = 0; each < 2; each++) {
        const next = await follow(secret);
        await expect.poll(() => next.lastId()).toBeDefined();
      }
    }
    const another = await createTokenOf(trellis, userId);
    const refusal = await (await follow(another)).next();
    expect(refusal?.data.errors[0].extensions.code).toBe('LIMIT_EXCEEDED');
    open[0]!.close();
    const codeOfNext = async () => {
      const next = await follow(another);
      const item = next.next().then((refused) => refused?.data.errors[0].extensions.code);
      const isOpen = expect.poll(() => next.lastId()).toBeDefined();
      return Promise.race([item, isOpen.then(() => 'open')]);
    };
    await expect.poll(codeOfNext).toBe('open');
    for (const each of open) each.close();
    await trellis.close();
  });
});

const createTokenOf = async (trellis: Trellis, userId: number) =>
  (await trellis.succeed('createAccessToken', { user: { userId }, name: 'other' }, 'secret')).secret;

describe('failed authentications', () => {
  let trellis: Trellis;
  const failedAuthenticationsPerMinute = 5;
  beforeAll(async () => {
    trellis = await startTrellis({ http: { failedAuthenticationsPerMinute, trustProxy: 1 } });
  });
  afterAll(() => trellis?.close());

  const ask = (from: string, token: string | null, path?: string) =>
    send(trellis, { ...(path ? { path } : { body }), token, headers: { 'X-Forwarded-For': from } });

  it('from one address are RATE_LIMITED, unless they turn out to be none', async () => {
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
    // One look-up for each, by hash.
    expect(trellis.statements).toHaveLength(3);
    const owner = (await trellis.createPerson()).userId;
    const valid = await createTokenOf(trellis, owner);
    expect((await ask(from, valid, '/openapi/v1/teams')).status).toBe(200);
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
