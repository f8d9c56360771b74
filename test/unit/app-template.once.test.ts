import { describe, expect, it } from 'vitest';
import { maxIssues } from '../../src/drivers/app-store/answer.ts';
import { parseTemplate } from '../../src/drivers/app-store/template.ts';
import { readPublishedApps } from '../support/store-server.ts';

const port = (over: object = {}) => ({
  container_port: 80,
  protocol: 'http',
  port_alias: 'WEB_80',
  is_inner_service: true,
  is_outer_service: true,
  cluster_service_name: 'web',
  ...over,
});
const env = (over: object = {}) => ({ name: '', attr_name: 'A', attr_value: '1', is_change: true, ...over });
const volume = (over: object = {}) => ({
  volume_name: 'data',
  volume_path: '/data',
  volume_type: 'share-file',
  ...over,
});
const web = (over: object = {}) => ({
  service_key: 'web',
  service_id: '1',
  service_cname: 'Web',
  share_image: 'nginx:1.29',
  port_map_list: [port()],
  service_env_map_list: [env()],
  service_connect_info_map_list: [env({ container_port: 80 })],
  service_volume_map_list: [volume()],
  dep_service_map_list: [{ dep_service_key: 'db+2' }],
  ...over,
});
const db = (over: object = {}) => ({
  service_key: 'db',
  service_id: '2',
  service_cname: 'Db',
  image: 'db:1',
  ...over,
});
const route = (over: object = {}) => ({ component_key: 'web', port: 80, location: '/', ...over });
const template = (over: object = {}) => ({
  group_key: 'g',
  group_name: 'G',
  group_version: '1',
  apps: [web(), db()],
  ingress_http_routes: [route()],
  ...over,
});
/** A template whose first component is another. */
const withWeb = (over: object) => template({ apps: [web(over), db()] });
const withPort = (over: object) => withWeb({ port_map_list: [port(over)] });
const withRoute = (over: object) => template({ ingress_http_routes: [route(over)] });

/** As many components as it takes: each may have 200 ports. */
const withOuterPorts = (count: number) =>
  Array.from({ length: Math.ceil(count / 200) }, (_, index) =>
    db({
      service_key: `key-${index}`,
      port_map_list: Array.from({ length: Math.min(count - index * 200, 200) }, (_, number) =>
        port({ container_port: number + 1, port_alias: `P${number}` }),
      ),
    }),
  );

/** As many components as that, each with the same lists. */
const withMany = (over: object, count: number) =>
  template({
    apps: Array.from({ length: count }, (_, index) => db({ service_key: `key-${index}`, ...over })),
    ingress_http_routes: [],
  });

const parse = async (value: unknown) => (await parseTemplate(JSON.stringify(value))).template;
const failure = (text: string): Promise<{ code: string; status: number; message: string }> =>
  parseTemplate(text).then(
    () => {
      throw new Error('It did not fail.');
    },
    (error) => error,
  );

const first = 'template.apps[0]';
const ports = `${first}.port_map_list[0]`;
const routes = 'template.ingress_http_routes[0]';
type Wrong = [what: string, value: unknown, place: string];
const wrong: Wrong[] = [
  ['an array', [], 'template'],
  ['a number', 1, 'template'],
  ['null', null, 'template'],
  ['no group_key', template({ group_key: undefined }), 'template.group_key'],
  ['an empty group_name', template({ group_name: '' }), 'template.group_name'],
  ['a group_version that is a number', template({ group_version: 1 }), 'template.group_version'],
  ['no apps', template({ apps: undefined }), 'template.apps'],
  ['apps that are null', template({ apps: null }), 'template.apps'],
  ['empty apps', template({ apps: [] }), 'template.apps'],
  ['apps that are an object', template({ apps: { length: 1 } }), 'template.apps'],
  ['too many apps', template({ apps: Array(501).fill(db()) }), 'template.apps'],
  ['an app that is a text', template({ apps: ['web'] }), first],
  ['no service_key', withWeb({ service_key: undefined }), `${first}.service_key`],
  ['no service_cname', withWeb({ service_cname: null }), `${first}.service_cname`],
  ['a blank service_cname', withWeb({ service_cname: '  ' }), `${first}.service_cname`],
  ['a long service_cname', withWeb({ service_cname: 'a'.repeat(129) }), `${first}.service_cname`],
  ['NUL in a name', withWeb({ service_cname: 'a\u0000' }), `${first}.service_cname`],
  ['half a surrogate in a name', withWeb({ service_cname: 'a\ud800' }), `${first}.service_cname`],
  ['a direction override in a name', withWeb({ service_cname: 'a\u202eb' }), `${first}.service_cname`],
  ['a zero-width space in a name', withWeb({ service_cname: 'a\u200bb' }), `${first}.service_cname`],
  ['an invisible group_name', template({ group_name: '\u2060' }), 'template.group_name'],
  ['a zero-width space in a group_key', template({ group_key: 'g\u200b' }), 'template.group_key'],
  [
    'a zero-width joiner in a group_version',
    template({ group_version: '1\u200d' }),
    'template.group_version',
  ],
  ['an isolate in a governance_mode', template({ governance_mode: 'a\u2066' }), 'template.governance_mode'],
  ['a direction mark in a version', withWeb({ version: '1\u200f' }), `${first}.version`],
  [
    'a zero-width space in a label',
    withWeb({ service_env_map_list: [env({ name: 'a\u200b' })] }),
    `${first}.service_env_map_list[0].name`,
  ],
  [
    'a direction override in a volume name',
    withWeb({ service_volume_map_list: [volume({ volume_name: 'a\u202e' })] }),
    `${first}.service_volume_map_list[0].volume_name`,
  ],
  ['no image', withWeb({ share_image: '', image: null }), `${first}.share_image`],
  ['a long image', withWeb({ share_image: 'a'.repeat(1025) }), `${first}.share_image`],
  [
    'two of one key',
    template({ apps: [web(), db(), web({ service_id: '3' })] }),
    'template.apps[2].service_key',
  ],
  [
    'two of one share key',
    template({ apps: [web({ service_share_uuid: 'x' }), db({ service_share_uuid: 'x' })] }),
    'template.apps[1].service_share_uuid',
  ],
  ['an unknown extend_method', withWeb({ extend_method: 'job' }), `${first}.extend_method`],
  ['negative memory', withWeb({ memory: -1 }), `${first}.memory`],
  ['memory that is a text', withWeb({ memory: '512' }), `${first}.memory`],
  ['a broken number', withWeb({ cpu: 1.5 }), `${first}.cpu`],
  ['a huge number', withWeb({ cpu: 1e300 }), `${first}.cpu`],
  [
    'negative min_node',
    withWeb({ extend_method_map: { min_node: -1 } }),
    `${first}.extend_method_map.min_node`,
  ],
  ['NUL in the command', withWeb({ cmd: 'a\u0000' }), `${first}.cmd`],
  [
    'a cluster name that is none',
    withWeb({ cluster_component_name: 'A_b' }),
    `${first}.cluster_component_name`,
  ],
  ['ports that are an object', withWeb({ port_map_list: {} }), `${first}.port_map_list`],
  ['too many ports', withWeb({ port_map_list: Array(201).fill(1) }), `${first}.port_map_list`],
  ['port 0', withPort({ container_port: 0 }), `${ports}.container_port`],
  ['port 65536', withPort({ container_port: 65_536 }), `${ports}.container_port`],
  ['a negative port', withPort({ container_port: -80 }), `${ports}.container_port`],
  ['a port that is a text', withPort({ container_port: '80' }), `${ports}.container_port`],
  ['no port number', withPort({ container_port: undefined }), `${ports}.container_port`],
  ['an unknown protocol', withPort({ protocol: 'quic' }), `${ports}.protocol`],
  ['no protocol', withPort({ protocol: null }), `${ports}.protocol`],
  ['a port alias in lower case', withPort({ port_alias: 'web_80' }), `${ports}.port_alias`],
  ['a long port alias', withPort({ port_alias: 'A'.repeat(65) }), `${ports}.port_alias`],
  ['no port alias', withPort({ port_alias: undefined }), `${ports}.port_alias`],
  ['a switch that is a text', withPort({ is_outer_service: 'yes' }), `${ports}.is_outer_service`],
  ['a service name that is none', withPort({ cluster_service_name: 'Web' }), `${ports}.cluster_service_name`],
  [
    'two ports of one number',
    withWeb({ port_map_list: [port(), port({ port_alias: 'B' })] }),
    `${first}.port_map_list[1].container_port`,
  ],
  [
    'two ports of one alias',
    withWeb({ port_map_list: [port(), port({ container_port: 81 })] }),
    `${first}.port_map_list[1].port_alias`,
  ],
  [
    'a variable without a name',
    withWeb({ service_env_map_list: [env({ attr_name: undefined })] }),
    `${first}.service_env_map_list[0].attr_name`,
  ],
  [
    'a variable with an odd name',
    withWeb({ service_env_map_list: [env({ attr_name: 'A=B' })] }),
    `${first}.service_env_map_list[0].attr_name`,
  ],
  [
    'a variable with a long name',
    withWeb({ service_env_map_list: [env({ attr_name: 'A'.repeat(256) })] }),
    `${first}.service_env_map_list[0].attr_name`,
  ],
  [
    'a variable with NUL',
    withWeb({ service_env_map_list: [env({ attr_value: 'a\u0000' })] }),
    `${first}.service_env_map_list[0].attr_value`,
  ],
  [
    'a variable that is an object',
    withWeb({ service_env_map_list: [env({ attr_value: {} })] }),
    `${first}.service_env_map_list[0].attr_value`,
  ],
  [
    'a long value',
    withWeb({ service_env_map_list: [env({ attr_value: 'a'.repeat(65_537) })] }),
    `${first}.service_env_map_list[0].attr_value`,
  ],
  [
    'two variables of one name',
    withWeb({ service_env_map_list: [env(), env()] }),
    `${first}.service_env_map_list[1].attr_name`,
  ],
  [
    'two connection variables of one name',
    withWeb({ service_connect_info_map_list: [env(), env()] }),
    `${first}.service_connect_info_map_list[1].attr_name`,
  ],
  [
    'a connection variable of no port',
    withWeb({ service_connect_info_map_list: [env({ container_port: 65_536 })] }),
    `${first}.service_connect_info_map_list[0].container_port`,
  ],
  ['an image with capitals', withWeb({ share_image: 'Shop/web:1' }), `${first}.share_image`],
  ['an image with a blank', withWeb({ share_image: null, image: 'shop web' }), `${first}.image`],
  [
    'a volume without a path',
    withWeb({ service_volume_map_list: [volume({ volume_path: 'data' })] }),
    `${first}.service_volume_map_list[0].volume_path`,
  ],
  [
    'a volume of negative size',
    withWeb({ service_volume_map_list: [volume({ volume_capacity: -1 })] }),
    `${first}.service_volume_map_list[0].volume_capacity`,
  ],
  [
    'two volumes of one name',
    withWeb({ service_volume_map_list: [volume(), volume({ volume_path: '/b' })] }),
    `${first}.service_volume_map_list[1].volume_name`,
  ],
  [
    'two volumes of one path',
    withWeb({ service_volume_map_list: [volume(), volume({ volume_name: 'b' })] }),
    `${first}.service_volume_map_list[1].volume_path`,
  ],
  [
    'a dependency on nothing',
    withWeb({ dep_service_map_list: [{ dep_service_key: 'db+2' }, { dep_service_key: 'cache+3' }] }),
    `${first}.dep_service_map_list[1].dep_service_key`,
  ],
  [
    'a dependency that is a text',
    withWeb({ dep_service_map_list: ['db'] }),
    `${first}.dep_service_map_list[0]`,
  ],
  ['routes that are a text', template({ ingress_http_routes: '/' }), 'template.ingress_http_routes'],
  ['a route to an unknown component', withRoute({ component_key: 'cache' }), `${routes}.component_key`],
  ['a route to a port that is not there', withRoute({ port: 81 }), `${routes}.port`],
  ['a route to a port out of range', withRoute({ port: 0 }), `${routes}.port`],
  ['a route to a port of another protocol', withPort({ protocol: 'mysql' }), `${routes}.port`],
  ['a route without a slash', withRoute({ location: 'a' }), `${routes}.location`],
  ['a negative timeout', withRoute({ request_timeout: -1 }), `${routes}.request_timeout`],
  ['headers that are a list', withRoute({ headers: [] }), `${routes}.headers`],
  ['a header that is none', withRoute({ headers: { 'a b': '1' } }), `${routes}.headers["a b"]`],
  ['a header with a line break', withRoute({ proxy_header: { a: '1\r\nb: 2' } }), `${routes}.proxy_header.a`],
  ['a cookie that would end its pair', withRoute({ cookies: { a: '1;b=2' } }), `${routes}.cookies.a`],
  [
    'a rewrite without an expression',
    withRoute({ rewrites: [{ replacement: '/' }] }),
    `${routes}.rewrites[0].regex`,
  ],
  [
    'the same route twice',
    template({ ingress_http_routes: [route(), route()] }),
    'template.ingress_http_routes[1].location',
  ],
  ...['web+1', 'web+another'].map(
    (key): Wrong => [
      `the same route, its component named as ${key}`,
      template({ ingress_http_routes: [route(), route({ component_key: key })] }),
      'template.ingress_http_routes[1].location',
    ],
  ),
  [
    'too many ports in all components',
    withMany({ port_map_list: Array(200).fill(port()) }, 26),
    'template.apps[25].port_map_list',
  ],
  [
    'too many variables in all components',
    withMany(
      {
        service_env_map_list: Array(300).fill(env()),
        service_connect_info_map_list: Array(200).fill(env()),
      },
      21,
    ),
    'template.apps[20].service_env_map_list',
  ],
  [
    'too many volumes in all components',
    withMany({ service_volume_map_list: Array(100).fill(volume()) }, 21),
    'template.apps[20].service_volume_map_list',
  ],
  [
    'too many dependencies in all components',
    withMany({ dep_service_map_list: Array(500).fill({ dep_service_key: 'db' }) }, 11),
    'template.apps[10].dep_service_map_list',
  ],
  ['too many values', template({ novelty: Array(300_000).fill(0) }), 'template'],
  [
    'too many ports to the outside',
    template({ apps: withOuterPorts(1001), ingress_http_routes: [] }),
    'template.apps',
  ],
];

describe('a wrong template', () => {
  it.each(wrong)('is refused with the path of the invalid value: %s', async (_, value, place) => {
    const error = await failure(JSON.stringify(value));
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', status: 502 });
    const told = error.message.replace('The app store sent an invalid template: ', '').split('; ');
    expect(told.filter((each) => !each.startsWith(`${place}: `))).toEqual([]);
  });

  it.each(['', '{', 'nonsense', '<html>', '{"a":1}}', '['.repeat(100_000)])(
    'is invalid JSON',
    async (text) => {
      expect((await failure(text)).message).toBe(
        'The app store sent an invalid template: template: Must be JSON',
      );
    },
  );

  it('reports all errors at once', async () => {
    const { message } = await failure(
      JSON.stringify(
        template({
          group_key: 1,
          apps: [
            web({ memory: -1, port_map_list: [port({ container_port: 0, protocol: 'x' })] }),
            db({ cpu: '1' }),
          ],
          ingress_http_routes: [route({ port: 'x' })],
        }),
      ),
    );
    for (const place of [
      'template.group_key: ',
      `${first}.memory: `,
      `${ports}.container_port: `,
      `${ports}.protocol: `,
      'template.apps[1].cpu: ',
      `${routes}.port: `,
    ]) {
      expect(message).toContain(place);
    }
  });

  it('reports a limited number of errors', async () => {
    const { message } = await failure(
      JSON.stringify(template({ apps: Array(25).fill({ port_map_list: Array(200).fill(0) }) })),
    );
    expect(message.split('; ')).toHaveLength(maxIssues + 1);
    expect(message).toMatch(/; and more$/);
    const key = 'k'.repeat(100_000);
    const { message: long } = await failure(JSON.stringify(withRoute({ headers: { [key]: '1' } })));
    expect(long.length).toBeLessThan(1000);
  });
});

describe('a template', () => {
  it('is accepted for every real application', async () => {
    let count = 0;
    for (const { templates } of readPublishedApps().values()) {
      for (const [version, text] of templates) {
        const { apps, group_key, ingress_http_routes } = JSON.parse(text);
        const { template: parsed } = await parseTemplate(text);
        expect(parsed).toMatchObject({ groupKey: group_key, groupVersion: version });
        expect(parsed.components.map(({ name }) => name)).toEqual(apps.map((app: any) => app.service_cname));
        expect(parsed.components.flatMap(({ dependencies }) => dependencies)).toEqual(
          apps.flatMap((app: any) =>
            app.dep_service_map_list.map((each: any) => each.dep_service_key.split('+')[0]),
          ),
        );
        expect(parsed.routes).toHaveLength(ingress_http_routes.length);
        count++;
      }
    }
    expect(count).toBe(11);
  });

  it('uses defaults for null fields', async () => {
    const least = { service_key: 'k', service_cname: 'c', image: 'i' };
    const nulls = {
      extend_method_map: { min_node: null, min_memory: null },
      memory: null,
      port_map_list: null,
    };
    for (const app of [least, { ...least, ...nulls, share_image: '', version: '', cmd: null }]) {
      expect(await parse({ group_key: 'g', group_name: 'G', group_version: '1', apps: [app] })).toEqual({
        groupKey: 'g',
        groupName: 'G',
        groupVersion: '1',
        governanceMode: null,
        components: [
          {
            key: 'k',
            shareKey: 'k+',
            name: 'c',
            checksPorts: true,
            preStopSeconds: 5,
            terminationGracePeriodSeconds: 30,
            deployDeadlineSeconds: 86_400,
            preDeployCommand: null,
            preDeployTimeoutSeconds: null,
            needsRoot: null,
            probes: { startup: null, readiness: null, liveness: null },
            clusterName: null,
            image: 'i',
            version: null,
            entrypoint: null,
            command: '',
            kind: null,
            category: 'application',
            description: null,
            gpuMemoryMiB: 0,
            extendMethod: 'stateless',
            replicas: 1,
            memoryMiB: 512,
            cpuMillicores: 500,
            ...{ cpuLimitMillicores: null, memoryLimitMiB: null },
            language: null,
            ports: [],
            variables: [],
            connectionVariables: [],
            volumes: [],
            dependencies: [],
          },
        ],
        routes: [],
      });
    }
  });

  it('prefers the limit to the request, in any order', async () => {
    const sizeOf = async (over: object) => {
      const [{ memoryMiB, cpuMillicores, replicas } = expect.fail()] = (await parse(withWeb(over)))
        .components;
      return { memoryMiB, cpuMillicores, replicas };
    };
    const map = { min_node: 2, init_memory: 200, min_memory: 100, container_cpu: 20 };
    expect(await sizeOf({ memory: 300, cpu: 30, extend_method_map: map })).toEqual({
      memoryMiB: 300,
      cpuMillicores: 30,
      replicas: 2,
    });
    expect(await sizeOf({ extend_method_map: map })).toEqual({
      memoryMiB: 200,
      cpuMillicores: 20,
      replicas: 2,
    });
    expect(await sizeOf({ extend_method_map: { min_memory: 100 } })).toEqual({
      memoryMiB: 100,
      cpuMillicores: 500,
      replicas: 1,
    });
  });

  it('ignores the part of extend_method after an underscore', async () => {
    const methodOf = async (extend_method: unknown) =>
      (await parse(withWeb({ extend_method }))).components[0]!.extendMethod;
    expect(await methodOf('stateless_multiple')).toBe('stateless');
    expect(await methodOf('stateless_singleton')).toBe('stateless');
    expect(await methodOf('state_multiple')).toBe('state');
    expect(await methodOf('state_singleton')).toBe('state');
    expect(await methodOf(null)).toBe('stateless');
  });

  it('is accepted at the limits', async () => {
    const items = <T>(count: number, of: (index: number) => T) =>
      Array.from({ length: count }, (_, index) => of(index));
    const apps = items(500, (index) =>
      db({
        service_key: `key-${index}`,
        port_map_list: items(10, (number) =>
          port({ container_port: number + 1, port_alias: `P${number}`, is_outer_service: false }),
        ),
        service_env_map_list: items(15, (number) => env({ attr_name: `E${number}` })),
        service_connect_info_map_list: items(5, (number) => env({ attr_name: `C${number}` })),
        service_volume_map_list: items(4, (number) =>
          volume({ volume_name: `v${number}`, volume_path: `/v${number}` }),
        ),
        dep_service_map_list: items(10, (number) => ({ dep_service_key: `key-${(index + number) % 500}` })),
      }),
    );
    const { components } = await parse(template({ apps, ingress_http_routes: [] }));
    expect(components).toHaveLength(500);
    expect(components.flatMap(({ dependencies }) => dependencies)).toHaveLength(5_000);
  });

  it('yields to other work while it is parsed', async () => {
    const text = JSON.stringify(
      withMany(
        { service_env_map_list: Array.from({ length: 400 }, (_, i) => env({ attr_name: `E${i}` })) },
        25,
      ),
    );
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await parseTemplate(text);
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(1);
  });

  it('is accepted with cycles, shared service names, and numbers as values', async () => {
    const { components } = await parse(
      template({
        apps: [
          web({
            service_env_map_list: [env({ attr_value: 8080 })],
            dep_service_map_list: [
              { dep_service_key: 'db+2' },
              { dep_service_key: 'db' },
              { dep_service_key: 'a+b+c' },
              { dep_service_key: 'web+1' },
            ],
          }),
          db({ port_map_list: [port()], dep_service_map_list: [{ dep_service_key: 'web+another' }] }),
          db({ service_key: 'c', service_share_uuid: 'a+b+c' }),
        ],
      }),
    );
    expect(components.map(({ dependencies }) => dependencies)).toEqual([['db', 'c', 'web'], ['web'], []]);
    expect(components.slice(0, 2).map((each) => each.ports[0]!.serviceName)).toEqual(['web', 'web']);
    expect(components[0]!.variables[0]).toEqual({
      name: 'A',
      label: 'A',
      value: '8080',
      isChangeable: true,
      isSecret: null,
      isRequired: false,
    });
  });

  it('is accepted with 400 components and unknown fields', async () => {
    const apps = Array.from({ length: 400 }, (_, index) =>
      web({
        service_key: `key-${index}`,
        novelty: [],
        port_map_list: [port({ novelty: {} })],
        dep_service_map_list: [{ dep_service_key: `key-${(index + 1) % 400}+1`, novelty: 1 }],
      }),
    );
    const ingress_http_routes = [route({ component_key: 'key-399', novelty: 1 })];
    const parsed = await parse(
      template({ apps, ingress_http_routes, ingress_stream_routes: [{}], novelty: null }),
    );
    expect(parsed.components).toHaveLength(400);
    expect(parsed.components[399]!.dependencies).toEqual(['key-0']);
    expect(parsed.routes[0]!.componentKey).toBe('key-399');
  });

  it('is accepted with 1000 ports open to the outside, and one path on two components', async () => {
    const ingress_http_routes = [route({ component_key: 'key-0' }), route({ component_key: 'key-1+2' })];
    const parsed = await parse(template({ apps: withOuterPorts(1000), ingress_http_routes }));
    expect(parsed.components.flatMap(({ ports }) => ports)).toHaveLength(1000);
    expect(parsed.routes.map(({ componentKey }) => componentKey)).toEqual(['key-0', 'key-1']);
  });

  it('supports all fields of a gateway rule in routes', async () => {
    const given = {
      component_key: 'web+1',
      location: '/api',
      default_domain: false,
      cookies: { a: '1' },
      headers: { 'X-A': 'b' },
      path_rewrite: true,
      rewrites: [{ regex: '^/a', replacement: '/b', flag: 'last' }],
      ssl: true,
      websocket: true,
      connection_timeout: 1,
      request_timeout: 2,
      response_timeout: 3,
      request_body_size_limit: 4,
      proxy_buffer_size: 5,
      proxy_buffer_numbers: 6,
      proxy_header: { 'X-B': 'c' },
      load_balancing: 'round-robin',
      proxy_buffering: true,
      weight: 7,
      rule_extensions: ['a:b'],
    };
    expect((await parse(withRoute(given))).routes).toEqual([
      {
        componentKey: 'web',
        port: 80,
        path: '/api',
        cookies: [{ key: 'a', value: '1' }],
        headers: [{ key: 'X-A', value: 'b' }],
        pathRewrite: true,
        rewrites: [{ regex: '^/a', replacement: '/b', flag: 'last' }],
        connectTimeoutSeconds: 1,
        sendTimeoutSeconds: 2,
        readTimeoutSeconds: 3,
        bodySizeMB: 4,
        bufferSizeKB: 5,
        bufferCount: 6,
        setHeaders: [{ key: 'X-B', value: 'c' }],
        isBuffered: true,
        weight: 7,
        extensions: ['a:b'],
      },
    ]);
  });
});
