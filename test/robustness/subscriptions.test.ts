import { connect } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { change } from '../../src/db/write/change.ts';
import { type Place, unique } from '../support/fixtures.ts';
import { administratorContext } from '../support/jobs.ts';
import { type SentItem, type Subscription, subscribe, until } from '../support/subscribe.ts';
import { startTrellis, useTrellis } from '../support/trellis.ts';

const events = `subscription Events($team: TeamRef!) {
  events(team: $team) { id action team { name componentCount } changes { field after: newValue } }
}`;

const trellis = useTrellis({
  http: { maxRequests: 20, maxSubscriptionsPerToken: 60, maxSubscriptions: 70 },
  // However slow the machine is, statements are counted while they are shared.
  shareMs: 600_000,
});
let place: Place;
beforeAll(async () => {
  place = await trellis.createPlace();
});

const open = new Set<Subscription>();
afterEach(async () => {
  for (const subscription of open) subscription.close();
  open.clear();
  await expect.poll(() => trellis.services.feeds.size, { timeout: 90_000 }).toBe(0);
});

const follow = async (options: { token?: string; lastEventId?: string | undefined } = {}) => {
  const variables = { team: { teamId: place.team.teamId } };
  const subscription = await subscribe(trellis, events, { variables, ...options });
  open.add(subscription);
  return subscription;
};
const rename = (alias = unique('alias')) =>
  trellis.succeed('updateTeam', { team: { teamId: place.team.teamId }, alias }, 'team { alias }');
const codeOf = (item: SentItem | undefined) => item?.data?.errors?.[0].extensions.code;
const actionOf = (item: SentItem | undefined) => item?.data?.data?.events.action;

/** Records events of the team, in one transaction. */
const recordMany = async (count: number, text = '') =>
  change(await administratorContext(trellis), 'team.update', async (write) => {
    for (let index = 0; index < count; index++) {
      const subject = { type: 'Team' as const, id: place.team.teamId };
      write.recordEvent({ subject, teamId: place.team.teamId, after: { alias: `${text}${index}` } });
    }
  });

describe('many subscriptions', () => {
  it('are not requests in progress', async () => {
    const subscriptions = await Promise.all(Array.from({ length: 15 }, () => follow()));
    subscriptions.push(...(await Promise.all(Array.from({ length: 15 }, () => follow()))));
    await rename();
    for (const subscription of subscriptions) expect(actionOf(await subscription.next())).toBe('team.update');
  });

  it('outlast the time limit of requests, and get signs of life', async () => {
    const hasty = await startTrellis({ http: { heartbeatMs: 200 }, limits: { requestTimeoutMs: 2_000 } });
    const team = await hasty.createTeam();
    const subscription = await subscribe(hasty, events, { variables: { team: { teamId: team.teamId } } });
    // Longer than the limit.
    await expect.poll(() => subscription.comments(), { timeout: 90_000 }).toBeGreaterThan(10);
    await hasty.succeed('updateTeam', { team: { teamId: team.teamId }, alias: 'A' }, 'team { alias }');
    expect(actionOf(await subscription.next())).toBe('team.update');
    subscription.close();
    await hasty.close();
  });

  it('of one team read a change with as many statements as one subscription', async () => {
    const members = await Promise.all(
      Array.from({ length: 10 }, () => trellis.createMember(place.team.teamId, 'VIEWER')),
    );
    const count = async (subscriptions: readonly Subscription[]) => {
      const all = (items: readonly Subscription[]) => Promise.all(items.map((each) => each.next()));
      await rename();
      await all(subscriptions);
      trellis.statements.length = 0;
      await rename();
      await all(subscriptions);
      return trellis.statements.length;
    };
    const followAll = async (number: number) => {
      const made: Subscription[] = [];
      for (let index = 0; index < number; index += 10) {
        made.push(...(await Promise.all(members.map(({ token }) => follow({ token })))));
      }
      return made;
    };
    const one = [await follow({ token: members[0]!.token })];
    const least = await count(one);
    const many = [...one, ...(await followAll(50))];
    expect(await count(many)).toBe(least);
  });

  it('beyond the limits are refused', async () => {
    const begun: Subscription[] = [];
    const refused = async (code: string, token?: string) => {
      for (;;) {
        const next = await follow(token === undefined ? {} : { token });
        if (await next.hasBegun) {
          begun.push(next);
          continue;
        }
        expect(codeOf(await next.next())).toBe(code);
        next.close();
        return;
      }
    };
    await refused('LIMIT_EXCEEDED');
    expect(begun.length).toBe(60);
    const member = await trellis.createMember(place.team.teamId, 'VIEWER');
    await refused('UNAVAILABLE', member.token);
    expect(begun.length).toBe(70);
    for (const subscription of begun) subscription.close();
    const status = async () => {
      const next = await follow();
      next.close();
      return next.status;
    };
    await expect.poll(status).toBe(200);
  });
});

describe('a client that falls behind', () => {
  it('gets what it has not read from the record, with bounded memory', async () => {
    const subscription = await follow();
    await recordMany(2_100);
    const ids = new Set<number>();
    const items = await until(subscription, (item) => {
      expect(item.data.errors).toBeUndefined();
      ids.add(item.data.data.events.id);
      return ids.size === 2_100;
    });
    expect(items.length).toBe(2_100);
  });

  it('gets large events, of which few are in memory', async () => {
    const before = await follow();
    await rename();
    const lastEventId = (await before.next())?.id;
    before.close();
    await recordMany(12, 'x'.repeat(500_000));
    const resumed = await follow({ lastEventId });
    const numbers: string[] = [];
    for (let index = 0; index < 12; index++) {
      const { changes } = (await resumed.next())!.data.data.events;
      numbers.push(String(changes[0].after).replace(/^x*/, ''));
    }
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, index) => String(index)));
  });

  it('and disconnects in the middle leaves nothing', async () => {
    const { port } = new URL(trellis.url);
    const sockets = Array.from({ length: 20 }, () => connect(Number(port), '127.0.0.1'));
    const body = JSON.stringify({ query: events, variables: { team: { teamId: place.team.teamId } } });
    for (const socket of sockets) {
      socket.on('error', () => {});
      // Never reads.
      socket.pause();
      socket.write(
        `POST /graphql HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nAuthorization: Bearer ${trellis.adminToken}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    }
    const { feeds } = trellis.services;
    // Until they have begun they are requests in progress, beside which there is no room for another.
    await expect.poll(() => feeds.size, { timeout: 90_000 }).toBe(sockets.length);
    const healthy = await follow();
    await recordMany(200, 'x'.repeat(2_000));
    for (let index = 0; index < 200; index++) {
      expect((await healthy.next())?.data).toMatchObject({ data: { events: { action: 'team.update' } } });
    }
    for (const socket of sockets) socket.destroy();
    healthy.close();
    await expect.poll(() => feeds.size, { timeout: 90_000 }).toBe(0);
    expect((await trellis.graphql('{ viewer { isAdministrator } }')).errors).toBeUndefined();
  });
});
