import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type StoreAddress, storeAccessKey, storeUrl } from '../../../src/drivers/app-store/driver.ts';
import { createHttpAppStore } from '../../../src/drivers/app-store/http.ts';
import { storeId } from '../../../src/drivers/app-store/template.ts';
import { isPublicAddress } from '../../../src/drivers/outgoing/public-address.ts';
import {
  readPublishedApps,
  type StoreServer,
  sendJson,
  serveTemplates,
  startStoreServer,
  storeKey,
} from '../../support/store-server.ts';

const quick = { connectTimeoutMs: 500, callTimeoutMs: 5_000, retryDelaysMs: [10, 20] };
const client = createHttpAppStore({ allowPrivate: true, limits: quick });
const impatient = createHttpAppStore({ allowPrivate: true, limits: { ...quick, callTimeoutMs: 400 } });
const careful = createHttpAppStore({ allowPrivate: false, limits: quick });
afterAll(() => Promise.all([client.close(), impatient.close(), careful.close()]));

const servers: { close(): unknown }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(...given: Parameters<typeof startStoreServer>): Promise<StoreServer> {
  const server = await startStoreServer(...given);
  servers.push(server);
  return server;
}

/** A server below HTTP. */
async function listen(onSocket: (socket: Socket) => void): Promise<{ url: string }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push({
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        for (const socket of sockets) socket.destroy();
      }),
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const at = (url: string, accessKey = storeKey): StoreAddress => ({ url, domain: 'market', accessKey });

const apps = readPublishedApps();
const bookinfo = [...apps.values()].find(({ entry }) => entry.name === 'Bookinfo')!;
const id: string = bookinfo.entry.appKeyID;
const version = '1.30.3';
const answer = (over: object = {}) => ({
  appKeyID: id,
  version,
  template: bookinfo.templates.get(version)!,
  ...over,
});

/** The failure of a call, which tells nothing of the key. */
async function failed(call: Promise<unknown>): Promise<any> {
  const error: any = await call.then(
    () => {
      throw new Error('It did not fail.');
    },
    (thrown) => thrown,
  );
  expect(JSON.stringify([error.message, error.stack, { ...error }])).not.toContain(storeKey);
  return error;
}
const ask = (server: { url: string }, store = client) => store.template(at(server.url), id, version);

const unavailable = { code: 'STORE_UNAVAILABLE', status: 502 };
const late = { code: 'STORE_UNAVAILABLE', status: 504 };

describe('a working store', () => {
  it('returns every application, version and template', async () => {
    const server = await serveTemplates();
    servers.push(server);
    for (const { entry, templates } of apps.values()) {
      const app = await client.app(at(server.url), entry.appKeyID);
      expect(app).toMatchObject({ id: entry.appKeyID, name: entry.name, description: entry.desc, logo: '' });
      expect(app.versions.map((each) => each.version)).toEqual([...templates.keys()]);
      expect(await client.versions(at(server.url), entry.appKeyID)).toEqual(app.versions);
      for (const each of templates.keys()) {
        const found = await client.template(at(server.url), entry.appKeyID, each);
        expect(found).toMatchObject({ id: entry.appKeyID, name: entry.name, version: each });
        expect(found.template).toMatchObject({ groupKey: entry.appKeyID, groupVersion: each });
      }
    }
    const { createTime, updateTime } = bookinfo.entry.versions[1];
    expect((await client.versions(at(server.url), id))[1]).toEqual({
      version,
      alias: version,
      description: bookinfo.entry.versions[1].desc,
      createdAt: new Date(createTime).toISOString(),
      updatedAt: new Date(updateTime).toISOString(),
      updateVersion: 1,
      isEnabled: true,
    });
  });

  it('receives requests as the protocol defines them', async () => {
    const server = await start((_, response) => sendJson(response, answer()));
    await client.template({ ...at(`${server.url}/some/store/`), domain: 'a&b=c' }, id, version);
    expect(server.requests).toHaveLength(1);
    const { method, path, headers } = server.requests[0]!;
    expect({ method, path }).toEqual({
      method: 'GET',
      path: `/some/store/app-server/openapi/apps/${id}/versions/${version}?marketDomain=a%26b%3Dc&forInstall=True&getTemplate=True`,
    });
    expect(headers).toMatchObject({
      authorization: storeKey,
      accept: 'application/json',
      'accept-encoding': 'identity',
    });
  });

  it('may omit optional fields', async () => {
    const server = await start((_, response) =>
      sendJson(response, {
        appKeyID: id,
        logo: null,
        novelty: {},
        versions: [{ appVersion: '1', createTime: 'yesterday', enable: false }],
      }),
    );
    expect(await client.app(at(server.url), id)).toEqual({
      id,
      name: '',
      description: '',
      logo: '',
      versions: [
        {
          version: '1',
          alias: '',
          description: '',
          createdAt: null,
          updatedAt: null,
          updateVersion: 1,
          isEnabled: false,
        },
      ],
    });
  });

  it.each(['../x', 'a/b', 'a?b#c', '%2e%2e', 'ü ☃'])(
    'is asked for the id %j and for no other path',
    async (odd) => {
      const server = await start((_, response) => sendJson(response, { versions: [] }));
      expect(await client.versions(at(server.url), odd)).toEqual([]);
      const [path] = server.requests[0]!.path.split('?');
      expect(path!.split('/')).toEqual([
        '',
        'app-server',
        'openapi',
        'apps',
        encodeURIComponent(odd),
        'versions',
      ]);
    },
  );

  it.each(['.', '..', '', 'a\u0000', '\ud800'])('is never asked for the id or version %j', async (odd) => {
    const server = await start((_, response) => sendJson(response, {}));
    expect(await failed(client.versions(at(server.url), odd))).toMatchObject({ code: 'INVALID_INPUT' });
    expect(await failed(client.template(at(server.url), id, odd))).toMatchObject({ code: 'INVALID_INPUT' });
    expect(server.connections()).toBe(0);
    expect(storeId().safeParse(odd).success).toBe(false);
  });
});

describe('the address and key of a store', () => {
  it.each(['http://store', 'https://store.example/a/b/', 'HTTP://127.0.0.1:1', 'http://[::1]:80/'])(
    'may be %s',
    (url) => {
      expect(storeUrl().safeParse(url).success).toBe(true);
    },
  );

  it.each([
    'ftp://store',
    'file:///etc/passwd',
    'store',
    'http:store',
    'http:/store',
    'http://',
    'http://user@store',
    'http://user:word@store',
    'http://store?',
    'http://store/#',
    'http://store/a b',
    'http://sto\nre',
    'http://store\\a',
    'http://store:99999',
    `http://store/${'a'.repeat(2048)}`,
  ])('may not be %j', async (url) => {
    expect(storeUrl().safeParse(url).success).toBe(false);
    expect(await failed(client.app(at(url), id))).toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('are refused without repeating the key when it is not a valid header value', async () => {
    for (const key of ['', `${storeKey}\r\nX: y`, `${storeKey}ü`, ` ${storeKey}`, storeKey.repeat(300)]) {
      expect(storeAccessKey().safeParse(key).success).toBe(false);
      expect(await failed(client.app(at('http://127.0.0.1:9', key), id))).toMatchObject({
        code: 'INVALID_INPUT',
      });
    }
  });
});

describe('a store that refuses', () => {
  it.each([400, 401, 403, 404, 410, 422, 429])('with %i is reported and not asked again', async (status) => {
    const server = await start((_, response) => sendJson(response, { secret: storeKey }, status));
    expect(await failed(ask(server))).toMatchObject({
      code: 'STORE_REFUSED',
      status: 502,
      answered: status,
      message: `The app store responded with status ${status}.`,
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a store that fails', () => {
  it('is reported when it refuses the connection', async () => {
    // Below the ports that are given to servers, so that no other test's server answers.
    const error = await failed(ask({ url: 'http://127.0.0.1:1' }));
    expect(error).toMatchObject(unavailable);
    expect(error.message).toContain('connection refused');
  });

  it.each([500, 501, 505, 204, 206, 304])('with %i is reported and not asked again', async (status) => {
    const server = await start((_, response) => response.writeHead(status).end());
    expect(await failed(ask(server))).toMatchObject(unavailable);
    expect(server.requests).toHaveLength(1);
  });

  it.each([502, 503, 504])('with %i is asked again, and its second answer is used', async (status) => {
    const server = await start((_, response) =>
      server.requests.length === 1 ? sendJson(response, {}, status) : sendJson(response, answer()),
    );
    expect((await ask(server)).template.components).toHaveLength(6);
    expect(server.requests).toHaveLength(2);
  });

  it('with 503 every time is reported after three calls', async () => {
    const server = await start((_, response) => sendJson(response, {}, 503));
    expect(await failed(ask(server))).toMatchObject({
      ...unavailable,
      message: 'The app store responded with status 503.',
    });
    expect(server.requests).toHaveLength(3);
  });

  it('is asked again after it drops the connection twice', async () => {
    const server = await start((request, response) =>
      server.requests.length < 3 ? request.socket.destroy() : sendJson(response, answer()),
    );
    expect((await ask(server)).id).toBe(id);
    expect(server.requests).toHaveLength(3);
  });

  it('is reported when it always drops the connection', async () => {
    const server = await start((request) => request.socket.destroy());
    expect(await failed(ask(server))).toMatchObject(unavailable);
    expect(server.requests).toHaveLength(3);
  });

  it('times out when it does not respond', async () => {
    const server = await start(() => {});
    expect(await failed(ask(server, impatient))).toMatchObject(late);
    expect(server.requests).toHaveLength(1);
  });

  it('times out when it accepts a connection and sends nothing', async () => {
    expect(await failed(ask(await listen(() => {}), impatient))).toMatchObject(late);
  });

  it('times out when it sends its answer too slowly', async () => {
    const server = await start((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      // Waits on time: the answer never ends, and never stands still.
      const timer = setInterval(() => response.write(' '), 50);
      response.once('close', () => clearInterval(timer));
    });
    expect(await failed(ask(server, impatient))).toMatchObject(late);
  });

  it('is retried only within the timeout of the call', async () => {
    const slow = createHttpAppStore({
      allowPrivate: true,
      limits: { callTimeoutMs: 300, retryDelaysMs: [5_000] },
    });
    const server = await start((_, response) => sendJson(response, {}, 503));
    expect(await failed(ask(server, slow))).toMatchObject(late);
    await slow.close();
  });

  it('is reported when it uses another protocol', async () => {
    const { url } = await listen((socket) => socket.end('220 mail.example ready\r\n'));
    expect(await failed(ask({ url }))).toMatchObject(unavailable);
    expect(await failed(ask({ url: url.replace('http', 'https') }))).toMatchObject(unavailable);
  });

  /** A server that sends interim responses before its answer. */
  const interim = (count: number) =>
    listen((socket) =>
      socket.once('data', () => {
        const body = JSON.stringify(answer());
        const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
        socket.write(`${'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(count)}${head}${body}`);
      }),
    );

  it('is unavailable when it sends many interim responses', async () => {
    const error = await failed(ask(await interim(100_000)));
    expect(error).toMatchObject(unavailable);
    expect(error.message).toBe('The app store sent more than 10 interim responses.');
    expect(await failed(ask(await interim(11)))).toMatchObject(unavailable);
  });

  it('may send a few interim responses', async () => {
    expect((await ask(await interim(10))).id).toBe(id);
  });
});

describe('a redirect from a store', () => {
  it('is followed to another path', async () => {
    const server = await start((request, response) =>
      request.url!.startsWith('/moved')
        ? sendJson(response, answer())
        : response.writeHead(302, { Location: '/moved/here?x=1' }).end(),
    );
    expect((await ask(server)).id).toBe(id);
    expect(server.requests.map(({ path }) => path)).toEqual([expect.any(String), '/moved/here?x=1']);
    expect(server.requests[1]!.headers.authorization).toBe(storeKey);
  });

  it('is not followed to another host, port or scheme', async () => {
    const other = await start((_, response) => sendJson(response, answer()));
    const targets = [
      `${other.url}/`,
      `//127.0.0.1:${other.port}/`,
      `http://localhost:${other.port}/`,
      'file:///etc/passwd',
      'http://',
    ];
    for (const location of targets) {
      const server = await start((_, response) => response.writeHead(307, { Location: location }).end());
      expect(await failed(ask(server)), location).toMatchObject(unavailable);
      expect(server.requests).toHaveLength(1);
    }
    // Another name of the same place is another host as well.
    const server = await start((_, response) =>
      response.writeHead(301, { Location: `http://localhost:${server.port}/` }).end(),
    );
    expect(await failed(ask(server))).toMatchObject(unavailable);
    expect(server.requests).toHaveLength(1);
    expect(other.connections()).toBe(0);
  });

  it('fails without a location', async () => {
    const server = await start((_, response) => response.writeHead(302).end());
    expect(await failed(ask(server))).toMatchObject(unavailable);
  });

  it('is followed three times, but not four', async () => {
    let times = 3;
    const server = await start((request, response) => {
      const step = Number(/^\/step(\d+)/.exec(request.url!)?.[1] ?? 0);
      if (step === times) return sendJson(response, answer());
      response.writeHead(308, { Location: `/step${step + 1}` }).end();
    });
    expect((await ask(server)).id).toBe(id);
    expect(server.requests.splice(0)).toHaveLength(4);
    times = Number.POSITIVE_INFINITY;
    expect(await failed(ask(server))).toMatchObject(unavailable);
    expect(server.requests).toHaveLength(4);
  });
});

describe('an invalid answer', () => {
  it('is truncated', async () => {
    const server = await start((_, response) => {
      const body = JSON.stringify(answer());
      response.writeHead(200, { 'Content-Length': body.length });
      response.write(body.slice(0, body.length / 2), () => response.socket!.destroy());
    });
    expect(await failed(ask(server))).toMatchObject(unavailable);
    expect(server.requests).toHaveLength(1);
  });

  it('is chunked and truncated', async () => {
    const server = await start((_, response) => {
      response.write(JSON.stringify(answer()).slice(0, 1000), () => response.socket!.destroy());
    });
    expect(await failed(ask(server))).toMatchObject(unavailable);
  });

  it.each([false, true])(
    'is cut off at the limit if it has 100 MB, with its length announced: %s',
    async (announced) => {
      const total = 100 * 1024 * 1024;
      const chunk = Buffer.alloc(64 * 1024, ' ');
      const server = await start((_, response) => {
        if (announced) response.setHeader('Content-Length', total);
        let left = total / chunk.length;
        const more = () => {
          while (left > 0 && !response.destroyed) {
            left--;
            if (!response.write(chunk)) return response.once('drain', more);
          }
          if (left === 0) response.end();
        };
        more();
      });
      const error = await failed(ask(server));
      expect(error).toMatchObject({ ...unavailable, message: 'The app store sent more than 8388608 bytes.' });
      expect(server.requests).toHaveLength(1);
      // What is over the limit stands in buffers of the sockets.
      expect(server.bytesWritten()).toBeLessThan(30 * 1024 * 1024);
    },
  );

  it('is accepted when it is exactly at the size limit', async () => {
    const body = JSON.stringify(answer());
    const exact = createHttpAppStore({ allowPrivate: true, limits: { ...quick, bodyBytes: body.length } });
    const tight = createHttpAppStore({
      allowPrivate: true,
      limits: { ...quick, bodyBytes: body.length - 1 },
    });
    const server = await start((_, response) => response.end(body));
    expect((await ask(server, exact)).id).toBe(id);
    expect(await failed(ask(server, tight))).toMatchObject(unavailable);
    await Promise.all([exact.close(), tight.close()]);
  });

  it('is refused when it is encoded', async () => {
    const server = await start((_, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('not even that'),
    );
    expect(await failed(ask(server))).toMatchObject(unavailable);
  });

  const bodies: [what: string, body: string | Buffer, place: string][] = [
    ['HTML', '<!doctype html><title>Sign in</title>', 'answer: Must be JSON'],
    ['nothing', '', 'answer: Must be JSON'],
    ['too many values', `[${'0,'.repeat(250_000)}`, 'answer: Must have at most 250000 values'],
    [
      'too many different keys',
      `[${Array.from({ length: 1_001 }, (_, index) => `{"k${index}":0}`)}`,
      'answer: Must have at most 1000 different keys',
    ],
    ['broken JSON', JSON.stringify(answer()).slice(0, -1), 'answer: Must be JSON'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), 'invalid UTF-8'],
    ['an array', '[]', 'expected object'],
    ['no template', JSON.stringify({ appKeyID: id, version }), 'template: '],
    ['a template that is no text', JSON.stringify(answer({ template: {} })), 'template: '],
    ['a template that is no JSON', JSON.stringify(answer({ template: '{' })), 'template: Must be JSON'],
    ['another id', JSON.stringify(answer({ appKeyID: 'x' })), 'appKeyID: Must match the request'],
    ['another version', JSON.stringify(answer({ version: '1.4.0' })), 'version: Must match the request'],
    [
      'a template of another version',
      JSON.stringify(answer({ template: bookinfo.templates.get('1.4.0') })),
      'template.group_version: Must match the request',
    ],
    [
      'a template of another application',
      JSON.stringify(
        answer({ template: [...[...apps.values()].find((app) => app !== bookinfo)!.templates.values()][0] }),
      ),
      'template.group_key: Must match the request',
    ],
    [
      'a wrong template',
      JSON.stringify(
        answer({
          template: bookinfo.templates.get(version)!.replace('"container_port": 9080', '"container_port": 0'),
        }),
      ),
      'template.apps[0].port_map_list[0].container_port: ',
    ],
  ];
  it.each(bodies)('is reported with the place of the error if it is %s', async (_, body, place) => {
    const server = await start((_request, response) => response.end(body));
    const error = await failed(ask(server));
    expect(error).toMatchObject(unavailable);
    expect(error.message).toContain(place);
    expect(server.requests).toHaveLength(1);
  });

  it('describes an application with another id, or with invalid versions', async () => {
    let body: unknown = { ...bookinfo.entry, appKeyID: 'x' };
    const server = await start((_, response) => sendJson(response, body));
    expect(await failed(client.app(at(server.url), id))).toMatchObject(unavailable);
    body = { ...bookinfo.entry, versions: [{ appVersion: '1'.repeat(65) }] };
    expect((await failed(client.app(at(server.url), id))).message).toContain('versions[0].appVersion: ');
    const many = Array.from({ length: 2_001 }, (_, index) => ({ appVersion: `1.${index}` }));
    body = { ...bookinfo.entry, versions: many };
    expect((await failed(client.app(at(server.url), id))).message).toContain('versions: ');
    body = { ...bookinfo.entry, versions: [{ appVersion: '1' }, { appVersion: 2 }] };
    expect((await failed(client.app(at(server.url), id))).message).toContain('versions[1].appVersion: ');
    body = { versions: 7 };
    expect((await failed(client.versions(at(server.url), id))).message).toContain('versions: ');
  });
});

describe('a private address', () => {
  it.each([
    '127.0.0.1',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
  ])('is not connected to at %s', async (host) => {
    const server = await start((_, response) => sendJson(response, answer()));
    const error = await failed(ask({ url: `http://${host}:${server.port}` }, careful));
    expect(error).toMatchObject({ ...unavailable, message: 'The address of the app store is not allowed.' });
    const secure = await failed(ask({ url: `https://${host}:${server.port}` }, careful));
    expect(secure).toMatchObject({ ...unavailable, message: 'The address of the app store is not allowed.' });
    expect(server.connections()).toBe(0);
  });

  it.each([
    '169.254.169.254',
    '10.1.2.3',
    '100.64.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '[fe80::1]',
    '[fd00::1]',
  ])('is refused immediately at %s', async (host) => {
    const error = await failed(ask({ url: `http://${host}` }, careful));
    expect(error.message).toBe('The address of the app store is not allowed.');
  });

  it.each([
    ['a private address beside a public one', ['1.1.1.1', '127.0.0.1']],
    ['a private address alone', ['127.0.0.1']],
  ])('is not connected to by a name with %s', async (_, addresses) => {
    const server = await start((_request, response) => sendJson(response, answer()));
    const found = addresses.map((address) => ({ address, family: 4 }));
    const original = dns.lookup;
    const asked: string[] = [];
    dns.lookup = ((name: string, options: { all?: boolean }, callback: (...given: unknown[]) => void) => {
      asked.push(name);
      if (options.all) callback(null, found);
      else callback(null, found[0]!.address, 4);
    }) as typeof dns.lookup;
    syncBuiltinESMExports();
    try {
      const error = await failed(ask({ url: `http://store.example:${server.port}` }, careful));
      expect(error.message).toBe('The address of the app store is not allowed.');
      expect(asked).toEqual(['store.example']);
      // The server is there for those who may.
      expect((await ask({ url: `http://127.0.0.1:${server.port}` })).id).toBe(id);
    } finally {
      dns.lookup = original;
      syncBuiltinESMExports();
    }
    expect(server.connections()).toBe(1);
  });

  it('is distinguished from a public one', () => {
    const closed = [
      ['0.1.2.3', '10.255.255.255', '100.127.255.255', '127.255.255.255', '169.254.0.1', '172.31.255.255'],
      [
        '192.0.0.1',
        '192.0.2.1',
        '192.88.99.1',
        '192.168.0.1',
        '198.19.255.255',
        '198.51.100.1',
        '203.0.113.9',
      ],
      ['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
      ['::', '::1', '::127.0.0.1', '::ffff:8.8.8.8', '::ffff:10.0.0.1', 'fe80::1', 'fe80::1%lo', 'fec0::1'],
      ['fc00::1', 'fdff::1', 'ff02::1', '100::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1'],
      ['64:ff9b::a00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1', '4000::1', 'store', ''],
    ].flat();
    expect(closed.filter(isPublicAddress)).toEqual([]);
    const open = ['1.1.1.1', '9.255.255.255', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1'];
    open.push(
      '192.167.1.1',
      '198.17.0.1',
      '223.255.255.255',
      '2606:4700::1111',
      '2a00::1',
      '64:ff9b::808:808',
    );
    expect(open.filter((address) => !isPublicAddress(address))).toEqual([]);
  });
});

describe('cancelling a call', () => {
  it('ends the call with the reason', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const server = await start(() => controller.abort(reason));
    const call = client.template(at(server.url), id, version, controller.signal);
    expect(await failed(call)).toBe(reason);
    expect(await failed(client.app(at(server.url), id, controller.signal))).toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  it('happens to all calls when the client is closed', async () => {
    const closing = createHttpAppStore({ allowPrivate: true });
    const server = await start(() => {
      closing.close();
    });
    expect(await failed(ask(server, closing))).toMatchObject(unavailable);
    expect(await failed(ask(server, closing))).toMatchObject(unavailable);
  });
});
