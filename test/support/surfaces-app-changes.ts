import { expect } from 'vitest';
import { unique } from './fixtures.ts';
import { rules } from './surfaces-models.ts';
import type { Change } from './surfaces-port-changes.ts';
import type { Twin } from './surfaces-twins.ts';
import { installBody, installInput } from './surfaces-world.ts';

/** The target of a new rule, as GraphQL names it. */
export const rule = (twin: Twin, portNumber: number) => ({
  application: { appId: twin.appId },
  component: { componentId: twin.componentId },
  portNumber,
});
const rulesOfApplication = `application { gatewayRules { ${rules.selection} } }`;
const everything = unique('every');

export const createGatewayRule: Change[] = [
  {
    name: 'HTTP, with its defaults',
    rest: (twin) => ({
      at: `POST ${twin.application}/domains`,
      body: {
        protocol: 'http',
        http: { service_id: twin.alias, container_port: 8080, domain_name: `WWW.${twin.alias}.example` },
      },
    }),
    graphql: (twin) => ({
      mutation: 'createHttpRule',
      input: { ...rule(twin, 8080), domain: `WWW.${twin.alias}.example` },
      selection: rulesOfApplication,
    }),
    recorded: ['http_rule.create'],
    afterwards: ({ ports, rules: { http } }, twin) => {
      expect(ports[0].is_outer_service).toBe(false);
      expect(http).toMatchObject([
        {
          domain_name: `www.${twin.alias}.example`,
          domain_path: '/',
          the_weight: 100,
          type: 1,
          protocol: 'http',
          certificate_id: 0,
          is_senior: false,
          is_outer_service: false,
        },
      ]);
    },
  },
  {
    name: 'HTTP, with everything, opening its port',
    rest: (twin) => ({
      at: `POST ${twin.application}/domains`,
      body: {
        protocol: 'http',
        http: {
          service_id: twin.componentId,
          container_port: 8080,
          certificate_id: 0,
          domain_name: `*.${everything}.example`,
          domain_cookie: 'a=b',
          domain_header: 'X-Beta=1;X-Gamma=2',
          the_weight: 40,
          domain_path: '/shop',
          rule_extensions: ['retries:3'],
          whether_open: true,
          auto_ssl: true,
          auto_ssl_config: 'letsencrypt',
          configuration: {
            proxy_body_size: 10,
            proxy_buffer_numbers: 8,
            proxy_buffer_size: 16,
            proxy_buffering: 'on',
            proxy_connect_timeout: 5,
            proxy_read_timeout: 6,
            proxy_send_timeout: 7,
            set_headers: [{ key: 'X-Forwarded-Proto', value: 'https' }],
          },
        },
      },
    }),
    graphql: (twin) => ({
      mutation: 'createHttpRule',
      input: {
        ...rule(twin, 8080),
        domain: `*.${everything}.example`,
        domainCookie: 'a=b',
        domainHeader: 'X-Beta=1;X-Gamma=2',
        weight: 40,
        path: '/shop',
        extensions: ['retries:3'],
        opensPort: true,
        autoSsl: true,
        autoSslConfig: 'letsencrypt',
        configuration: {
          bodySizeMB: 10,
          bufferCount: 8,
          bufferSizeKB: 16,
          isBuffered: true,
          connectTimeoutSeconds: 5,
          readTimeoutSeconds: 6,
          sendTimeoutSeconds: 7,
          setHeaders: [{ key: 'X-Forwarded-Proto', value: 'https' }],
        },
      },
      selection: rulesOfApplication,
    }),
    // That `configuration` is the same is seen in the record: REST shows it nowhere.
    recorded: ['http_rule.create', 'port.open_outer'],
    afterwards: ({ ports, components, rules: { http } }) => {
      expect(ports[0].is_outer_service).toBe(true);
      expect(components[0].access_infos).toEqual([`https://*.${everything}.example/shop`]);
      expect(http).toMatchObject([
        { is_senior: true, domain_type: 'wildcard', domain_heander: 'X-Beta=1;X-Gamma=2' },
      ]);
    },
  },
  {
    name: 'TCP, which opens its port',
    rest: (twin) => ({
      at: `POST ${twin.application}/domains`,
      body: {
        protocol: 'tcp',
        tcp: {
          service_id: twin.alias,
          container_port: 9090,
          end_point: '[2001:DB8::0:1]:443',
          rule_extensions: [
            { key: 'one', value: '1' },
            { key: 'two', value: '2' },
          ],
          default_port: 443,
          default_ip: '2001:db8::1',
        },
      },
    }),
    graphql: (twin) => ({
      mutation: 'createTcpRule',
      input: {
        ...rule(twin, 9090),
        endpoint: '[2001:DB8::0:1]:443',
        mappedAddress: '[2001:db8::1]:443',
        extensions: [
          { key: 'one', value: '1' },
          { key: 'two', value: '2' },
        ],
      },
      selection: rulesOfApplication,
    }),
    recorded: ['tcp_rule.create', 'port.open_outer'],
    afterwards: ({ ports, rules: { tcp } }) => {
      expect(ports[1].is_outer_service).toBe(true);
      expect(tcp).toMatchObject([
        { end_point: '[2001:db8::1]:443', type: 1, rule_extensions: 'one:1,two:2' },
      ]);
    },
  },
];

/** Trellis itself is the store, which offers the template of the twins. */
export const installApplication: Change[] = [true, false].map((deploy) => ({
  name: deploy ? 'deployed' : 'not deployed',
  rest: (twin) => ({
    at: `POST ${twin.application}/install${deploy ? '?is_deploy=true' : ''}`,
    body: installBody(twin.trellis, twin.template.key),
  }),
  graphql: (twin) => ({
    mutation: 'installApplication',
    input: { ...installInput(twin.trellis, twin.appId, twin.template.key), deploy },
    selection: 'group { uid }',
  }),
  recorded: [
    ...['component.create', 'component.create'],
    ...['port.add', 'port.add'],
    ...['http_rule.create', 'http_rule.create'],
    'application.install',
  ],
  afterwards: ({ components, upgrades }) => {
    expect(components.map((each) => [each.service_cname, each.status])).toEqual([
      ['part-0', deploy ? 'running' : 'undeploy'],
      ['part-1', deploy ? 'running' : 'undeploy'],
      ['twin', 'undeploy'],
    ]);
    expect(upgrades).toMatchObject([{ current_version: '1.0.0', upgrade_versions: ['2.0.0', '3.0.0'] }]);
  },
}));

export const upgradeApplication: Change[] = [
  {
    name: 'to a version above',
    before: (twin) => [
      ['installApplication', installInput(twin.trellis, twin.appId, twin.template.key), 'group { uid }'],
    ],
    rest: (twin) => ({
      at: `POST ${twin.application}/upgrade`,
      body: {
        update_versions: [
          { market_name: 'self', app_model_id: twin.template.key, app_model_version: '2.0.0' },
        ],
      },
    }),
    graphql: (twin) => ({
      mutation: 'upgradeApplication',
      input: {
        application: { appId: twin.appId },
        upgrades: [{ storeName: 'self', templateId: twin.template.key, version: '2.0.0' }],
      },
      selection: 'outcomes { toVersion }',
    }),
    recorded: ['component.upgrade', 'component.upgrade', 'application.upgrade'],
    afterwards: ({ components, upgrades }) => {
      expect(components[0].image).toBe('registry.example/part-0:2.0.0');
      expect(upgrades).toMatchObject([
        { current_version: '2.0.0', can_upgrade: true, upgrade_versions: ['3.0.0'], source: 'market' },
      ]);
    },
  },
];
