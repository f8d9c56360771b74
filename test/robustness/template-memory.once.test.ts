import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerTemplates, type StoreServer, startStoreServer, storeKey } from '../support/store-server.ts';
import { ringTemplate } from '../support/templates.ts';
import { useTrellis } from '../support/trellis.ts';

const small = ringTemplate(2);
const large = ringTemplate(2, {
  key: 'large',
  edit: (app) => {
    for (let index = 0; index < 10; index++) {
      app.service_env_map_list.push({ attr_name: `V${index}`, attr_value: 'x'.repeat(30_000) });
    }
  },
});

let store: StoreServer;
const trellis = useTrellis({ limits: { answersBytes: 2 ** 20 } });
beforeAll(async () => {
  const apps = [small, large].map(({ key, version, text }) => {
    const entry = { appKeyID: key, name: key, versions: [{ appVersion: version }] };
    return [key, { entry, templates: new Map([[version, text]]) }] as const;
  });
  store = await startStoreServer(answerTemplates(new Map(apps)));
});
afterAll(() => store?.close());

it('a template counts towards the memory of its request, which is refused without a change', async () => {
  const { appId } = await trellis.createApplication(await trellis.createPlace());
  const install = ({ key, version }: typeof small) =>
    trellis.graphql(
      'mutation ($input: InstallApplicationInput!) { installApplication(input: $input) { __typename } }',
      {
        input: {
          application: { appId },
          store: { url: store.url, domain: store.url, accessKey: storeKey },
          templateId: key,
          version,
        },
      },
    );
  const { errors } = await install(large);
  expect(errors?.[0]).toMatchObject({
    message: 'The request exceeds the limit of 1 MiB of memory for one request.',
    extensions: { code: 'LIMIT_EXCEEDED' },
  });
  const components = '{ application(by: { appId: APP }) { components { totalCount } } }'.replace(
    'APP',
    String(appId),
  );
  expect((await trellis.data(components)).application.components.totalCount).toBe(0);
  expect((await install(small)).data.installApplication.__typename).toBe('InstallApplicationPayload');
});
