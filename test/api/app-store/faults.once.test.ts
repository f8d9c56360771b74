import type { RequestListener } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { answerTemplates, startStoreServer, storeKey } from '../../support/store-server.ts';
import { ringTemplate } from '../../support/templates.ts';
import { startTrellis, useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({
  store: { limits: { callTimeoutMs: 1_500, connectTimeoutMs: 500, retryDelaysMs: [10, 20] } },
});
let appId: number;
beforeAll(async () => {
  appId = (await trellis.createApplication(await trellis.createPlace())).appId;
});

const ring = ringTemplate(3);
const apps = (versions: ReturnType<typeof ringTemplate>[]) =>
  new Map([
    [
      versions[0]!.key,
      {
        entry: {
          appKeyID: versions[0]!.key,
          name: 'Ring',
          versions: versions.map(({ version }) => ({ appVersion: version })),
        },
        templates: new Map(versions.map(({ version, text }) => [version, text])),
      },
    ],
  ]);
const good = answerTemplates(apps([ring]));
const answered =
  (edit: (form: any) => object): RequestListener =>
  (request, response) => {
    const chunks: string[] = [];
    const fake = Object.assign(Object.create(response), {
      writeHead: () => fake,
      end: (body: string) => chunks.push(body),
    });
    good(request, fake);
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(edit(JSON.parse(chunks[0]!))));
  };
const status =
  (code: number): RequestListener =>
  (_, response) =>
    response.writeHead(code).end('{}');
const wrong = (edit: (template: any) => void) =>
  answered((form) => {
    const template = JSON.parse(form.template);
    edit(template);
    return { ...form, template: JSON.stringify(template) };
  });

const input = (url: string) => ({
  application: { appId },
  store: { url, domain: 'test', accessKey: storeKey },
  templateId: ring.key,
  version: ring.version,
});

/** Stores that misbehave, the code that an install answers, and what its message tells. */
const stores: [name: string, handler: RequestListener, code: string, message?: string][] = [
  ['does not answer', () => {}, 'STORE_UNAVAILABLE'],
  ['answers 401', status(401), 'STORE_REFUSED', '401'],
  ['answers 403', status(403), 'STORE_REFUSED', '403'],
  ['answers 404', status(404), 'STORE_REFUSED', '404'],
  ['answers 500', status(500), 'STORE_UNAVAILABLE'],
  ['answers 503 for ever', status(503), 'STORE_UNAVAILABLE'],
  [
    'redirects to another host',
    (_, response) => response.writeHead(302, { Location: 'http://127.0.0.1:9/elsewhere' }).end(),
    'STORE_UNAVAILABLE',
  ],
  [
    'redirects for ever',
    (request, response) => response.writeHead(302, { Location: request.url! }).end(),
    'STORE_UNAVAILABLE',
  ],
  [
    'sends half a body',
    (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
      response.write('{"appKeyID":', () => response.destroy());
    },
    'STORE_UNAVAILABLE',
  ],
  [
    'sends 100 MB',
    (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const chunk = Buffer.alloc(1_000_000, 'x');
      let sent = 0;
      const more = () => {
        while (sent++ < 100) if (!response.write(chunk)) return response.once('drain', more);
        return response.end();
      };
      more();
    },
    'STORE_UNAVAILABLE',
  ],
  [
    'sends HTML',
    (_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html></html>'),
    'STORE_UNAVAILABLE',
  ],
  [
    'sends a template of another id',
    answered((form) => ({ ...form, appKeyID: 'another' })),
    'STORE_UNAVAILABLE',
  ],
  [
    'sends a template that is no JSON',
    answered((form) => ({ ...form, template: '{nonsense' })),
    'STORE_UNAVAILABLE',
    'template',
  ],
  [
    'sends a name with a text direction override',
    wrong((template) => {
      template.apps[1].service_cname = 'part\u202e1';
    }),
    'STORE_UNAVAILABLE',
    'template.apps[1].service_cname',
  ],
  [
    'sends a name with a zero-width character',
    wrong((template) => {
      template.apps[2].service_volume_map_list[0].volume_name = 'da\u200bta';
    }),
    'STORE_UNAVAILABLE',
    'template.apps[2].service_volume_map_list[0].volume_name',
  ],
  ['sends no apps', wrong((template) => delete template.apps), 'STORE_UNAVAILABLE', 'template.apps'],
  [
    'sends two components of one key',
    wrong((template) => {
      template.apps[1].service_key = template.apps[0].service_key;
    }),
    'STORE_UNAVAILABLE',
    'service_key',
  ],
  [
    'sends a dependency on a component that is not there',
    wrong((template) => {
      template.apps[0].dep_service_map_list[0].dep_service_key = 'nobody+nobody';
    }),
    'STORE_UNAVAILABLE',
    'apps[0].dep_service_map_list[0].dep_service_key',
  ],
  [
    'sends a port outside its range',
    wrong((template) => {
      template.apps[2].port_map_list[0].container_port = 65_536;
    }),
    'STORE_UNAVAILABLE',
    'apps[2].port_map_list[0].container_port',
  ],
  [
    'sends a route to an unknown component',
    wrong((template) => {
      template.ingress_http_routes = [{ component_key: 'nobody', port: 80, location: '/' }];
    }),
    'STORE_UNAVAILABLE',
    'ingress_http_routes[0].component_key',
  ],
];

describe('an install from a store that', () => {
  it.each(stores)('%s leaves no row behind', async (_, handler, code, message) => {
    const store = await startStoreServer(handler);
    try {
      await trellis.graphql('{ viewer { isAdministrator } }');
      const before = await trellis.counts();
      const result = await trellis.attempt('installApplication', input(store.url));
      expect(result).toMatchObject({ code });
      if (message) expect(result.message).toContain(message);
      expect(result.message).not.toContain(storeKey);
      expect(await trellis.counts()).toEqual(before);
    } finally {
      await store.close();
    }
  });

  it('refuses the connection leaves no row behind', async () => {
    const store = await startStoreServer(good);
    await store.close();
    const before = await trellis.counts();
    expect(await trellis.attempt('installApplication', input(store.url))).toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    expect(await trellis.counts()).toEqual(before);
  });

  it('answers 503 once and then normally succeeds', async () => {
    let calls = 0;
    const store = await startStoreServer((request, response) =>
      request.url!.includes('getTemplate') && calls++ === 0
        ? response.writeHead(503).end()
        : good(request, response),
    );
    const place = await trellis.createApplication(await trellis.createPlace());
    const { application } = await trellis.succeed(
      'installApplication',
      { ...input(store.url), application: { appId: place.appId } },
      'application { componentCount }',
    );
    expect(application.componentCount).toBe(3);
    expect(calls).toBe(2);
    await store.close();
  });

  it('has a private address is refused where private addresses are not allowed', async () => {
    const closed = await startTrellis({ allowPrivateStores: false });
    const store = await startStoreServer(good);
    try {
      const application = await closed.createApplication(await closed.createPlace());
      const before = await closed.counts();
      const wanted = { ...input(store.url), application: { appId: application.appId } };
      for (const url of [
        store.url,
        store.url.replace('127.0.0.1', 'localhost'),
        'http://169.254.169.254',
        'http://[::1]',
      ]) {
        const result = await closed.attempt('installApplication', {
          ...wanted,
          store: { ...wanted.store, url },
        });
        expect(result).toMatchObject({ code: 'STORE_UNAVAILABLE' });
      }
      expect(store.connections()).toBe(0);
      expect(await closed.counts()).toEqual(before);
    } finally {
      await store.close();
      await closed.close();
    }
  });
});
