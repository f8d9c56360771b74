import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/api.ts';
import {
  answerTemplates,
  type PublishedApp,
  readPublishedApps,
  startStoreServer,
  storeKey,
} from '../support/store-server.ts';
import { byRest } from '../support/surfaces.ts';
import {
  createGatewayRule,
  installApplication,
  rule,
  upgradeApplication,
} from '../support/surfaces-app-changes.ts';
import { portInfo } from '../support/surfaces-models.ts';
import { addPort, at, type Change, deletePort, updatePort } from '../support/surfaces-port-changes.ts';
import { graphqlReads } from '../support/surfaces-reads.ts';
import { changeTwins, createTwin, type Twin, without } from '../support/surfaces-twins.ts';
import { installBody, installInput, publishRing } from '../support/surfaces-world.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
let template: { key: string };
beforeAll(async () => {
  template = await publishRing(trellis);
});

/** Every operation that changes something. */
const table: Record<string, Change[]> = {
  addPort,
  updatePort,
  deletePort,
  createGatewayRule,
  installApplication,
  upgradeApplication,
};

it('every route that changes something has a row, and each of the six actions', () => {
  const writing = routes.filter(
    ({ method, operationId }) => method !== 'get' && operationId !== 'listTeamResources',
  );
  expect(Object.keys(table).sort()).toEqual(writing.map((route) => route.operationId).sort());
  const actions = [
    'open_outer',
    'close_outer',
    'open_inner',
    'close_inner',
    'change_protocol',
    'change_port_alias',
  ];
  for (const action of actions) expect(updatePort.some(({ name }) => name.startsWith(action))).toBe(true);
});

/** The port of the answer: REST answers it bare, GraphQL inside its payload. */
const portsOf = (done: Awaited<ReturnType<typeof changeTwins>>, twins: [Twin, Twin]) => [
  without(twins[0], done.rest.answer),
  without(twins[1], portInfo.of(done.graphql.answer.port)),
];

describe.each(Object.entries(table))('the same change: %s', (_, cases) => {
  it.each(cases.map((each) => [each.name, each] as const))(
    '%s',
    async (__, each) => {
      const twins: [Twin, Twin] = [await createTwin(trellis, template), await createTwin(trellis, template)];
      for (const twin of twins) {
        for (const [mutation, input, selection] of each.before?.(twin) ?? []) {
          await trellis.succeed(mutation, input, selection);
        }
      }
      const done = await changeTwins(trellis, twins, each.rest, each.graphql);

      // What either surface did, both see, and see alike.
      for (const { state } of [done.rest, done.graphql]) expect(state.rest).toStrictEqual(state.graphql);
      const told = (of: 'rest' | 'graphql', twin: Twin) =>
        without(twin, { ...done[of].state.graphql, ...done[of].state.more });
      expect(told('rest', twins[0])).toStrictEqual(told('graphql', twins[1]));

      // The record does not tell the surfaces apart.
      const events = [without(twins[0], done.rest.events), without(twins[1], done.graphql.events)];
      expect(events[0]).toStrictEqual(events[1]);
      expect(events[0].map((event: any) => event.action)).toEqual(each.recorded);

      if (each.port) {
        const [byRestPort, byGraphqlPort] = portsOf(done, twins);
        expect(byRestPort).toStrictEqual(byGraphqlPort);
        expect(byRestPort).toMatchObject(each.port);
      }
      for (const [index, of] of (['rest', 'graphql'] as const).entries()) {
        each.afterwards?.({ ...done[of].state.rest, ...done[of].state.more } as never, twins[index]!);
      }
    },
    60_000,
  );
});

describe('what one surface made, the other goes on with', () => {
  it('ports and rules', async () => {
    const twin = await createTwin(trellis, template);
    const graphql = (mutation: string, input: object) => trellis.succeed(mutation, input, '__typename');
    await byRest(trellis, `POST ${twin.component}/ports`, { body: { port: 1, protocol: 'tcp' } });
    await graphql('openOuterService', { port: at(twin, 1) });
    await byRest(trellis, `PUT ${twin.component}/ports/1`, { body: { action: 'close_outer' } });
    await graphql('changePortProtocol', { port: at(twin, 1), protocol: 'HTTP' });
    const http = { service_id: twin.alias, container_port: 1, domain_name: `${twin.alias}.example` };
    await byRest(trellis, `POST ${twin.application}/domains`, { body: { protocol: 'http', http } });
    await graphql('createHttpRule', {
      ...rule(twin, 1),
      domain: `other.${twin.alias}.example`,
      opensPort: true,
    });
    const last = { ...http, domain_path: '/last' };
    const answer = await byRest(trellis, `POST ${twin.application}/domains`, {
      body: { protocol: 'http', http: last },
    });
    expect(answer.http.map((each: any) => `${each.domain_name}${each.domain_path}`)).toEqual([
      `${twin.alias}.example/`,
      `other.${twin.alias}.example/`,
      `${twin.alias}.example/last`,
    ]);
    expect(answer.http.every((each: any) => each.is_outer_service)).toBe(true);
  });

  it('templates of a store that no longer answers: it costs both its own entry', async () => {
    const answer = answerTemplates();
    // It gives the template and says nothing of versions: what it had said would be kept for a while.
    const store = await startStoreServer((request, response) =>
      request.url!.includes('getTemplate') ? answer(request, response) : response.destroy(),
    );
    const [[key, { entry }]] = [...readPublishedApps()] as [[string, PublishedApp]];
    const twin = await createTwin(trellis, template);
    const body = {
      ...installBody(trellis, key, entry.versions[0].appVersion),
      market_url: store.url,
      market_domain: 'away',
      market_access_key: storeKey,
    };
    await byRest(trellis, `POST ${twin.application}/install`, { body });
    await byRest(trellis, `POST ${twin.application}/install`, { body: installBody(trellis, template.key) });
    await store.close();
    const item = { market_name: 'self', app_model_id: template.key, app_model_version: '3.0.0' };
    const report = await byRest(trellis, `POST ${twin.application}/upgrade`, {
      body: { update_versions: [item] },
    });
    expect(report).toMatchObject([
      { market_name: 'away', can_upgrade: false, upgrade_versions: [] },
      { market_name: 'self', current_version: '3.0.0', can_upgrade: false },
    ]);
    expect(report).toStrictEqual(await graphqlReads(trellis).upgrades(twin.appId));
  });

  it('installs and upgrades', async () => {
    const twin = await createTwin(trellis, template);
    await trellis.succeed(
      'installApplication',
      installInput(trellis, twin.appId, template.key),
      'group { uid }',
    );
    const upgrade = (app_model_version: string) =>
      byRest(trellis, `POST ${twin.application}/upgrade`, {
        body: { update_versions: [{ market_name: 'self', app_model_id: template.key, app_model_version }] },
      });
    expect(await upgrade('2.0.0')).toMatchObject([{ current_version: '2.0.0' }]);
    const upgrades = [{ storeName: 'self', templateId: template.key, version: '3.0.0' }];
    await trellis.succeed(
      'upgradeApplication',
      { application: { appId: twin.appId }, upgrades },
      'outcomes { toVersion }',
    );
    const { application } = await trellis.data(
      `{ application(by: { appId: ${twin.appId} }) { version upgradeRecords { nodes { fromVersion toVersion } }
        upgrades { canUpgrade } } }`,
    );
    expect(application).toEqual({
      version: '3.0.0',
      upgradeRecords: {
        nodes: [
          { fromVersion: '2.0.0', toVersion: '3.0.0' },
          { fromVersion: '1.0.0', toVersion: '2.0.0' },
        ],
      },
      upgrades: [{ canUpgrade: false }],
    });
  });
});
