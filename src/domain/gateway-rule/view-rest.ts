import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { onlyStored } from '../../kernel/validate.ts';
import { allOf } from '../../rest/parameters.ts';
import { answer, described, fieldsOf, view } from '../../rest/view.ts';
import { loadComponent } from '../component/reads.ts';
import { contractProtocolOf } from '../port/model.ts';
import { loadPort } from '../port/reads.ts';
import { loadRegion } from '../region/reads.ts';
import { domainTypeOf, isConditional, schemeOf } from './http/model.ts';
import { rulesOf } from './reads.ts';
import { formatEndpoint } from './tcp/endpoint-model.ts';

type Rule = Row<'HttpRule'> | Row<'TcpRule'>;

const port = (rule: Rule, context: Context) => loadPort(context, rule.portId);
const component = (rule: Rule, context: Context) => loadComponent(context, rule.componentId);

/** The fields of both kinds of rules. */
const fields = <R extends Rule>() => {
  const field = fieldsOf<R>();
  return {
    field,
    id: field(z.int(), 'The numeric id of the rule.', 1, (rule) => rule.id),
    key: field(z.string(), 'The key of the rule.', '5d7e49f08a2b4c6d8e0f1a2b6b1f0a3c', (rule) => rule.key),
    place: {
      region_id: field(
        z.string(),
        'The id of the region.',
        '3c5d7e49f08a2b4c6d8e0f1a2b6b1f0a',
        (rule) => rule.regionId,
      ),
      tenant_id: field.each(
        z.string(),
        'The id of the team.',
        '6b1f0a3c5d7e49f08a2b4c6d8e0f1a2b',
        async (rule, context) => (await component(rule, context)).teamId,
      ),
      service_id: field(
        z.string(),
        'The id of the component.',
        '1a2b6b1f0a3c5d7e49f08a2b4c6d8e0f',
        (rule) => rule.componentId,
      ),
      service_name: field.each(
        z.string(),
        'The name of the component.',
        'frontend',
        async (rule, context) => (await component(rule, context)).name,
      ),
      service_alias: field.each(
        z.string(),
        'The alias of the component.',
        'gr07c0ff',
        async (rule, context) => (await component(rule, context)).alias,
      ),
      container_port: field.each(
        z.int(),
        'The number of the port that the rule routes to.',
        8080,
        async (rule, context) => (await port(rule, context)).number,
      ),
    },
    type: field(
      z.int(),
      'The type of the rule: 0 for default rules, which are created when a port is opened, 1 for custom rules.',
      1,
      (rule) => (rule.isDefault ? 0 : 1),
    ),
    isPublished: field(
      z.boolean(),
      'Whether the rule is published. A rule is published while its port is open to the outside.',
      true,
      (rule) => rule.isPublished,
    ),
  };
};

const http = fields<Row<'HttpRule'>>();

const httpRule = view('HttpRule', 'An HTTP rule.', {
  ID: http.id,
  rule_extensions: http.field(
    z.array(z.string()),
    'The extensions, each `key:value`.',
    [],
    (rule) => JSON.parse(rule.extensions) as string[],
  ),
  http_rule_id: http.key,
  ...http.place,
  domain_name: http.field(z.string(), 'The host name.', 'shop.example', (rule) => rule.domain),
  protocol: http.field.each(
    z.enum(['http', 'https']),
    'The protocol: `https` if the rule has a certificate, also from the cluster, otherwise `http`.',
    'http',
    async (rule, context) => schemeOf(rule, await loadRegion(context, rule.regionId)),
  ),
  certificate_id: http.field(
    z.int(),
    'The numeric id of the certificate. 0 if there is none.',
    0,
    (rule) => rule.certificateId ?? 0,
  ),
  domain_type: http.field(
    z.enum(['exact', 'wildcard']),
    'The type of the domain: `wildcard` if it starts with `*.`, otherwise `exact`.',
    'exact',
    domainTypeOf,
  ),
  is_senior: http.field(
    z.boolean(),
    'Whether the rule has a path other than `/`, a header or a cookie.',
    false,
    isConditional,
  ),
  domain_path: http.field(z.string(), 'The path prefix.', '/', (rule) => rule.path),
  domain_cookie: http.field(
    z.string(),
    'Matches only requests with these cookies. Empty if the rule matches all requests.',
    '',
    (rule) => rule.cookie,
  ),
  domain_heander: http.field(
    z.string(),
    'Matches only requests with these headers. Empty if the rule matches all requests.',
    '',
    (rule) => rule.header,
  ),
  type: http.type,
  the_weight: http.field(
    z.int(),
    'The weight among rules with the same domain and path, from 1 to 100.',
    100,
    (rule) => rule.weight,
  ),
  is_outer_service: http.isPublished,
  auto_ssl: http.field(
    z.boolean(),
    'Whether the cluster provides the certificate, by the issuer of the region. Without one, it has no effect.',
    false,
    (rule) => rule.autoSsl,
  ),
  auto_ssl_config: http.field(
    z.string(),
    `The configuration of the external certificate service. ${onlyStored}`,
    '',
    (rule) => rule.autoSslConfig,
  ),
  path_rewrite: http.field(z.boolean(), 'Whether the path is rewritten.', false, (rule) => rule.pathRewrite),
  rewrites: http.field(
    z.string(),
    'The path rewrites: a JSON array of objects with `regex`, `replacement` and `flag`.',
    '[]',
    (rule) => rule.rewrites,
  ),
});

const tcp = fields<Row<'TcpRule'>>();

const tcpRule = view('TcpRule', 'A TCP rule.', {
  ID: tcp.id,
  tcp_rule_id: tcp.key,
  ...tcp.place,
  end_point: tcp.field(
    z.string(),
    'The address that the rule listens on, as `ip:port`.',
    '0.0.0.0:30001',
    (rule) => formatEndpoint(rule.address, rule.portNumber),
  ),
  protocol: tcp.field.each(z.string(), 'The protocol of the port.', 'tcp', async (rule, context) =>
    contractProtocolOf((await port(rule, context)).protocol),
  ),
  type: tcp.type,
  rule_extensions: tcp.field(z.string(), 'The extensions, as `key:value,key:value`.', '', (rule) =>
    (JSON.parse(rule.extensions) as { key: string; value: string }[])
      .map(({ key, value }) => `${key}:${value}`)
      .join(','),
  ),
  is_outer_service: tcp.isPublished,
});

export const rulesInfo = answer(
  'GatewayRule',
  'The gateway rules of an application, by number.',
  z.object({
    http: described(z.array(httpRule.schema), 'Its HTTP rules.'),
    tcp: described(z.array(tcpRule.schema), 'Its TCP rules.'),
  }),
);

/** The REST representation of all rules of an application. */
export async function rulesInfoOf(
  context: Context,
  applicationId: number,
): Promise<z.output<typeof rulesInfo>> {
  const owner = { field: 'applicationId', key: applicationId } as const;
  const [httpRules, tcpRules] = await Promise.all([
    allOf(context, rulesOf(context, 'HttpRule', owner)),
    allOf(context, rulesOf(context, 'TcpRule', owner)),
  ]);
  return {
    http: await httpRule.all(context, httpRules),
    tcp: await tcpRule.all(context, tcpRules),
  };
}
