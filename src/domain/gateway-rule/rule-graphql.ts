import { builder, restName } from '../../graphql/schema/builder.ts';
import { entity } from '../../graphql/schema/node.ts';
import { Application } from '../application/graphql.ts';
import { applicationById } from '../application/reads.ts';
import { Certificate } from '../certificate/graphql.ts';
import { certificateById } from '../certificate/reads.ts';
import { Component } from '../component/graphql.ts';
import { componentById } from '../component/reads.ts';
import { Port } from '../port/graphql.ts';
import { portById } from '../port/reads.ts';
import { Region } from '../region/graphql.ts';
import { regionById } from '../region/reads.ts';
import { formatEndpoint } from './endpoint.ts';
import { type Configuration, configured, domainTypeOf, isConditional, schemeOf } from './model.ts';
import { visibleHttpRule, visibleTcpRule } from './reads.ts';

const SetHeader = builder.objectRef<{ key: string; value: string }>('SetHeader').implement({
  description: 'A header that is set on each request.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Name of the header.' }),
    value: t.exposeString('value', { description: 'Its value.' }),
  }),
});

const HttpRuleConfiguration = builder.objectRef<Configuration>('HttpRuleConfiguration').implement({
  description: 'Advanced parameters of an HTTP rule.',
  fields: (t) => ({
    bodySizeMB: t.exposeInt('bodySizeMB', {
      description: restName('Largest request body in MB; 0 is no limit.', 'proxy_body_size'),
    }),
    bufferCount: t.exposeInt('bufferCount', {
      description: restName('Number of buffers.', 'proxy_buffer_numbers'),
    }),
    bufferSizeKB: t.exposeInt('bufferSizeKB', {
      description: restName('Size of a buffer in KB.', 'proxy_buffer_size'),
    }),
    isBuffered: t.exposeBoolean('isBuffered', {
      description: restName('Whether answers are buffered.', 'proxy_buffering'),
    }),
    connectTimeoutSeconds: t.exposeInt('connectTimeoutSeconds', {
      description: restName('How long connecting may take.', 'proxy_connect_timeout'),
    }),
    readTimeoutSeconds: t.exposeInt('readTimeoutSeconds', {
      description: restName('How long an answer may pause.', 'proxy_read_timeout'),
    }),
    sendTimeoutSeconds: t.exposeInt('sendTimeoutSeconds', {
      description: restName('How long a request may pause.', 'proxy_send_timeout'),
    }),
    setHeaders: t.expose('setHeaders', {
      type: [SetHeader],
      description: restName('Headers that are set on each request.', 'set_headers'),
    }),
  }),
});

export const HttpRule = entity('HttpRule', 'HttpRule', {
  description:
    'Requests for a domain and path go to a port. Several components on one domain and path share by weight.',
  read: visibleHttpRule,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeInt('id', { description: restName('Number of the rule.', 'ID') }),
    key: t.exposeString('key', { description: restName('Key of the rule.', 'http_rule_id') }),
    domain: t.exposeString('domain', { description: restName('Host name.', 'domain_name') }),
    domainType: t.string({
      description: restName('`exact`, or `wildcard` when the domain starts with `*.`.', 'domain_type'),
      columns: ['domain'],
      resolve: domainTypeOf,
    }),
    path: t.exposeString('path', { description: restName('Path prefix.', 'domain_path') }),
    domainCookie: t.exposeString('cookie', {
      description: restName('Only requests with these cookies; empty for all.', 'domain_cookie'),
    }),
    domainHeader: t.exposeString('header', {
      description: restName('Only requests with these headers; empty for all.', 'domain_heander'),
    }),
    hasConditions: t.boolean({
      description: restName('Whether a path, header or cookie is set.', 'is_senior'),
      columns: ['path', 'header', 'cookie'],
      resolve: isConditional,
    }),
    weight: t.exposeInt('weight', {
      description: restName('Share of the requests, 1 to 100.', 'the_weight'),
    }),
    protocol: t.string({
      description: '`http`, or `https` when it has a certificate.',
      columns: ['certificateId'],
      resolve: schemeOf,
    }),
    isDefault: t.exposeBoolean('isDefault', {
      description: restName('Whether opening the port made it; 0 for default rules, 1 for others.', 'type'),
    }),
    isPublished: t.exposeBoolean('isPublished', {
      description: restName(
        'Whether requests reach it: while its port is open to the outside.',
        'is_outer_service',
      ),
    }),
    autoSsl: t.exposeBoolean('autoSsl', {
      description: restName('Whether an external service provides a certificate.', 'auto_ssl'),
    }),
    autoSslConfig: t.exposeString('autoSslConfig', {
      description: restName('What that service is told.', 'auto_ssl_config'),
    }),
    pathRewrite: t.exposeBoolean('pathRewrite', {
      description: restName('Whether the path is rewritten.', 'path_rewrite'),
    }),
    rewrites: t.exposeString('rewrites', { description: 'How paths are rewritten: a JSON array.' }),
    extensions: t.stringList({
      description: restName('Extensions, each `key:value`.', 'rule_extensions'),
      columns: ['extensions'],
      resolve: (rule) => JSON.parse(rule.extensions) as string[],
    }),
    configuration: t.field({
      type: HttpRuleConfiguration,
      description: 'Advanced parameters.',
      columns: ['configuration'],
      resolve: (rule) => configured(JSON.parse(rule.configuration)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    certificate: t.field({
      type: Certificate,
      nullable: true,
      description: restName('Its certificate; null for none.', 'certificate_id'),
      columns: ['certificateId'],
      resolve: (rule, _, context) =>
        rule.certificateId === null ? null : certificateById(context, rule.certificateId),
    }),
    port: t.field({
      type: Port,
      description: restName('Where the requests go.', 'container_port'),
      columns: ['portId'],
      resolve: async (rule, _, context) => (await portById(context, rule.portId))!,
    }),
    component: t.field({
      type: Component,
      description: restName('The component of that port.', 'service_id'),
      columns: ['componentId'],
      resolve: async (rule, _, context) => (await componentById(context, rule.componentId))!,
    }),
    application: t.field({
      type: Application,
      description: 'The application of that component.',
      columns: ['applicationId'],
      resolve: async (rule, _, context) => (await applicationById(context, rule.applicationId))!,
    }),
    region: t.field({
      type: Region,
      description: restName('Where it is.', 'region_id'),
      columns: ['regionId'],
      resolve: async (rule, _, context) => (await regionById(context, rule.regionId))!,
    }),
  }),
});

const TcpRuleExtension = builder.objectRef<{ key: string; value: string }>('TcpRuleExtension').implement({
  description: 'An extension of a TCP rule.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Key.' }),
    value: t.exposeString('value', { description: 'Value.' }),
  }),
});

export const TcpRule = entity('TcpRule', 'TcpRule', {
  description: 'Connections to an address and port of the region go to a port of a component.',
  read: visibleTcpRule,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeInt('id', { description: restName('Number of the rule.', 'ID') }),
    key: t.exposeString('key', { description: restName('Key of the rule.', 'tcp_rule_id') }),
    endpoint: t.string({
      description: restName('Where it listens, `ip:port`.', 'end_point'),
      columns: ['address', 'portNumber'],
      resolve: (rule) => formatEndpoint(rule.address, rule.portNumber),
    }),
    mappedAddress: t.string({
      nullable: true,
      description: restName(
        'The address that it is mapped to, `ip:port`; null for none.',
        'default_ip and default_port',
      ),
      columns: ['mappedIp', 'mappedPort'],
      resolve: ({ mappedIp, mappedPort }) =>
        mappedIp === null || mappedPort === null ? null : formatEndpoint(mappedIp, mappedPort),
    }),
    protocol: t.string({
      description: 'The protocol of its port.',
      columns: ['portId'],
      resolve: async (rule, _, context) => (await portById(context, rule.portId))!.protocol,
    }),
    isDefault: t.exposeBoolean('isDefault', {
      description: restName('Whether opening the port made it; 0 for default rules, 1 for others.', 'type'),
    }),
    isPublished: t.exposeBoolean('isPublished', {
      description: restName(
        'Whether connections reach it: while its port is open to the outside.',
        'is_outer_service',
      ),
    }),
    extensions: t.field({
      type: [TcpRuleExtension],
      description: restName('Extensions.', 'rule_extensions'),
      columns: ['extensions'],
      resolve: (rule) => JSON.parse(rule.extensions) as { key: string; value: string }[],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    port: t.field({
      type: Port,
      description: restName('Where the connections go.', 'container_port'),
      columns: ['portId'],
      resolve: async (rule, _, context) => (await portById(context, rule.portId))!,
    }),
    component: t.field({
      type: Component,
      description: restName('The component of that port.', 'service_id'),
      columns: ['componentId'],
      resolve: async (rule, _, context) => (await componentById(context, rule.componentId))!,
    }),
    application: t.field({
      type: Application,
      description: 'The application of that component.',
      columns: ['applicationId'],
      resolve: async (rule, _, context) => (await applicationById(context, rule.applicationId))!,
    }),
    region: t.field({
      type: Region,
      description: restName('Where it is.', 'region_id'),
      columns: ['regionId'],
      resolve: async (rule, _, context) => (await regionById(context, rule.regionId))!,
    }),
  }),
});
