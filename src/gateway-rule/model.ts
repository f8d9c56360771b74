import { isIP, isIPv6 } from 'node:net';
import { z } from 'zod';
import { applicationRef } from '../application/model.ts';
import { certificateRef } from '../certificate/model.ts';
import { componentRef } from '../component/model.ts';
import { integerId, reference } from '../kernel/reference.ts';
import { line, text } from '../kernel/validate.ts';

export const httpRuleRef = reference('HTTP rule', { httpRuleId: integerId('The `uid` of the HTTP rule.') });
export type HttpRuleRef = z.infer<typeof httpRuleRef>;

export const gatewayRuleRef = reference('gateway rule', {
  httpRuleId: integerId('The `uid` of an HTTP rule.'),
  tcpRuleId: integerId('The `uid` of a TCP rule.'),
});
export type GatewayRuleRef = z.infer<typeof gatewayRuleRef>;

/** The TCP ports of a region that default rules take, first free one first. */
export const tcpPortRange = { first: 30_000, last: 65_535 } as const;

/** Addresses that stand for every address of a region. */
export const anyAddress = '0.0.0.0';
export const isAnyAddress = (address: string) => address === anyAddress || address === '::';

/** `ip:port`, an IPv6 address in brackets → its parts, the address in its canonical form. */
export function parseEndpoint(endpoint: string): { address: string; portNumber: number } | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+)):([1-9]\d{0,4})$/.exec(endpoint);
  if (!match) return undefined;
  const [, six, four, port] = match;
  const portNumber = Number(port);
  if (portNumber > 65_535) return undefined;
  if (six !== undefined) {
    if (!isIPv6(six)) return undefined;
    const address = new URL(`http://[${six}]`).hostname.slice(1, -1);
    return { address: mappedAddress(address) ?? address, portNumber };
  }
  return isIP(four!) === 4 ? { address: four!, portNumber } : undefined;
}

/** The IPv4 address that an IPv6 address stands for, `::ffff:a.b.c.d` in its canonical form (RFC 4291, 2.5.5.2). */
function mappedAddress(address: string): string | undefined {
  const match = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (!match) return undefined;
  const halves = match.slice(1).map((half) => Number.parseInt(half, 16));
  return halves.flatMap((half) => [half >> 8, half & 255]).join('.');
}

export const formatEndpoint = (address: string, portNumber: number) =>
  `${address.includes(':') ? `[${address}]` : address}:${portNumber}`;

/** What is told of a rule by what it holds. */
export const schemeOf = ({ certificateId }: { certificateId: number | null }) =>
  certificateId === null ? 'http' : 'https';
export const domainTypeOf = ({ domain: name }: { domain: string }) =>
  name.startsWith('*.') ? 'wildcard' : 'exact';
export const isConditional = (rule: { path: string; header: string; cookie: string }) =>
  rule.path !== '/' || rule.header !== '' || rule.cookie !== '';

/** A host name of RFC 1123, `*.` allowed in front; kept in lower case. */
const domain = z
  .string()
  .max(253)
  .regex(
    /^(\*\.)?([A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)(\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*$/,
    'Must be a host name, with at most one `*.` in front',
  )
  .refine((name) => !/^[\d.]+$/.test(name), 'Must be a host name, not an address');

const path = z
  .string()
  .max(1024)
  .regex(/^\/[\x21-\x7e]*$/, 'Must start with `/` and have no spaces')
  .refine((value) => !/[?#]/.test(value), 'Must have no query and no fragment');

const pairs = (separator: string) =>
  text(2048).refine(
    (value) =>
      value === '' ||
      value.split(';').every((pair) => new RegExp(`^[^=;:\\s]+${separator}[^;]*$`).test(pair.trim())),
    `Must be key${separator}value pairs joined by \`;\``,
  );

/** A header name. @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
const token = z
  .string()
  .max(256)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Must be a header name');

export const setHeader = z.strictObject({
  key: token.describe('Name of the header.'),
  value: text(4096).describe('Its value.'),
});

const seconds = (description: string) => z.int32().min(0).max(3600).nullish().describe(description);

export const configuration = z.strictObject({
  bodySizeMB: z
    .int32()
    .min(0)
    .max(1024)
    .nullish()
    .describe('Largest request body in MB; 0, the default, is no limit.'),
  bufferCount: z.int32().min(0).max(1024).nullish().describe('Number of buffers; 4 by default.'),
  bufferSizeKB: z.int32().min(0).max(1024).nullish().describe('Size of a buffer in KB; 4 by default.'),
  isBuffered: z.boolean().nullish().describe('Whether answers are buffered; false by default.'),
  connectTimeoutSeconds: seconds('75 by default.'),
  readTimeoutSeconds: seconds('60 by default.'),
  sendTimeoutSeconds: seconds('60 by default.'),
  setHeaders: z.array(setHeader).max(100).describe('Headers that are set on each request; may be empty.'),
});

export type Configuration = {
  [K in keyof z.infer<typeof configuration>]-?: NonNullable<z.infer<typeof configuration>[K]>;
};

export const configurationDefaults: Configuration = {
  bodySizeMB: 0,
  bufferCount: 4,
  bufferSizeKB: 4,
  isBuffered: false,
  connectTimeoutSeconds: 75,
  readTimeoutSeconds: 60,
  sendTimeoutSeconds: 60,
  setHeaders: [],
};

/** The given values over the defaults, or over what a rule has. */
export function configured(
  given: z.infer<typeof configuration> | null | undefined,
  over: Configuration = configurationDefaults,
): Configuration {
  const set = Object.entries(given ?? {}).filter(([, value]) => value != null);
  return { ...over, ...Object.fromEntries(set) };
}

const portNumber = z.int32().min(1).max(65_535);
const extension = text(512).regex(/^[^:]+:.*$/, 'Must be `key:value`');

const httpRuleFields = {
  path: path.nullish().describe('Path prefix; `/` by default.'),
  cookie: pairs('=').nullish().describe('Only requests with these cookies: `key=value` pairs joined by `;`.'),
  header: pairs('=').nullish().describe('Only requests with these headers: `key=value` pairs joined by `;`.'),
  weight: z
    .int32()
    .min(1)
    .max(100)
    .nullish()
    .describe('Share of the requests among rules of one domain and path, 1 to 100; 100 by default.'),
  extensions: z.array(extension).max(100).nullish().describe('Extensions, each `key:value`.'),
  autoSsl: z
    .boolean()
    .nullish()
    .describe('Whether an external service provides a certificate; false by default.'),
  autoSslConfig: text(2048).nullish().describe('What that service is told.'),
  configuration: configuration.nullish().describe('Advanced parameters.'),
};

export const createHttpRule = z.strictObject({
  application: applicationRef.describe('The application.'),
  component: componentRef.describe('A component of the application.'),
  portNumber: portNumber.describe('The number of a port of the component that speaks HTTP or gRPC.'),
  domain: domain.describe(
    'Host name, `*.` allowed in front. It belongs in a region to the first team that uses it.',
  ),
  certificate: certificateRef
    .nullish()
    .describe('A certificate of the team that covers the domain: the rule is https.'),
  opensPort: z
    .boolean()
    .nullish()
    .describe('Whether the port is opened to the outside as well; false by default.'),
  ...httpRuleFields,
});
export type CreateHttpRule = z.infer<typeof createHttpRule>;

export const updateHttpRule = z.strictObject({
  rule: httpRuleRef.describe('The rule. Fields that are left out stay.'),
  domain: domain.nullish().describe('Host name, `*.` allowed in front.'),
  certificate: certificateRef
    .nullish()
    .describe('A certificate of the team that covers the domain; null for none.'),
  ...httpRuleFields,
});
export type UpdateHttpRule = z.infer<typeof updateHttpRule>;

export const tcpExtension = z.strictObject({
  key: line(256)
    .refine((value) => !/[:,]/.test(value), 'Must have no `:` and no `,`')
    .describe('Key.'),
  value: text(256)
    .refine((value) => !/,/.test(value), 'Must have no `,`')
    .describe('Value.'),
});

export const createTcpRule = z.strictObject({
  application: applicationRef.describe('The application.'),
  component: componentRef.describe('A component of the application.'),
  portNumber: portNumber.describe('The number of a port of the component; the rule opens it to the outside.'),
  endpoint: z
    .string()
    .max(64)
    .refine((value) => parseEndpoint(value) !== undefined, 'Must be `ip:port`, an IPv6 address in brackets')
    .describe(
      'Where it listens: `ip:port`, an IPv6 address in brackets. `0.0.0.0` and `::` stand for every address.',
    ),
  extensions: z.array(tcpExtension).max(100).nullish().describe('Extensions.'),
});
export type CreateTcpRule = z.infer<typeof createTcpRule>;

export const deleteGatewayRule = z.strictObject({ rule: gatewayRuleRef.describe('The rule.') });
