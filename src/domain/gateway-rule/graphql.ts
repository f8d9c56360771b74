import type { ObjectRef } from '@pothos/core';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { builder, type Types } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { property, propertyOrNull } from '../../graphql/schema/exposed.ts';
import { referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { derived, lengthOf } from '../../kernel/derived.ts';
import { Application } from '../application/graphql.ts';
import { Component } from '../component/graphql.ts';
import { loadComponent } from '../component/reads.ts';
import { Port } from '../port/graphql.ts';
import { HttpRule } from './http/graphql.ts';
import type { RuleModel } from './list-reads.ts';
import { deleteGatewayRule, gatewayRuleRef } from './model.ts';
import * as operations from './operations.ts';
import { accessUrlsOf, type RuleOwner, rulesOf } from './reads.ts';
import { TcpRule } from './tcp/graphql.ts';

referenceOf('GatewayRuleRef', gatewayRuleRef, 'Identifies an HTTP or TCP rule. Set exactly one field.');

const GatewayRules = objectType<RuleOwner>('GatewayRules', {
  description: 'The gateway rules of an application, a component or a port.',
  fields: (t) => {
    const list = <M extends RuleModel>(model: M, node: ObjectRef<Types, Row<M>>, plural: string) =>
      connectionField(t, {
        node,
        plural,
        description: `The ${plural}, sorted by id.`,
        list: (owner, _, context) => rulesOf(context, model, owner),
      });
    return {
      http: list('HttpRule', HttpRule, 'HTTP rules'),
      tcp: list('TcpRule', TcpRule, 'TCP rules'),
    };
  },
});

function addRules<R extends { id: number | string }>(
  owner: ObjectRef<Types, R>,
  noun: string,
  field: RuleOwner['field'],
): void {
  builder.objectField(owner, 'gatewayRules', (t) =>
    t.field({
      type: GatewayRules,
      description: `The gateway rules of the ${noun}, which expose it to the outside.`,
      resolve: ({ id }) => ({ field, key: id }) as RuleOwner,
    }),
  );
}

addRules(Application, 'application', 'applicationId');
addRules(Component, 'component', 'componentId');
addRules(Port, 'port', 'portId');

const componentUrls = derived(
  (component: Pick<Row<'Component'>, 'id' | 'regionId'>, context: Context) =>
    accessUrlsOf(context, component),
  (_, urls) => lengthOf(urls),
);

builder.objectField(Component, 'accessUrls', (t) =>
  t.stringList({
    description:
      'The public addresses: `http(s)://domain/path` for each published HTTP rule, then `host:port` for each published TCP rule. REST: `access_infos`.',
    resolve: (component, _, context) => componentUrls(component, context),
  }),
);

mutation('deleteGatewayRule', deleteGatewayRule, operations.deleteGatewayRule, {
  description: 'Deletes a gateway rule. Its port is unchanged.',
  operation: { selection: { component: false, httpRule: false, tcpRule: false } },
  load: async (context, { http, tcp, component, plan }) => ({
    httpRule: http,
    tcpRule: tcp,
    plan,
    component: await loadComponent(context, component.id),
  }),
  payload: {
    httpRule: propertyOrNull(HttpRule, 'The deleted rule. Null if it was a TCP rule.'),
    tcpRule: propertyOrNull(TcpRule, 'The deleted rule. Null if it was an HTTP rule.'),
    component: property(Component, 'The component that the rule belonged to.'),
  },
});
