import { describe, expect, it } from 'vitest';
import { createInstall } from '../../support/installs.ts';
import { send } from '../../support/send.ts';
import { answerTemplates, startStoreServer, storeKey } from '../../support/store-server.ts';
import { ringTemplate } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';
import { upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis();

describe('a template', () => {
  it('with `stateless_multiple` and null numbers is installed with the defaults', async () => {
    const { installed } = upgradesOf(trellis);
    const { components } = await installed(2, [
      (app, index) =>
        Object.assign(app, {
          extend_method: index ? 'state_singleton' : 'stateless_multiple',
          extend_method_map: { min_node: null, init_memory: null, container_cpu: null },
          memory: null,
          cpu: null,
        }),
    ]);
    const rows = await trellis.services.db.transaction((tx) =>
      tx.component.findMany({
        where: { id: { in: components.map(({ uid }) => uid) } },
        orderBy: { name: 'asc' },
      }),
    );
    const size = { replicas: 1, memoryMiB: 512, cpuMillicores: 500 };
    expect(rows).toMatchObject([
      { extendMethod: 'stateless', ...size },
      { extendMethod: 'state', ...size },
    ]);
  });

  it('whose components share an inner domain gives it to the first, and adds a suffix for the others', async () => {
    const { installed } = upgradesOf(trellis);
    const { components } = await installed(3, [
      (app) => {
        app.port_map_list[0].cluster_service_name = 'reviews';
      },
    ]);
    expect(components.map(({ serviceName }) => serviceName)).toEqual(['reviews', 'reviews-2', 'reviews-3']);
  });

  const variables = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ attr_name: `V${index}`, attr_value: '' }));
  const tooLarge: [what: string, text: string, path: (string | number)[], limit: string][] = [
    ['501 components', ringTemplate(501).text, ['apps'], '500 components'],
    [
      '10 001 variables',
      ringTemplate(26, {
        edit: (app) => {
          app.service_env_map_list = variables(400);
        },
      }).text,
      ['apps', 25, 'service_env_map_list'],
      '10000 variables',
    ],
  ];

  it.each(tooLarge)('with %s is not published', async (_, text, path, limit) => {
    const before = await trellis.counts();
    const result = await trellis.attempt('publishTemplate', { template: text });
    expect(result).toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: ['input', 'template', ...path].map(String), message: expect.stringContaining(limit) }],
    });
    expect(await trellis.counts()).toEqual(before);
  });

  it.each(tooLarge)('with %s is not installed', async (_, text, path, limit) => {
    const { group_key: key } = JSON.parse(text);
    const entry = { appKeyID: key, name: 'Large', versions: [{ appVersion: '1.0.0' }] };
    const store = await startStoreServer(
      answerTemplates(new Map([[key, { entry, templates: new Map([['1.0.0', text]]) }]])),
    );
    const { at, body } = await createInstall(trellis, await trellis.createPlace());
    const before = await trellis.counts();
    const answer = await send(trellis, {
      path: `/openapi/v1${at}/install`,
      body: JSON.stringify({
        ...body,
        market_url: store.url,
        market_access_key: storeKey,
        app_model_id: key,
      }),
    });
    await store.close();
    expect(answer).toMatchObject({ status: 502, body: { code: 'STORE_UNAVAILABLE' } });
    const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
    expect(answer.body.detail).toContain(`template${place}: `);
    expect(answer.body.detail).toContain(limit);
    expect(await trellis.counts()).toEqual(before);
  });
});

describe('an aborted request', () => {
  it('cancels its call to the store', async () => {
    let isClosed: () => void = () => {};
    const closed = new Promise<void>((resolve) => {
      isClosed = resolve;
    });
    const leaving = new AbortController();
    const store = await startStoreServer((request) => {
      request.socket.once('close', isClosed);
      leaving.abort(new Error('gone'));
    });
    const address = { url: store.url, domain: '', accessKey: storeKey };
    const call = trellis.services.drivers.store.versions(
      { teamId: 'team', callerId: 'caller', signal: leaving.signal },
      address,
      'x',
    );
    await expect(call).rejects.toThrow('gone');
    await closed;
    await store.close();
  });
});
