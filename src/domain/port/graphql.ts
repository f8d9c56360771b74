import { builder, restName } from '../../graphql/schema/builder.ts';
import { connectionField, orderInput } from '../../graphql/schema/connection.ts';
import { enumOf, inputOf, referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { Component } from '../component/graphql.ts';
import { componentById } from '../component/reads.ts';
import {
  addPort,
  changePortAlias,
  changePortProtocol,
  onePort,
  type PortProtocol,
  portAddress,
  portProtocol,
  portRef,
  type Switch,
} from './model.ts';
import * as operations from './operations.ts';
import { portsOf, requirePort, serviceNameOf, visiblePort } from './reads.ts';

inputOf('PortAddress', portAddress, 'A port by its number in a component.');
export const PortRef = referenceOf('PortRef', portRef, 'Names a port: exactly one field.');

const PortProtocolEnum = enumOf('PortProtocol', portProtocol, 'What is spoken on a port.', {
  tcp: 'Anything over TCP.',
  http: 'HTTP; reached from outside by domain.',
  mysql: 'The MySQL protocol.',
  grpc: 'gRPC; reached from outside by domain.',
  udp: 'UDP.',
});

export const Port = entity('Port', 'Port', {
  description: 'A network port of a component.',
  read: visiblePort,
  id: (row) => row.id,
  fields: (t) => ({
    number: t.exposeInt('number', { description: restName('Number, 1 to 65535.', 'container_port') }),
    protocol: t.field({
      type: PortProtocolEnum,
      description: 'What is spoken on it.',
      columns: ['protocol'],
      resolve: (port) => port.protocol as PortProtocol,
    }),
    alias: t.exposeString('alias', { description: restName('Unique in the component.', 'port_alias') }),
    isInner: t.exposeBoolean('isInner', {
      description: restName('Whether it is open inside the cluster.', 'is_inner_service'),
    }),
    isOuter: t.exposeBoolean('isOuter', {
      description: restName('Whether it is open to the outside.', 'is_outer_service'),
    }),
    serviceName: t.string({
      description: restName('Inner domain: of all ports of the component.', 'cluster_service_name'),
      columns: ['componentId'],
      resolve: (port, _, context) => serviceNameOf(context, port),
    }),
    additionalName: t.exposeString('additionalName', {
      nullable: true,
      description:
        'A second inner domain, of this port alone; null if there is none. Templates that give several inner domains to one component set it. The connection variables of the port use it.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    component: t.field({
      type: Component,
      description: 'The component that it is part of.',
      columns: ['componentId'],
      resolve: async (port, _, context) => (await componentById(context, port.componentId))!,
    }),
  }),
});

const PortOrder = orderInput('Port', { NUMBER: 'Number.', ALIAS: 'Alias.' });

builder.queryField('port', (t) =>
  t.field({
    type: Port,
    nullable: true,
    description: 'A port that the caller may see.',
    args: {
      by: t.arg({
        type: PortRef,
        required: true,
        description: 'Which port.',
        validate: { schema: portRef } as never,
      }),
    },
    resolve: async (_, { by }, context) => (await requirePort(context, by)).port,
  }),
);

builder.objectField(Component, 'ports', (t) =>
  connectionField(t, {
    node: Port,
    plural: 'ports',
    description: 'The ports of the component. REST: `GET …/ports`.',
    args: builder.args((arg) => ({
      protocol: arg.field({ type: PortProtocolEnum, description: 'Only those that speak this.' }),
      isInner: arg.boolean({ description: 'Only those that are, or are not, open inside the cluster.' }),
      isOuter: arg.boolean({ description: 'Only those that are, or are not, open to the outside.' }),
      orderBy: arg.field({ type: PortOrder, description: 'The order; by number when left out.' }),
    })),
    columns: ['id'],
    list: (component, args) => portsOf(component.id, args),
  }),
);

mutation('addPort', {
  description: 'Adds a port to a component. Takes the role developer in the team. REST: `POST …/ports`.',
  input: addPort,
  run: async (context, input) => ({ port: await operations.addPort(context, input) }),
  payload: (t) => ({ port: t.expose('port', { type: Port, description: 'The new port.' }) }),
});

const switching: [name: string, action: Switch, description: string][] = [
  ['openOuterService', 'open_outer', 'Opens a port to the outside'],
  ['closeOuterService', 'close_outer', 'Closes a port to the outside'],
  ['openInnerService', 'open_inner', 'Opens a port inside the cluster'],
  ['closeInnerService', 'close_inner', 'Closes a port inside the cluster'],
];

for (const [name, action, description] of switching) {
  mutation(name, {
    description: `${description}; one that is so already stays. Takes the role developer in the team. REST: \`PUT …/ports/{port}\`, action \`${action}\`.`,
    input: onePort.extend({}),
    run: async (context, { port }) => ({ port: await operations.switchPort(context, port, action) }),
    payload: (t) => ({ port: t.expose('port', { type: Port, description: 'The port as it is now.' }) }),
  });
}

mutation('changePortProtocol', {
  description:
    'Changes the protocol of a port. Between HTTP and gRPC on one side and the others on the other the port must be closed to the outside. Takes the role developer in the team. REST: `PUT …/ports/{port}`, action `change_protocol`.',
  input: changePortProtocol,
  run: async (context, { port, protocol }) => ({
    port: await operations.changePortProtocol(context, port, protocol),
  }),
  payload: (t) => ({ port: t.expose('port', { type: Port, description: 'The port as it is now.' }) }),
});

mutation('changePortAlias', {
  description:
    'Changes the alias of a port and, where given, the inner domain of its component. Takes the role developer in the team. REST: `PUT …/ports/{port}`, action `change_port_alias`.',
  input: changePortAlias,
  run: async (context, { port, alias, serviceName }) => ({
    port: await operations.changePortAlias(context, port, alias, serviceName),
  }),
  payload: (t) => ({ port: t.expose('port', { type: Port, description: 'The port as it is now.' }) }),
});

mutation('deletePort', {
  description: 'Deletes a port. Takes the role developer in the team. REST: `DELETE …/ports/{port}`.',
  input: onePort.extend({}),
  run: async (context, { port }) => {
    const deleted = await operations.deletePort(context, port);
    return { port: deleted, component: (await componentById(context, deleted.componentId))! };
  },
  payload: (t) => ({
    port: t.expose('port', { type: Port, description: 'The port as it last was.' }),
    component: t.expose('component', { type: Component, description: 'The component that it was part of.' }),
  }),
});
