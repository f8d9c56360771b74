import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApplication, createMember, createPlace, type Place } from '../support/fixtures.ts';
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
    const other = await createPlace(small);
    const ids: string[] = [];
    while (ids.length < 30) ids.push((await createApplication(small, other)).id);
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
