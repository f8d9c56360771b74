import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/api.ts';
import { restPath } from '../../src/rest/route.ts';
import { expectDocumented, rest } from '../support/openapi.ts';
import { atOf, type Example, examplesOf, routeOf, type Title, titles } from '../support/rest-examples.ts';
import { createScene } from '../support/rest-scene.ts';
import { type Answer, type Sent, send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';
import { expectUnchanged } from '../support/unchanged.ts';

const bodyLimitBytes = 256 * 1024;

const trellis = useTrellis({ bodyLimitBytes });
let examples: Record<Title, Example>;
let reader: string;

beforeAll(async () => {
  const scene = await createScene(trellis);
  reader = scene.reader;
  examples = examplesOf(scene);
});
expectUnchanged(() => trellis);

const bodies = titles.filter((title) => routeOf(title).body);

/** Sends to the address of the example exactly what is given; every answer is checked against the document. */
async function sendRaw(title: Title, sent: Sent) {
  const at = atOf(examples[title]);
  const [method, path] = [at.split(' ')[0]!.toUpperCase(), `${restPath}${at.slice(at.indexOf(' ') + 1)}`];
  const answer = await send(trellis, { method, path, ...sent });
  expectDocumented(method, path, answer);
  return answer;
}

const pathsOf = ({ body }: Answer) => body.issues?.map(({ path }: { path: unknown[] }) => path);
const nested = (open: string, close: string, times: number) => open.repeat(times) + close.repeat(times);

describe('an invalid body', () => {
  const broken: [what: string, body: string | Buffer][] = [
    ['nothing', ''],
    ['spaces', '  \n'],
    ['a word', 'hello'],
    ['an open object', '{'],
    ['an open text', '{"protocol": "htt'],
    ['a single quote', "{'protocol': 'http'}"],
    ['a comma too many', '{"protocol": "http",}'],
    ['two values', '{} {}'],
    ['a comment', '{} // {}'],
    ['NaN', 'NaN'],
    ['a number with a zero in front', '{"port": 08}'],
    ['a control character in a text', '{"port": "\u0001"}'],
    ['a byte order mark in front of nothing', '\ufeff'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['half a character', Buffer.from('{"port": "é"}').subarray(0, -3)],
    ['UTF-16', Buffer.from('{"port": "8080"}', 'utf16le')],
    ['gzip that does not say so', gzipSync('{"port": "8080"}')],
    ['a form', 'port=8080&protocol=http'],
    ['brackets 10000 deep that never close', '['.repeat(10_000)],
    ['objects 10000 deep that never close', '{"a":'.repeat(10_000)],
  ];
  it.each(broken)('%s is INVALID_INPUT', async (_, body) => {
    for (const title of bodies) {
      const answer = await sendRaw(title, { body });
      expect([answer.status, pathsOf(answer)], `${title} → ${answer.text}`).toEqual([400, [[]]]);
    }
  });

  it.each(bodies)('%s refuses a body cut off anywhere', async (title) => {
    const text = JSON.stringify(examples[title].body);
    for (let end = 0; end < text.length; end += Math.ceil(text.length / 40)) {
      const answer = await sendRaw(title, { body: text.slice(0, end) });
      expect([answer.status, pathsOf(answer)], text.slice(0, end)).toEqual([400, [[]]]);
    }
  });

  it.each(bodies)('%s refuses values of another kind', async (title) => {
    const { body } = examples[title];
    const other = Array.isArray(body) ? body[0] : [body];
    for (const value of [other, Array.isArray(body) ? {} : [], null, true, 1, 'text', '', [[]], [null]]) {
      const answer = await rest(trellis, atOf(examples[title]), { body: JSON.stringify(value) });
      expect(answer.status, `${JSON.stringify(value)} → ${answer.text}`).toBe(400);
      expect(pathsOf(answer).length).toBeGreaterThan(0);
    }
  });

  it.each(bodies)('%s refuses 9000 levels, as the body and inside of it', async (title) => {
    const { body } = examples[title];
    // More keys than 10 000 are refused before anybody looks at where they are.
    for (const deep of [nested('[', ']', 9_000), nested('{"a":', '}', 9_000).replace(':}', ':1}')]) {
      const whole = await sendRaw(title, { body: deep });
      expect(whole.status, whole.text.slice(0, 300)).toBe(400);
      const good = Array.isArray(body) ? body[0] : body;
      for (const name of ['bogus', ...Object.keys(good)]) {
        const object = { ...good, [name]: '@' };
        const text = JSON.stringify(Array.isArray(body) ? [object] : object).replace('"@"', deep);
        const answer = await sendRaw(title, { body: text, token: reader });
        const what = `${title} ${name} → ${answer.status} ${answer.text.slice(0, 300)}`;
        // What a kind of body does not use is ignored, whatever it holds.
        expect([400, 403], what).toContain(answer.status);
        if (answer.status === 400) expect(pathsOf(answer).flat(), what).toContain(name);
      }
    }
  });

  it('uses the last of duplicate fields', async () => {
    const { body } = examples.addPort;
    const rest = JSON.stringify({ ...body, port: undefined }).slice(1);
    const status = async (text: string) => (await sendRaw('addPort', { body: text, token: reader })).status;
    expect(await status(`{"port":"0","port":"9999",${rest}`)).toBe(403);
    expect(await status(`{"port":"9999","port":"0",${rest}`)).toBe(400);
    expect(await status(`{"port":"9999",${rest.slice(0, -1)},"port":null}`)).toBe(400);
    expect(await status(`{"port":"9999","bogus":1,"bogus":2,${rest}`)).toBe(400);
  });
});

describe('a body that cannot be read', () => {
  const types = [
    ...[undefined, '', 'text/plain', 'text/json', 'application/xml', 'application/x-www-form-urlencoded'],
    ...[
      'multipart/form-data; boundary=x',
      'application/problem+json',
      'application/json-patch+json',
      'nonsense',
    ],
    ...['application/jsonp', 'application/octet-stream', 'json', '*/*', 'text/plain, application/json'],
  ];
  it.each(types)('of the type %j is UNSUPPORTED_MEDIA_TYPE', async (type) => {
    for (const title of bodies) {
      const body = JSON.stringify(examples[title].body);
      const answer = await sendRaw(title, { body, headers: { 'Content-Type': type } });
      expect([answer.status, answer.body.code], title).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=UTF-8',
    'application/json ; x=y',
  ])('is one that says %s', async (type) => {
    const body = JSON.stringify(examples.addPort.body);
    const answer = await sendRaw('addPort', { body, token: reader, headers: { 'Content-Type': type } });
    expect(answer.status).toBe(403);
  });

  it('returns 404 or 405 for an unknown path', async () => {
    for (const title of bodies) {
      const untyped = await sendRaw(title, {});
      expect(untyped.status).toBe(415);
      const typed = await sendRaw(title, { headers: { 'Content-Type': 'application/json' } });
      expect([typed.status, pathsOf(typed)]).toEqual([400, [[]]]);
    }
  });

  // 64 MiB of zeros in 64 KiB, within the limit as long as nobody unpacks it.
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  it.each(['gzip', 'GZIP', 'br', 'deflate', 'zstd', 'gzip, gzip', 'x'])(
    'that is packed as %s',
    async (encoding) => {
      for (const title of bodies) {
        const headers = { 'Content-Encoding': encoding };
        for (const body of [bomb, gzipSync(JSON.stringify(examples[title].body))]) {
          const answer = await sendRaw(title, { body, headers });
          expect([answer.status, answer.body.code], title).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
        }
      }
    },
  );

  it.each(bodies)('of %s, over the limit, is PAYLOAD_TOO_LARGE', async (title) => {
    const text = JSON.stringify(examples[title].body);
    const large = text + ' '.repeat(bodyLimitBytes - text.length + 1);
    for (const body of [large, large.match(/.{1,8192}/gs)!, text + 'x'.repeat(8_000_000)]) {
      const answer = await sendRaw(title, { body });
      expect([answer.status, answer.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    }
    const full = text + ' '.repeat(bodyLimitBytes - text.length);
    for (const body of [full, full.match(/.{1,8192}/gs)!]) {
      expect([200, 403]).toContain((await sendRaw(title, { body, token: reader })).status);
    }
  });

  it('of a read is ignored', async () => {
    for (const title of titles.filter((each) => routeOf(each).method === 'get')) {
      for (const body of ['{', '{}', 'x'.repeat(1000)]) {
        const answer = await sendRaw(title, { body, headers: { 'Content-Type': 'text/plain' } });
        expect(answer.status, title).toBe(200);
      }
    }
  });
});

describe('methods and paths', () => {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'LINK', 'SEARCH'];
  it.each(titles)('the path of %s refuses other methods, and tells its own', async (title) => {
    const { route, ...example } = examples[title];
    const own = routes.filter(({ path }) => path === route.path).map(({ method }) => method.toUpperCase());
    const allowed = [...own.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'];
    for (const method of methods.filter((each) => !allowed.includes(each))) {
      for (const token of [trellis.adminToken, reader]) {
        const answer = await rest(trellis, `${method} ${atOf({ route, ...example }).split(' ')[1]}`, {
          token,
        });
        const what = `${method} ${answer.text}`;
        expect([answer.status, answer.headers.allow?.split(', ').sort()], what).toEqual([
          405,
          allowed.sort(),
        ]);
        if (method !== 'HEAD') expect(answer.body.code, what).toBe('METHOD_NOT_ALLOWED');
      }
    }
  });

  const nothing = [
    ...['', '/', '/nothing', '/team', '/teams/', '/Teams', '//teams', '/teams//regions', '/teams/a/regions/'],
    ...[
      '/teams/a',
      '/teams/a/b',
      '/regions',
      '/regions/',
      '/regions/a/b',
      '/administrators/1',
      '/teams/resource/x',
    ],
    ...[
      '/teams/a/regions/b',
      '/teams/a/regions/b/apps/1',
      '/teams/a/regions/b/apps/1/services/c',
      '/teams;x',
    ],
    ...[
      '/teams/a/regions/b/apps/1/services/c/ports/1/x',
      '/../../etc/passwd',
      '/%2e%2e/graphql',
      '/teams%2F',
    ],
    ...[
      '/__proto__',
      '/constructor',
      '/openapi.yaml',
      '/docs/../../package.json',
      '/docs/none.js',
      '/teams.json',
    ],
    ...['/%00', '/%', '/%zz', '/%ff', '/*', '/:team_id', '/{team_id}', `/${'x'.repeat(8000)}`],
    ...[`/${'a/'.repeat(4000)}`],
  ];
  it.each(nothing)('%s is NOT_FOUND', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await rest(trellis, `${method} ${path}`, { token: null });
      expect([answer.status, answer.body.code], method).toEqual([404, 'NOT_FOUND']);
    }
  });

  it.each(['/teams\\', '/teams?query=\\', '/teams#x', '/regions/a\\b'])(
    '%s, with a character that no address holds, does not fail with a server error',
    async (path) => {
      const answer = await send(trellis, { path: `${restPath}${path}` });
      expect(answer.status).toBeLessThan(500);
      if (answer.status !== 200) expect(answer.body.code, answer.text).toMatch(/^(INVALID_INPUT|NOT_FOUND)$/);
    },
  );

  it('returns 431 for a URL or header that is too long, and the server keeps running', async () => {
    const long = await send(trellis, { path: `${restPath}/teams?query=${'x'.repeat(100_000)}` });
    expect(long.status).toBe(431);
    const headers = { 'If-None-Match': 'x'.repeat(100_000) };
    expect((await send(trellis, { path: `${restPath}/teams`, headers })).status).toBe(431);
    expect((await rest(trellis, 'get /teams')).status).toBe(200);
  });
});

describe('an error of an operation', () => {
  it('is reported as the contract defines', async () => {
    const { body: rule } = examples['createGatewayRule: http'];
    const uncovered = { ...rule, http: { ...rule.http, domain_name: 'other.example' } };
    const certificate = await rest(trellis, atOf(examples['createGatewayRule: http']), { body: uncovered });
    expect([certificate.status, pathsOf(certificate)]).toEqual([400, [['http', 'certificate_id']]]);
    const [item] = examples.upgradeApplication.body.update_versions;
    const twice = await rest(trellis, atOf(examples.upgradeApplication), {
      body: { update_versions: [item, item] },
    });
    expect([twice.status, pathsOf(twice)]).toEqual([400, [['update_versions', 1]]]);
  });
});
