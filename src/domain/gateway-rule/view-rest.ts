import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { allOf } from '../../rest/parameters.ts';
import { answer, described, fieldsOf, view } from '../../rest/view.ts';
import { componentById } from '../component/reads.ts';
import { portById } from '../port/reads.ts';
import { formatEndpoint } from './endpoint.ts';
import { domainTypeOf, isConditional, schemeOf } from './model.ts';
import { rulesOf } from './reads.ts';

type Rule = Row<'HttpRule'> | Row<'TcpRule'>;

const port = async (rule: Rule, context: Context) => (await portById(context, rule.portId))!;
const component = async (rule: Rule, context: Context) => (await componentById(context, rule.componentId))!;

/** What rules of both kinds have. */
const fields = <R extends Rule>() => {
  const field = fieldsOf<R>();
  return {
    field,
    id: field(z.int(), 'Number of the rule.', 1, (rule) => rule.id),
    key: field(z.string(), 'Key of the rule.', '5d7e49f08a2b4c6d8e0f1a2b6b1f0a3c', (rule) => rule.key),
    place: {
      region_id: field(
        z.string(),
        'Id of its region.',
        '3c5d7e49f08a2b4c6d8e0f1a2b6b1f0a',
        (rule) => rule.regionId,
      ),
      tenant_id: field(
        z.string(),
        'Id of its team.',
        '6b1f0a3c5d7e49f08a2b4c6d8e0f1a2b',
        async (rule, context) => (await component(rule, context)).teamId,
      ),
      service_id: field(
        z.string(),
        'Id of its component.',
        '1a2b6b1f0a3c5d7e49f08a2b4c6d8e0f',
        (rule) => rule.componentId,
      ),
      service_name: field(
        z.string(),
        'Name of the component.',
        'frontend',
        async (rule, context) => (await component(rule, context)).name,
      ),
      service_alias: field(
        z.string(),
        'Alias of the component.',
        'gr07c0ff',
        async (rule, context) => (await component(rule, context)).alias,
      ),
      container_port: field(
        z.int(),
        'Number of the port that it points at.',
        8080,
        async (rule, context) => (await port(rule, context)).number,
      ),
    },
    type: field(z.int(), '0 when opening the port made it, 1 otherwise.', 1, (rule) =>
      rule.isDefault ? 0 : 1,
    ),
    isPublished: field(
      z.boolean(),
      'Whether it works: while its port is open to the outside.',
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
    'Extensions, each `key:value`.',
    [],
    (rule) => JSON.parse(rule.extensions) as string[],
  ),
  http_rule_id: http.key,
  ...http.place,
  domain_name: http.field(z.string(), 'Host name.', 'shop.example', (rule) => rule.domain),
  protocol: http.field(
    z.enum(['http', 'https']),
    '`http`, or `https` when it has a certificate.',
    'http',
    schemeOf,
  ),
  certificate_id: http.field(z.int(), 'Its certificate; 0 for none.', 0, (rule) => rule.certificateId ?? 0),
  domain_type: http.field(
    z.enum(['exact', 'wildcard']),
    '`wildcard` when the domain starts with `*.`.',
    'exact',
    domainTypeOf,
  ),
  is_senior: http.field(z.boolean(), 'Whether a path, header or cookie is set.', false, isConditional),
  domain_path: http.field(z.string(), 'Path prefix.', '/', (rule) => rule.path),
  domain_cookie: http.field(z.string(), 'Only with these cookies; empty for all.', '', (rule) => rule.cookie),
  domain_heander: http.field(
    z.string(),
    'Only with these headers; empty for all.',
    '',
    (rule) => rule.header,
  ),
  type: http.type,
  the_weight: http.field(z.int(), 'Share of the requests, 1 to 100.', 100, (rule) => rule.weight),
  is_outer_service: http.isPublished,
  auto_ssl: http.field(
    z.boolean(),
    'Whether an external service provides a certificate.',
    false,
    (rule) => rule.autoSsl,
  ),
  auto_ssl_config: http.field(z.string(), 'What that service is told.', '', (rule) => rule.autoSslConfig),
  path_rewrite: http.field(z.boolean(), 'Whether the path is rewritten.', false, (rule) => rule.pathRewrite),
  rewrites: http.field(z.string(), 'How paths are rewritten: a JSON array.', '[]', (rule) => rule.rewrites),
});

const tcp = fields<Row<'TcpRule'>>();

const tcpRule = view('TcpRule', 'A TCP rule.', {
  ID: tcp.id,
  tcp_rule_id: tcp.key,
  ...tcp.place,
  end_point: tcp.field(z.string(), 'Where it listens, `ip:port`.', '0.0.0.0:30001', (rule) =>
    formatEndpoint(rule.address, rule.portNumber),
  ),
  protocol: tcp.field(
    z.string(),
    'The protocol of its port.',
    'tcp',
    async (rule, context) => (await port(rule, context)).protocol,
  ),
  type: tcp.type,
  rule_extensions: tcp.field(z.string(), 'Extensions, `key:value,key:value`.', '', (rule) =>
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

/** All rules of an application, as REST shows them. */
export async function rulesInfoOf(
  context: Context,
  applicationId: number,
): Promise<z.output<typeof rulesInfo>> {
  const owner = { field: 'applicationId', key: applicationId } as const;
  const [httpRules, tcpRules] = await Promise.all([
    allOf(context, rulesOf('HttpRule', owner)),
    allOf(context, rulesOf('TcpRule', owner)),
  ]);
  return {
    http: await httpRule.all(context, httpRules),
    tcp: await tcpRule.all(context, tcpRules),
  };
}
