import './following.ts';
import { builder, restName } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { inputOf, referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { Application } from '../application/graphql.ts';
import { applicationById } from '../application/reads.ts';
import { Component } from '../component/graphql.ts';
import { componentById } from '../component/reads.ts';
import { Port } from '../port/graphql.ts';
import {
  configuration,
  createHttpRule,
  createTcpRule,
  deleteGatewayRule,
  gatewayRuleRef,
  httpRuleRef,
  setHeader,
  tcpExtension,
  tcpRuleRef,
  updateHttpRule,
  updateTcpRule,
} from './model.ts';
import * as operations from './operations.ts';
import { accessUrlsOf, type RuleOwner, rulesOf } from './reads.ts';
import { HttpRule, TcpRule } from './rule-graphql.ts';
import * as tcpOperations from './tcp-operations.ts';

referenceOf('HttpRuleRef', httpRuleRef, 'Names an HTTP rule: exactly one field.');
referenceOf('TcpRuleRef', tcpRuleRef, 'Names a TCP rule: exactly one field.');
referenceOf('GatewayRuleRef', gatewayRuleRef, 'Names a gateway rule of either kind: exactly one field.');
inputOf('SetHeaderInput', setHeader, 'A header that is set on each request.');
inputOf('HttpRuleConfigurationInput', configuration, 'Advanced parameters of an HTTP rule.');
inputOf('TcpRuleExtensionInput', tcpExtension, 'An extension of a TCP rule.');

const GatewayRules = builder.objectRef<RuleOwner>('GatewayRules').implement({
  description: 'The gateway rules of an application, a component or a port.',
  fields: (t) => ({
    http: connectionField(t, {
      node: HttpRule,
      plural: 'HTTP rules',
      description: 'Its HTTP rules, by number.',
      list: (owner) => rulesOf('HttpRule', owner),
    }),
    tcp: connectionField(t, {
      node: TcpRule,
      plural: 'TCP rules',
      description: 'Its TCP rules, by number.',
      list: (owner) => rulesOf('TcpRule', owner),
    }),
  }),
});

builder.objectField(Application, 'gatewayRules', (t) =>
  t.field({
    type: GatewayRules,
    description: 'How the application is reached from outside.',
    resolve: (application): RuleOwner => ({ field: 'applicationId', key: application.id }),
  }),
);

builder.objectField(Port, 'gatewayRules', (t) =>
  t.field({
    type: GatewayRules,
    description: 'How the port is reached from outside.',
    resolve: (port): RuleOwner => ({ field: 'portId', key: port.id }),
  }),
);

builder.objectFields(Component, (t) => ({
  gatewayRules: t.field({
    type: GatewayRules,
    description: 'How the component is reached from outside.',
    resolve: (component): RuleOwner => ({ field: 'componentId', key: component.id }),
  }),
  accessUrls: t.stringList({
    description: restName(
      'Where it is reached from outside: `http(s)://domain/path` of each published HTTP rule, then `host:port` of each TCP rule.',
      'access_infos',
    ),
    resolve: (component, _, context) => accessUrlsOf(context, component),
  }),
}));

mutation('createHttpRule', {
  description:
    'Creates an HTTP rule. It is published while its port is open to the outside. Takes the role developer in the team. REST: `POST …/domains`.',
  input: createHttpRule,
  run: async (context, input) => {
    const rule = await operations.createHttpRule(context, input);
    return { rule, application: (await applicationById(context, rule.applicationId))! };
  },
  payload: (t) => ({
    rule: t.expose('rule', { type: HttpRule, description: 'The new rule.' }),
    application: t.expose('application', {
      type: Application,
      description: 'The application, with all its rules.',
    }),
  }),
});

mutation('updateHttpRule', {
  description:
    'Changes an HTTP rule; what is left out stays. A default rule that gets another domain or path becomes a custom rule, and its port gets a new default rule when it is next opened. Requires the `developer` role.',
  input: updateHttpRule,
  run: async (context, input) => ({ rule: await operations.updateHttpRule(context, input) }),
  payload: (t) => ({ rule: t.expose('rule', { type: HttpRule, description: 'The rule as it is now.' }) }),
});

mutation('createTcpRule', {
  description:
    'Creates a TCP rule, and opens its port to the outside. Takes the role developer in the team. REST: `POST …/domains`.',
  input: createTcpRule,
  run: async (context, input) => {
    const rule = await tcpOperations.createTcpRule(context, input);
    return { rule, application: (await applicationById(context, rule.applicationId))! };
  },
  payload: (t) => ({
    rule: t.expose('rule', { type: TcpRule, description: 'The new rule.' }),
    application: t.expose('application', {
      type: Application,
      description: 'The application, with all its rules.',
    }),
  }),
});

mutation('updateTcpRule', {
  description:
    'Changes a TCP rule; what is left out stays. A default rule that gets another endpoint becomes a custom rule, and its port gets a new default rule when it is next opened. Requires the `developer` role.',
  input: updateTcpRule,
  run: async (context, input) => ({ rule: await tcpOperations.updateTcpRule(context, input) }),
  payload: (t) => ({ rule: t.expose('rule', { type: TcpRule, description: 'The rule as it is now.' }) }),
});

mutation('deleteGatewayRule', {
  description: 'Deletes a rule; its port stays as it is. Takes the role developer in the team.',
  input: deleteGatewayRule,
  run: async (context, { rule }) => {
    const { http, tcp, component } = await operations.deleteGatewayRule(context, rule);
    return { httpRule: http, tcpRule: tcp, component: (await componentById(context, component.id))! };
  },
  payload: (t) => ({
    httpRule: t.expose('httpRule', {
      type: HttpRule,
      nullable: true,
      description: 'The rule as it last was, if it was an HTTP rule.',
    }),
    tcpRule: t.expose('tcpRule', {
      type: TcpRule,
      nullable: true,
      description: 'The rule as it last was, if it was a TCP rule.',
    }),
    component: t.expose('component', { type: Component, description: 'The component that it belonged to.' }),
  }),
});
