import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { send } from '../support/send.ts';
import { subscribe } from '../support/subscribe.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
const objects = 100;
let appId: number;
beforeAll(async () => {
  const place = await trellis.createPlace();
  const components = Array.from({ length: objects }, (_, index) => `  c${index}: { image: nginx }\n`);
  const input = {
    team: { teamId: place.team.teamId },
    region: { regionId: place.region.regionId },
    document: `application: Large\ncomponents:\n${components.join('')}`,
  };
  const { application } = await trellis.succeed('applyManifest', input, 'application { appId: uid }');
  appId = application.appId;
});
afterEach(() => vi.restoreAllMocks());

const aliases = Array.from({ length: 200 }, (_, index) => `a${index}: team { id name }`).join(' ');
const selection = `components(first: ${objects}) { nodes { ${aliases} } }`;
const failing = 'release(by: { id: "none" }) { id }';

/** The length of the longest text that `JSON.stringify` writes meanwhile: others wait until it is written. */
async function longestDuring(work: () => Promise<unknown>): Promise<number> {
  const spy = vi.spyOn(JSON, 'stringify');
  await work();
  return Math.max(...spy.mock.results.map(({ value }) => (typeof value === 'string' ? value.length : 0)));
}

const requests: [string, (query: string) => Parameters<typeof send>[1]][] = [
  ['POST', (query) => ({ body: JSON.stringify({ query }) })],
  ['GET', (query) => ({ path: `/graphql?query=${encodeURIComponent(query)}` })],
];

it.each(requests)('writes a large answer to %s in short pieces', async (_, requestOf) => {
  const query = `{ application(by: { appId: ${appId} }) { ${selection} } ${failing} }`;
  let text = '';
  const longest = await longestDuring(async () => {
    ({ text } = await send(trellis, requestOf(query)));
  });
  const { data, errors } = JSON.parse(text);
  expect(data.application.components.nodes).toHaveLength(objects);
  expect(Object.keys(data.application.components.nodes.at(-1))).toHaveLength(200);
  expect(errors).toEqual([
    expect.objectContaining({
      path: ['release'],
      locations: [{ line: 1, column: query.indexOf('release') + 1 }],
    }),
  ]);
  expect(text.length).toBeGreaterThan(1_000_000);
  expect(longest).toBeLessThan(200_000);
});

it('sends a large answer in short parts, with all of its characters', async () => {
  const note = '🙂é'.repeat(500);
  await trellis.succeed('updateApplication', { application: { appId }, note }, '__typename');
  const many = Array.from({ length: 700 }, (_, index) => `a${index}: note`).join(' ');
  const query = `{ application(by: { appId: ${appId} }) { ${many} } }`;
  const spy = vi.spyOn(Buffer, 'byteLength');
  const { body, headers, text } = await send(trellis, { body: JSON.stringify({ query }) });
  const longest = Math.max(...spy.mock.calls.map(([sent]) => (typeof sent === 'string' ? sent.length : 0)));
  expect(Object.values(body.data.application)).toEqual(Array(700).fill(note));
  expect(text.length).toBeGreaterThan(1_000_000);
  expect(Number(headers['content-length'])).toBe(Buffer.from(text).length);
  expect(longest).toBeLessThan(200_000);
});

it('writes a large item of a subscription in short pieces', async () => {
  const document = `subscription { applicationChanged(application: { appId: ${appId} }) { ${selection} } }`;
  let length = 0;
  const longest = await longestDuring(async () => {
    const subscription = await subscribe(trellis, document, { lastEventId: 'any' });
    const item = await subscription.next();
    length = item?.data.data.applicationChanged.components.nodes.length;
    subscription.close();
  });
  expect(length).toBe(objects);
  expect(longest).toBeLessThan(200_000);
});
