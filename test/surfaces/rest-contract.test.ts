import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/api.ts';
import { expectModel } from '../support/contract.ts';
import { type All, unique } from '../support/fixtures.ts';
import { createInstall } from '../support/installs.ts';
import { rest } from '../support/openapi.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
let all: All;
let place: string;
let apps: string;
let service: string;
beforeAll(async () => {
  all = await trellis.createAll();
  place = `/teams/${all.team.teamId}/regions/${all.region.name}`;
  apps = `${place}/apps/${all.application.appId}`;
  service = `${apps}/services/${all.component.componentId}`;
});

/** The body of an answer that must be a success, of that type of the contract. */
async function answered(at: string, type: string, body?: unknown, token?: string) {
  const answer = await rest(trellis, at, { body, ...(token && { token }) });
  expect(answer.status, answer.text).toBe(200);
  expectModel(type, answer.body);
  return answer.body;
}

describe('the fourteen operations', () => {
  it('are all there, and beside them only the report of upgrades', () => {
    const a = '/teams/{team_id}/regions/{region_name}/apps';
    const p = `${a}/{app_id}/services/{service_id}/ports`;
    expect(routes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      [
        'get /teams/{team_id}/regions',
        'get /regions/{region_id}',
        `get ${p}`,
        `post ${p}`,
        `put ${p}/{port}`,
        `delete ${p}/{port}`,
        `post ${a}/{app_id}/domains`,
        `get ${a}`,
        'post /teams/resource',
        'get /teams',
        'get /administrators',
        `post ${a}/{app_id}/install`,
        `get ${a}/{app_id}/services`,
        `post ${a}/{app_id}/upgrade`,
        `get ${a}/{app_id}/upgrade`,
      ].sort(),
    );
  });

  it('1: list regions enabled for a team', async () => {
    const body = await answered(`get /teams/${all.team.name}/regions`, 'ListTeamRegionsResp');
    expect(body).toMatchObject({
      total: 1,
      regions: [{ region_id: all.region.regionId, tenant_name: all.team.name, status: '1', token: null }],
    });
  });

  it('2: get region data', async () => {
    const region = await trellis.createRegion({
      status: 'MAINTENANCE',
      cpuCores: 1.5,
      memoryMiB: 2048,
      diskGiB: 10.5,
      credentials: { token: 'T', caCertificate: 'CA', clientCertificate: 'CERT', clientKey: 'KEY' },
    });
    const plain = await answered(`get /regions/${region.regionId}`, 'RegionInfoR');
    expect(plain).toMatchObject({
      region_name: region.name,
      status: '3',
      ssl_ca_cert: 'CA',
      cert_file: 'CERT',
      key_file: 'KEY',
      total_cpu: 0,
      total_memory: 0,
      total_disk: 0,
      health_status: 'ok',
    });
    const asked = await answered(`get /regions/${region.name}?extend_info=true`, 'RegionInfoR');
    expect(asked).toMatchObject({ total_cpu: 1.5, total_memory: 2048, total_disk: 10.5, used_cpu: 0 });
    expect(await answered(`get /regions/${region.name}?extend_info=false`, 'RegionInfoR')).toEqual(plain);
    for (const same of [region.name, region.regionId]) {
      expect(await answered(`get /regions/${region.name}?region_id=${same}`, 'RegionInfoR')).toEqual(plain);
    }
    const other = await rest(trellis, `get /regions/${region.name}?region_id=${all.region.name}`);
    expect(other.body.issues).toMatchObject([{ path: ['region_id'] }]);
  });

  it('3 to 6: list, add, update and delete ports', async () => {
    const ports = `${service}/ports`;
    const added = await answered(`post ${ports}`, 'port', {
      port: '8081',
      protocol: 'grpc',
      is_inner_service: true,
    });
    const upper = all.component.alias.toUpperCase().replaceAll('-', '_');
    expect(added).toEqual({
      container_port: 8081,
      protocol: 'grpc',
      port_alias: `${upper}_8081`,
      is_inner_service: true,
      is_outer_service: false,
      cluster_service_name: all.component.alias,
    });
    const list = await answered(`get ${ports}`, 'port[]');
    expect(list.map((port: any) => port.container_port)).toEqual([8080, 8081]);
    const update = (body: object) => answered(`put ${ports}/8081`, 'port', body);
    expect(await update({ action: 'open_outer' })).toEqual({ ...added, is_outer_service: true });
    expect(await update({ action: 'close_outer', protocol: 'tcp', port_alias: 7 })).toEqual(added);
    expect(await update({ action: 'close_inner' })).toEqual({ ...added, is_inner_service: false });
    expect(await update({ action: 'open_inner' })).toEqual(added);
    expect(await update({ action: 'change_protocol', protocol: 'tcp' })).toEqual({
      ...added,
      protocol: 'tcp',
    });
    const renamed = { ...added, protocol: 'tcp', port_alias: 'WEB', cluster_service_name: 'web' };
    expect(
      await update({ action: 'change_port_alias', port_alias: 'WEB', cluster_service_name: 'web' }),
    ).toEqual(renamed);
    expect(await update({ action: 'change_port_alias', port_alias: 'WEB' })).toEqual(renamed);
    expect(await answered(`delete ${ports}/8081`, 'port')).toEqual(renamed);
    expect((await rest(trellis, `delete ${ports}/8081`)).status).toBe(404);
  });

  it('7: create gateway rules as generated clients do, with null lists and empty objects', async () => {
    const own = await trellis.createAll();
    const domains = `/teams/${own.team.teamId}/regions/${own.region.name}/apps/${own.application.appId}/domains`;
    const unsetTcp = {
      container_port: 0,
      service_id: '',
      end_point: '',
      rule_extensions: null,
      default_port: 0,
      default_ip: '',
    };
    const unsetHttp = {
      service_id: '',
      container_port: 0,
      domain_name: '',
      rule_extensions: null,
      configuration: { set_headers: null },
    };
    const target = { service_id: own.component.alias, container_port: 8080 };
    const domain = `${unique('generated')}.example`;
    const http = {
      ...target,
      domain_name: domain,
      rule_extensions: null,
      configuration: { set_headers: null },
    };
    const made = await answered(`post ${domains}`, 'GatewayRule', {
      protocol: 'http',
      http,
      tcp: unsetTcp,
    });
    expect(made.http.at(-1)).toMatchObject({ domain_name: domain, rule_extensions: [] });
    const second = { ...http, domain_path: '/2', configuration: {} };
    const refused = await rest(trellis, `post ${domains}`, { body: { protocol: 'http', http: second } });
    expect(refused.body.issues).toMatchObject([{ path: ['http', 'configuration', 'set_headers'] }]);
    const tcp = {
      ...target,
      end_point: '192.0.2.77:7777',
      rule_extensions: null,
      default_port: 7777,
      default_ip: '2001:DB8::1',
    };
    const body = { protocol: 'tcp', tcp, http: unsetHttp };
    const more = await answered(`post ${domains}`, 'GatewayRule', body);
    expect(more.tcp.at(-1)).toMatchObject({ end_point: '192.0.2.77:7777', rule_extensions: '' });
    const { application } = await trellis.data(
      `{ application(by: { appId: ${own.application.appId} }) { gatewayRules { tcp { nodes { endpoint mappedAddress } } } } }`,
    );
    expect(application.gatewayRules.tcp.nodes).toContainEqual({
      endpoint: '192.0.2.77:7777',
      mappedAddress: '[2001:db8::1]:7777',
    });
    // The body itself is required.
    const none = await rest(trellis, 'post /teams/resource', { body: null });
    expect([none.status, none.body.code]).toEqual([400, 'INVALID_INPUT']);
  });

  it('7: create gateway rules', async () => {
    const rule = {
      service_id: all.component.alias,
      container_port: 8080,
      domain_name: `*.${unique('www')}.example`,
    };
    const body = await answered(`post ${apps}/domains`, 'GatewayRule', {
      protocol: 'http',
      http: {
        ...rule,
        domain_path: '/shop',
        domain_cookie: 'a=b',
        domain_header: 'x=y;z=1',
        the_weight: 40,
        rule_extensions: ['retry:3'],
        whether_open: true,
        certificate_id: 0,
        auto_ssl: true,
        auto_ssl_config: 'acme',
        configuration: {
          proxy_buffering: 'on',
          proxy_read_timeout: 5,
          set_headers: [{ key: 'A', value: 'b' }],
        },
      },
      tcp: 'ignored',
    });
    expect(body.tcp).toEqual([]);
    expect(body.http.at(-1)).toMatchObject({
      tenant_id: all.team.teamId,
      region_id: all.region.regionId,
      service_id: all.component.componentId,
      service_alias: all.component.alias,
      service_name: all.component.alias,
      container_port: 8080,
      domain_name: rule.domain_name,
      domain_type: 'wildcard',
      protocol: 'http',
      certificate_id: 0,
      is_senior: true,
      domain_path: '/shop',
      domain_cookie: 'a=b',
      domain_heander: 'x=y;z=1',
      type: 1,
      the_weight: 40,
      rule_extensions: ['retry:3'],
      is_outer_service: true,
      auto_ssl: true,
      auto_ssl_config: 'acme',
    });
    const stored = await trellis.data(
      `{ application(by: { appId: ${all.application.appId} }) { gatewayRules { http { nodes { configuration { isBuffered readTimeoutSeconds sendTimeoutSeconds setHeaders { key value } } } } } } }`,
    );
    expect(stored.application.gatewayRules.http.nodes.at(-1).configuration).toEqual({
      isBuffered: true,
      readTimeoutSeconds: 5,
      sendTimeoutSeconds: 60,
      setHeaders: [{ key: 'A', value: 'b' }],
    });
    const both = await answered(`post ${apps}/domains`, 'GatewayRule', {
      protocol: 'tcp',
      tcp: {
        service_id: all.component.componentId,
        container_port: 8080,
        end_point: '[2001:db8::1]:30500',
        rule_extensions: [
          { key: 'a', value: 'b' },
          { key: 'c', value: 'd' },
        ],
        default_port: 30_500,
        default_ip: '::1',
      },
    });
    expect(both.http).toHaveLength(body.http.length);
    expect(both.tcp).toMatchObject([
      {
        end_point: '[2001:db8::1]:30500',
        rule_extensions: 'a:b,c:d',
        type: 1,
        protocol: 'http',
        is_outer_service: true,
      },
    ]);
  });

  it('8: list applications of a team', async () => {
    const body = await answered(
      `get ${place}/apps?query=${all.application.name.toUpperCase()}`,
      'AppBaseInfo[]',
    );
    expect(body).toMatchObject([
      { ID: all.application.appId, group_name: all.application.name, region_name: all.region.name },
    ]);
  });

  it('9: team resource statistics', async () => {
    const pair = { tenant_id: all.team.teamId, region_name: all.region.name };
    const named = { tenant_id: all.team.name, region_name: all.region.regionId };
    const body = await answered('post /teams/resource', 'TeamAppsResource[]', [
      { ...pair, region_name: 'nowhere' },
      pair,
      named,
    ]);
    expect(body).toMatchObject([{ team_id: all.team.teamId, team_name: all.team.name, used_cpu: 0 }]);
  });

  it('10: list teams', async () => {
    const viewer = await trellis.createMember(all.team.teamId, 'VIEWER');
    const body = await answered('get /teams', 'ListTeamResp', undefined, viewer.token);
    expect(body).toMatchObject({
      total: 1,
      tenants: [
        {
          tenant_id: all.team.teamId,
          tenant_name: all.team.name,
          creater: 'admin',
          role_infos: [{ role_name: 'viewer', role_id: 'viewer' }],
          service_num: expect.any(Number),
          region_num: 1,
        },
      ],
    });
  });

  it('11: list enterprise administrators', async () => {
    const body = await answered('get /administrators', 'ListUsersRespView');
    expect(body).toMatchObject({
      total: 1,
      users: [{ user_id: 1, email: 'admin@trellis.example', origion: 'bootstrap' }],
    });
    const { enterprise_id: eid } = body.users[0];
    expect(await answered(`get /administrators?eid=${eid}`, 'ListUsersRespView')).toEqual(body);
    expect((await rest(trellis, 'get /administrators?eid=another')).status).toBe(404);
  });

  it('12 to 14: install an application, list its components, upgrade it', async () => {
    const { ring, application, at, body, upgrade } = await createInstall(trellis, all, 2);
    const done = await answered(`post ${at}/install?is_deploy=true`, 'MarketInstall', body);
    expect(done).toMatchObject({
      team_id: all.team.teamId,
      ID: application.appId,
      region_name: all.region.name,
      note: '',
      service_list: [
        { service_cname: 'part-0', status: 'running', service_source: 'market' },
        { service_cname: 'part-1' },
      ],
    });
    const [{ tenant_service_group_id: group }] = done.service_list;
    expect(group).toBeGreaterThan(0);
    expect(await answered(`get ${at}/services`, 'ServiceBaseInfo[]')).toEqual(done.service_list);
    expect(await answered(`get ${at}/upgrade`, 'ListUpgrade[]')).toMatchObject([
      { current_version: '1.0.0', can_upgrade: true, upgrade_versions: ['2.0.0'] },
    ]);
    const report = await answered(`post ${at}/upgrade`, 'ListUpgrade[]', upgrade);
    expect(await answered(`get ${at}/upgrade`, 'ListUpgrade[]')).toEqual(report);
    expect(report).toMatchObject([
      {
        market_name: 'self',
        app_model_id: ring.key,
        current_version: '2.0.0',
        can_upgrade: false,
        upgrade_versions: [],
        source: 'market',
      },
    ]);
    expect(await answered(`get ${at}/services`, 'ServiceBaseInfo[]')).toHaveLength(3);
  });

  it('12: nothing is deployed unless it is asked for', async () => {
    const { at, body } = await createInstall(trellis, all);
    const done = await answered(`post ${at}/install`, 'MarketInstall', body);
    expect(done.service_list).toMatchObject([{ status: 'undeploy' }]);
  });

  it('tell where a component made by hand is reached', async () => {
    const [component] = await answered(`get ${apps}/services`, 'ServiceBaseInfo[]');
    expect(component).toMatchObject({
      creater: 1,
      tenant_service_group_id: 0,
      service_source: 'container_run',
    });
    expect(component.access_infos).toContain('[2001:db8::1]:30500');
  });
});
