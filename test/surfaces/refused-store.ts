import {
  type Fields,
  given,
  type Of,
  type Operation,
  type Refused,
  type Scene,
} from '../support/surfaces-scene.ts';
import { installBody, installInput } from '../support/surfaces-world.ts';

const install = (
  what: string,
  code: string,
  body: Of<object>,
  store: Of<object>,
  fields?: Fields,
  more = {},
): Refused => ({
  what,
  code,
  rest: (scene) => ({
    at: `POST ${scene.twin.application}/install`,
    body: { ...installBody(scene.trellis, scene.twin.template.key), ...given(body, scene) },
  }),
  graphql: (scene) => {
    const input = installInput(scene.trellis, scene.twin.appId, scene.twin.template.key);
    const whole = { ...input, store: { ...input.store, ...given(store, scene) }, ...more };
    return { mutation: 'installApplication', input: whole };
  },
  fields,
});
const wrongInstall = (field: string, name: string, value: unknown, graphql = value): Refused =>
  install(
    `${field}: ${JSON.stringify(value)}`,
    'INVALID_INPUT',
    { [field]: value },
    name.startsWith('store.') ? { [name.slice(6)]: graphql } : {},
    [field, `input.${name}`],
    name.startsWith('store.') ? {} : { [name]: graphql },
  );

export const installApplication: Operation = {
  takes: 'developer',
  valid: (scene, twin = scene.twin) => ({
    rest: { at: `POST ${twin.application}/install`, body: installBody(scene.trellis, twin.template.key) },
    graphql: {
      mutation: 'installApplication',
      input: installInput(scene.trellis, twin.appId, twin.template.key),
    },
  }),
  refused: [
    wrongInstall('market_url', 'store.url', 'ftp://store.example'),
    wrongInstall('market_url', 'store.url', 'https://user:secret@store.example'),
    wrongInstall('market_url', 'store.url', undefined),
    wrongInstall('market_domain', 'store.domain', 'a\u0001'),
    wrongInstall('market_domain', 'store.domain', undefined),
    wrongInstall('market_type', 'store.type', 'other', 'OTHER'),
    wrongInstall('market_access_key', 'store.accessKey', ''),
    wrongInstall('market_access_key', 'store.accessKey', 'a\r\nb'),
    wrongInstall('app_model_id', 'templateId', '..'),
    wrongInstall('app_model_id', 'templateId', undefined),
    wrongInstall('app_model_version', 'version', ''),
    wrongInstall('app_model_version', 'version', 'v'.repeat(256)),
    wrongInstall('colour', 'colour', 'red'),
    {
      ...install('is_deploy: "maybe"', 'INVALID_INPUT', {}, {}, ['is_deploy', 'input.deploy'], {
        deploy: 'maybe',
      }),
      rest: (scene) => ({
        at: `POST ${scene.twin.application}/install?is_deploy=maybe`,
        body: installBody(scene.trellis, scene.twin.template.key),
      }),
    },
    ...(
      [
        ['refusing', 'STORE_REFUSED'],
        ['broken', 'STORE_UNAVAILABLE'],
        ['gone', 'STORE_UNAVAILABLE'],
      ] as const
    ).map(([store, code]) =>
      install(
        `a store that is ${store}`,
        code,
        ({ stores }) => ({ market_url: stores[store] }),
        ({ stores }) => ({ url: stores[store] }),
      ),
    ),
    install(
      'a template that the store does not have',
      'STORE_REFUSED',
      { app_model_id: 'none' },
      {},
      undefined,
      {
        templateId: 'none',
      },
    ),
  ],
};

type Item = [market_name?: string, app_model_id?: string, app_model_version?: string];
const upgrade = (what: string, code: string, items: Of<Item[]>, fields?: Fields): Refused => ({
  what,
  code,
  rest: (scene) => ({
    at: `POST ${scene.twin.application}/upgrade`,
    body: {
      update_versions: given(items, scene).map(([market_name, app_model_id, app_model_version]) => ({
        market_name,
        app_model_id,
        app_model_version,
      })),
    },
  }),
  graphql: (scene) => ({
    mutation: 'upgradeApplication',
    input: {
      application: { appId: scene.twin.appId },
      upgrades: given(items, scene).map(([storeName, templateId, version]) => ({
        storeName,
        templateId,
        version,
      })),
    },
  }),
  fields,
});
const good = ({ twin }: Scene): Item => ['self', twin.template.key, '2.0.0'];

export const upgradeApplication: Operation = {
  takes: 'developer',
  valid: (scene, twin = scene.twin) => {
    const { rest, graphql } = upgrade('', '', (each) => [good(each)]);
    return { rest: rest({ ...scene, twin }), graphql: graphql({ ...scene, twin }) };
  },
  refused: [
    upgrade('nothing to upgrade', 'INVALID_INPUT', [], ['update_versions', 'input.upgrades']),
    upgrade('51 items', 'INVALID_INPUT', Array(51).fill(['self', 'x', '2']), [
      'update_versions',
      'input.upgrades',
    ]),
    upgrade('no version', 'INVALID_INPUT', (scene) => [good(scene), ['self', 'x']], [
      'update_versions.1.app_model_version',
      'input.upgrades.1.version',
    ]),
    upgrade(
      'a blank store',
      'INVALID_INPUT',
      [[' ', 'x', '2.0.0']],
      ['update_versions.0.market_name', 'input.upgrades.0.storeName'],
    ),
    upgrade(
      'a template that can be none',
      'INVALID_INPUT',
      [['self', '.', '2.0.0']],
      ['update_versions.0.app_model_id', 'input.upgrades.0.templateId'],
    ),
    upgrade('one template twice', 'INVALID_INPUT', (scene) => [good(scene), good(scene)], [
      'update_versions.1',
      'input.upgrades.1',
    ]),
    upgrade('a template that is not installed', 'NOT_FOUND', (scene) => [
      good(scene),
      ['self', 'none', '2.0.0'],
    ]),
    upgrade('a store that nothing came from', 'NOT_FOUND', ({ twin }) => [
      ['nobody', twin.template.key, '2.0.0'],
    ]),
    upgrade('the version that is there', 'CONFLICT', ({ twin }) => [['self', twin.template.key, '1.0.0']]),
    upgrade('a version that is not offered', 'CONFLICT', ({ twin }) => [
      ['self', twin.template.key, '9.0.0'],
    ]),
  ],
};
