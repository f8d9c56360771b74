import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { builder, restName } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { planField } from '../../graphql/schema/plan.ts';
import { derived, lengthOf } from '../../kernel/derived.ts';
import { Application } from '../application/graphql.ts';
import { Component } from '../component/graphql.ts';
import { loadComponent } from '../component/reads.ts';
import { Port } from '../port/graphql.ts';
import { HttpRule } from './http/graphql.ts';
import { deleteGatewayRule, gatewayRuleRef } from './model.ts';
import * as operations from './operations.ts';
import { accessUrlsOf, type RuleOwner, rulesOf } from './reads.ts';
import { TcpRule } from './tcp/graphql.ts';

referenceOf('GatewayRuleRef', gatewayRuleRef, 'Identifies an HTTP or TCP rule. Set exactly one field.');

const GatewayRules = builder.objectRef<RuleOwner>('GatewayRules').implement({
  description: 'The gateway rules of an application, a component or a port.',
  fields: (t) => ({
    http: connectionField(t, {
      node: HttpRule,
      plural: 'HTTP rules',
      description: 'The HTTP rules, sorted by id.',
      list: (owner, _, context) => rulesOf(context, 'HttpRule', owner),
    }),
    tcp: connectionField(t, {
      node: TcpRule,
      plural: 'TCP rules',
      description: 'The TCP rules, sorted by id.',
      list: (owner, _, context) => rulesOf(context, 'TcpRule', owner),
    }),
  }),
});

builder.objectField(Application, 'gatewayRules', (t) =>
  t.field({
    type: GatewayRules,
    description: 'The gateway rules of the application, which expose it to the outside.',
    resolve: (application): RuleOwner => ({ field: 'applicationId', key: application.id }),
  }),
);

builder.objectField(Port, 'gatewayRules', (t) =>
  t.field({
    type: GatewayRules,
    description: 'The gateway rules of the port, which expose it to the outside.',
    resolve: (port): RuleOwner => ({ field: 'portId', key: port.id }),
  }),
);

const componentUrls = derived(
  (component: Pick<Row<'Component'>, 'id' | 'regionId'>, context: Context) =>
    accessUrlsOf(context, component),
  (_, urls) => lengthOf(urls),
);

builder.objectFields(Component, (t) => ({
  gatewayRules: t.field({
    type: GatewayRules,
    description: 'The gateway rules of the component, which expose it to the outside.',
    resolve: (component): RuleOwner => ({ field: 'componentId', key: component.id }),
  }),
  accessUrls: t.stringList({
    description: restName(
      'The public addresses: `http(s)://domain/path` for each published HTTP rule, then `host:port` for each published TCP rule.',
      'access_infos',
    ),
    resolve: (component, _, context) => componentUrls(component, context),
  }),
}));

mutation('deleteGatewayRule', {
  description: 'Deletes a gateway rule. Its port is unchanged.',
  operation: { selection: { component: false, httpRule: false, tcpRule: false } },
  input: deleteGatewayRule,
  run: operations.deleteGatewayRule,
  load: async (context, { http, tcp, component, plan }) => ({
    httpRule: http,
    tcpRule: tcp,
    plan,
    component: await loadComponent(context, component.id),
  }),
  payload: (t) => ({
    httpRule: t.expose('httpRule', {
      type: HttpRule,
      nullable: true,
      description: 'The deleted rule. Null if it was a TCP rule.',
    }),
    tcpRule: t.expose('tcpRule', {
      type: TcpRule,
      nullable: true,
      description: 'The deleted rule. Null if it was an HTTP rule.',
    }),
    component: t.expose('component', {
      type: Component,
      description: 'The component that the rule belonged to.',
    }),
    plan: planField(t),
  }),
});
