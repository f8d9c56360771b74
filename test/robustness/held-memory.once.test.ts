import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { change } from '../../src/db/write/change.ts';
import { createMember, createPlace, type Place } from '../support/fixtures.ts';
import { administratorContext } from '../support/jobs.ts';
import { send } from '../support/send.ts';
import { type Subscription, subscribe } from '../support/subscribe.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

const mebibyte = 2 ** 20;
const answersBytes = 32 * mebibyte;
let trellis: Trellis;
let place: Place;
let token: string;
beforeAll(async () => {
  trellis = await startTrellis({ limits: { answersBytes } });
  place = await createPlace(trellis);
  token = (await createMember(trellis, place.team.teamId, 'VIEWER')).token;
});
afterAll(() => trellis?.close());

const open = new Set<Subscription>();
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const each of open) each.close();
  for (const each of sockets) each.destroy();
  open.clear();
  await expect.poll(() => trellis.services.feeds.size).toBe(0);
});

describe('a body with more values than a request may have is refused by', () => {
  const values = `[${'[],'.repeat(100_000)}[]]`;
  const junk = `{"variables":{"unused":${values}},"query":"{ viewer { isAdministrator } }"}`;
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_viewer","arguments":${values}}}`;
  it.each([
    ['/graphql', junk, {}],
    ['/graphql', junk, { Accept: 'text/event-stream' }],
    ['/mcp', call, {}],
    ['/api/v1/update-user', `{"name":${values}}`, {}],
    ['/openapi/v1/teams/resource', values, {}],
  ])('%s', async (path, body, headers) => {
    const { text } = await send(trellis, { path, body, token, headers });
    expect(text.slice(0, 500)).toContain('The request exceeds the limit of 100000 values in its JSON.');
  });
});

describe('memory of open subscriptions is counted:', () => {
  const variables = () => ({ team: { teamId: place.team.teamId } });
  const document = 'subscription ($team: TeamRef!) { events(team: $team) { action } }';

  /** Opens subscriptions until one is refused, and returns how many there are. */
  async function openAll(most: number, of: (index: number) => [query: string, variables: object]) {
    for (let index = 0; index < most; index++) {
      const [query, given] = of(index);
      const subscription = await subscribe(trellis, query, { token, variables: given });
      if (await subscription.hasBegun) open.add(subscription);
      else {
        const { errors } = (await subscription.next())!.data;
        expect(errors[0].extensions.code).toBe('UNAVAILABLE');
        return index;
      }
    }
    return most;
  }
  const closeAll = async () => {
    for (const each of open) each.close();
    open.clear();
    await expect.poll(() => trellis.services.feeds.size).toBe(0);
  };

  it('what they were sent', async () => {
    const unused = 'x'.repeat(1_000_000);
    const large = () => openAll(30, () => [document, { ...variables(), unused }]);
    const first = await large();
    expect(first).toBeLessThanOrEqual(answersBytes / 3_000_000);
    await closeAll();
    expect(await large()).toBe(first);
    await closeAll();
    expect(await openAll(30, () => [document, variables()])).toBe(30);
  });

  it('their documents, each once', async () => {
    const selection = Array.from({ length: 900 }, (_, index) => `a${index}: action`).join(' ');
    const large = document.replace('action', selection);
    expect(await openAll(60, () => [large, variables()])).toBe(60);
    await closeAll();
    expect(await openAll(60, (index) => [`${large} # ${index}`, variables()])).toBeLessThan(60);
  });

  it('an item that the client has not read', async () => {
    await change(await administratorContext(trellis), 'team.update', async ({ recordEvent }) => {
      recordEvent({
        subject: { type: 'Team', id: place.team.teamId },
        teamId: place.team.teamId,
        after: { alias: 'x'.repeat(400_000) },
      });
    });
    const texts = Array.from({ length: 15 }, (_, index) => `t${index}: changes { after }`).join(' ');
    const query = `query ($team: TeamRef!) { team(by: $team) { events(first: 1) { nodes { ${texts} } } } }`;
    const read = async () =>
      (await send(trellis, { body: JSON.stringify({ query, variables: variables() }), token })).body
        .errors?.[0].extensions.code;
    expect(await read()).toBeUndefined();

    const followed = document.replace('action', texts);
    const begun = await subscribe(trellis, document, { token, variables: variables() });
    await begun.hasBegun;
    const first = begun.lastId()!;
    begun.close();
    const body = JSON.stringify({ query: followed, variables: variables() });
    const { hostname, port } = new URL(trellis.url);
    const socket = connect(Number(port), hostname);
    sockets.add(socket);
    socket.pause();
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\nLast-Event-ID: ${first}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await change(await administratorContext(trellis), 'team.update', async ({ recordEvent }) => {
      recordEvent({
        subject: { type: 'Team', id: place.team.teamId },
        teamId: place.team.teamId,
        after: { alias: 'y'.repeat(400_000) },
      });
    });
    await expect.poll(read).toBe('UNAVAILABLE');
    socket.destroy();
    await expect.poll(read).toBeUndefined();
  });
});
