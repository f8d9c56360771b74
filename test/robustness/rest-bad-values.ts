import type { Title } from '../support/rest-examples.ts';

/** What a field refuses, and whether it has to be there; it is ignored where there is nothing to refuse. */
export interface Field {
  isRequired: boolean;
  /** What is refused at the field itself or at something inside of it. */
  bad: unknown[];
  isIgnored?: true;
  /** Null stands for an empty list, which is taken. */
  mayBeNull?: true;
}

/** What none of them takes, whatever JSON type they have. */
const notText = [1, 0, true, {}, ['a', 'b']];
const notNumber = [true, {}, ['1'], 'one', '', ' '];
const notFlag = ['true', 'false', '', 0, 1, {}, []];
const notList = ['a', '', 1, true, {}];
const notObject = ['a', '', 1, true, [], [{}]];

/** No text may hold these: control characters, line breaks, halves of surrogate pairs. */
const unsound = [
  'a\u0000b',
  '\u0000',
  'a\u0007b',
  'a\u007fb',
  'a\u2028b',
  'a\nb',
  'a\r\nb',
  'a\ud800b',
  '\udc00',
];
const huge = 'x'.repeat(200_000);
const long = (max: number) => ['x'.repeat(max + 1), huge];

const required = (...bad: unknown[]): Field => ({ isRequired: true, bad });
const optional = (...bad: unknown[]): Field => ({ isRequired: false, bad });
const ignored: Field = { isRequired: false, bad: [], isIgnored: true };

const line = (max: number) => [...notText, ...unsound, ...long(max), '', ' ', '\u00a0'];
const text = (max: number) => [...notText, ...unsound, ...long(max)];
const choice = (...like: string[]) => [...notText, ...unsound, '', ' ', 'nope', huge, ...like];
const whole = (min: number, max: number) => [
  ...notNumber,
  '1',
  min - 1,
  max + 1,
  1.5,
  -1_000_000_000,
  2 ** 31,
  2 ** 53,
  1e300,
];

const portNumber = whole(1, 65_535);
const alias = [...notText, ...unsound, '', 'web', '1WEB', 'WEB-1', ' WEB', 'WÉB', 'W'.repeat(65), huge];
const pairs = [...text(2048), 'a', 'a=b;', ';', '=b', 'a b=c', 'a:b'];
const storeId = [...line(255), '.', '..'];
const keyed = { bad: [...notObject, null], isRequired: false };

const endPoints = [
  ...['', '10.0.0.1', ':7777', '10.0.0.1:', '10.0.0.1:0', '10.0.0.1:65536', '10.0.0.1:-1', '10.0.0.1:07777'],
  ...['10.0.0.256:7777', '10.0.1:7777', '::1:7777', '[::1]', '[::g]:7777', '[10.0.0.1]:7777', 'host:7777'],
  ...[' 10.0.0.1:7777', '10.0.0.1:7777 ', '10.0.0.1:7777/udp', '010.0.0.1:7777', '[::1%eth0]:7777'],
];
const domains = [
  ...['', '-a.example', 'a-.example', 'a..example', 'a_b.example', 'a.example.', '.example', 'a b.example'],
  ...['*', '*.', '*a.example', 'a.*.example', '*.*.example', 'a.example:80', 'http://a.example', 'ä.example'],
  ...['10.0.0.1', `${'a'.repeat(64)}.example`, `${'a.'.repeat(127)}example`],
];
const paths = ['', 'x', ' /', '/a b', '/a?b', '/a#b', '/ä', `/${'x'.repeat(1024)}`];
// Nothing here leads out of this machine, should it be taken after all.
const addresses = [
  ...['', 'store', '127.0.0.1:1', 'ftp://127.0.0.1:1', 'file:///etc/passwd', 'javascript:1', 'http://'],
  ...['http:127.0.0.1:1', 'http:/127.0.0.1:1', ' http://127.0.0.1:1', 'http://127.0.0.1:1/ x', 'http://[::1'],
  ...['http://127.0.0.1:1?a', 'http://127.0.0.1:1/#a', 'http://a:b@127.0.0.1:1', 'http://127.0.0.1:70000'],
  ...['http:\\\\127.0.0.1:1', `http://127.0.0.1:1/${'x'.repeat(2048)}`],
];
const keys = ['', ' ', ' a', 'a ', 'ä', 'a\tb', 'x'.repeat(4097)];
const header = ['', ' ', 'a b', 'a:b', 'ä', 'a(b', 'x'.repeat(257)];

const configuration: Record<string, Field> = {
  '': optional(...notObject, {}),
  '.proxy_body_size': optional(...whole(0, 1024)),
  '.proxy_buffer_numbers': optional(...whole(0, 1024)),
  '.proxy_buffer_size': optional(...whole(0, 1024)),
  '.proxy_buffering': optional(...choice('ON', 'true')),
  '.proxy_connect_timeout': optional(...whole(0, 3600)),
  '.proxy_read_timeout': optional(...whole(0, 3600)),
  '.proxy_send_timeout': optional(...whole(0, 3600)),
  '.set_headers': {
    ...required(...notList, Array(101).fill({ key: 'A', value: 'b' })),
    mayBeNull: true,
  },
  '.set_headers.0': keyed,
  '.set_headers.0.key': required(...notText, ...unsound, ...header, huge),
  '.set_headers.0.value': required(...text(4096)),
};

const unused = { protocol: ignored, port_alias: ignored, cluster_service_name: ignored };
const action = required(...choice('OPEN_OUTER', 'open', 'open_outer ', 'delete', '__proto__', 'constructor'));
const protocol = required(...choice('TCP', 'https', 'sctp', 'http,tcp', 'constructor'));

/** Of every body every field, and what it refuses; `0` stands for the elements of a list. */
export const badBodies: Partial<Record<Title, Record<string, Field>>> = {
  listTeamResources: {
    '0': keyed,
    '0.tenant_id': required(...line(300)),
    '0.region_name': required(...line(300)),
  },
  addPort: {
    port: required(
      ...notNumber,
      0,
      -1,
      65_536,
      1.5,
      1e300,
      '0',
      '-1',
      '65536',
      '1.5',
      '1e3',
      '0x1',
      '08',
      '1 ',
    ),
    protocol,
    port_alias: optional(...alias),
    is_inner_service: optional(...notFlag),
  },
  'updatePort: open_outer': { action, ...unused },
  'updatePort: change_protocol': { ...unused, action, protocol },
  'updatePort: change_port_alias': {
    ...unused,
    action,
    port_alias: required(...alias),
    cluster_service_name: optional(...text(63), '', 'Web', '-web', 'web-', '1web', 'a.b', 'wéb'),
  },
  'createGatewayRule: http': {
    protocol: required(...choice('HTTP', 'https', 'grpc')),
    tcp: ignored,
    http: required(...notObject, {}),
    'http.service_id': required(...line(300)),
    'http.container_port': required(...portNumber),
    'http.certificate_id': optional(...whole(0, 2 ** 31 - 1)),
    'http.domain_name': required(...text(253), ...domains),
    'http.domain_cookie': optional(...pairs),
    'http.domain_header': optional(...pairs),
    'http.the_weight': optional(...whole(1, 100)),
    'http.domain_path': optional(...text(1024), ...paths),
    'http.rule_extensions': optional(...notList, Array(101).fill('a:b')),
    'http.rule_extensions.0': { isRequired: false, bad: [...text(512), null, '', 'a', ':b'] },
    'http.whether_open': optional(...notFlag),
    'http.auto_ssl': optional(...notFlag),
    'http.auto_ssl_config': optional(...text(2048)),
    ...Object.fromEntries(
      Object.entries(configuration).map(([at, field]) => [`http.configuration${at}`, field]),
    ),
  },
  'createGatewayRule: tcp': {
    protocol: required(...choice('TCP', 'udp', 'mysql')),
    http: ignored,
    tcp: required(...notObject, {}),
    'tcp.container_port': required(...portNumber),
    'tcp.service_id': required(...line(300)),
    'tcp.end_point': required(...text(64), ...endPoints),
    'tcp.rule_extensions': optional(...notList, Array(101).fill({ key: 'a', value: 'b' })),
    'tcp.rule_extensions.0': keyed,
    'tcp.rule_extensions.0.key': required(...line(256), 'a:b', 'a,b'),
    'tcp.rule_extensions.0.value': required(...text(256), 'a,b'),
    'tcp.default_port': required(...portNumber),
    'tcp.default_ip': required(...text(64), '', '10.0.0.256', '10.0.1', 'host', '10.0.0.1:80', '[::1]'),
  },
  installApplication: {
    market_url: required(...notText, ...unsound, huge, ...addresses),
    market_domain: required(...text(255)),
    market_type: required(...choice('STANDARD', 'helm')),
    market_access_key: required(...notText, ...unsound, huge, ...keys),
    app_model_id: required(...storeId),
    app_model_version: required(...storeId),
  },
  upgradeApplication: {
    update_versions: required(...notList, [], Array(51).fill({})),
    'update_versions.0': keyed,
    'update_versions.0.market_name': required(...line(255)),
    'update_versions.0.app_model_id': required(...storeId),
    'update_versions.0.app_model_version': required(...storeId),
  },
};

const numbers = ['', ' ', '0', '-1', '1.5', '01', '+1', '1e3', '0x1', '1 ', 'one', 'null', 'NaN', '１', '٣'];
const large = ['2147483648', '4294967297', '99999999999', '9'.repeat(1000)];
const asked = [
  'a\u0000b',
  '\u0007',
  'a\nb',
  'a\r\nb',
  'a\u007f',
  'a\u2028b',
  'x'.repeat(201),
  'x'.repeat(4000),
];
const named = ['', ' ', 'a\u0000b', 'a\nb', 'x'.repeat(301), 'x'.repeat(4000)];
const flag = [
  '',
  ' ',
  'True',
  'TRUE',
  '1',
  '0',
  'yes',
  'on',
  'null',
  'true ',
  'false,true',
  'x'.repeat(4000),
];

/** Of every parameter of a query the texts that it refuses. */
export const badQueries: Record<string, string[]> = {
  query: asked,
  page: [...numbers, ...large],
  page_size: [...numbers, ...large, '1001'],
  eid: named,
  region_id: [...named, 'another', '%', "' OR 1=1 --"],
  extend_info: flag,
  is_deploy: flag,
};

// As they stand in an address. Only what fits into a path element is a parameter at all.
const unsoundPath = ['%00', 'a%00b', '%0A', 'a%0D%0Ab', '%07', '%7F', '%C2%85', '%E2%80%A8', '%1b%5b31m'];
const namedPath = [...unsoundPath, '%20', '%C2%A0', 'x'.repeat(301), 'x'.repeat(8000)];
const numberPath = [
  ...[...numbers.filter((each) => each.trim() !== ''), ...large, 'x'.repeat(8000)].map(encodeURIComponent),
  ...[...unsoundPath, '%20', '1%20', '1%2F2', '%2F', '1%00', '%2531', '1;2', '1,2', "1'--", '-', '%2D1'],
];

/** Of every parameter of a path what it refuses, encoded. */
export const badPaths: Record<string, string[]> = {
  team_id: namedPath,
  region_name: namedPath,
  region_id: namedPath,
  service_id: namedPath,
  app_id: numberPath,
  port: [...numberPath, '65536', '70000'],
};

/** What is a name as far as anyone can tell, and nothing has it. */
export const unknownNames = [
  ...[
    'nope',
    '-',
    '__proto__',
    'constructor',
    'toString',
    'null',
    'undefined',
    '0',
    '*',
    ':team_id',
    '{team_id}',
  ],
  ...[
    'a%2Fb',
    '%2F',
    '..%2F..%2Fetc%2Fpasswd',
    '%2E%2E%2Fteams',
    'a%5Cb',
    'a%3Fb',
    'a%23b',
    'a%26b=c',
    'a;b=c',
  ],
  ...['%25', '%2500', '%252F', '%25252e', 'x'.repeat(300), '%F0%9D%92%AF', 'caf%C3%A9', "'%20OR%201=1%20--"],
];

/** Escapes that are none, or that are no UTF-8. */
export const badEscapes = [
  '%',
  '%%',
  '%a',
  '%zz',
  '%0',
  '%u0041',
  '%ff',
  '%c3%28',
  '%C0%AF',
  '%ED%A0%80',
  '%F5%80',
];
