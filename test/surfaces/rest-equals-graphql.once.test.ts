import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/api.ts';
import { unique } from '../support/fixtures.ts';
import { byRest } from '../support/surfaces.ts';
import {
  applicationInfo,
  regionData,
  regionFigures,
  teamInfo,
  teamRegion,
  teamResources,
  userInfo,
} from '../support/surfaces-models.ts';
import { graphqlReads } from '../support/surfaces-reads.ts';
import { createWorld, installBody, type World } from '../support/surfaces-world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
}, 180_000);
afterAll(() => world?.trellis.close());

/** A caller of both surfaces. */
function as(token: string) {
  return {
    rest: (at: string, body?: unknown) => byRest(world.trellis, at, { token, body }),
    ask: (query: string, variables?: object) => world.trellis.data(query, variables, token),
    ...graphqlReads(world.trellis, token),
  };
}
type Caller = ReturnType<typeof as>;
type Both = Promise<{ rest: unknown; graphql: unknown }>;

/** What viewers of the team may do as well: the reads. */
const forMembers: Record<string, (caller: Caller) => Both> = {
  async listTeams({ rest, ask }) {
    const { teams } = await ask(`{ teams(first: 100) { totalCount nodes { ${teamInfo.selection} } } }`);
    return {
      rest: await rest('GET /teams?page_size=1000'),
      graphql: { total: teams.totalCount, tenants: teams.nodes.map(teamInfo.of) },
    };
  },

  async listTeamRegions({ rest, ask }) {
    const { team } = await ask(
      `query Q($name: String!) { team(by: { name: $name }) { name
        regions(first: 100) { totalCount nodes { ${teamRegion.selection} } } } }`,
      { name: world.team.name },
    );
    return {
      rest: await rest(`GET /teams/${world.team.teamId}/regions?page_size=1000`),
      graphql: {
        total: team.regions.totalCount,
        regions: team.regions.nodes.map((each: any) => teamRegion.of({ ...each, teamName: team.name })),
      },
    };
  },

  async getRegion({ rest, ask }) {
    const both = { rest: {} as Record<string, unknown>, graphql: {} as Record<string, unknown> };
    const { main, second } = world.regions;
    for (const { name, regionId } of [main, second]) {
      // Only when asked its cluster says what it uses.
      for (const [query, more] of [
        ['', ''],
        ['?extend_info=false', ''],
        [`?extend_info=true&region_id=${regionId}`, regionFigures],
      ] as const) {
        const { region } = await ask(
          `query Q($name: String!) { region(by: { name: $name }) { ${regionData.selection} ${more} } }`,
          { name },
        );
        both.rest[name + query] = await rest(`GET /regions/${name}${query}`);
        both.graphql[name + query] = regionData.of(region);
      }
    }
    return both;
  },

  async listApplications({ rest, ask }) {
    const { team } = await ask(
      `query Q($name: String!, $region: String!) { team(by: { name: $name }) {
        applications(first: 100, region: { name: $region }) { nodes { ${applicationInfo.selection} } } } }`,
      { name: world.team.name, region: world.regions.main.name },
    );
    return {
      rest: await rest(`GET ${world.place}/apps`),
      graphql: team.applications.nodes.map(applicationInfo.of),
    };
  },

  async listTeamResources({ rest, ask }) {
    const { team, rival, regions } = world;
    const pairs = [
      [team, regions.second],
      [rival, regions.main],
      [team, regions.main],
      [team, { name: 'nowhere' }],
      [team, regions.second],
    ] as const;
    const { teamResources: nodes } = await ask(
      `query Q($of: [TeamRegionRef!]!) { teamResources(of: $of) { ${teamResources.selection} } }`,
      { of: pairs.map(([{ teamId }, { name }]) => ({ team: { teamId }, region: { name } })) },
    );
    return {
      rest: await rest(
        'POST /teams/resource',
        pairs.map(([{ teamId }, { name }]) => ({ tenant_id: teamId, region_name: name })),
      ),
      graphql: nodes.map(teamResources.of),
    };
  },

  listComponents: async ({ rest, components }) => ({
    rest: await rest(`GET ${world.application}/services`),
    graphql: await components(world.appId),
  }),

  listApplicationUpgrades: async ({ rest, upgrades }) => ({
    rest: await rest(`GET ${world.place}/apps/${world.installed.appId}/upgrade`),
    graphql: await upgrades(world.installed.appId),
  }),

  listPorts: async ({ rest, ports }) => ({
    rest: await rest(`GET ${world.component}/ports`),
    graphql: await ports(world.componentId),
  }),
};

const port = async ({ ports }: Caller, number: number) =>
  (await ports(world.componentId)).find((each) => each.container_port === number);

/** The rest, in this order; what changes something is compared with what GraphQL reads after it. */
const forAdministrators: typeof forMembers = {
  async listAdministrators({ rest, ask }) {
    const { administrators } = await ask(
      `{ administrators(first: 100) { totalCount nodes { ${userInfo.selection} } } }`,
    );
    return {
      rest: await rest('GET /administrators?page_size=1000'),
      graphql: { users: administrators.nodes.map(userInfo.of), total: administrators.totalCount },
    };
  },

  async addPort(caller) {
    const body = { port: '7001', protocol: 'grpc', port_alias: 'ADDED', is_inner_service: true };
    const rest = await caller.rest(`POST ${world.component}/ports`, body);
    return { rest, graphql: await port(caller, 7001) };
  },

  async updatePort(caller) {
    const rest = await caller.rest(`PUT ${world.component}/ports/7001`, { action: 'open_outer' });
    return { rest, graphql: await port(caller, 7001) };
  },

  async deletePort(caller) {
    const graphql = await port(caller, 7001);
    const rest = await caller.rest(`DELETE ${world.component}/ports/7001`);
    expect(await port(caller, 7001)).toBeUndefined();
    return { rest, graphql };
  },

  async createGatewayRule({ rest, rules }) {
    const http = {
      service_id: world.componentId,
      container_port: 8080,
      domain_name: `*.${unique('new')}.example`,
    };
    const answer = await rest(`POST ${world.application}/domains`, { protocol: 'http', http });
    // Default and custom ones, of both kinds.
    expect(answer.http.map((each: any) => each.type)).toEqual([0, 1, 1]);
    expect(answer.tcp.map((each: any) => each.type)).toEqual([0, 1]);
    return { rest: answer, graphql: await rules(world.appId) };
  },

  async installApplication({ rest, installed }) {
    const body = installBody(world.trellis, world.template.key);
    const answer = await rest(`POST ${world.application}/install?is_deploy=true`, body);
    expect(answer.service_list).toHaveLength(4);
    return { rest: answer, graphql: await installed(world.appId) };
  },

  async upgradeApplication({ rest, upgrades }) {
    const item = { market_name: 'self', app_model_id: world.template.key, app_model_version: '2.0.0' };
    const body = { update_versions: [item] };
    const answer = await rest(`POST ${world.place}/apps/${world.installed.appId}/upgrade`, body);
    expect(answer).toMatchObject([
      { current_version: '2.0.0', can_upgrade: true, upgrade_versions: ['3.0.0'] },
    ]);
    return { rest: answer, graphql: await upgrades(world.installed.appId) };
  },
};

it('every route of the contract has a row', () => {
  const rows = [...Object.keys(forMembers), ...Object.keys(forAdministrators)];
  expect(rows.sort()).toEqual(routes.map((route) => route.operationId).sort());
  expect(rows).toHaveLength(15);
});

/** Field by field, both ways: neither side has a field that the other lacks. */
async function compare(row: (caller: Caller) => Both, token: string) {
  const { rest, graphql } = await row(as(token));
  expect(rest).toStrictEqual(graphql);
  expect(rest).toBeTruthy();
}

describe('a viewer is told the same', () => {
  const rows = Object.entries(forMembers);
  it.each(rows)('%s', (_, row) => compare(row, world.viewer.token), 60_000);
});

describe('an administrator is told the same', () => {
  const rows = Object.entries({ ...forMembers, ...forAdministrators });
  it.each(rows)('%s', (_, row) => compare(row, world.trellis.adminToken), 60_000);
});

it('nothing that is compared is empty: every field of what was filled holds something', async () => {
  const { rest } = as(world.trellis.adminToken);
  const own = (list: any[], field: string, value: unknown) => list.find((each) => each[field] === value);
  const regions = await rest(`GET /teams/${world.team.name}/regions`);
  const rules = await as(world.trellis.adminToken).rules(world.appId);
  const filled = [
    own((await rest('GET /teams')).tenants, 'tenant_id', world.team.teamId),
    own(regions.regions, 'region_name', world.regions.main.name),
    own(await rest(`GET ${world.place}/apps`), 'ID', world.appId),
    own(await rest(`GET ${world.application}/services`), 'service_id', world.componentId),
    own((await rest('GET /administrators')).users, 'nick_name', 'Ingrid'),
    own(rules.http, 'domain_name', world.domain),
    rules.tcp[1],
  ];
  // Of these the descriptions say why they are null.
  const alwaysNull = ['create_status', 'check_uuid', 'check_event_id'];
  for (const object of filled) {
    for (const [field, value] of Object.entries(object)) {
      if (alwaysNull.includes(field)) continue;
      expect([null, '', 0, undefined], field).not.toContain(value);
    }
  }
});

it('a cluster that does not answer costs both surfaces the same, and nothing else', async () => {
  const caller = as(world.viewer.token);
  const { path, appId } = world.failing;
  const components = await caller.rest(`GET ${path}/services`);
  expect(components).toStrictEqual(await caller.components(appId));
  expect(components[0].status).toBe('unknown');
  const { name } = world.regions.failing;
  const { data, errors } = await world.trellis.graphql(
    `{ region(by: { name: "${name}" }) { ${regionData.selection} ${regionFigures} } }`,
    {},
    world.viewer.token,
  );
  expect(errors).toMatchObject([{ path: ['region', 'usage'], extensions: { code: 'REGION_UNAVAILABLE' } }]);
  const answer = await caller.rest(`GET /regions/${name}?extend_info=true`);
  expect(answer).toStrictEqual(regionData.of(data.region));
  expect(answer).toMatchObject({ health_status: 'failure', total_cpu: 0 });
  // Who does not ask is not told.
  expect(await caller.rest(`GET /regions/${name}`)).toStrictEqual({ ...answer, health_status: 'ok' });
});
