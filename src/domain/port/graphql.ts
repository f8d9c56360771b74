import { builder } from '../../graphql/schema/builder.ts';
import { wantedObject } from '../../graphql/schema/columns.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { enumOf, inputOf, referenceOf } from '../../graphql/schema/input.ts';
import { addList } from '../../graphql/schema/list.ts';
import { mutation, type OperationOptions } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { nullOnError } from '../../graphql/schema/null-on-error.ts';
import { orderInput } from '../../graphql/schema/order.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { viewerCan } from '../../graphql/schema/viewer-can.ts';
import { Component } from '../component/graphql.ts';
import { loadComponent } from '../component/reads.ts';
import {
  addPort,
  changePortAlias,
  changePortProtocol,
  onePort,
  portAddress,
  portProtocol,
  portRef,
} from './model.ts';
import * as operations from './operations.ts';
import { loadPort, mayActOnPort, namedPort, portsOf, serviceNameOf, visiblePort } from './reads.ts';

inputOf('PortAddress', portAddress, 'Identifies a port by its component and number.');
const PortRef = referenceOf('PortRef', portRef, 'Identifies a port. Set exactly one field.');

export const PortProtocolEnum = enumOf('PortProtocol', portProtocol, 'The protocol of a port.', {
  tcp: 'TCP.',
  http: 'HTTP. Exposed to the outside by HTTP rules.',
  mysql: 'MySQL.',
  grpc: 'gRPC. Exposed to the outside by HTTP rules.',
  udp: 'UDP.',
  tcp_udp: 'TCP and UDP on the same number. REST: `tcp`.',
});

export const Port = entity('Port', 'Port', {
  description: 'A network port of a component.',
  read: visiblePort,
  load: loadPort,
  revision: 'A change of the internal domain name is counted for all ports of the component.',
  exposes: {
    'number: Int!': 'The port number, from 1 to 65535. REST: `container_port`.',
    'alias: String!': 'The alias, unique in the component. REST: `port_alias`.',
    'isInner: Boolean!': 'Whether the port is open inside the cluster. REST: `is_inner_service`.',
    'isOuter: Boolean!': 'Whether the port is open to the outside. REST: `is_outer_service`.',
    'additionalName: String':
      'A second internal domain name, for this port only. Null if not set. It is set by templates that give several internal domain names to one component, and used in the connection variables of the port.',
    'createdAt: DateTime!': 'The creation time.',
    protocol: property(PortProtocolEnum, 'The protocol.'),
  },
  fields: (t) => ({
    serviceName: t.using('componentId').string({
      description:
        'The internal domain name, shared by all ports of the component. REST: `cluster_service_name`.',
      resolve: (port, _, context) => serviceNameOf(context, port),
    }),
    component: t.using('componentId').field({
      type: Component,
      description: 'The component that the port belongs to.',
      resolve: (port, _, context, info) =>
        loadComponent(context, port.componentId, wantedObject(info, 'Component').columns),
    }),
  }),
});

const PortOrder = orderInput('Port', { NUMBER: 'Number.', ALIAS: 'Alias.' });

builder.queryField('port', (t) =>
  t.field({
    type: Port,
    ...nullOnError,
    description:
      'Looks up a port. Fails with NOT_FOUND if it does not exist or is not visible to the caller.',
    args: {
      by: t.arg({
        type: PortRef,
        required: true,
        description: 'The port to look up.',
        validate: validatedBy(portRef),
      }),
    },
    resolve(_, { by }, context, info) {
      const component = wantedObject(info, 'Port').fields.get('component');
      const selected = component && wantedObject({ ...info, fieldNodes: component }, 'Component').fields;
      return namedPort(
        context,
        by,
        ['application', 'team', 'region'].some((field) => selected?.has(field)),
      );
    },
  }),
);

addList(Component, 'ports', Port, {
  description: 'The ports of the component. REST: `GET …/ports`.',
  args: builder.args((arg) => ({
    protocol: arg.field({ type: PortProtocolEnum, description: 'Returns only ports with this protocol.' }),
    isInner: arg.boolean({
      description: 'Returns only ports that are, or are not, open inside the cluster.',
    }),
    isOuter: arg.boolean({ description: 'Returns only ports that are, or are not, open to the outside.' }),
    orderBy: arg.field({ type: PortOrder, description: 'The sort order. Defaults to number.' }),
  })),
  list: (component, args) => portsOf(component.id, args),
});

/** The fields of a port, and where its component is reached after a change of it. */
const withAddresses = '...PortSummary component { id name accessUrls }';

mutation('addPort', addPort, operations.addPort, {
  description: 'Adds a port to a component. REST: `POST …/ports`.',
  operation: { selection: { port: withAddresses } },
  payload: { port: property(Port, 'The new port.') },
});

const changedPort = { port: property(Port, 'The updated port.') };

const daily: OperationOptions = { isDaily: true };
for (const [name, action, what, operation = {}] of [
  [
    'openOuterService',
    'open_outer',
    'Opens a port to the outside',
    { ...daily, advice: 'Its gateway rules are then published.' },
  ],
  ['closeOuterService', 'close_outer', 'Closes a port to the outside', daily],
  ['openInnerService', 'open_inner', 'Opens a port inside the cluster'],
  ['closeInnerService', 'close_inner', 'Closes a port inside the cluster'],
] as const) {
  mutation(name, onePort.extend({}), (context, input) => operations.switchPort(context, input, action), {
    description: `${what}. Idempotent. REST: \`PUT …/ports/{port}\`, action \`${action}\`.`,
    operation: { ...operation, selection: { port: withAddresses } },
    payload: changedPort,
  });
}

mutation('changePortProtocol', changePortProtocol, operations.changePortProtocol, {
  description:
    'Changes the protocol of a port. To change between HTTP or gRPC and another protocol, first close the port to the outside. Idempotent. REST: `PUT …/ports/{port}`, action `change_protocol`.',
  operation: { selection: { port: withAddresses } },
  payload: changedPort,
});

mutation('changePortAlias', changePortAlias, operations.changePortAlias, {
  description:
    'Changes the alias of a port and, optionally, the internal domain name of its component. Idempotent. REST: `PUT …/ports/{port}`, action `change_port_alias`.',
  payload: changedPort,
});

mutation('deletePort', onePort.extend({}), operations.deletePort, {
  description:
    'Deletes a port and its default gateway rules. Fails with CONFLICT while a custom gateway rule uses the port. REST: `DELETE …/ports/{port}`.',
  operation: { selection: { port: withAddresses, component: false } },
  load: async (context, { port, plan }) => ({
    port,
    plan,
    component: await loadComponent(context, port.componentId),
  }),
  payload: {
    port: property(Port, 'The deleted port.'),
    component: property(Component, 'The component that the port belonged to.'),
  },
});

viewerCan(Port, {
  noun: 'a port',
  type: 'Port',
  columns: ['componentId', 'protocol'],
  unless: 'the region is not enabled or the protocol of the port does not allow it',
  decide: mayActOnPort,
});
