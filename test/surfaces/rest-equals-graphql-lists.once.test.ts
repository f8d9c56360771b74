import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byRest } from '../support/surfaces.ts';
import { createWorld, type World } from '../support/surfaces-world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
}, 180_000);
afterAll(() => world?.trellis.close());

const rest = (at: string, body?: unknown, token?: string) => byRest(world.trellis, at, { body, token });
const ask = (query: string, variables?: object) => world.trellis.data(query, variables);
const names = (nodes: any[], field = 'name') => nodes.map((each) => each[field]);

describe('the pages of a list', () => {
  const teams = '{ list: teams(first: 100) { nodes { name } } }';
  const administrators = '{ list: administrators(first: 100) { nodes { name: email } } }';
  const lists: [string, string, string, () => Promise<any>][] = [
    ['GET /teams', 'tenants', 'tenant_name', () => ask(teams)],
    ['GET /administrators', 'users', 'email', () => ask(administrators)],
    [
      'GET /teams/{team_id}/regions',
      'regions',
      'region_name',
      async () => {
        const query = '{ team(by: { name: "NAME" }) { list: regions(first: 100) { nodes { name } } } }';
        return (await ask(query.replace('NAME', world.team.name))).team;
      },
    ],
  ];

  it.each(lists)('are numbered: %s', async (path, list, field, read) => {
    const at = path.replace('{team_id}', world.team.teamId);
    const all = names((await read()).list.nodes);
    expect(all.length).toBeGreaterThan(1);
    for (const [page, size] of [
      [1, 1],
      [2, 1],
      [1, 2],
      [2, all.length],
      [2_147_483_647, 1_000],
    ] as const) {
      const answer = await rest(`${at}?page=${page}&page_size=${size}`);
      const start = (page - 1) * size;
      expect(names(answer[list], field)).toEqual(all.slice(start, start + size));
      // One that is past the end is empty, with the true total.
      expect(answer.total).toBe(all.length);
    }
    expect(await rest(at)).toEqual(await rest(`${at}?page=1&page_size=10`));
  });

  it('of a search look for a part in any case, and take % and _ as they are', async () => {
    const { team, regions, place } = world;
    const variables = { name: team.name, region: regions.main.name };
    const texts = [
      team.name.slice(2).toUpperCase(),
      'THE TEAM',
      '%',
      '_',
      regions.main.name,
      'FRANK',
      'shop',
      '',
    ];
    for (const text of texts) {
      const query = encodeURIComponent(text);
      const data = await ask(
        `query Q($text: String!, $name: String!, $region: String!) {
          teams(search: $text, first: 100) { totalCount nodes { name } }
          team(by: { name: $name }) { regions(search: $text) { totalCount nodes { name } }
            applications(search: $text, region: { name: $region }) { nodes { name } } } }`,
        { text, ...variables },
      );
      const { tenants, total } = await rest(`GET /teams?query=${query}&page_size=100`);
      expect(names(tenants, 'tenant_name'), text).toEqual(names(data.teams.nodes));
      expect(total).toBe(data.teams.totalCount);
      const found = await rest(`GET /teams/${team.teamId}/regions?query=${query}`);
      expect(names(found.regions, 'region_name'), text).toEqual(names(data.team.regions.nodes));
      expect(found.total).toBe(data.team.regions.totalCount);
      const applications = await rest(`GET ${place}/apps?query=${query}`);
      expect(names(applications, 'group_name'), text).toEqual(names(data.team.applications.nodes));
    }
    // The name of the team finds all its applications, a part of a name some.
    const all = await rest(`GET ${place}/apps`);
    expect(await rest(`GET ${place}/apps?query=${team.name}`)).toEqual(all);
    expect(names(await rest(`GET ${place}/apps?query=SHOP`), 'group_name')).toContain('Shop');
    expect(await rest(`GET ${place}/apps?query=%25`)).toEqual([]);
  });

  it('hold the teams of the caller alone, administrators too', async () => {
    const { tenants } = await rest('GET /teams?page_size=1000', undefined, world.viewer.token);
    expect(names(tenants, 'tenant_name')).toEqual([world.team.name]);
    expect(tenants[0].role_infos).toEqual([{ role_name: 'viewer', role_id: 'viewer' }]);
  });
});

/** What the contract and behaviour.md say, spelled out: that both surfaces agree does not make them right. */
describe('the values', () => {
  it('of credentials are for administrators', async () => {
    const secrets = async (token?: string) => {
      const { regions } = await rest(`GET /teams/${world.team.name}/regions`, undefined, token);
      const region = await rest(`GET /regions/${world.regions.main.name}`, undefined, token);
      const own = regions.find((each: any) => each.region_name === region.region_name);
      return [own.token, region.ssl_ca_cert, region.cert_file, region.key_file];
    };
    expect(await secrets()).toEqual(Object.values(world.credentials));
    expect(await secrets(world.viewer.token)).toEqual([null, '', '', '']);
  });

  it('of usage are cores, MiB and GiB, and 0 unless asked for', async () => {
    const { name } = world.regions.main;
    const zero = { used_cpu: 0, total_cpu: 0, used_memory: 0, total_memory: 0, used_disk: 0, total_disk: 0 };
    expect(await rest(`GET /regions/${name}`)).toMatchObject({ ...zero, health_status: 'ok' });
    expect(await rest(`GET /regions/${name}?extend_info=true`)).toMatchObject({
      // Three instances of half a core and 1 000 MiB.
      used_cpu: 1.5,
      used_memory: 3_000,
      used_disk: 0,
      total_cpu: 12.5,
      total_memory: 65_536,
      total_disk: 500,
      health_status: 'ok',
    });
  });

  it('of resources are millicores, MiB and percent with two decimals, in the order asked for', async () => {
    const { team, rival, regions } = world;
    const pair = (tenant_id: string, region_name: string) => ({ tenant_id, region_name });
    const answer = await rest('POST /teams/resource', [
      pair(team.name, regions.second.name),
      pair(team.name, regions.main.regionId),
      pair(team.teamId, regions.main.name),
      pair('nobody', regions.main.name),
      pair(rival.teamId, regions.second.name),
    ]);
    expect(answer).toMatchObject([
      { total_cpu: 0, used_cpu_percentage: 0, used_memory_percentage: 0 },
      {
        team_id: team.teamId,
        total_cpu: 7_000,
        used_cpu: 1_500,
        used_cpu_percentage: 21.43,
        total_memory: 9_000,
        used_memory: 3_000,
        used_memory_percentage: 33.33,
      },
    ]);
    const pairs = [pair(rival.teamId, regions.main.name)];
    expect(await rest('POST /teams/resource', pairs)).toHaveLength(1);
    expect(await rest('POST /teams/resource', pairs, world.viewer.token)).toEqual([]);
    expect(await rest('POST /teams/resource', [])).toEqual([]);
  });

  it('of statuses are digits, and of addresses the HTTP rules before the TCP rules', async () => {
    const { main, second, failing } = world.regions;
    const { regions } = await rest(`GET /teams/${world.team.name}/regions`);
    const digits = Object.fromEntries(regions.map((each: any) => [each.region_name, each.status]));
    expect(digits).toEqual({ [main.name]: '1', [second.name]: '3', [failing.name]: '1' });
    const components = await rest(`GET ${world.application}/services`);
    const own = components.find((each: any) => each.service_id === world.componentId);
    expect(own.access_infos).toEqual([
      `http://8080.${world.alias}.${world.team.name}.${main.name}.apps.example/`,
      `https://${world.domain}/shop`,
      `${main.name}.tcp.example:30000`,
      // A rule of one address is reached at that address.
      `[2001:db8::1]:30500`,
    ]);
    expect(own).toMatchObject({ status: 'running', min_cpu: 500, min_memory: 1_000, total_memory: 3_000 });
  });

  it('of times are UTC: ISO 8601, and YYYY-MM-DD HH:MM:SS for administrators', async () => {
    const at = new Date('2026-03-04T05:06:07.890Z');
    const { users } = await rest('GET /administrators');
    await world.update('user', users[1].user_id, { createdAt: at });
    await world.update('application', world.appId, { createdAt: at, updatedAt: at });
    await world.update('team', world.team.teamId, { createdAt: at });
    expect((await rest('GET /administrators')).users[1].create_time).toBe('2026-03-04 05:06:07');
    const applications = await rest(`GET ${world.place}/apps`);
    const own = applications.find((each: any) => each.ID === world.appId);
    expect([own.create_time, own.update_time]).toEqual([at.toISOString(), at.toISOString()]);
    const { tenants } = await rest(`GET /teams?query=${world.team.name}`);
    expect(tenants[0].create_time).toBe(at.toISOString());
  });
});

describe('the names in a path', () => {
  const ports = (team: string, region: string, service: string) =>
    rest(`GET /teams/${team}/regions/${region}/apps/${world.appId}/services/${service}/ports`);

  it('are the id or the name of a team, the name or the id of a region, the id or the alias of a component', async () => {
    const { team, regions, alias, componentId } = world;
    const first = await ports(team.teamId, regions.main.name, componentId);
    expect(first).toHaveLength(2);
    expect(await ports(team.name, regions.main.regionId, alias)).toEqual(first);
    expect(await ports(team.name, regions.main.name, alias)).toEqual(first);
  });

  it('mean the component with the id, where another has it as its alias', async () => {
    const { team, regions, componentId, appId } = world;
    const first = await ports(team.teamId, regions.main.name, componentId);
    const decoy = await world.trellis.createComponent(appId);
    await world.update('component', decoy.componentId, { alias: componentId });
    expect(await ports(team.teamId, regions.main.name, componentId)).toEqual(first);
    await world.update('component', decoy.componentId, { alias: decoy.alias });
  });

  it('mean the team with the id, where another has it as its name', async () => {
    const { team, rival } = world;
    await world.update('team', rival.teamId, { name: team.teamId });
    const { regions } = await rest(`GET /teams/${team.teamId}/regions`);
    expect(new Set(names(regions, 'tenant_name'))).toEqual(new Set([team.name]));
    await world.update('team', rival.teamId, { name: rival.name });
  });

  it('mean the region with the name, where another has it as its id', async () => {
    const { main, second } = world.regions;
    await world.update('region', second.regionId, { name: main.regionId });
    const region = await rest(`GET /regions/${main.regionId}`);
    expect(region.url).toBe(`https://${second.name}.example:8443`);
    await world.update('region', second.regionId, { name: second.name });
    expect((await rest(`GET /regions/${main.regionId}`)).region_name).toBe(main.name);
  });
});
