import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/api.ts';
import { restPath } from '../../src/rest/route.ts';
import type { All } from '../support/fixtures.ts';
import { rest } from '../support/openapi.ts';
import { send } from '../support/send.ts';
import { startTrellis, type Trellis, useTrellis } from '../support/trellis.ts';

const bodyLimitBytes = 4096;
const origin = 'https://app.example';

let shared: Trellis;
let all: All;
let apps: string;
const trellis = useTrellis({ bodyLimitBytes });
beforeAll(async () => {
  shared = await startTrellis({ corsOrigins: [origin, 'http://localhost:3000'] });
  all = await trellis.createAll();
  apps = `/teams/${all.team.teamId}/regions/${all.region.name}/apps/${all.application.appId}`;
  // The list is long enough to be compressed.
  for (let index = 0; index < 12; index++) await trellis.createTeam();
});
afterAll(() => shared.close());

const methods = (path: string) => {
  const own = routes.filter((route) => route.path === path).map(({ method }) => method.toUpperCase());
  return [...own.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'];
};
/** The path with something in the place of each parameter. */
const filled = (path: string) => path.replaceAll(/\{\w+\}/g, '1');
const paths = [...new Set(routes.map(({ path }) => path))];

describe('methods', () => {
  it.each(paths)('%s', async (path) => {
    const allow = methods(path).join(', ');
    const options = await rest(trellis, `options ${filled(path)}`, { token: null });
    expect(options.headers.allow).toBe(allow);
    expect(options.headers['access-control-allow-origin']).toBeUndefined();
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE']) {
      if (allow.split(', ').includes(method)) continue;
      const answer = await rest(trellis, `${method.toLowerCase()} ${filled(path)}`, { token: null });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe(allow);
    }
  });

  it('HEAD returns the headers of GET without the body', async () => {
    for (const path of [
      '/teams',
      `/regions/${all.region.name}`,
      `${apps}/services`,
      '/teams?page=x',
      '/regions/x',
    ]) {
      const get = await rest(trellis, `get ${path}`);
      const head = await rest(trellis, `head ${path}`);
      expect(head.status).toBe(get.status);
      for (const name of ['content-type', 'etag', 'cache-control']) {
        expect(head.headers[name]).toBe(get.headers[name]);
      }
      // Request ids are as long as each other.
      expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
    }
  });
});

describe('the order of errors', () => {
  it('is path, method, token, then input', async () => {
    const nowhere = await rest(trellis, 'post /nowhere', { token: null, body: '{' });
    expect(nowhere.body.code).toBe('NOT_FOUND');
    const method = await rest(trellis, 'patch /teams', { token: null, body: '{' });
    expect(method.body.code).toBe('METHOD_NOT_ALLOWED');
    for (const token of [null, 'trl_unknown']) {
      const answer = await rest(trellis, `post ${apps}/domains?x=1`, {
        token,
        body: '{',
        headers: { 'Content-Type': 'text/plain' },
      });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
    const sent = await rest(trellis, 'get /teams/nowhere/regions?page=0');
    expect(sent.body.code).toBe('INVALID_INPUT');
  });

  it('reports invalid parameters and an invalid body together', async () => {
    const answer = await rest(trellis, `put ${apps.replace(/\d+$/, 'x')}/services/a/ports/0?why=1`, {
      body: { action: 'change_protocol', more: 1 },
    });
    expect(answer.body.issues.map(({ path }: any) => path)).toEqual([
      ['app_id'],
      ['port'],
      ['why'],
      ['protocol'],
      ['more'],
    ]);
  });
});

describe('the token', () => {
  it.each([
    ['Bearer', (token: string) => `Bearer ${token}`],
    ['bearer', (token: string) => `bearer ${token}`],
    ['no scheme', (token: string) => token],
  ])('with %s is accepted', async (_, write) => {
    const headers = { Authorization: write(trellis.adminToken) };
    expect((await rest(trellis, 'get /teams', { headers })).status).toBe(200);
  });

  it.each(['Basic', 'Token'])('with %s is rejected', async (scheme) => {
    const headers = { Authorization: `${scheme} ${trellis.adminToken}` };
    expect((await rest(trellis, 'get /teams', { headers })).status).toBe(401);
  });
});

describe('pages', () => {
  it.each(['teams', 'administrators'])(
    'of /%s are asked for by whole numbers in their bounds',
    async (list) => {
      for (const wrong of [
        '',
        '0',
        '-1',
        '1.5',
        '1e1',
        ' 1',
        '01',
        'a',
        '2147483648',
        '99999999999999999999',
      ]) {
        for (const name of ['page', 'page_size']) {
          const answer = await rest(trellis, `get /${list}?${name}=${encodeURIComponent(wrong)}`);
          expect([answer.status, answer.body.issues?.[0].path], `${name}=${wrong}`).toEqual([400, [name]]);
        }
      }
      expect((await rest(trellis, `get /${list}?page_size=1001`)).body.issues[0].path).toEqual(['page_size']);
      expect((await rest(trellis, `get /${list}?page=1&page=2`)).body.issues).toEqual([
        { path: ['page'], message: 'Duplicate parameter. Send it only once' },
      ]);
    },
  );
});

/** The bytes as they come over the wire. */
function raw(url: string, headers: Record<string, string>, body?: string) {
  return new Promise<{ headers: Record<string, any>; body: Buffer }>((resolve, reject) => {
    const authorization = `Bearer ${trellis.adminToken}`;
    const sent = request(
      url,
      {
        method: body ? 'POST' : 'GET',
        headers: { authorization, 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('end', () => resolve({ headers: answer.headers, body: Buffer.concat(chunks) }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('compression', () => {
  const surfaces: [name: string, path: () => string, body?: string][] = [
    ['REST', () => '/openapi/v1/teams?page_size=100'],
    [
      'GraphQL',
      () => '/graphql',
      JSON.stringify({
        query: '{ teams(first: 100) { nodes { id name alias createdAt creator { email } } } }',
      }),
    ],
  ];

  it.each(surfaces)('of %s follows Accept-Encoding', async (_, path, body) => {
    const ask = (accept?: string) =>
      raw(`${trellis.url}${path()}`, accept ? { 'accept-encoding': accept } : {}, body);
    const plain = await ask();
    expect(plain.body.length).toBeGreaterThan(1024);
    for (const [accept, encoding, unpack] of [
      ['gzip', 'gzip', gunzipSync],
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip, br;q=0', 'gzip', gunzipSync],
      ['identity', undefined, (bytes: Buffer) => bytes],
      ['gzip;q=0', undefined, (bytes: Buffer) => bytes],
    ] as const) {
      const packed = await ask(accept);
      expect(packed.headers['content-encoding'], accept).toBe(encoding);
      expect(packed.headers.vary).toBe('Accept-Encoding');
      expect(packed.headers.etag).toBe(plain.headers.etag);
      if (encoding) expect(packed.body.length).toBeLessThan(plain.body.length);
      expect(unpack(packed.body).equals(plain.body), accept).toBe(true);
    }
  });

  it('is not used below 1 KiB', async () => {
    const small = await raw(`${trellis.url}/openapi/v1/regions/${all.region.name}`, {
      'accept-encoding': 'gzip',
    });
    expect(small.headers['content-encoding']).toBeUndefined();
    expect(small.headers.vary).toBe('Accept-Encoding');
    expect(JSON.parse(small.body.toString()).region_name).toBe(all.region.name);
  });

  it('keeps one ETag for all encodings', async () => {
    const url = `${trellis.url}/openapi/v1/teams?page_size=100`;
    const { headers } = await raw(url, { 'accept-encoding': 'br' });
    const again = await raw(url, { 'accept-encoding': 'gzip', 'if-none-match': headers.etag });
    expect([again.headers.etag, again.body.length]).toEqual([headers.etag, 0]);
  });
});

describe('bodies', () => {
  const path = 'post /teams/resource';

  it.each([
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/merge-patch+json',
  ])('of the type %s are UNSUPPORTED_MEDIA_TYPE', async (type) => {
    const answer = await rest(trellis, path, { body: '[]', headers: { 'Content-Type': type } });
    expect(answer.status).toBe(415);
  });

  it.each(['gzip', 'br', 'deflate', 'gzip, gzip'])(
    'packed with %s are UNSUPPORTED_MEDIA_TYPE',
    async (encoding) => {
      const answer = await rest(trellis, path, { body: '[]', headers: { 'Content-Encoding': encoding } });
      expect(answer.status).toBe(415);
    },
  );

  it('are parsed as JSON', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON']) {
      const answer = await rest(trellis, path, { body: '[]', headers: { 'Content-Type': type } });
      expect(answer.body).toEqual([]);
    }
    expect((await rest(trellis, path, { body: '\ufeff[]' })).body).toEqual([]);
  });

  const deep = '['.repeat(1500) + ']'.repeat(1500);
  it.each([
    ['nothing', ''],
    ['broken JSON', '[{"tenant_id":'],
    ['something behind it', '[] []'],
    ['no JSON', 'tenant_id=1'],
    ['bytes that are no UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])],
    ['an object', {}],
    ['a text', '"[]"'],
    ['null', 'null'],
    ['deep nesting', deep],
    ['a list of lists', [[]]],
  ])('that are %s are INVALID_INPUT', async (_, body) => {
    const answer = await rest(trellis, path, { body });
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_INPUT']);
    expect(answer.body.issues.length).toBeGreaterThan(0);
  });

  it('over the limit are PAYLOAD_TOO_LARGE, with their length and in chunks', async () => {
    const text = JSON.stringify([{ tenant_id: 'x'.repeat(bodyLimitBytes), region_name: 'x' }]);
    expect((await rest(trellis, path, { body: text })).status).toBe(413);
    const chunked = await send(trellis, {
      path: '/openapi/v1/teams/resource',
      body: text.match(/.{1,512}/gs)!,
    });
    expect([chunked.status, chunked.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const fits = `[]${' '.repeat(bodyLimitBytes - 2)}`;
    for (const body of [fits, fits.match(/.{1,512}/gs)!]) {
      expect((await send(trellis, { path: '/openapi/v1/teams/resource', body })).body).toEqual([]);
    }
  });

  it('with very many errors return only some of them', async () => {
    const http = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`k${index}`, 1]));
    const path = `${restPath}/teams/x/regions/x/apps/1/domains`;
    const answer = await send(shared, { path, body: JSON.stringify({ protocol: 'http', http }) });
    expect(answer.status).toBe(400);
    expect(answer.body.issues).toHaveLength(101);
    expect(answer.body.issues.at(-1).message).toMatch(/^And \d+ more$/);
    expect(answer.text.length).toBeLessThan(20_000);
  });

  it('nested ten thousand levels deep are refused', async () => {
    const body = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    for (const at of [path, 'post /teams/1/regions/1/apps/1/upgrade']) {
      expect((await rest(shared, at, { body })).status).toBe(400);
    }
  });
});

describe('CORS', () => {
  it('varies responses by origin, also for static documents', async () => {
    for (const path of [`${restPath}/openapi.json`, `${restPath}/docs`]) {
      const answer = await send(shared, { path, token: null, headers: { Origin: origin } });
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      expect(answer.headers.vary).toContain('Origin');
      expect(answer.headers.vary).toContain('Accept-Encoding');
    }
  });

  const preflight = {
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization',
  };

  it.each(['/openapi/v1/teams', '/graphql'])('allows %s for permitted origins', async (path) => {
    for (const from of [origin, 'http://localhost:3000']) {
      const asked = await send(shared, {
        method: 'OPTIONS',
        path,
        token: null,
        headers: { Origin: from, ...preflight },
      });
      expect(asked.status).toBe(204);
      expect(asked.headers).toMatchObject({
        'access-control-allow-origin': from,
        'access-control-allow-headers': 'authorization',
        'access-control-allow-methods': expect.stringContaining('DELETE'),
      });
      expect(asked.headers.vary).toContain('Origin');
      const query = path === '/graphql' ? '?query=%7B__typename%7D' : '';
      const answer = await send(shared, { path: `${path}${query}`, headers: { Origin: from } });
      expect(answer.status).toBe(200);
      expect(answer.headers['access-control-allow-origin']).toBe(from);
      expect(answer.headers['access-control-expose-headers']).toContain('X-Request-Id');
      expect(answer.headers['access-control-expose-headers']).toContain('ETag');
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
      expect(answer.headers.vary).toMatch(/Accept-Encoding.*Origin/);
    }
  });

  it('lets permitted origins read errors', async () => {
    const answer = await rest(shared, 'get /teams', { token: null, headers: { Origin: origin } });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([401, origin]);
  });

  it('refuses other origins', async () => {
    for (const from of [
      'https://evil.example',
      'https://app.example.evil.example',
      'null',
      'http://app.example',
    ]) {
      for (const each of [trellis, shared]) {
        const headers = { Origin: from, ...preflight };
        const asked = await send(each, {
          method: 'OPTIONS',
          path: '/openapi/v1/teams',
          token: null,
          headers,
        });
        expect(asked.headers['access-control-allow-origin']).toBeUndefined();
        const answer = await rest(each, 'get /teams', { headers: { Origin: from } });
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      }
    }
    const own = await rest(trellis, 'get /teams', { headers: { Origin: origin } });
    expect(own.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('addresses', () => {
  it.each([
    ['/teams/', 404],
    ['//teams', 404],
    ['/Teams', 404],
    ['/teams/../teams/x', 404],
    ['/teams/%2e%2e/%2e%2e/%2e%2e/graphql', 404],
    ['/teams/a%2Fb/regions', 404],
    ['/teams/%252F/regions', 404],
    ['/teams/%ZZ/regions', 404],
    ['/teams/%E0%A4%A/regions', 404],
    ['/teams/__proto__/regions', 404],
    ['/teams/constructor/regions', 404],
    ['/regions/%F0%9F%90%99', 404],
    ['/teams/a%00b/regions', 400],
    ['/teams/%0d%0a/regions', 400],
    [`/teams/${'x'.repeat(301)}/regions`, 400],
    ['/regions/%20', 400],
    ['/teams?__proto__=1', 400],
    ['/teams?query=%00', 400],
    ['/teams?page[]=1', 400],
    ['/teams?%zz', 400],
    ['/teams?', 200],
    ['/teams?query=%ff', 200],
    ['/teams#page=0', 200],
  ])('%s is answered %i', async (path, status) => {
    const answer = await rest(trellis, `get ${path}`);
    expect(answer.status, answer.text).toBe(status);
  });

  it.each(['a b', 'x/y', '[', 'x@y', '\u00ff'])('with the host %s are answered', async (host) => {
    const answer = await send(trellis, { path: '/openapi/v1/teams', headers: { Host: host } });
    expect([200, 400]).toContain(answer.status);
    if (answer.status === 400)
      expect(answer.body).toMatchObject({ code: 'INVALID_INPUT', issues: [{ path: [] }] });
  });
});

it('requests are logged once, without what was sent', async () => {
  trellis.logged.length = 0;
  const answer = await rest(trellis, 'get /teams?query=find-me', { headers: { 'X-Request-Id': 'mine-1' } });
  expect(answer.headers['x-request-id']).toBe('mine-1');
  await expect.poll(() => trellis.logged.length).toBeGreaterThan(0);
  expect(trellis.logged).toMatchObject([
    { requestId: 'mine-1', method: 'GET', path: '/openapi/v1/teams', status: 200 },
  ]);
  expect(JSON.stringify(trellis.logged)).not.toContain('find-me');
  expect(trellis.logged.filter(({ level }) => level >= 50)).toEqual([]);
});
