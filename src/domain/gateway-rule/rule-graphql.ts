import type { ObjectRef } from '@pothos/core';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { RuleLimitations as Limitations } from '../../drivers/region/kubernetes/rule-limitations.ts';
import { builder, restName, type Types } from '../../graphql/schema/builder.ts';
import { entity } from '../../graphql/schema/node.ts';
import { derived, lengthOf } from '../../kernel/derived.ts';
import { onlyStored } from '../../kernel/validate.ts';
import { Application } from '../application/graphql.ts';
import { loadApplication } from '../application/reads.ts';
import { Certificate } from '../certificate/graphql.ts';
import { certificateById } from '../certificate/reads.ts';
import { Component } from '../component/graphql.ts';
import { loadComponent } from '../component/reads.ts';
import { Port } from '../port/graphql.ts';
import { loadPort } from '../port/reads.ts';
import { Region } from '../region/graphql.ts';
import { loadRegion } from '../region/reads.ts';
import { HttpRuleConfiguration } from './http/configuration-graphql.ts';
import {
  type LimitedRow,
  type LimitedTcpRow,
  limitationsOfHttpRule,
  limitationsOfTcpRule,
  limitedColumns,
} from './limitation-reads.ts';
import { configured, domainTypeOf, isConditional, schemeOf } from './model.ts';
import {
  maxProblemTeams,
  problemColumns,
  problemsOfHttpRule,
  problemsOfTcpRule,
  tcpProblemColumns,
} from './problem-reads.ts';
import { visibleHttpRule, visibleTcpRule } from './reads.ts';
import { formatEndpoint } from './tcp/endpoint-model.ts';

const RuleLimitations = builder.objectRef<Limitations>('RuleLimitations').implement({
  description:
    'What the cluster of a region cannot express of a rule. Both lists are empty in regions without a cluster.',
  fields: (t) => ({
    refused: t.exposeStringList('refused', {
      description:
        'What would give the rule another meaning. The component is not applied as long as the rule is published: its job fails.',
    }),
    ignored: t.exposeStringList('ignored', { description: 'The settings that are left out.' }),
  }),
});

const problemsDescription = (traffic: string, unless: string) =>
  `What keeps ${traffic} from arriving, as the cluster says it: the conditions \`Accepted\`, \`Programmed\` and \`ResolvedRefs\` of the gateway and the route that are not met, for example because no controller has the \`gatewayClass\`. Empty if there are none, if the rule is not served, and ${unless}. A request can read those of ${maxProblemTeams} teams. Null with a REGION_UNAVAILABLE error if the cluster does not respond.`;

const sizeOfLimitations = (_: object, { refused, ignored }: Limitations) =>
  lengthOf(refused) + lengthOf(ignored);
const httpLimitations = derived(
  (rule: LimitedRow, context: Context) => limitationsOfHttpRule(context, rule),
  sizeOfLimitations,
);
const tcpLimitations = derived(
  (rule: LimitedTcpRow, context: Context) => limitationsOfTcpRule(context, rule),
  sizeOfLimitations,
);
const ofExtensions = ({ extensions }: { extensions: string }) => extensions.length;
const httpExtensionsOf = derived(
  (rule: { extensions: string }) => JSON.parse(rule.extensions) as string[],
  ofExtensions,
);
const tcpExtensionsOf = derived(
  (rule: { extensions: string }) => JSON.parse(rule.extensions) as { key: string; value: string }[],
  ofExtensions,
);
const configurationOf = derived(
  (rule: { configuration: string }) => configured(JSON.parse(rule.configuration)),
  ({ configuration }) => configuration.length,
);

const limitationsDescription = 'What the cluster of the region cannot express of the rule.';

export const HttpRule = entity('HttpRule', 'HttpRule', {
  description:
    'A rule that routes requests for a domain and path to a port. Rules with the same domain and path share the requests by weight.',
  read: visibleHttpRule,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeInt('id', { description: restName('The numeric id of the rule.', 'ID') }),
    key: t.exposeString('key', { description: restName('The key of the rule.', 'http_rule_id') }),
    domain: t.exposeString('domain', { description: restName('The host name.', 'domain_name') }),
    domainType: t.string({
      description: restName(
        'The type of the domain: `wildcard` if it starts with `*.`, otherwise `exact`.',
        'domain_type',
      ),
      columns: ['domain'],
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
    hasConditions: t.boolean({
      description: restName('Whether the rule has a path other than `/`, a header or a cookie.', 'is_senior'),
      columns: ['path', 'header', 'cookie'],
      resolve: isConditional,
    }),
    weight: t.exposeInt('weight', {
      description: restName(
        'The weight among rules with the same domain and path, from 1 to 100.',
        'the_weight',
      ),
    }),
    protocol: t.string({
      description: 'The protocol: `https` if the rule has a certificate, otherwise `http`.',
      columns: ['certificateId'],
      resolve: schemeOf,
    }),
    autoSsl: t.exposeBoolean('autoSsl', {
      description: restName(
        `Whether an external service provides the certificate. ${onlyStored}`,
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
    rewrites: t.exposeString('rewrites', {
      description: 'The path rewrites: a JSON array of objects with `regex`, `replacement` and `flag`.',
    }),
    extensions: t.stringList({
      description: restName('The extensions, each `key:value`.', 'rule_extensions'),
      columns: ['extensions'],
      resolve: (rule, _, context) => httpExtensionsOf(rule, context),
    }),
    configuration: t.field({
      type: HttpRuleConfiguration,
      description: 'The proxy settings.',
      columns: ['configuration'],
      resolve: (rule, _, context) => configurationOf(rule, context),
    }),
    limitations: t.field({
      type: RuleLimitations,
      description: limitationsDescription,
      columns: limitedColumns,
      resolve: (rule, _, context) => httpLimitations(rule, context),
    }),
    problems: t.field({
      type: ['String'],
      nullable: true,
      description: problemsDescription('requests', 'if the region has no gateways'),
      columns: problemColumns,
      resolve: (rule, _, context) => problemsOfHttpRule(context, rule),
    }),
    certificate: t.field({
      type: Certificate,
      nullable: true,
      description: restName('The certificate. Null if there is none.', 'certificate_id'),
      columns: ['certificateId'],
      resolve: (rule, _, context) =>
        rule.certificateId === null ? null : certificateById(context, rule.certificateId),
    }),
  }),
});

const TcpRuleExtension = builder.objectRef<{ key: string; value: string }>('TcpRuleExtension').implement({
  description: 'An extension of a TCP rule.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'The key.' }),
    value: t.exposeString('value', { description: 'The value.' }),
  }),
});

export const TcpRule = entity('TcpRule', 'TcpRule', {
  description: 'A rule that routes connections to an address of the region to a port.',
  read: visibleTcpRule,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeInt('id', { description: restName('The numeric id of the rule.', 'ID') }),
    key: t.exposeString('key', { description: restName('The key of the rule.', 'tcp_rule_id') }),
    endpoint: t.string({
      description: restName('The address that the rule listens on, as `ip:port`.', 'end_point'),
      columns: ['address', 'portNumber'],
      resolve: (rule) => formatEndpoint(rule.address, rule.portNumber),
    }),
    mappedAddress: t.string({
      nullable: true,
      description: restName(
        'The external address that the endpoint is mapped to, as `ip:port`. Null if there is none.',
        'default_ip and default_port',
      ),
      columns: ['mappedIp', 'mappedPort'],
      resolve: ({ mappedIp, mappedPort }) =>
        mappedIp === null || mappedPort === null ? null : formatEndpoint(mappedIp, mappedPort),
    }),
    protocol: t.string({
      description: 'The protocol of the port.',
      columns: ['portId'],
      resolve: async (rule, _, context) => (await loadPort(context, rule.portId)).protocol,
    }),
    extensions: t.field({
      type: [TcpRuleExtension],
      description: restName('The extensions.', 'rule_extensions'),
      columns: ['extensions'],
      resolve: (rule, _, context) => tcpExtensionsOf(rule, context),
    }),
    limitations: t.field({
      type: RuleLimitations,
      description: limitationsDescription,
      columns: ['regionId', 'address', 'extensions'],
      resolve: (rule, _, context) => tcpLimitations(rule, context),
    }),
    problems: t.field({
      type: ['String'],
      nullable: true,
      description: problemsDescription('connections', 'if the cluster has no routes for TCP'),
      columns: tcpProblemColumns,
      resolve: (rule, _, context) => problemsOfTcpRule(context, rule),
    }),
  }),
});

/** The columns that rules of both kinds have. */
type SharedRow = Pick<
  Row<'HttpRule'> & Row<'TcpRule'>,
  'isDefault' | 'isPublished' | 'createdAt' | 'portId' | 'componentId' | 'applicationId' | 'regionId'
>;

for (const { type, traffic } of [
  { type: HttpRule as unknown as ObjectRef<Types, SharedRow>, traffic: 'requests' },
  { type: TcpRule as unknown as ObjectRef<Types, SharedRow>, traffic: 'connections' },
]) {
  builder.objectFields(type, (t) => ({
    isDefault: t.exposeBoolean('isDefault', {
      description: restName(
        'Whether this is a default rule, created when the port was opened. In REST, 0 for default rules and 1 for custom rules.',
        'type',
      ),
    }),
    isPublished: t.exposeBoolean('isPublished', {
      description: restName(
        'Whether the rule is published. A rule is published while its port is open to the outside.',
        'is_outer_service',
      ),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The creation time.' }),
    port: t.field({
      type: Port,
      description: restName(`The port that ${traffic} are routed to.`, 'container_port'),
      columns: ['portId'],
      resolve: (rule, _, context) => loadPort(context, rule.portId),
    }),
    component: t.field({
      type: Component,
      description: restName('The component of the port.', 'service_id'),
      columns: ['componentId'],
      resolve: (rule, _, context) => loadComponent(context, rule.componentId),
    }),
    application: t.field({
      type: Application,
      description: 'The application of the component.',
      columns: ['applicationId'],
      resolve: (rule, _, context) => loadApplication(context, rule.applicationId),
    }),
    region: t.field({
      type: Region,
      description: restName('The region of the rule.', 'region_id'),
      columns: ['regionId'],
      resolve: (rule, _, context) => loadRegion(context, rule.regionId),
    }),
  }));
}
