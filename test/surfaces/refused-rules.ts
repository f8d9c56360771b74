import { rule } from '../support/surfaces-app-changes.ts';
import { type Fields, given, type Of, type Operation, type Refused } from '../support/surfaces-scene.ts';

const httpBody = { container_port: 8080, domain_name: 'shop.example' };
const http = (what: string, code: string, body: Of<object>, input: Of<object>, fields?: Fields): Refused => ({
  what,
  code,
  rest: (scene) => ({
    at: `POST ${scene.twin.application}/domains`,
    body: {
      protocol: 'http',
      http: { service_id: scene.twin.alias, ...httpBody, ...given(body, scene) },
    },
  }),
  graphql: (scene) => ({
    mutation: 'createHttpRule',
    input: { ...rule(scene.twin, 8080), domain: 'shop.example', ...given(input, scene) },
  }),
  fields,
});

/** A wrong value of one field, by its two names. */
const wrongHttp = (field: string, name: string, value: unknown, path = ''): Refused =>
  http(
    `${field}: ${JSON.stringify(value)?.slice(0, 40)}`,
    'INVALID_INPUT',
    { [field]: value },
    { [name]: value },
    [`http.${field}${path}`, `input.${name}${path}`],
  );
const wrongConfiguration = (
  field: string,
  name: string,
  value: unknown,
  path = '',
  graphql = value,
): Refused =>
  http(
    `${field}: ${JSON.stringify(value)}`,
    'INVALID_INPUT',
    { configuration: { set_headers: [], [field]: value } },
    { configuration: { setHeaders: [], [name]: graphql } },
    [`http.configuration.${field}${path}`, `input.configuration.${name}${path}`],
  );

const tcpBody = {
  container_port: 9090,
  end_point: '192.0.2.1:9090',
  default_port: 9090,
  default_ip: '192.0.2.1',
};
const tcp = (what: string, code: string, body: Of<object>, input: Of<object>, fields?: Fields): Refused => ({
  what,
  code,
  rest: (scene) => ({
    at: `POST ${scene.twin.application}/domains`,
    body: { protocol: 'tcp', tcp: { service_id: scene.twin.alias, ...tcpBody, ...given(body, scene) } },
  }),
  graphql: (scene) => ({
    mutation: 'createTcpRule',
    input: { ...rule(scene.twin, 9090), endpoint: '192.0.2.1:9090', ...given(input, scene) },
  }),
  fields,
});
const wrongTcp = (field: string, name: string, value: unknown, path = ''): Refused =>
  tcp(`${field}: ${JSON.stringify(value)}`, 'INVALID_INPUT', { [field]: value }, { [name]: value }, [
    `tcp.${field}${path}`,
    `input.${name}${path}`,
  ]);

export const createGatewayRule: Operation = {
  takes: 'developer',
  valid: (scene, twin = scene.twin) => ({
    rest: {
      at: `POST ${twin.application}/domains`,
      body: { protocol: 'http', http: { ...httpBody, service_id: twin.componentId } },
    },
    graphql: { mutation: 'createHttpRule', input: { ...rule(twin, 8080), domain: 'shop.example' } },
  }),
  refused: [
    wrongHttp('domain_name', 'domain', 'no host'),
    wrongHttp('domain_name', 'domain', undefined),
    wrongHttp('domain_name', 'domain', '192.0.2.1'),
    wrongHttp('domain_path', 'path', 'shop'),
    wrongHttp('domain_cookie', 'cookie', 'novalue'),
    wrongHttp('domain_header', 'header', 'a=b;;'),
    wrongHttp('the_weight', 'weight', 0),
    wrongHttp('the_weight', 'weight', 101),
    wrongHttp('rule_extensions', 'extensions', ['retries:3', 'none'], '.1'),
    wrongHttp('whether_open', 'opensPort', 'yes'),
    wrongHttp('auto_ssl', 'autoSsl', 1),
    wrongHttp('auto_ssl_config', 'autoSslConfig', 'x'.repeat(2_049)),
    wrongHttp('container_port', 'portNumber', 0),
    wrongHttp('container_port', 'portNumber', '8080'),
    wrongHttp('colour', 'colour', 'red'),
    wrongConfiguration('proxy_body_size', 'bodySizeMB', 1_025),
    wrongConfiguration('proxy_body_size', 'bodySizeMB', -1),
    wrongConfiguration('proxy_buffer_numbers', 'bufferCount', 1_025),
    wrongConfiguration('proxy_buffer_size', 'bufferSizeKB', 1_025),
    wrongConfiguration('proxy_buffering', 'isBuffered', 'maybe'),
    wrongConfiguration('proxy_connect_timeout', 'connectTimeoutSeconds', 3_601),
    wrongConfiguration('proxy_read_timeout', 'readTimeoutSeconds', 3_601),
    wrongConfiguration('proxy_send_timeout', 'sendTimeoutSeconds', -1),
    wrongConfiguration('set_headers', 'setHeaders', undefined),
    wrongConfiguration('set_headers', 'setHeaders', [{ key: 'no name', value: '' }], '.0.key'),
    wrongConfiguration('set_headers', 'setHeaders', [{ key: 'X', value: 'a\nb' }], '.0.value'),
    wrongConfiguration('set_headers', 'setHeaders', [{ key: 'X' }], '.0.value'),
    http(
      'two wrong fields',
      'INVALID_INPUT',
      { domain_name: 'no host', the_weight: 0 },
      { domain: 'no host', weight: 0 },
      [
        ['http.domain_name', 'http.the_weight'],
        ['input.domain', 'input.weight'],
      ],
    ),
    http('no component', 'INVALID_INPUT', { service_id: undefined }, { component: undefined }, [
      'http.service_id',
      'input.component',
    ]),
    http(
      'a certificate that can be none',
      'INVALID_INPUT',
      { certificate_id: -1 },
      { certificate: { certificateId: -1 } },
      ['http.certificate_id', 'input.certificate.certificateId'],
    ),
    http(
      'a certificate that is not there',
      'NOT_FOUND',
      ({ certificate }) => ({ certificate_id: certificate.unknown }),
      ({ certificate }) => ({ certificate: { certificateId: certificate.unknown } }),
    ),
    http(
      'a certificate of other names',
      'INVALID_INPUT',
      ({ certificate }) => ({ certificate_id: certificate.uid }),
      ({ certificate }) => ({ certificate: { certificateId: certificate.uid } }),
      ['http.certificate_id', 'input.certificate'],
    ),
    http('a port that is not there', 'NOT_FOUND', { container_port: 1 }, { portNumber: 1 }),
    http(
      'a component that is not there',
      'NOT_FOUND',
      { service_id: 'none' },
      { component: { componentId: 'none' } },
    ),
    http(
      'a component of another application',
      'NOT_FOUND',
      ({ elsewhere }) => ({ service_id: elsewhere.componentId, container_port: 80 }),
      ({ elsewhere }) => ({ component: { componentId: elsewhere.componentId }, portNumber: 80 }),
    ),
    http('an HTTP rule of a TCP port', 'CONFLICT', { container_port: 9090 }, { portNumber: 9090 }),
    http(
      'the same rule twice',
      'CONFLICT',
      ({ twin }) => ({ domain_name: `${twin.alias}.EXAMPLE`, domain_path: '/there' }),
      ({ twin }) => ({ domain: `${twin.alias}.EXAMPLE`, path: '/there' }),
    ),
    http(
      'the domain of another team',
      'CONFLICT',
      ({ taken }) => ({ domain_name: taken.domain }),
      ({ taken }) => ({ domain: taken.domain }),
    ),
    wrongTcp('end_point', 'endpoint', '999.0.0.1:80'),
    wrongTcp('end_point', 'endpoint', '192.0.2.1'),
    wrongTcp('end_point', 'endpoint', '2001:db8::1:80'),
    wrongTcp('container_port', 'portNumber', 65_536),
    wrongTcp('rule_extensions', 'extensions', [{ key: 'a:b', value: '' }], '.0.key'),
    wrongTcp('rule_extensions', 'extensions', [{ key: 'a' }], '.0.value'),
    ...['0.0.0.0:31000', '192.0.2.9:31000', '[::]:31000'].map((endpoint) =>
      tcp(`${endpoint}, where 0.0.0.0:31000 is taken`, 'CONFLICT', { end_point: endpoint }, { endpoint }),
    ),
    tcp('a port that is not there', 'NOT_FOUND', { container_port: 1 }, { portNumber: 1 }),
  ],
};
