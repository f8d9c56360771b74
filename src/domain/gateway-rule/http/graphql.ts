import { property } from '../../../graphql/schema/exposed.ts';
import { enumOf, inputOf, referenceOf } from '../../../graphql/schema/input.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { entity } from '../../../graphql/schema/node.ts';
import { objectType } from '../../../graphql/schema/object-type.ts';
import { relatedOrNull } from '../../../graphql/schema/related.ts';
import { derived } from '../../../kernel/derived.ts';
import { onlyStored } from '../../../kernel/validate.ts';
import { Certificate } from '../../certificate/graphql.ts';
import { loadRegion } from '../../region/reads.ts';
import { issuedCertificateOf, issuedColumns } from '../issued-reads.ts';
import { limitationsOfHttpRule, limitedColumns } from '../limitation-reads.ts';
import { httpRuleRef } from '../model.ts';
import { maxProblemTeams, problemColumns, problemsOfHttpRule } from '../problem-reads.ts';
import { urlOfHttp, visibleHttpRule } from '../reads.ts';
import { addedRule, addRuleFields, extensionsOf } from '../rule-graphql.ts';
import { HttpRuleConfiguration } from './configuration-graphql.ts';
import { IssuedCertificate } from './issued-graphql.ts';
import {
  configuration,
  configured,
  createHttpRule,
  domainType,
  domainTypeOf,
  httpScheme,
  isConditional,
  type RewriteRule,
  rewriteRule,
  schemeOf,
  setHeader,
  updateHttpRule,
} from './model.ts';
import * as operations from './operations.ts';

referenceOf('HttpRuleRef', httpRuleRef, 'Identifies an HTTP rule. Set exactly one field.');
inputOf('SetHeaderInput', setHeader, 'A header that is set on each request.');
inputOf('RewriteRuleInput', rewriteRule, 'A rule that rewrites the path of a request.');
inputOf('HttpRuleConfigurationInput', configuration, 'The proxy settings of an HTTP rule.');

/** The columns that the scheme of a rule follows from. */
const schemeColumns = ['certificateId', 'autoSsl', 'regionId'] as const;
const orIssued = ', or `autoSsl` and a region with a `certificateIssuer`';

const httpExtensionsOf = extensionsOf<string>();
const configurationOf = derived(
  (rule: { configuration: string }) => configured(JSON.parse(rule.configuration)),
  ({ configuration }) => configuration.length,
);

const rewriteRulesOf = derived(
  (rule: { rewrites: string }) => JSON.parse(rule.rewrites) as RewriteRule[],
  ({ rewrites }) => rewrites.length,
);

const RewriteRuleType = objectType<RewriteRule>('RewriteRule', {
  description: 'A rule that rewrites the path of a request.',
  exposes: {
    'regex: String!': rewriteRule.shape.regex.description!,
    'replacement: String!': rewriteRule.shape.replacement.description!,
  },
  fields: (t) => ({
    flag: t.string({
      nullable: true,
      description: `${rewriteRule.shape.flag.description} Null if not set.`,
      resolve: ({ flag }) => flag ?? null,
    }),
  }),
});

const DomainKindEnum = enumOf('DomainKind', domainType, 'The kind of host names that a domain matches.', {
  exact: 'One host name.',
  wildcard: 'The host names one label below it. It starts with `*.`.',
});

const HttpSchemeEnum = enumOf('HttpScheme', httpScheme, 'The scheme of a URL.', {
  http: 'HTTP.',
  https: 'HTTP over TLS.',
});

export const HttpRule = entity('HttpRule', 'HttpRule', {
  description:
    'A rule that routes requests for a domain and path to a port. Rules with the same domain and path share the requests by weight.',
  read: visibleHttpRule,
  exposes: {
    'domain: String!': 'The host name. REST: `domain_name`.',
    'path: String!': 'The path prefix. REST: `domain_path`.',
    'weight: Int!':
      'The weight among rules with the same domain and path, from 1 to 100. REST: `the_weight`.',
    'autoSsl: Boolean!':
      'Whether the cluster provides the certificate, through the `certificateIssuer` of the region. Without an issuer, it has no effect: see `limitations`. REST: `auto_ssl`.',
    'autoSslConfig: String!': `The configuration of the external certificate service. ${onlyStored} REST: \`auto_ssl_config\`.`,
    'pathRewrite: Boolean!': 'Whether the path is rewritten. REST: `path_rewrite`.',
  },
  fields: (t) => ({
    domainKind: t.using('domain').field({
      type: DomainKindEnum,
      description: 'Whether the domain is one host name or a wildcard. REST: `domain_type`.',
      resolve: domainTypeOf,
    }),
    domainCookie: t.exposeString('cookie', {
      description:
        'Matches only requests with these cookies. Empty if the rule matches all requests. REST: `domain_cookie`.',
    }),
    domainHeader: t.exposeString('header', {
      description:
        'Matches only requests with these headers. Empty if the rule matches all requests. REST: `domain_heander`.',
    }),
    hasConditions: t.using('path', 'header', 'cookie').boolean({
      description: 'Whether the rule has a path other than `/`, a header or a cookie. REST: `is_senior`.',
      resolve: isConditional,
    }),
    scheme: t.using(...schemeColumns).field({
      type: HttpSchemeEnum,
      description: `The scheme: HTTPS if the rule has a certificate${orIssued}, otherwise HTTP. REST: \`protocol\`.`,
      resolve: async (rule, _, context) => schemeOf(rule, await loadRegion(context, rule.regionId)),
    }),
    accessUrl: t.using(...schemeColumns, 'domain', 'path').string({
      description:
        'The address that clients use while the rule is published, as `http(s)://domain/path`. With a wildcard domain, it is a pattern.',
      resolve: async (rule, _, context) => urlOfHttp(rule, await loadRegion(context, rule.regionId)),
    }),
    rewriteRules: t.using('rewrites').field({
      type: [RewriteRuleType],
      description: 'The path rewrites. REST: `rewrites`.',
      resolve: (rule, _, context) => rewriteRulesOf(rule, context),
    }),
    extensions: t.using('extensions').stringList({
      description: 'The extensions, each `key:value`. REST: `rule_extensions`.',
      resolve: (rule, _, context) => httpExtensionsOf(rule, context),
    }),
    configuration: t.using('configuration').field({
      type: HttpRuleConfiguration,
      description: 'The proxy settings.',
      resolve: (rule, _, context) => configurationOf(rule, context),
    }),
    issuedCertificate: t.using('autoSsl', 'certificateId', ...issuedColumns).field({
      type: IssuedCertificate,
      nullable: true,
      description: `The certificate that the cluster provides, for a rule with \`autoSsl\`. Null if the rule has its own \`certificate\`, if the region has no \`certificateIssuer\` or no cluster, and with a REGION_UNAVAILABLE error if the cluster does not respond. A request can read the certificates of at most ${maxProblemTeams} teams.`,
      resolve: (rule, _, context) => issuedCertificateOf(context, rule),
    }),
    certificate: relatedOrNull(
      t,
      'certificateId',
      Certificate,
      'The certificate. Null if the rule has no certificate, or if it is not visible to the caller. REST: `certificate_id`.',
    ),
  }),
});

addRuleFields('HttpRule', HttpRule, {
  restKey: 'http_rule_id',
  publication: { type: 'HttpRule', actions: ['http_rule.create', 'http_rule.publish'] },
  traffic: 'requests',
  unless: 'if the region has no gateways',
  limitations: { columns: limitedColumns, of: limitationsOfHttpRule },
  problems: { columns: problemColumns, of: problemsOfHttpRule },
});

mutation(
  'createHttpRule',
  createHttpRule,
  (context, input) => operations.createHttpRule(context, input, { requiresIssuer: true }),
  {
    description:
      'Creates an HTTP rule. The rule is published while its port is open to the outside. REST: `POST …/domains`.',
    operation: {
      advice: 'The rule routes a domain and a path to a port.',
      selection: { application: false },
    },
    ...addedRule(HttpRule),
  },
);

mutation(
  'updateHttpRule',
  updateHttpRule,
  (context, input) => operations.updateHttpRule(context, input, { requiresIssuer: true }),
  {
    description:
      'Updates an HTTP rule. Omitted fields are unchanged. If the domain or path of a default rule changes, it becomes a custom rule, and its port gets a new default rule when it is next opened.',
    payload: { rule: property(HttpRule, 'The updated rule.') },
  },
);
