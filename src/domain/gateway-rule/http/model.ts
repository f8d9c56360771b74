import { z } from 'zod';
import type { Row } from '../../../db/tables.ts';
import { proxyDefaults } from '../../../drivers/region/proxy-defaults.ts';
import {
  matchedMessage,
  matchedName,
  matchedValue,
  rulePath,
  rulePathMessage,
} from '../../../drivers/region/rule-characters.ts';
import {
  boundedString,
  dryRunField,
  expectedRevision,
  headerName,
  line,
  onlyStored,
  plannedChange,
  text,
} from '../../../kernel/validate.ts';
import { applicationRef } from '../../application/model.ts';
import { certificateRef } from '../../certificate/model.ts';
import { componentRef } from '../../component/model.ts';
import { clusterOf } from '../../region/cluster-model.ts';
import { httpRuleRef, portNumber } from '../model.ts';
import { domain, isWildcard } from './domain-model.ts';

/** Properties of a rule that are derived from its columns. */
export const httpScheme = z.enum(['http', 'https']);
export const schemeOf = (
  { certificateId, autoSsl }: Pick<Row<'HttpRule'>, 'certificateId' | 'autoSsl'>,
  region: { cluster: string },
) => (certificateId !== null || (autoSsl && clusterOf(region).certificateIssuer !== null) ? 'https' : 'http');
export const domainType = z.enum(['exact', 'wildcard']);
export const domainTypeOf = ({ domain: name }: { domain: string }) =>
  isWildcard(name) ? 'wildcard' : 'exact';
export const isConditional = (rule: { path: string; header: string; cookie: string }) =>
  rule.path !== '/' || rule.header !== '' || rule.cookie !== '';

const path = boundedString(1024).regex(rulePath, rulePathMessage);

const isPair = (text: string) => {
  const pair = text.trim();
  const at = pair.indexOf('=');
  return at > 0 && matchedName.test(pair.slice(0, at)) && matchedValue.test(pair.slice(at + 1));
};

const pairs = () =>
  text(2048).refine(
    (value) => value === '' || value.split(';').every(isPair),
    `Must be key=value pairs joined by \`;\`. Each key and value: ${matchedMessage}`,
  );

export const setHeader = z.strictObject({
  key: headerName().describe('The name of the header.'),
  value: text(4096).describe('The value of the header.'),
});

const seconds = (description: string) => z.int32().min(0).max(3600).nullish().describe(description);

export const configuration = z.strictObject({
  bodySizeMB: z
    .int32()
    .min(0)
    .max(1024)
    .nullish()
    .describe('The maximum size of a request body, in MB. 0, the default for a new rule, means no limit.'),
  bufferCount: z
    .int32()
    .min(0)
    .max(1024)
    .nullish()
    .describe('The number of proxy buffers. Defaults to 4 for a new rule.'),
  bufferSizeKB: z
    .int32()
    .min(0)
    .max(1024)
    .nullish()
    .describe('The size of each proxy buffer, in KB. Defaults to 4 for a new rule.'),
  isBuffered: z
    .boolean()
    .nullish()
    .describe('Whether responses are buffered. Defaults to false for a new rule.'),
  connectTimeoutSeconds: seconds(
    'The timeout for connecting to the component, in seconds. Defaults to 75 for a new rule.',
  ),
  readTimeoutSeconds: seconds(
    'The timeout between two reads of a response, in seconds. Defaults to 60 for a new rule.',
  ),
  sendTimeoutSeconds: seconds(
    'The timeout between two writes of a request, in seconds. Defaults to 60 for a new rule.',
  ),
  setHeaders: z.array(setHeader).max(100).describe('The headers to set on each request. Can be empty.'),
});

export type Configuration = {
  [K in keyof z.infer<typeof configuration>]-?: NonNullable<z.infer<typeof configuration>[K]>;
};

export const configurationDefaults: Configuration = { ...proxyDefaults, setHeaders: [] };

/** Merges the given values with the defaults, or with the current configuration of a rule. */
export function configured(
  given: z.infer<typeof configuration> | null | undefined,
  over: Configuration = configurationDefaults,
): Configuration {
  const set = Object.entries(given ?? {}).filter(([, value]) => value != null);
  return { ...over, ...Object.fromEntries(set) };
}

const extension = text(512).regex(/^[^:]+:.*$/, 'Must be `key:value`');

export const rewriteRule = z.strictObject({
  regex: line(1024).describe('The regular expression that the path must match.'),
  replacement: text(1024).describe('The replacement of the matched path.'),
  flag: text(64).optional().describe('The flag of the rewrite, for example `last` or `break`.'),
});
export type RewriteRule = z.infer<typeof rewriteRule>;
const rewriteRules = z.array(rewriteRule).max(100);

/** Path rewrites as the text of a JSON array, as in manifests. */
export const rewrites = boundedString(65_536).superRefine((value, context) => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    context.addIssue({ code: 'custom', message: 'Must be a JSON array' });
    return;
  }
  const { error } = rewriteRules.safeParse(parsed);
  for (const { path, message } of error?.issues ?? []) {
    context.addIssue({
      code: 'custom',
      message: `${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`,
    });
  }
});

/** The fields that inputs share. With `isNew`, their descriptions name the defaults; otherwise omitted fields are unchanged. */
const httpRuleFields = (isNew: boolean) => {
  const about = (text: string, fallback: string) => (isNew ? `${text} Defaults to ${fallback}.` : text);
  return {
    path: path.nullish().describe(about('The path prefix.', '`/`')),
    domainCookie: pairs()
      .nullish()
      .describe('Matches only requests with these cookies: `key=value` pairs joined by `;`.'),
    domainHeader: pairs()
      .nullish()
      .describe('Matches only requests with these headers: `key=value` pairs joined by `;`.'),
    weight: z
      .int32()
      .min(1)
      .max(100)
      .nullish()
      .describe(about('The weight among rules with the same domain and path, from 1 to 100.', '100')),
    pathRewrite: z.boolean().nullish().describe(about('Whether the path is rewritten.', 'false')),
    rewriteRules: rewriteRules.nullish().describe('The path rewrites.'),
    extensions: z.array(extension).max(100).nullish().describe('The extensions, each `key:value`.'),
    autoSsl: z
      .boolean()
      .nullish()
      .describe(
        about(
          'Whether the cluster provides the certificate, through the `certificateIssuer` of the region. A `certificate` of the rule takes precedence. Fails with CONFLICT if the region has no issuer, or its cluster has no cert-manager. REST accepts it then, without effect: see `limitations`.',
          'false',
        ),
      ),
    autoSslConfig: text(2048)
      .nullish()
      .describe(`The configuration of the external certificate service. ${onlyStored}`),
    configuration: configuration.nullish().describe('The proxy settings.'),
  };
};

export const createHttpRule = z.strictObject({
  application: applicationRef.describe('The application.'),
  component: componentRef.describe('The component, which must belong to the application.'),
  portNumber: portNumber.describe('The number of an HTTP or gRPC port of the component.'),
  domain: domain.describe(
    'The host name, optionally starting with `*.`. In each region, a domain and, for a wildcard, all domains below it are owned by the first team that uses it.',
  ),
  certificate: certificateRef
    .nullish()
    .describe('A certificate of the team that covers the domain. With a certificate, the rule serves HTTPS.'),
  opensPort: z
    .boolean()
    .nullish()
    .describe('Whether to also open the port to the outside. Defaults to false.'),
  ...httpRuleFields(true),
  expectedPortRevision: expectedRevision('the port'),
  dryRun: dryRunField,
});
export type CreateHttpRule = z.infer<typeof createHttpRule>;

export const updateHttpRule = z.strictObject({
  rule: httpRuleRef.describe('The rule to change. Omitted fields are unchanged.'),
  domain: domain
    .nullish()
    .describe(
      'The host name, optionally starting with `*.`. Changing the domain or path of a default rule makes it a custom rule.',
    ),
  certificate: certificateRef
    .nullish()
    .describe('A certificate of the team that covers the domain. Set to null to remove the certificate.'),
  ...httpRuleFields(false),
  ...plannedChange('the rule'),
});
export type UpdateHttpRule = z.infer<typeof updateHttpRule>;
