import { builder, restName } from '../../../graphql/schema/builder.ts';
import { enumOf, inputOf, referenceOf } from '../../../graphql/schema/input.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { entity } from '../../../graphql/schema/node.ts';
import { relatedOrNull } from '../../../graphql/schema/related.ts';
import { derived } from '../../../kernel/derived.ts';
import { onlyStored } from '../../../kernel/validate.ts';
import { Certificate } from '../../certificate/graphql.ts';
import { visibleCertificate } from '../../certificate/reads.ts';
import { loadRegion } from '../../region/reads.ts';
import { issuedCertificateOf, issuedColumns } from '../issued-reads.ts';
import { limitationsOfHttpRule, limitedColumns } from '../limitation-reads.ts';
import { httpRuleRef } from '../model.ts';
import { maxProblemTeams, problemColumns, problemsOfHttpRule } from '../problem-reads.ts';
import { urlOfHttp, visibleHttpRule } from '../reads.ts';
import { addedRule, addRuleFields, changedRule, extensionsOf } from '../rule-graphql.ts';
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

const RewriteRuleType = builder.objectRef<RewriteRule>('RewriteRule').implement({
  description: 'A rule that rewrites the path of a request.',
  fields: (t) => ({
    regex: t.exposeString('regex', { description: rewriteRule.shape.regex.description! }),
    replacement: t.exposeString('replacement', { description: rewriteRule.shape.replacement.description! }),
    flag: t.string({
      nullable: true,
      description: `${rewriteRule.shape.flag.description} Null if there is none.`,
      resolve: ({ flag }) => flag ?? null,
    }),
  }),
});

const DomainKindEnum = enumOf('DomainKind', domainType, 'What a domain matches.', {
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
  id: (row) => row.id,
  fields: (t) => ({
    domain: t.exposeString('domain', { description: restName('The host name.', 'domain_name') }),
    domainKind: t.using('domain').field({
      type: DomainKindEnum,
      description: restName('Whether the domain is one host name or a wildcard.', 'domain_type'),
      resolve: domainTypeOf,
    }),
    path: t.exposeString('path', { description: restName('The path prefix.', 'domain_path') }),
    domainCookie: t.exposeString('cookie', {
      description: restName(
        'Matches only requests with these cookies. Empty if the rule matches all requests.',
        'domain_cookie',
      ),
    }),
    domainHeader: t.exposeString('header', {
      description: restName(
        'Matches only requests with these headers. Empty if the rule matches all requests.',
        'domain_heander',
      ),
    }),
    hasConditions: t.using('path', 'header', 'cookie').boolean({
      description: restName('Whether the rule has a path other than `/`, a header or a cookie.', 'is_senior'),
      resolve: isConditional,
    }),
    weight: t.exposeInt('weight', {
      description: restName(
        'The weight among rules with the same domain and path, from 1 to 100.',
        'the_weight',
      ),
    }),
    scheme: t.using(...schemeColumns).field({
      type: HttpSchemeEnum,
      description: restName(
        `The scheme: HTTPS if the rule has a certificate${orIssued}, otherwise HTTP.`,
        'protocol',
      ),
      resolve: async (rule, _, context) => schemeOf(rule, await loadRegion(context, rule.regionId)),
    }),
    accessUrl: t.using(...schemeColumns, 'domain', 'path').string({
      description:
        'The address that clients use while the rule is published, as `http(s)://domain/path`. With a wildcard domain, it is a pattern.',
      resolve: async (rule, _, context) => urlOfHttp(rule, await loadRegion(context, rule.regionId)),
    }),
    autoSsl: t.exposeBoolean('autoSsl', {
      description: restName(
        'Whether the cluster provides the certificate, by the `certificateIssuer` of the region. Without one, it has no effect, as `limitations` says.',
        'auto_ssl',
      ),
    }),
    autoSslConfig: t.exposeString('autoSslConfig', {
      description: restName(
        `The configuration of the external certificate service. ${onlyStored}`,
        'auto_ssl_config',
      ),
    }),
    pathRewrite: t.exposeBoolean('pathRewrite', {
      description: restName('Whether the path is rewritten.', 'path_rewrite'),
    }),
    rewriteRules: t.using('rewrites').field({
      type: [RewriteRuleType],
      description: restName('The path rewrites.', 'rewrites'),
      resolve: (rule, _, context) => rewriteRulesOf(rule, context),
    }),
    extensions: t.using('extensions').stringList({
      description: restName('The extensions, each `key:value`.', 'rule_extensions'),
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
      description: `The certificate that the cluster provides, for a rule with \`autoSsl\`. Null if the rule has a certificate of its own, if the region has no \`certificateIssuer\` or no cluster, and with a REGION_UNAVAILABLE error if the cluster does not respond. A request can read those of ${maxProblemTeams} teams.`,
      resolve: (rule, _, context) => issuedCertificateOf(context, rule),
    }),
    certificate: relatedOrNull(t, 'certificateId', Certificate, {
      read: (context, id) => visibleCertificate(context, String(id)),
      description: restName(
        'The certificate. Null if there is none, or if it is not visible to the caller.',
        'certificate_id',
      ),
    }),
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

mutation('createHttpRule', {
  description:
    'Creates an HTTP rule. The rule is published while its port is open to the outside. REST: `POST …/domains`.',
  operation: { advice: 'A domain and a path lead to a port.', selection: { application: false } },
  input: createHttpRule,
  run: (context, input) => operations.createHttpRule(context, input, { requiresIssuer: true }),
  ...addedRule(HttpRule),
});

mutation('updateHttpRule', {
  description:
    'Updates an HTTP rule. Omitted fields are unchanged. If the domain or path of a default rule changes, it becomes a custom rule, and its port gets a new default rule when it is next opened.',
  input: updateHttpRule,
  run: (context, input) => operations.updateHttpRule(context, input, { requiresIssuer: true }),
  ...changedRule(HttpRule),
});
