import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unique } from '../support/fixtures.ts';
import { send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
let ports: string;
let events: number;
const countEvents = async () => (await trellis.counts()).event!;
beforeAll(async () => {
  const { team, region, application, component } = await trellis.createAll();
  ports = `/openapi/v1/teams/${team.name}/regions/${region.name}/apps/${application.appId}/services/${component.alias}/ports`;
});
beforeEach(async () => {
  events = await countEvents();
});

const createTeam = () =>
  JSON.stringify({ query: `mutation { createTeam(input: { name: "${unique('team')}" }) { __typename } }` });
const query = `/graphql?query=${encodeURIComponent('{ viewer { isAdministrator } }')}`;

/** None of these allows a media type of an answer. */
const unusable = [
  'image/png',
  'text/html',
  'application/xml;q=0',
  'application/json;q=0',
  'application/json; charset=latin1',
  'application/json;q=0, */*;q=0',
  '*/*;q=0',
];

describe('a request without an acceptable media type', () => {
  it.each(unusable)('returns NOT_ACCEPTABLE before it changes anything, with Accept: %s', async (Accept) => {
    const headers = { Accept };
    const mutation = await send(trellis, { body: createTeam(), headers });
    expect(mutation.status).toBe(406);
    expect(mutation.body.errors[0].extensions.code).toBe('NOT_ACCEPTABLE');
    const port = JSON.stringify({ port: 9000, protocol: 'tcp' });
    const changed = await send(trellis, { path: ports, body: port, headers });
    expect([changed.status, changed.body.code]).toEqual([406, 'NOT_ACCEPTABLE']);
    expect(await countEvents()).toBe(events);
  });

  it('executes no query, in GET or POST, cached or not', async () => {
    const body = JSON.stringify({ query: '{ viewer { isAdministrator } }' });
    await send(trellis, { body });
    for (const sent of [{ path: query }, { body }, { path: '/openapi/v1/teams' }]) {
      trellis.statements.length = 0;
      const answer = await send(trellis, { ...sent, headers: { Accept: 'image/png' } });
      expect([answer.status, trellis.statements]).toEqual([406, []]);
    }
    const store = { path: '/app-server/openapi/apps/x', headers: { Accept: 'image/png' } };
    expect((await send(trellis, store)).status).toBe(406);
  });
});

describe('an Accept header', () => {
  it('is never repeated in a response, however long it is', async () => {
    for (const Accept of ['x/y,'.repeat(3_500), `${'x/y,'.repeat(3_500)}application/json`]) {
      for (const sent of [{ path: query }, { body: createTeam() }, { path: '/openapi/v1/teams' }]) {
        const { headers } = await send(trellis, { ...sent, headers: { Accept } });
        expect(JSON.stringify(headers).length).toBeLessThan(1_000);
      }
    }
  });

  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    [';;,,', 'application/json'],
    ['application/graphql-response+json', 'application/graphql-response+json'],
    ['application/graphql-response+json, application/json;q=0.9', 'application/graphql-response+json'],
    ['application/json;q=0.9, application/graphql-response+json', 'application/graphql-response+json'],
    ['application/json;q=0.1, application/*;q=0.5', 'application/graphql-response+json'],
    ['application/graphql-response+json;q=0, */*', 'application/json'],
    ['image/png, application/json; charset=utf-8', 'application/json'],
  ])('%s is answered in %s', async (Accept, type) => {
    for (const sent of [{ path: query }, { body: createTeam() }]) {
      const answer = await send(trellis, { ...sent, headers: { Accept } });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, `${type}; charset=utf-8`]);
    }
  });
});

describe('a GraphQL request that cannot be executed', () => {
  const ask = (body: string, Accept?: string) => send(trellis, { body, headers: { Accept } });

  it.each([
    ['its document cannot be parsed', { query: '{' }],
    ['its document is not valid', { query: '{ nothing }' }],
    ['it names no operation', { query: 'query A { __typename } query B { __typename }' }],
    ['it names an unknown operation', { query: 'query A { __typename }', operationName: 'B' }],
    [
      'a variable does not fit',
      { query: 'query ($n: Int!) { teams(first: $n) { totalCount } }', variables: { n: 'x' } },
    ],
    ['a variable is missing', { query: 'query ($n: Int!) { teams(first: $n) { totalCount } }' }],
    [
      'a scalar does not fit',
      { query: 'query ($t: DateTime) { events(since: $t) { totalCount } }', variables: { t: 'x' } },
    ],
  ])('because %s is 200 as JSON, and 400 as a GraphQL response', async (_, request) => {
    const body = JSON.stringify(request);
    for (const [accept, status] of [
      [undefined, 200],
      ['application/json', 200],
      ['*/*', 200],
      ['application/graphql-response+json', 400],
      ['application/graphql-response+json, application/json;q=0.9', 400],
    ] as const) {
      const answer = await ask(body, accept);
      expect([accept, answer.status]).toEqual([accept, status]);
      expect([Object.keys(answer.body), answer.body.errors[0].extensions.code]).toEqual([
        ['errors'],
        'INVALID_INPUT',
      ]);
    }
    const parameters = Object.entries(request).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    const path = `/graphql?${new URLSearchParams(parameters)}`;
    for (const [Accept, status] of [
      ['application/json', 200],
      ['application/graphql-response+json', 400],
    ] as const) {
      expect((await send(trellis, { path, headers: { Accept } })).status).toBe(status);
    }
  });

  it.each(['{', '[]', '{}', '{"query":1}', '{"query":"{ __typename }","variables":[]}'])(
    'because its body is none, %s, is 400 in both',
    async (body) => {
      for (const accept of ['application/json', 'application/graphql-response+json'])
        expect((await ask(body, accept)).status).toBe(400);
    },
  );
});

describe('a failure before anything is executed', () => {
  const type = 'application/graphql-response+json';
  it.each<[number, Parameters<typeof send>[1]]>([
    [401, { body: createTeam(), token: null }],
    [401, { path: query, token: 'trl_nobody' }],
    [405, { method: 'DELETE' }],
    [415, { body: createTeam(), headers: { 'Content-Type': 'text/plain' } }],
    [413, { body: ' '.repeat(1_100_000) }],
  ])('%i is answered in the media type of GraphQL to those who accept it', async (status, sent) => {
    const answer = await send(trellis, { ...sent, headers: { ...sent.headers, Accept: type } });
    expect([answer.status, answer.headers['content-type']]).toEqual([status, `${type}; charset=utf-8`]);
    expect(answer.body.errors).toHaveLength(1);
  });
});

describe('the headers of every answer', () => {
  const paths = [
    '/graphql',
    '/nothing',
    '/healthz',
    '/readyz',
    '/openapi/v1/teams',
    '/openapi/v1/nothing',
    '/openapi/v1/docs',
    '/openapi/v1/openapi.json',
    '/app-server/openapi/apps/x',
    query,
  ];

  it('forbid MIME type sniffing', async () => {
    for (const path of paths) {
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']) {
        for (const token of [trellis.adminToken, null]) {
          const { headers } = await send(trellis, { path, method, token });
          expect(headers['x-content-type-options'], `${method} ${path}`).toBe('nosniff');
        }
      }
    }
    const page = await send(trellis, { headers: { Accept: 'text/html' }, token: null });
    expect([page.status, page.headers['x-content-type-options']]).toEqual([200, 'nosniff']);
  });

  it('keep GraphQL responses out of caches', async () => {
    const body = JSON.stringify({ query: '{ viewer { isAdministrator } }' });
    for (const sent of [{ body }, { body }, { path: query }, { body: '{' }, { body, token: null }, {}]) {
      expect((await send(trellis, sent)).headers['cache-control']).toBe('no-store');
    }
  });
});
