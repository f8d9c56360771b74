import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { boundedString, line, onlyStored } from '../../kernel/validate.ts';
import { expectedBy } from '../../rest/entity-tag.ts';
import { type Route, route } from '../../rest/route.ts';
import { body, described } from '../../rest/view.ts';
import { applicationAt, applicationPath } from '../application/rest.ts';
import { requireComponentOf } from '../component/reads.ts';
import { type CreateHttpRule, configuration, createHttpRule } from './http/model.ts';
import { createHttpRule as createHttp } from './http/operations.ts';
import { canonicalAddress, formatEndpoint } from './tcp/endpoint-model.ts';
import { createTcpRule as tcpRule } from './tcp/model.ts';
import { createTcpRule } from './tcp/operations.ts';
import { rulesInfo, rulesInfoOf } from './view-rest.ts';

const service = (example: string) =>
  described(line(300), 'The id or alias of the component. An id takes precedence.', example);
const { shape } = createHttpRule;
const parameters = configuration.shape;

const configurationBody = z.strictObject({
  proxy_body_size: described(
    parameters.bodySizeMB,
    'The maximum size of a request body, in MB. 0, the default, means no limit.',
    0,
  ),
  proxy_buffer_numbers: described(parameters.bufferCount, 'The number of proxy buffers. Defaults to 4.', 4),
  proxy_buffer_size: described(
    parameters.bufferSizeKB,
    'The size of each proxy buffer, in KB. Defaults to 4.',
    4,
  ),
  proxy_buffering: described(
    z.enum(['on', 'off']).nullish(),
    'Whether responses are buffered: `on` or `off`. Defaults to `off`.',
    'off',
  ),
  proxy_connect_timeout: described(
    parameters.connectTimeoutSeconds,
    'The timeout for connecting to the component, in seconds. Defaults to 75.',
    75,
  ),
  proxy_read_timeout: described(
    parameters.readTimeoutSeconds,
    'The timeout between two reads of a response, in seconds. Defaults to 60.',
    60,
  ),
  proxy_send_timeout: described(
    parameters.sendTimeoutSeconds,
    'The timeout between two writes of a request, in seconds. Defaults to 60.',
    60,
  ),
  set_headers: described(parameters.setHeaders, 'The headers to set on each request. Can be empty.', [
    { key: 'X-Forwarded-Proto', value: 'https' },
  ]),
});

const httpBody = z.strictObject({
  service_id: service('gr07c0ff'),
  container_port: described(shape.portNumber, 'The number of an HTTP or gRPC port of the component.', 8080),
  certificate_id: described(
    z.int32().min(0).nullish(),
    'The id of a certificate of the team that covers the domain, or 0 for none. With a certificate, the rule serves HTTPS.',
    0,
  ),
  domain_name: described(shape.domain, 'The host name, optionally starting with `*.`.', 'shop.example'),
  domain_cookie: described(
    shape.domainCookie,
    'Matches only requests with these cookies: `key=value` pairs joined by `;`.',
    '',
  ),
  domain_header: described(
    shape.domainHeader,
    'Matches only requests with these headers: `key=value` pairs joined by `;`.',
    '',
  ),
  the_weight: described(
    shape.weight,
    'The weight among rules with the same domain and path, from 1 to 100. Defaults to 100.',
    100,
  ),
  domain_path: described(shape.path, 'The path prefix. Defaults to `/`.', '/'),
  rule_extensions: described(shape.extensions, 'The extensions, each `key:value`.', []),
  whether_open: described(
    shape.opensPort,
    'Whether to also open the port to the outside. Defaults to false.',
    true,
  ),
  auto_ssl: described(
    shape.autoSsl,
    `Whether an external service provides the certificate. Defaults to false. ${onlyStored}`,
    false,
  ),
  auto_ssl_config: described(
    shape.autoSslConfig,
    `The configuration of the external certificate service. ${onlyStored}`,
    '',
  ),
  configuration: described(configurationBody.nullish(), 'The proxy settings.'),
});

const tcpBody = z.strictObject({
  container_port: described(tcpRule.shape.portNumber, 'The number of a port of the component.', 6379),
  service_id: service('gr07c103'),
  end_point: described(
    tcpRule.shape.endpoint,
    'The address to listen on, as `ip:port` with IPv6 addresses in brackets.',
    '0.0.0.0:30001',
  ),
  rule_extensions: described(tcpRule.shape.extensions, 'The extensions.', []),
  default_port: described(
    tcpRule.shape.portNumber,
    'The port of the external address that the endpoint is mapped to.',
    30_001,
  ),
  default_ip: described(
    boundedString(45).refine((value) => canonicalAddress(value) !== undefined, 'Must be an IP address'),
    'The IP address of the external address that the endpoint is mapped to.',
    '0.0.0.0',
  ),
});

/** The object of the other protocol is allowed in the body and ignored. */
const ignored = described(z.unknown().optional(), 'Ignored for this protocol.');

const newRule = body(
  'PostGatewayRule',
  'The rule to create: its protocol, and the object with the same name.',
  z.discriminatedUnion(
    'protocol',
    [
      z.strictObject({
        protocol: described(z.literal('http'), 'An HTTP rule. With a certificate, it serves HTTPS.'),
        http: described(httpBody, 'The HTTP rule.'),
        tcp: ignored,
      }),
      z.strictObject({
        protocol: described(z.literal('tcp'), 'A TCP rule. It opens its port to the outside.'),
        tcp: described(tcpBody, 'The TCP rule.'),
        http: ignored,
      }),
    ],
    { error: ({ code }) => (code === 'invalid_union' ? 'Must be one of http, tcp' : undefined) },
  ),
);

const configurationOf = (
  given: z.output<typeof configurationBody> | null | undefined,
): CreateHttpRule['configuration'] =>
  given && {
    bodySizeMB: given.proxy_body_size,
    bufferCount: given.proxy_buffer_numbers,
    bufferSizeKB: given.proxy_buffer_size,
    isBuffered: given.proxy_buffering && given.proxy_buffering === 'on',
    connectTimeoutSeconds: given.proxy_connect_timeout,
    readTimeoutSeconds: given.proxy_read_timeout,
    sendTimeoutSeconds: given.proxy_send_timeout,
    setHeaders: given.set_headers,
  };

/** The reference of a component. If it does not exist, the operation decides on the error, after checking rights. */
async function componentIdOf(
  context: Context,
  application: Row<'Application'>,
  idOrAlias: string,
): Promise<string> {
  try {
    return (await requireComponentOf(context, application, idOrAlias)).id;
  } catch (error) {
    if (error instanceof NotFoundError) return idOrAlias;
    throw error;
  }
}

export const gatewayRuleRoutes: Route[] = [
  route('post /teams/{team_id}/regions/{region_name}/apps/{app_id}/domains', {
    operationId: 'createGatewayRule',
    tag: 'Gateway rules',
    summary: 'Create gateway rule',
    description:
      'Creates an HTTP or TCP rule and returns all gateway rules of the application. Requires the `developer` role in the team.',
    params: applicationPath,
    body: newRule,
    answer: rulesInfo,
    errors: ['FORBIDDEN', 'CONFLICT'],
    inputs: { certificate: ['http', 'certificate_id'] },
    takesIfMatch: true,
    change: async (context, { path, body: rule, ifMatch }) => {
      const { application } = await applicationAt(context, path);
      const { service_id: serviceId, container_port: portNumber } =
        rule.protocol === 'http' ? rule.http : rule.tcp;
      const target = {
        application: { appId: application.id },
        component: { componentId: await componentIdOf(context, application, serviceId) },
        portNumber,
        expectedPortRevision: expectedBy(ifMatch, 'Port'),
      };
      if (rule.protocol === 'http') {
        const { http } = rule;
        await createHttp(context, {
          ...target,
          certificate: http.certificate_id ? { certificateId: http.certificate_id } : null,
          domain: http.domain_name,
          domainCookie: http.domain_cookie,
          domainHeader: http.domain_header,
          weight: http.the_weight,
          path: http.domain_path,
          extensions: http.rule_extensions,
          opensPort: http.whether_open,
          autoSsl: http.auto_ssl,
          autoSslConfig: http.auto_ssl_config,
          configuration: configurationOf(http.configuration),
        });
      } else {
        const { tcp } = rule;
        await createTcpRule(context, {
          ...target,
          endpoint: tcp.end_point,
          mappedAddress: formatEndpoint(canonicalAddress(tcp.default_ip)!, tcp.default_port),
          extensions: tcp.rule_extensions,
        });
      }
      return { application };
    },
    run: (context, _, { application }) => rulesInfoOf(context, application.id),
  }),
];
