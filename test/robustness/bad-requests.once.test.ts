import { describe, expect, it } from 'vitest';
import { type Answer, type Sent, send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';
import { expectUnchanged } from '../support/unchanged.ts';

const bodyLimitBytes = 64 * 1024;

const trellis = useTrellis({ bodyLimitBytes, limits: { objects: 500_000 } });
expectUnchanged(() => trellis);

const json = (value: unknown): Sent => ({ body: JSON.stringify(value) });

/** The one error of an answer, after what is true of every error has been checked. */
function errorOf(answer: Answer) {
  expect(answer.headers['x-request-id']).toMatch(/^[\w.:-]{1,128}$/);
  expect(answer.body?.errors, answer.text).toHaveLength(1);
  const [error] = answer.body.errors;
  expect(error.message).not.toBe('');
  expect(error.extensions.requestId).toBe(answer.headers['x-request-id']);
  expect(answer.body.data ?? null).toBeNull();
  return error;
}

const pathsOf = (error: any) => error.extensions.issues?.map(({ path }: { path: unknown[] }) => path);

describe('an invalid GraphQL request', () => {
  const refused: [title: string, sent: Sent, ...paths: unknown[][]][] = [
    ['broken JSON', { body: '{"query": "{ viewer' }, []],
    ['no JSON at all', { body: 'hello' }, []],
    ['JSON with something behind it', { body: '{"query":"{__typename}"} {}' }, []],
    ['bytes that are no UTF-8', { body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) }, []],
    ['an empty body', { body: '' }, []],
    ['no body', { method: 'POST', headers: { 'Content-Type': 'application/json' } }, []],
    ['an array', json([]), []],
    ['a batch', json([{ query: '{ __typename }' }, { query: '{ __typename }' }]), []],
    ['a number', json(1), []],
    ['a text', json('{ __typename }'), []],
    ['null', json(null), []],
    ['true', json(true), []],
    ['no query', json({}), ['query']],
    ['a null query', json({ query: null }), ['query']],
    ['a number as query', json({ query: 1 }), ['query']],
    ['an object as query', json({ query: {} }), ['query']],
    ['a list as query', json({ query: ['{ __typename }'] }), ['query']],
    ['a text as variables', json({ query: '{ __typename }', variables: '{}' }), ['variables']],
    ['a list as variables', json({ query: '{ __typename }', variables: [] }), ['variables']],
    ['a number as variables', json({ query: '{ __typename }', variables: 7 }), ['variables']],
    ['a number as operationName', json({ query: '{ __typename }', operationName: 1 }), ['operationName']],
    ['a text as extensions', json({ query: '{ __typename }', extensions: 'x' }), ['extensions']],
    ['an unknown parameter', json({ query: '{ __typename }', token: 'x' }), ['token']],
    [
      'several faults, all at once',
      json({ query: 1, variables: 1, more: 1 }),
      ['query'],
      ['variables'],
      ['more'],
    ],
    ['GET without a query', { path: '/graphql' }, ['query']],
    ['GET with an empty query', { path: '/graphql?query=' }, []],
    ['GET with broken variables', { path: '/graphql?query=%7B__typename%7D&variables=%7B' }, ['variables']],
    [
      'GET with a list as variables',
      { path: '/graphql?query=%7B__typename%7D&variables=%5B%5D' },
      ['variables'],
    ],
    [
      'GET with broken extensions',
      { path: '/graphql?query=%7B__typename%7D&extensions=nope' },
      ['extensions'],
    ],
    ['GET with an unknown parameter', { path: '/graphql?query=%7B__typename%7D&token=1' }, ['token']],
    ['GET with a broken escape', { path: '/graphql?query=%ZZ%' }, []],
    ['an empty document', json({ query: '' }), []],
    ['a document of nothing but a comment', json({ query: '# nothing' }), []],
    ['a syntax error', json({ query: '{ viewer {' }), []],
    ['a NUL in the document', json({ query: '{ viewer\u0000 }' }), []],
    ['a document without an operation', json({ query: 'fragment F on Query { __typename }' }), ['query']],
  ];

  it.each(refused)('%s is INVALID_INPUT', async (_, sent, ...paths) => {
    const error = errorOf(await send(trellis, sent));
    expect(error.extensions.code).toBe('INVALID_INPUT');
    expect(pathsOf(error)).toEqual(paths);
  });

  it.each(refused)('%s is 400 to those who take the media type of GraphQL', async (_, sent) => {
    const accept = { Accept: 'application/graphql-response+json' };
    const answer = await send(trellis, { ...sent, headers: { ...sent.headers, ...accept } });
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toMatch(/^application\/graphql-response\+json/);
  });

  it.each([
    undefined,
    'text/plain',
    'text/html',
    'application/graphql',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json-patch+json',
    'nonsense',
  ])('a body of the type %s is UNSUPPORTED_MEDIA_TYPE', async (type) => {
    const answer = await send(trellis, {
      body: '{"query":"{ __typename }"}',
      headers: { 'Content-Type': type },
    });
    expect(answer.status).toBe(415);
    expect(errorOf(answer).extensions.code).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
  ])('a body of the type %s is read', async (type) => {
    const answer = await send(trellis, {
      body: '{"query":"{ __typename }"}',
      headers: { 'Content-Type': type },
    });
    expect(answer.body).toEqual({ data: { __typename: 'Query' } });
  });

  it('is returned even if no accepted media type matches', async () => {
    for (const accept of [
      'image/png',
      'text/event-stream',
      'multipart/mixed',
      'application/xml;q=0',
      '',
      ';;,',
    ]) {
      const answer = await send(trellis, {
        ...json({ query: '{ __typename }' }),
        headers: { Accept: accept },
      });
      expect(answer.status, accept).toBeLessThan(500);
      expect(answer.headers['x-request-id']).toBeDefined();
    }
  });

  it('a GET with a mutation is METHOD_NOT_ALLOWED', async () => {
    const mutation = 'mutation { createTeam(input: { name: "by-get" }) { __typename } }';
    const answer = await send(trellis, { path: `/graphql?query=${encodeURIComponent(mutation)}` });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('POST');
    expect(errorOf(answer).extensions.code).toBe('METHOD_NOT_ALLOWED');
  });
});

describe('paths and methods', () => {
  it.each([
    '/nothing',
    '/graphql/',
    '/graphql/x',
    '/GraphQL',
    '//graphql',
    '/graphql%00',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/graphiql/../../package.json',
    '/graphiql/none.js',
    '/__proto__',
    '/constructor',
    '/healthz/',
  ])('%s is NOT_FOUND', async (path) => {
    for (const method of ['GET', 'POST']) {
      const answer = await send(trellis, { path, method, token: null });
      expect(answer.headers['x-request-id']).toBeDefined();
      if (path.startsWith('/graphiql/') && method === 'POST') continue;
      expect(answer.status, method).toBe(404);
      expect(answer.headers['content-type']).toBe('application/problem+json');
      expect(answer.body).toMatchObject({
        type: 'about:blank',
        status: 404,
        code: 'NOT_FOUND',
        requestId: answer.headers['x-request-id'],
      });
    }
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'HEAD'])(
    '%s /graphql returns 405 and names GET and POST',
    async (method) => {
      const answer = await send(trellis, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('GET, POST');
      expect(answer.headers['x-request-id']).toBeDefined();
      if (method !== 'HEAD') expect(errorOf(answer).extensions.code).toBe('METHOD_NOT_ALLOWED');
    },
  );

  it.each(['/healthz', '/readyz'])('POST %s returns 405 and names GET and HEAD', async (path) => {
    const answer = await send(trellis, { path, body: '{}', token: null });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('GET, HEAD');
    expect(answer.body).toMatchObject({ code: 'METHOD_NOT_ALLOWED', status: 405 });
  });

  it.each(['/healthz', '/readyz'])('GET and HEAD %s return 200 without a token', async (path) => {
    const answer = await send(trellis, { path, token: null });
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    const head = await send(trellis, { path, method: 'HEAD', token: null });
    expect([head.status, head.text]).toEqual([200, '']);
  });
});

describe('the limits', () => {
  const large = JSON.stringify({ query: `{ __typename } # ${'x'.repeat(bodyLimitBytes)}` });
  const chunks = large.match(/.{1,8192}/gs)!;

  it.each([
    ['with its length', large],
    ['in chunks', chunks],
  ])('a body over the limit, %s, is PAYLOAD_TOO_LARGE', async (_, body) => {
    const answer = await send(trellis, { body });
    expect(answer.status).toBe(413);
    expect(errorOf(answer).extensions.code).toBe('PAYLOAD_TOO_LARGE');
  });

  it('accepts a body at the limit, also in chunks', async () => {
    const start = '{"query":"{ __typename }"';
    const body = `${start}${' '.repeat(bodyLimitBytes - start.length - 1)}}`;
    expect(Buffer.byteLength(body)).toBe(bodyLimitBytes);
    for (const sent of [body, body.match(/.{1,8192}/gs)!]) {
      expect((await send(trellis, { body: sent })).body).toEqual({ data: { __typename: 'Query' } });
    }
  });

  const nested = (open: string, close: string, times: number) =>
    `${open.repeat(times)}${close.repeat(times)}`;

  it.each([
    ['fields nested 4000 deep', nested('{a', '}', 4000)],
    ['fields nested 1600 deep', nested('{a', '}', 1600)],
    ['known fields nested deep', `{viewer${nested('{user', '}', 300)}`],
    ['a list value nested 2400 deep', `{team(by:${nested('[', ']', 2400)}){name}}`],
    ['a list value nested 9000 deep', `{team(by:${nested('[', ']', 9000)}){name}}`],
    ['an object value nested 1200 deep', `{team(by:${nested('{a:', '}', 1200).replace(':}', ':1}')}){name}}`],
    [
      'a list type nested 2400 deep',
      `query($a:${nested('[', ']', 2400).replace('[]', '[Int]')}){__typename}`,
    ],
    ['inline fragments nested 800 deep', nested('{...', '}', 800).replace('{...}', '{__typename}')],
    ['10000 aliases', `{${Array.from({ length: 10_000 }, (_, index) => `a${index}`).join(' ')}}`],
    ['1500 aliases', `{${Array.from({ length: 1500 }, (_, index) => `a${index}:x`).join(' ')}}`],
    ['a field 4000 times', `{${'x '.repeat(4000)}}`],
    ['30000 brackets', '{'.repeat(30_000)],
    ['a long name', `{${'x'.repeat(40_000)}}`],
    ['a long text', `{team(by:{name:"${'x'.repeat(40_000)}"}){name}}`],
    [
      'pages of 100 inside each other',
      '{viewer{enterprise{teams(first:100){nodes{applications(first:100){nodes{components(first:100){nodes{name}}}}}}}}}',
    ],
    [
      'pages of 100 by the default of a variable',
      'query($n:Int=100){viewer{enterprise{teams(first:$n){nodes{applications(first:$n){nodes{components(first:$n){nodes{name}}}}}}}}}',
    ],
    [
      'default pages in a fragment without a name',
      `{viewer{enterprise{teams{...{nodes{${'applications{...{nodes{team{'.repeat(5)}name${'}}}}'.repeat(5)}}}}}}}`,
    ],
    [
      'fragments that each use the next twice',
      `{...f0}${Array.from({ length: 30 }, (_, index) => `fragment f${index} on Query{...f${index + 1} ...f${index + 1}}`).join('')}fragment f30 on Query{__typename}`,
    ],
    ['circular fragments', '{...A} fragment A on Query{...B} fragment B on Query{...A}'],
    ['a fragment of itself', '{...A} fragment A on Query{...A}'],
    ['introspection without end', `{__schema{types{${'fields{type{'.repeat(12)}name${'}}'.repeat(12)}}}}`],
  ])('%s is refused', async (_, query) => {
    const answer = await send(trellis, json({ query }));
    expect(answer.status).toBeLessThan(500);
    for (const value of Object.values(answer.body.data ?? {})) expect(value).toBeNull();
    expect(answer.body.errors.length).toBeGreaterThan(0);
    for (const { extensions } of answer.body.errors) {
      expect(['LIMIT_EXCEEDED', 'INVALID_INPUT', 'NOT_FOUND']).toContain(extensions.code);
    }
    expect(answer.text.length).toBeLessThan(200_000);
  });

  // Each team stands for 1 + 100 + 100 * 100 objects, and 500,000 are the limit here.
  const teams = '{applications(first:100){nodes{components(first:100){nodes{name}}}}}';
  const nodes = `{...on Team${teams}}`;
  const ids = (count: number) => Array<string>(count).fill('x');
  const pairs = (count: number) => Array(count).fill({ team: { name: 'x' }, region: { name: 'x' } });
  const literal = (list: unknown[]) => JSON.stringify(list).replace(/"(\w+)":/g, '$1:');
  const perTeam: [title: string, request: (count: number) => object][] = [
    ['ids', (count) => ({ query: `{nodes(ids:${literal(ids(count))})${nodes}}` })],
    [
      'ids of a variable',
      (count) => ({ query: `query($i:[ID!]!){nodes(ids:$i)${nodes}}`, variables: { i: ids(count) } }),
    ],
    [
      "ids by a variable's default",
      (count) => ({ query: `query($i:[ID!]!=${literal(ids(count))}){nodes(ids:$i)${nodes}}` }),
    ],
    [
      'ids in a variable that has a default',
      (count) => ({ query: `query($i:[ID!]!=["x"]){nodes(ids:$i)${nodes}}`, variables: { i: ids(count) } }),
    ],
    ['pairs', (count) => ({ query: `{teamResources(of:${literal(pairs(count))}){team${teams}}}` })],
    [
      'pairs of a variable',
      (count) => ({
        query: `query($of:[TeamRegionRef!]!){teamResources(of:$of){team${teams}}}`,
        variables: { of: pairs(count) },
      }),
    ],
  ];

  it.each(perTeam)('pages below %s count for each of them', async (_, request) => {
    expect((await send(trellis, json(request(49)))).body.errors).toBeUndefined();
    for (const count of [50, 100]) {
      const error = errorOf(await send(trellis, json(request(count))));
      expect(error.extensions.code).toBe('LIMIT_EXCEEDED');
      expect(error.message).toBe('The request exceeds the limit of 500000 objects if every page were full.');
    }
  });

  it('allows more objects below a single id than below a page', async () => {
    const ports = 'ports(first:40){nodes{number}}';
    const query = `{nodes(ids:"x")${nodes.replace('name', ports)}}`;
    expect((await send(trellis, json({ query }))).body).toEqual({ data: { nodes: [null] } });
    const two = query.replace('"x"', '["x","x"]');
    expect(errorOf(await send(trellis, json({ query: two }))).extensions.code).toBe('LIMIT_EXCEEDED');
  });

  it('fragments on single objects do not count as pages', async () => {
    const query = `{application(by:{appId:1}){...A}}
      fragment A on Application{...{team{...T}} region{...R}}
      fragment T on Team{creator{...U} enterprise{...E} roles{...{name}}}
      fragment R on Region{enterprise{...E}} fragment U on User{enterprise{...E}} fragment E on Enterprise{...{name}}`;
    expect((await send(trellis, json({ query }))).body.errors[0].extensions.code).toBe('NOT_FOUND');
    const lists = `{teams{nodes{...T}}}
      fragment T on Team{applications{nodes{...A}}} fragment A on Application{components{nodes{...C}}}
      fragment C on Component{ports{nodes{...{number}}}}`;
    expect((await send(trellis, json({ query: lists }))).body.errors).toBeUndefined();
  });

  it('does not repeat a long value that looks like a message, and is fast', async () => {
    const query = 'query($n:Int){viewer{accessTokens(first:$n){totalCount}}}';
    for (const text of ['Must be an ISO 8601 time', 'cannot represent ', 'Value "', ' at "n"; Field "']) {
      const n = text.repeat(Math.floor((bodyLimitBytes - 1_000) / JSON.stringify(text).length));
      const answer = await send(trellis, json({ query, variables: { n } }));
      expect(errorOf(answer).extensions.code).toBe('INVALID_INPUT');
      expect(answer.text.length).toBeLessThan(3_000);
    }
  });

  it('returns INVALID_INPUT for deep JSON in variables, or ignores it', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const query = 'query($by: TeamRef!) { team(by: $by) { name } }';
    for (const variables of [`{"by":${deep}}`, `{"other":${deep}}`]) {
      const answer = await send(trellis, {
        body: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
      });
      expect(errorOf(answer).extensions.code).toBe('INVALID_INPUT');
    }
    const unused = await send(trellis, { body: `{"query":"{ __typename }","variables":{"other":${deep}}}` });
    expect(unused.body).toEqual({ data: { __typename: 'Query' } });
  });

  it('handles duplicate keys and keys with a meaning in JavaScript', async () => {
    const twice = '{"query":"{ nothing }","query":"{ __typename }","__proto__":null}';
    expect((await send(trellis, { body: twice })).status).toBe(400);
    const last = await send(trellis, { body: '{"query":"{ nothing }","query":"{ __typename }"}' });
    expect(last.body).toEqual({ data: { __typename: 'Query' } });
    const query = 'query($by: TeamRef!) { team(by: $by) { name } }';
    for (const by of ['{"__proto__":{"name":"x"}}', '{"constructor":"x"}', '{"name":"x","name":null}']) {
      const body = `{"query":${JSON.stringify(query)},"variables":{"by":${by}}}`;
      const { errors } = (await send(trellis, { body })).body;
      expect(errors[0].extensions).toMatchObject({ code: 'INVALID_INPUT' });
      expect(errors[0].extensions.issues[0].path[0]).toBe('by');
    }
  });

  it('a header that is too large gets 431, and the server keeps running', async () => {
    const answer = await send(trellis, {
      ...json({ query: '{ __typename }' }),
      headers: { 'X-Filler': 'x'.repeat(100_000) },
    });
    expect(answer.status).toBe(431);
    expect((await send(trellis, json({ query: '{ __typename }' }))).status).toBe(200);
  });
});

describe('the request id', () => {
  it.each(['abc', 'a-1.2:3_4', 'x'.repeat(128), '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'])(
    'from the client is echoed: %s',
    async (id) => {
      const headers = { 'X-Request-Id': id };
      const good = await send(trellis, { ...json({ query: '{ __typename }' }), headers });
      expect(good.headers['x-request-id']).toBe(id);
      const bad = await send(trellis, { ...json({ query: '{ nothing }' }), headers });
      expect(errorOf(bad).extensions.requestId).toBe(id);
      for (const path of ['/nothing', '/healthz', '/graphql']) {
        const answer = await send(trellis, { path, headers, token: null });
        expect(answer.headers['x-request-id'], path).toBe(id);
      }
    },
  );

  it.each(['', ' ', 'x'.repeat(129), 'a b', 'a"b', '<script>', 'a/b', 'é', 'a, b', '{}'])(
    'from the client is replaced when it is invalid: %j',
    async (id) => {
      const headers = { 'X-Request-Id': id };
      const answer = await send(trellis, { ...json({ query: '{ nothing }' }), headers });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
      expect(errorOf(answer).extensions.requestId).toBe(answer.headers['x-request-id']);
    },
  );

  it('is in the log, with method, path and status, and without the query string', async () => {
    const id = 'in-the-log';
    await send(trellis, {
      path: '/graphql?query=%7B__typename%7D&operationName=',
      headers: { 'X-Request-Id': id },
    });
    await expect
      .poll(() => trellis.logged.filter(({ requestId }) => requestId === id))
      .toMatchObject([{ msg: 'request', method: 'GET', path: '/graphql', status: 200 }]);
  });
});
