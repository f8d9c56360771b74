import type { z } from 'zod';
import { routes } from '../../src/api.ts';
import type { Route } from '../../src/rest/route.ts';
import type { All } from './fixtures.ts';

/** A request of a route with all its parameters and fields, that would succeed. */
export interface Example {
  route: Route;
  /** The operation, and which of its bodies where there are several. */
  title: string;
  params: Record<string, string>;
  query: Record<string, string>;
  body?: any;
}

/** What examples are about, besides a place with an application, a component and a port. */
export interface Scene extends All {
  enterpriseId: string;
  certificateId: number;
  /** Where nothing listens yet. */
  endPoint: string;
  /** A store, a template of it, and another one that is installed in the application. */
  store: { url: string; accessKey: string; templateId: string; version: string };
  installed: { storeName: string; templateId: string; nextVersion: string };
}

const configuration = {
  proxy_body_size: 1,
  proxy_buffer_numbers: 1,
  proxy_buffer_size: 1,
  proxy_buffering: 'on',
  proxy_connect_timeout: 1,
  proxy_read_timeout: 1,
  proxy_send_timeout: 1,
  set_headers: [{ key: 'A', value: 'b' }],
};

/** The table of this suite: a row for each operation, and for each kind of its body. */
export const titles = [
  'listTeams',
  'listTeamResources',
  'listAdministrators',
  'listTeamRegions',
  'getRegion',
  'listApplications',
  'listComponents',
  'listPorts',
  'addPort',
  'updatePort: open_outer',
  'updatePort: change_protocol',
  'updatePort: change_port_alias',
  'deletePort',
  'createGatewayRule: http',
  'createGatewayRule: tcp',
  'listApplicationUpgrades',
  'installApplication',
  'upgradeApplication',
] as const;
export type Title = (typeof titles)[number];

export const routeOf = (title: Title): Route =>
  routes.find(({ operationId }) => operationId === title.split(':')[0])!;

/** The examples by title, for a scene that is really there. */
export function examplesOf(scene: Scene): Record<Title, Example> {
  const { team, region, application, component, port, store, installed } = scene;
  const params: Record<string, string> = {
    team_id: team.teamId,
    region_name: region.name,
    region_id: region.name,
    app_id: String(application.appId),
    service_id: component.componentId,
    port: String(port.number),
  };
  const page = { page: '1', page_size: '10' };
  const tcp = {
    container_port: port.number,
    service_id: component.componentId,
    end_point: scene.endPoint,
    rule_extensions: [{ key: 'a', value: 'b' }],
    default_port: 7777,
    default_ip: '10.0.0.1',
  };
  const http = {
    service_id: component.componentId,
    container_port: port.number,
    certificate_id: scene.certificateId,
    domain_name: 'bad-input.example',
    domain_cookie: 'a=b',
    domain_header: 'a=b',
    the_weight: 50,
    domain_path: '/',
    rule_extensions: ['a:b'],
    whether_open: true,
    auto_ssl: true,
    auto_ssl_config: 'x',
    configuration,
  };
  const change = { protocol: 'grpc', port_alias: 'OTHER', cluster_service_name: `${component.alias}-x` };
  const given: Record<Title, { query?: Record<string, string>; body?: unknown }> = {
    listTeams: { query: { query: 'team', ...page } },
    listTeamResources: { body: [{ tenant_id: team.teamId, region_name: region.name }] },
    listAdministrators: { query: { eid: scene.enterpriseId, ...page } },
    listTeamRegions: { query: { query: 'region', ...page } },
    getRegion: { query: { region_id: region.regionId, extend_info: 'true' } },
    listApplications: { query: { query: 'app' } },
    listComponents: {},
    listPorts: {},
    listApplicationUpgrades: {},
    addPort: { body: { port: '9999', protocol: 'tcp', port_alias: 'WEB', is_inner_service: true } },
    'updatePort: open_outer': { body: { action: 'open_outer', ...change } },
    'updatePort: change_protocol': { body: { action: 'change_protocol', ...change } },
    'updatePort: change_port_alias': { body: { action: 'change_port_alias', ...change } },
    deletePort: {},
    'createGatewayRule: http': { body: { protocol: 'http', http, tcp } },
    'createGatewayRule: tcp': { body: { protocol: 'tcp', http, tcp } },
    installApplication: {
      query: { is_deploy: 'true' },
      body: {
        market_url: store.url,
        market_domain: 'x',
        market_type: 'standard',
        market_access_key: store.accessKey,
        app_model_id: store.templateId,
        app_model_version: store.version,
      },
    },
    upgradeApplication: {
      body: {
        update_versions: [
          {
            market_name: installed.storeName,
            app_model_id: installed.templateId,
            app_model_version: installed.nextVersion,
          },
        ],
      },
    },
  };
  const examples = titles.map((title): [Title, Example] => {
    const route = routeOf(title);
    const names = Object.keys(route.params.shape);
    const own = Object.fromEntries(names.map((name) => [name, params[name]!]));
    return [title, { route, title, params: own, query: given[title].query ?? {}, body: given[title].body }];
  });
  return Object.fromEntries(examples) as Record<Title, Example>;
}

/** What `rest` of support/openapi.ts sends: parameters are encoded, unless they are already. */
export function atOf({ route, params, query }: Omit<Example, 'title'>, isEncoded = false): string {
  const encode = isEncoded ? (text: string) => text : encodeURIComponent;
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => encode(params[name]!));
  const search = new URLSearchParams(query).toString();
  return `${route.method} ${path}${search && `?${search}`}`;
}

interface Def {
  type: string;
  innerType: z.ZodType;
  element: z.ZodType;
  shape: Record<string, z.ZodType>;
  options: z.ZodType[];
  discriminator: string;
  values: unknown[];
  entries: Record<string, unknown>;
}
const defOf = (schema: z.ZodType) => schema.def as unknown as Def;

/** Whether a field of the kind of a body takes this value. */
const takes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

/** Every field of a schema as a dotted path, the elements of lists as `0`; of several kinds the example's. */
export function fieldsOf(schema: z.ZodType, example: any, at: string[] = []): string[] {
  const def = defOf(schema);
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return fieldsOf(def.innerType, example, at);
    case 'array':
      return [[...at, '0'].join('.'), ...fieldsOf(def.element, example?.[0], [...at, '0'])];
    case 'union': {
      const tag = def.discriminator;
      const kind = def.options.find((each) => takes(defOf(each).shape[tag]!, example[tag]))!;
      return fieldsOf(kind, example, at);
    }
    case 'object':
      return Object.entries(def.shape).flatMap(([name, field]) => [
        [...at, name].join('.'),
        ...fieldsOf(field, example?.[name], [...at, name]),
      ]);
    default:
      return [];
  }
}

/** The kinds of a body that has several, by the text that tells them apart. */
export function kindsOf(schema: z.ZodType | undefined): unknown[] | undefined {
  const def = schema && defOf(schema);
  if (def?.type !== 'union') return undefined;
  return def.options.map((each) => {
    const tag = defOf(defOf(each).shape[def.discriminator]!);
    return (tag.values ?? Object.values(tag.entries))[0];
  });
}

/** A copy with another value at the path; nothing is left of the field for undefined. */
export function withValue(input: any, path: string, value: unknown): any {
  const steps = path.split('.');
  const copy = structuredClone(input);
  const parent = steps.slice(0, -1).reduce<any>((object, step) => object[step], copy);
  const last = steps.at(-1)!;
  if (value !== undefined) parent[last] = value;
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete parent[last];
  return copy;
}
