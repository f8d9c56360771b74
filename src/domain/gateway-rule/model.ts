import { z } from 'zod';
import { integerId, reference } from '../../kernel/reference.ts';
import { line, text } from '../../kernel/validate.ts';
import { applicationRef } from '../application/model.ts';
import { certificateRef } from '../certificate/model.ts';
import { componentRef } from '../component/model.ts';
import { domain, isWildcard } from './domain.ts';
import { endpoint, mappedAddress } from './endpoint.ts';

export const httpRuleRef = reference('HTTP rule', { httpRuleId: integerId('The `uid` of the HTTP rule.') });
export type HttpRuleRef = z.infer<typeof httpRuleRef>;

export const tcpRuleRef = reference('TCP rule', { tcpRuleId: integerId('The `uid` of the TCP rule.') });
export type TcpRuleRef = z.infer<typeof tcpRuleRef>;

export const gatewayRuleRef = reference('gateway rule', {
  httpRuleId: integerId('The `uid` of an HTTP rule.'),
  tcpRuleId: integerId('The `uid` of a TCP rule.'),
});
export type GatewayRuleRef = z.infer<typeof gatewayRuleRef>;

/** What is told of a rule by what it holds. */
export const schemeOf = ({ certificateId }: { certificateId: number | null }) =>
  certificateId === null ? 'http' : 'https';
export const domainTypeOf = ({ domain: name }: { domain: string }) =>
  isWildcard(name) ? 'wildcard' : 'exact';
export const isConditional = (rule: { path: string; header: string; cookie: string }) =>
  rule.path !== '/' || rule.header !== '' || rule.cookie !== '';

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

const rewrite = z.strictObject({ regex: line(1024), replacement: text(1024), flag: text(64).optional() });

/** Rewrites are written as they are shown: the text of a JSON array. */
const rewrites = z
  .string()
  .max(65_536)
  .superRefine((value, context) => {
    let parsed: unknown;
    try {
      parsed = JSON.parse(value);
    } catch {
      context.addIssue({ code: 'custom', message: 'Must be a JSON array' });
      return;
    }
    const { error } = z.array(rewrite).max(100).safeParse(parsed);
    for (const { path, message } of error?.issues ?? []) {
      context.addIssue({
        code: 'custom',
        message: `${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`,
      });
    }
  });

const httpRuleFields = {
  path: path.nullish().describe('Path prefix; `/` by default.'),
  domainCookie: pairs('=')
    .nullish()
    .describe('Only requests with these cookies: `key=value` pairs joined by `;`.'),
  domainHeader: pairs('=')
    .nullish()
    .describe('Only requests with these headers: `key=value` pairs joined by `;`.'),
  weight: z
    .int32()
    .min(1)
    .max(100)
    .nullish()
    .describe('Share of the requests among rules of one domain and path, 1 to 100; 100 by default.'),
  pathRewrite: z.boolean().nullish().describe('Whether the path is rewritten; false by default.'),
  rewrites: rewrites
    .nullish()
    .describe('How paths are rewritten: a JSON array of objects with `regex`, `replacement` and `flag`.'),
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
    'Host name, `*.` allowed in front. It belongs in a region to the first team that uses it, and so does everything below a wildcard.',
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
  domain: domain
    .nullish()
    .describe('Host name, `*.` allowed in front. Another domain or path makes a default rule a custom one.'),
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
  endpoint: endpoint.describe(
    'Where it listens: `ip:port`, an IPv6 address in brackets. `0.0.0.0` and `::` stand for every address, with ports from 30000.',
  ),
  mappedAddress: mappedAddress
    .nullish()
    .describe('The address that it is mapped to, `ip:port`, an IPv6 address in brackets; only shown.'),
  extensions: z.array(tcpExtension).max(100).nullish().describe('Extensions.'),
});
export type CreateTcpRule = z.infer<typeof createTcpRule>;

export const updateTcpRule = z.strictObject({
  rule: tcpRuleRef.describe('The rule. Fields that are left out stay.'),
  endpoint: endpoint
    .nullish()
    .describe('Where it listens: `ip:port`. Another one makes a default rule a custom one.'),
  mappedAddress: mappedAddress
    .nullish()
    .describe('The address that it is mapped to, `ip:port`; null for none.'),
  extensions: z.array(tcpExtension).max(100).nullish().describe('Extensions.'),
});
export type UpdateTcpRule = z.infer<typeof updateTcpRule>;

export const deleteGatewayRule = z.strictObject({ rule: gatewayRuleRef.describe('The rule.') });
