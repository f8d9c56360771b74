import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { actorOf } from '../../src/domain/access-token/reads.ts';
import { createDocuments } from '../../src/graphql/server/documents.ts';
import { negotiated } from '../../src/graphql/server/negotiation.ts';
import { createGraphqlServer } from '../../src/graphql/server/server.ts';
import { readBytes } from '../../src/http/body.ts';
import { createLoaders } from '../../src/kernel/batch.ts';
import { randomDocument } from '../support/documents.ts';
import { expectEqual } from '../support/execution.ts';
import { knownOf } from '../support/known.ts';
import { randomOf } from '../support/random.ts';
import { type Answer, type Sent, send } from '../support/send.ts';
import { createWorld, type World } from '../support/surfaces-world.ts';

let world: World;
/** The endpoint alone, and what it kept and found. */
let endpoint: Server;
let lane: { url: string; adminToken: string };
let found: string[];
let kept: string[];
interface Asked {
  query?: unknown;
  variables?: unknown;
  operationName?: unknown;
  [name: string]: unknown;
}

const post = (body: Asked, headers: Sent['headers'] = {}, token?: string) =>
  send(world.trellis, {
    body: JSON.stringify(body).replace('"very deep"', '['.repeat(100_000) + ']'.repeat(100_000)),
    headers: { 'X-Request-Id': 'the-request', ...headers },
    ...(token && { token }),
  });

/** All of an answer that does not tell the time. */
const shown = ({ status, headers, text }: Answer) => {
  const { date: _, ...rest } = headers;
  return { status, headers: rest, text };
};

let texts = 0;
/** The same document, of the same length, as one that was never asked for. */
const anew = (query: string) => `${query}\n# ${String(++texts).padStart(6, '0')}`;

/** The answer to what was never asked for before, and that to a document that is kept: they are equal. */
async function expectSame(asked: Asked & { query: string }, good: Asked, headers: Sent['headers'] = {}) {
  const first = await post({ ...asked, query: anew(asked.query) }, headers);
  const query = anew(asked.query);
  await post({ ...good, query }, headers);
  const second = await post({ ...asked, query }, headers);
  expect(shown(second), JSON.stringify(asked).slice(0, 500)).toEqual(shown(first));
  expect(shown(await post({ ...asked, query }, headers))).toEqual(shown(first));
  return second;
}

const teams =
  'query T($first: Int, $by: TeamRef, $is: Boolean = true) { teams(first: $first) { nodes { name @include(if: $is) } } }';
const several = `query A { viewer { isAdministrator } } query B { teams { totalCount } }
  subscription S { __typename } mutation M { deletePort(input: { port: { id: "x" } }) { __typename } }`;
const lost = '{ team(by: { name: "nobody" }) { name } viewer { user { uid } } }';

const accepts: [accept: string | undefined, type: RegExp | undefined][] = [
  [undefined, /^application\/(graphql-response\+)?json/],
  ['*/*', /json/],
  ['application/json', /^application\/json; charset=utf-8$/],
  ['application/json; charset=utf-8', /^application\/json; charset=utf-8$/],
  ['APPLICATION/JSON', /^application\/json/],
  ['application/graphql-response+json', /^application\/graphql-response\+json; charset=utf-8$/],
  ['application/graphql-response+json, application/json;q=0.9', /json/],
  // urql's, and Apollo's.
  [
    'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
    /json/,
  ],
  ['application/graphql-response+json,application/json;q=0.9', /json/],
  ['multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json;q=0.9', undefined],
  ['text/event-stream', /^text\/event-stream/],
  ['multipart/mixed', /^multipart\/mixed/],
  ['text/event-stream, application/json', undefined],
  ['application/json; charset=latin1', undefined],
  ['image/png', undefined],
  ['text/html', undefined],
  ['', undefined],
];

/** What may be asked of a document that is kept, and of what it was kept. */
const requests: [title: string, asked: Asked & { query: string }, good?: Asked][] = [
  ['a query', { query: '{ viewer { isAdministrator user { email } } }' }],
  ['variables', { query: teams, variables: { first: 2 } }],
  ['variables that are null', { query: teams, variables: null }],
  ['other variables', { query: teams, variables: { first: 1, is: false } }, { variables: { first: 2 } }],
  ['more variables than there are', { query: teams, variables: { first: 1, second: 2 } }],
  ['a condition that is null', { query: teams, variables: { is: null } }, { variables: { is: false } }],
  ['a variable of another type', { query: teams, variables: { first: 'x' } }, {}],
  ['a variable of another kind', { query: teams, variables: { by: { name: 'x', teamId: 'y' } } }, {}],
  ['variables that are a list', { query: teams, variables: [1] }, {}],
  ['variables that are a text', { query: teams, variables: '{}' }, {}],
  ['a variable that is very deep', { query: teams, variables: { first: 'very deep' } }, {}],
  ['an argument out of range', { query: teams, variables: { first: -1 } }, { variables: { first: 1 } }],
  ['an error and data', { query: lost }],
  ['a root that is null', { query: '{ teams(first: 101) { totalCount } viewer { isAdministrator } }' }],
  [
    'a condition that is null at the root',
    {
      query: 'query($if: Boolean = true) { viewer @skip(if: $if) { isAdministrator } __typename }',
      variables: { if: null },
    },
    {},
  ],
  ['one of several operations', { query: several, operationName: 'B' }, { operationName: 'A' }],
  ['none of several operations', { query: several }, { operationName: 'A' }],
  ['an operation that there is not', { query: several, operationName: 'C' }, { operationName: 'A' }],
  ['an operation without a name', { query: several, operationName: '' }, { operationName: 'A' }],
  ['a subscription', { query: several, operationName: 'S' }, { operationName: 'A' }],
  ['a change', { query: several, operationName: 'M' }, { operationName: 'A' }],
  ['an operation whose name is no text', { query: several, operationName: 1 }, { operationName: 'A' }],
  ['unknown keys', { query: '{ __typename }', id: 'x' }, {}],
  ['a key that objects have', { query: '{ __typename }', ...JSON.parse('{"__proto__": 1}') }, {}],
  ['extensions', { query: '{ __typename }', extensions: { a: 1 } }, {}],
  ['extensions that are none', { query: '{ __typename }', extensions: 'x' }, {}],
  [
    'a variable that objects have',
    {
      query: 'query($__proto__: Int) { teams(first: $__proto__) { nodes { name } } }',
      variables: JSON.parse('{"__proto__": 1}'),
    },
  ],
  [
    'names that objects have',
    { query: '{ __proto__: __typename constructor: viewer { toJSON: __typename } }' },
  ],
  ['what asks for too much', { query: tooMuch(), variables: { n: 100 } }, { variables: { n: 1 } }],
  ['what is not valid', { query: '{ nothing }' }],
  ['what is no document', { query: '{' }],
  ['introspection', { query: '{ __schema { queryType { name } } }' }],
];

function tooMuch(): string {
  return `query($n: Int) { teams(first: $n) { nodes { applications(first: $n) { nodes { components(first: $n) { nodes {
    ports(first: $n) { nodes { number } } } } } } } } }`;
}

/** Answers to cached documents are those to documents that are not: so many random ones, and chosen ones. */
export function fastLane(documents: number): void {
  beforeAll(async () => {
    world = await createWorld();
    const { services, adminToken } = world.trellis;
    // Otherwise its last use would differ between two answers.
    const never = { lastUsedAt: new Date(Date.now() + 3_600_000) };
    await services.db.transaction((tx) => tx.accessToken.updateMany({ data: never }));
    const { actor } = (await actorOf(services.db, adminToken))!;
    const documents = createDocuments(schema);
    const graphql = createGraphqlServer(schema, {
      readBody: (req) => readBytes(req, { bytes: 1_048_576 }),
      documents: {
        ...documents,
        find(text) {
          const document = documents.find(text);
          if (document) found.push(text);
          return document;
        },
        keep(text, document) {
          if (!documents.find(text)) kept.push(text);
          documents.keep(text, document);
        },
      },
    });
    endpoint = createServer((req, res) => {
      const context = { ...services, actor, requestId: 'the-request', loaders: createLoaders() };
      const media = negotiated(req.headers.accept)!;
      graphql.handle(req, res, media, context).catch((error) => res.writeHead(500).end(String(error)));
    });
    await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
    lane = { url: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`, adminToken };
  }, 240_000);
  afterAll(async () => {
    endpoint?.close();
    await world?.trellis.close();
  });

  describe('a cached document returns the same response as an uncached one', () => {
    it.each(accepts)('for Accept: %s', async (accept, type) => {
      const headers = { Accept: accept };
      for (const [title, asked, good = asked] of requests) {
        const { 'content-type': answered = '' } = (await expectSame(asked, good, headers)).headers;
        const isStream = /^(text\/event-stream|multipart\/mixed)/.test(accept ?? '');
        // Of which Yoga makes no parts.
        if (type && title !== 'a subscription') expect(answered, title).toMatch(type);
        if (isStream && !accept!.includes('json')) expect(answered, title).not.toMatch(/json/);
      }
    });

    it('compressed as well', async () => {
      const query = '{ __schema { types { name description fields { name description } } } }';
      const answer = await expectSame({ query }, {}, { 'Accept-Encoding': 'gzip' });
      expect(answer.headers['content-encoding']).toBe('gzip');
    });

    it('for any document', { timeout: 300_000 }, async () => {
      const known = await knownOf(world);
      for (let seed = 1_001; seed <= 1_000 + documents; seed++) {
        const { query, variables } = randomDocument(schema, known, randomOf(seed));
        const asked = { query: anew(query), variables };
        const [first, second] = [await post(asked), await post(asked)];
        expect(second.status).toBe(first.status);
        expect(second.headers['content-type']).toBe(first.headers['content-type']);
        // In the order in which they happened, which is not always the same.
        expectEqual({ ours: second.body, plain: first.body }, `seed ${seed}: ${JSON.stringify(asked)}`);
        if (!second.body.errors) expect(second.text).toBe(first.text);
      }
    });

    it('for any caller: rights are those of the token, and a revoked token has none', async () => {
      const query = anew('{ events(first: 1) { nodes { action } } }');
      for (let times = 0; times < 3; times++) {
        expect((await post({ query })).body.errors).toBeUndefined();
        const other = await post({ query }, {}, world.viewer.token);
        expect(other.body.errors[0].extensions.code).toBe('FORBIDDEN');
      }
      const selection = 'secret accessToken { tokenId: uid }';
      const made = await world.trellis.succeed('createAccessToken', { name: 'test' }, selection);
      for (let times = 0; times < 3; times++)
        expect((await post({ query }, {}, made.secret)).status).toBe(200);
      const { tokenId } = made.accessToken;
      await world.trellis.succeed('revokeAccessToken', { token: { tokenId } }, '__typename');
      expect((await post({ query }, {}, made.secret)).status).toBe(401);
    });

    it('in the URL, where mutations are refused as well', async () => {
      const query = anew('mutation { deletePort(input: { port: { id: "x" } }) { __typename } }');
      for (let times = 0; times < 3; times++) expect((await post({ query })).status).toBe(200);
      const get = (text: string) =>
        send(world.trellis, { path: `/graphql?query=${encodeURIComponent(text)}` });
      expect((await get(query)).status).toBe(405);
      const read = anew('{ viewer { isAdministrator } }');
      const answers = [
        await get(read),
        await get(read),
        await post({ query: read }),
        await post({ query: read }),
      ];
      for (const { text } of answers) expect(text).toBe(answers[0]!.text);
    });

    it('with current data every time', async () => {
      const query = anew('query($by: TeamRef!) { team(by: $by) { regions { totalCount nodes { alias } } } }');
      const variables = { by: { teamId: world.team.teamId } };
      const ask = async () => (await post({ query, variables })).body.data.team.regions.nodes;
      await ask();
      const before = await ask();
      await world.update('region', world.regions.second.regionId, { alias: 'Renamed' });
      const after = await ask();
      expect(after).not.toEqual(before);
      expect(after).toContainEqual({ alias: 'Renamed' });
    });
  });

  describe('the document cache', () => {
    const ask = async (asked: Asked, headers: Sent['headers'] = {}) => {
      [found, kept] = [[], []];
      return send(lane, { body: JSON.stringify(asked), headers });
    };

    it('contains a document after it was executed', async () => {
      const asked = { query: 'query($n: Int!) { teams(first: $n) { totalCount } }', variables: { n: 1 } };
      const first = await ask(asked);
      expect([found, kept]).toEqual([[], [asked.query]]);
      const second = await ask({ ...asked, variables: { n: 2 } });
      expect([found, kept]).toEqual([[asked.query], []]);
      expect(second.text).toBe(first.text);
      expect((await ask({ ...asked, variables: { n: 'x' } })).status).toBe(200);
      // Found, but Yoga says what is wrong.
      expect(found).toEqual([asked.query]);
    });

    it('does not contain a document that does not parse, is invalid or names no operation', async () => {
      for (const asked of [
        { query: '{' },
        { query: '{ nothing }' },
        { query: 'query($n: Int) { __typename }' },
        { query: '{ teams(first: "x") { totalCount } }' },
        { query: 'fragment F on Query { __typename }' },
        { query: several },
        { query: several, operationName: 'C' },
        { query: `{ ${'a: __typename '.repeat(5_000)} }` },
        { query: '{ __typename }', unknown: 1 },
      ]) {
        for (let times = 0; times < 2; times++) {
          const answer = await ask(asked);
          expect([found, kept], JSON.stringify(asked).slice(0, 200)).toEqual([[], []]);
          expect(answer.body.errors).toHaveLength(1);
        }
      }
    });

    it('serves a stream when the client asks for one', async () => {
      const asked = { query: '{ viewer { isAdministrator } }' };
      await ask(asked, { Accept: 'application/json' });
      await ask(asked, { Accept: 'application/json' });
      expect(found).toEqual([asked.query]);
      for (const type of ['text/event-stream', 'multipart/mixed']) {
        for (let times = 0; times < 3; times++) {
          const { headers, text } = await ask(asked, { Accept: type });
          expect(headers['content-type']).toMatch(new RegExp(`^${type}`));
          expect(text).not.toMatch(/^\{/);
          expect(text).toContain('{"data":{"viewer":{"isAdministrator":true}}}');
        }
      }
    });

    it('still contains a document after many other Accept headers', async () => {
      const asked = { query: '{ viewer { user { uid } } }' };
      for (let each = 0; each < 120; each++) await ask(asked, { Accept: `application/json, x/y${each}` });
      await ask(asked, { Accept: 'application/json' });
      await ask(asked, { Accept: 'application/json' });
      expect(found).toEqual([asked.query]);
    });

    it('is limited by the number of documents and their characters', () => {
      const document = parse('{ __typename }');
      const many = createDocuments(schema);
      for (let each = 0; each < 1_000; each++) many.keep(`# ${each}`, document);
      expect(many.find('# 0')).toBe(document);
      many.keep('# one more', document);
      // Of those, the one that was used longest ago made room.
      expect([many.find('# 0'), many.find('# 1'), many.find('# 2')]).toEqual([document, undefined, document]);

      const large = createDocuments(schema);
      const text = (each: number) => `# ${each}`.padEnd(90_000);
      for (let each = 0; each < 20; each++) {
        large.keep(text(each), document);
        large.keep(text(each), document);
      }
      const left = Array.from({ length: 20 }, (_, each) => large.find(text(each)) !== undefined);
      expect(left).toEqual(Array.from({ length: 20 }, (_, each) => each >= 9));
      large.keep('#'.repeat(100_001), document);
      expect(large.find('#'.repeat(100_001))).toBeUndefined();
      expect(large.find(text(19))).toBe(document);
    });
  });
}
