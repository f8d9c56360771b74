import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { change } from '../../src/db/write/change.ts';
import type { Place } from '../support/fixtures.ts';
import { administratorContext } from '../support/jobs.ts';
import { send } from '../support/send.ts';
import { type Subscription, subscribe } from '../support/subscribe.ts';
import { startTrellis, useTrellis } from '../support/trellis.ts';

const mebibyte = 2 ** 20;
const answersBytes = 32 * mebibyte;
const trellis = useTrellis({ limits: { answersBytes } });
let place: Place;
let token: string;
beforeAll(async () => {
  place = await trellis.createPlace();
  token = (await trellis.createMember(place.team.teamId, 'VIEWER')).token;
});

const open = new Set<Pick<Subscription, 'close'>>();
afterEach(async () => {
  for (const each of open) each.close();
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

  it('the rows that they have read', async () => {
    const small = await startTrellis({ limits: { answersBytes: mebibyte } });
    const other = await small.createPlace();
    const ids: string[] = [];
    while (ids.length < 30) ids.push((await small.createApplication(other)).id);
    const query = 'subscription ($ids: [ID!]!) { nodesChanged(ids: $ids) { nodeId } }';
    const subscriptions = await Promise.all(
      Array.from({ length: 40 }, () => subscribe(small, query, { variables: { ids } })),
    );
    const begun = await Promise.all(subscriptions.map(({ hasBegun }) => hasBegun));
    expect(begun).toContain(true);
    expect(begun).toContain(false);
    for (const each of subscriptions) each.close();
    await small.close();
  });
});

/** A subscription whose client stops reading when its first item begins, until `readOn`. */
async function stalledSubscription(query: string, variables: object) {
  const folder = mkdtempSync(join(tmpdir(), 'trellis-held-'));
  const path = join(folder, 'socket');
  // For a client that does not read, the kernel keeps 200 KB at such a socket, and up to 4 MB at one of TCP.
  const server = createServer((socket) => trellis.accept(socket));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const socket = connect(path);
  let text = '';
  let isStalled = true;
  socket.on('data', (chunk) => {
    text += chunk;
    if (isStalled && text.includes('event: next')) socket.pause();
  });
  const body = JSON.stringify({ query, variables });
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nAuthorization: Bearer ${trellis.adminToken}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(() => text).toContain('retry: ');
  return {
    text: () => text,
    readOn() {
      isStalled = false;
      socket.resume();
    },
    close() {
      socket.destroy();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describe('the memory of an item of a subscription', () => {
  it('is counted until its client has read it, and another one ends meanwhile, which misses nothing', async () => {
    const [first, second] = [await trellis.createTeam(), await trellis.createTeam()];
    const texts = Array.from({ length: 5 }, (_, index) => `t${index}: changes { after: newValue }`).join(' ');
    const query = `subscription ($team: TeamRef!) { events(team: $team) { ${texts} } }`;
    const of = ({ teamId }: { teamId: string }) => ({ team: { teamId } });
    const context = await administratorContext(trellis);
    // An item takes four times its text of 2 MB, and those of a user at most half of the memory.
    const record = ({ teamId }: { teamId: string }) =>
      change(context, 'team.update', async ({ recordEvent }) => {
        recordEvent({ subject: { type: 'Team', id: teamId }, teamId, after: { alias: 'x'.repeat(400_000) } });
      });
    const follow = async (lastEventId?: string) => {
      const subscription = await subscribe(trellis, query, { variables: of(second), lastEventId });
      open.add(subscription);
      await subscription.hasBegun;
      return subscription;
    };
    const message = 'The server is handling too many large requests. Try again later.';
    const stalled = await stalledSubscription(query, of(first));
    open.add(stalled);
    const follower = await follow();
    const beginning = follower.lastId();

    await record(first);
    await expect.poll(stalled.text).toContain('event: next');
    await record(second);
    const refused = await follower.next();
    expect(refused?.data.errors[0]).toMatchObject({ message, extensions: { code: 'UNAVAILABLE' } });
    expect(await follower.next()).toBeUndefined();

    stalled.readOn();
    await expect.poll(() => stalled.text().length).toBeGreaterThan(2_000_000);
    // The server learns a moment later that all of it was read.
    await expect.poll(async () => (await (await follow(beginning)).next())?.data.errors).toBeUndefined();
  });
});
