import type { GraphQLObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { routes, schema } from '../../src/api.ts';
import { type ChangeCase, everyChange } from '../support/every-change.ts';
import { unique } from '../support/fixtures.ts';
import { titles as allTitles, atOf, examplesOf, routeOf, type Scene } from '../support/rest-examples.ts';
import { createScene } from '../support/rest-scene.ts';
import { selectionOf } from '../support/selections.ts';
import { type Answer, send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';

const mutations = Object.values(schema.getMutationType()!.getFields());

const trellis = useTrellis();
let changes: Record<string, ChangeCase>;
beforeAll(async () => {
  changes = await everyChange(trellis, await trellis.createAll());
});

const isReplayed = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';

/** What an answer holds apart from the figures of the last hour, which ends with the minute of the read. */
const withoutFigures = (body: unknown) =>
  JSON.parse(
    JSON.stringify(body, (key, value) =>
      key === 'usageHistory' || key === 'trafficHistory' ? undefined : value,
    ),
  );

const eventCount = async () =>
  Number((await trellis.services.db.query('SELECT count(*) FROM event', []))[0]![0]);

/**
 * The answer that a request would have sent, if the process had not ended after the commit: it is neither stored nor
 * sent.
 */
async function endedAfterCommit(request: () => Promise<Answer>): Promise<any> {
  const { seal } = trellis.services;
  const { close } = seal;
  let made: { status: number; body: string } | undefined;
  seal.close = (plain) => {
    if (!plain.startsWith('{"status":')) return close(plain);
    made = JSON.parse(plain);
    throw new Error('The answer is not stored.');
  };
  const sent = await request().finally(() => {
    seal.close = close;
  });
  expect([sent.status, made!.status], made!.body).toEqual([503, 200]);
  expect(isReplayed(sent)).toBe(false);
  return JSON.parse(made!.body);
}

/** Payloads select what they return, and objects in it. */
function documentOf(name: string): string {
  const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  const payload = schema.getType(`${title}Payload`) as GraphQLObjectType;
  return `mutation M($input: ${title}Input!) { result: ${name}(input: $input) {
    __typename ... on ${title}Payload { ${selectionOf(payload, 2)} } ... on Error { code message } } }`;
}

describe('a repeated mutation', () => {
  it.each(mutations.map(({ name }) => name))('%s changes once', async (name) => {
    const input = await changes[name]!.input();
    const key = unique('key');
    const request = () =>
      send(trellis, {
        headers: { 'Idempotency-Key': key },
        body: JSON.stringify({ query: documentOf(name), variables: { input } }),
      });
    trellis.statements.length = 0;
    const first = await endedAfterCommit(request);
    expect(first.errors).toBeUndefined();
    expect(first.data.result.__typename).toMatch(/Payload$/);
    // What is stored is complete before the commit: nothing is read between the change and it.
    const stored = trellis.statements.findIndex((text) => /INSERT INTO "?idempotency_result/.test(text));
    expect(trellis.statements[stored - 1]).toMatch(
      /INSERT INTO "(event|webhook_delivery)"|UPDATE "application"/,
    );

    const events = await eventCount();
    // Made again from what the change returned.
    const second = await request();
    expect(withoutFigures(second.body)).toEqual(withoutFigures(first));
    expect(isReplayed(second)).toBe(true);
    expect(await eventCount()).toBe(events);
  });
});

describe('a repeated REST operation', () => {
  const titles = allTitles.filter((title) => routeOf(title).change);

  let scene: Scene;
  beforeAll(async () => {
    scene = await createScene(trellis);
  });

  it('is every one that changes something', () => {
    const others = routes.filter(({ method, change }) => method !== 'get' && !change);
    expect(others.map(({ operationId }) => operationId)).toEqual(['listTeamResources']);
    expect(new Set(titles.map((title) => routeOf(title).operationId)).size).toBe(
      routes.filter(({ change }) => change).length,
    );
  });

  it.each(titles)('%s changes once', async (title) => {
    // The others need the port.
    const example = examplesOf(title === 'deletePort' ? await createScene(trellis) : scene)[title];
    const [method, path] = atOf(example).split(' ') as [string, string];
    const key = unique('key');
    const request = () =>
      send(trellis, {
        method: method.toUpperCase(),
        path: `/openapi/v1${path}`,
        headers: { 'Idempotency-Key': key },
        ...(example.body && { body: JSON.stringify(example.body) }),
      });
    const first = await endedAfterCommit(request);
    const events = await eventCount();
    const second = await request();
    expect(second.body).toEqual(first);
    expect(isReplayed(second)).toBe(true);
    expect(await eventCount()).toBe(events);
  });
});
