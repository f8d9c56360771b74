import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Expecting } from '../../db/write/revision.ts';
import { type EntityTags, entityTag, expectedBy } from '../../rest/entity-tag.ts';
import { allOf, named, numeric } from '../../rest/parameters.ts';
import { type Route, route } from '../../rest/route.ts';
import { body, described, fieldsOf, view } from '../../rest/view.ts';
import { componentAt, componentPath } from '../component/rest.ts';
import {
  addPort,
  changePortAlias,
  contractProtocol,
  contractProtocolOf,
  type PortRef,
  portAddress,
  type Switch,
  switches,
} from './model.ts';
import * as operations from './operations.ts';
import { portsOf, serviceNameOf } from './reads.ts';

const ports = '/teams/{team_id}/regions/{region_name}/apps/{app_id}/services/{service_id}/ports';
const portPath = {
  ...componentPath,
  port: numeric(portAddress.shape.number, 'The port number, from 1 to 65535.', 8080),
};

const field = fieldsOf<Row<'Port'> & { serviceName?: string }>();

const portInfo = view('ComponentPort', 'A network port of a component.', {
  container_port: field(z.int(), 'The port number, from 1 to 65535.', 8080, (port) => port.number),
  protocol: field(contractProtocol, 'The protocol.', 'http', (port) => contractProtocolOf(port.protocol)),
  port_alias: field(z.string(), 'The alias, unique in the component.', 'GR07C0FF_8080', (port) => port.alias),
  is_inner_service: field(
    z.boolean(),
    'Whether the port is open inside the cluster.',
    false,
    (port) => port.isInner,
  ),
  is_outer_service: field(
    z.boolean(),
    'Whether the port is open to the outside.',
    true,
    (port) => port.isOuter,
  ),
  cluster_service_name: field.each(
    z.string(),
    'The internal domain name, shared by all ports of the component.',
    'gr07c0ff',
    (port, context) => serviceNameOf(context, port),
  ),
});

const newPort = body(
  'NewPort',
  'The port to add.',
  z.strictObject({
    port: numeric(
      addPort.shape.number,
      'The port number, from 1 to 65535, as a string or number. Unique in the component.',
      9000,
    ).meta({
      examples: ['9000'],
    }),
    protocol: described(contractProtocol, 'The protocol.', 'http'),
    port_alias: described(
      addPort.shape.alias,
      'The alias, unique in the component. Defaults to the component alias in upper case, with `_` for `-`, and the port number.',
      'WEB_9000',
    ),
    is_inner_service: described(
      addPort.shape.isInner,
      'Whether the port is open inside the cluster. Defaults to false.',
      true,
    ),
  }),
);

/** Fields that an action does not use are allowed in the body and ignored. */
const ignored = described(z.unknown().optional(), 'Ignored for this action.');
const onlySwitches = Object.keys(switches) as [Switch, ...Switch[]];
const actions = [...onlySwitches, 'change_protocol', 'change_port_alias'];

const portChange = body(
  'PortChange',
  'An action on a port. Fields that the action does not use are ignored.',
  z.discriminatedUnion(
    'action',
    [
      z.strictObject({
        action: described(
          z.enum(onlySwitches),
          'Opens or closes the port, to the outside or inside the cluster.',
          'open_outer',
        ),
        protocol: ignored,
        port_alias: ignored,
        cluster_service_name: ignored,
      }),
      z.strictObject({
        action: described(z.literal('change_protocol'), 'Changes the protocol.'),
        protocol: described(contractProtocol, 'The new protocol.', 'grpc'),
        port_alias: ignored,
        cluster_service_name: ignored,
      }),
      z.strictObject({
        action: described(
          z.literal('change_port_alias'),
          'Changes the alias and, optionally, the internal domain name.',
        ),
        protocol: ignored,
        port_alias: described(changePortAlias.shape.alias, 'The new alias.', 'WEB_8080'),
        cluster_service_name: described(
          changePortAlias.shape.serviceName,
          'The new internal domain name of all ports of the component. Unchanged if omitted.',
          'web',
        ),
      }),
    ],
    {
      error: ({ code }) => (code === 'invalid_union' ? `Must be one of ${actions.join(', ')}` : undefined),
    },
  ),
);

/** Runs the action of the body. */
async function changePort(
  context: Context,
  { port, ...expecting }: { port: PortRef } & Expecting,
  change: z.output<typeof portChange>,
) {
  switch (change.action) {
    case 'change_protocol':
      return operations.changePortProtocol(context, { port, ...expecting, protocol: change.protocol });
    case 'change_port_alias':
      return operations.changePortAlias(context, {
        port,
        ...expecting,
        alias: change.port_alias,
        serviceName: change.cluster_service_name,
      });
    default:
      return operations.switchPort(context, { port, ...expecting }, change.action);
  }
}

/** The port in a path, with the revisions that `If-Match` allows. The operation checks whether it exists. */
async function portAt(
  context: Context,
  {
    path,
    ifMatch,
  }: { path: Parameters<typeof componentAt>[1] & { port: number }; ifMatch?: EntityTags | undefined },
): Promise<{ port: PortRef } & Expecting> {
  const { id } = await componentAt(context, path);
  const port = { at: { component: { componentId: id }, number: path.port } };
  return { port, expectedRevision: expectedBy(ifMatch, 'Port') };
}

const about = { tag: 'Ports', answer: portInfo.schema } as const;
const changing = { ...about, errors: ['FORBIDDEN', 'CONFLICT'] } as const;

export const portRoutes: Route[] = [
  route(`get ${ports}`, {
    ...about,
    operationId: 'listPorts',
    summary: 'List component ports',
    description: 'Returns all ports of the component, sorted by number.',
    params: componentPath,
    answer: z.array(portInfo.schema),
    run: async (context, { path }) => {
      const component = await componentAt(context, path);
      return portInfo.all(context, await allOf(context, portsOf(component.id, {})));
    },
  }),
  route(`post ${ports}`, {
    ...changing,
    operationId: 'addPort',
    summary: 'Add component port',
    description: 'Adds a port to a component. Requires the `developer` role in the team.',
    params: componentPath,
    body: newPort,
    change: async (context, { path, body: input }) => {
      const { id } = await componentAt(context, path);
      const { port } = await operations.addPort(context, {
        component: { componentId: id },
        number: input.port,
        protocol: input.protocol,
        alias: input.port_alias,
        isInner: input.is_inner_service,
      });
      return port;
    },
    etag: (port) => entityTag('Port', port),
    run: (context, _, port) => portInfo.of(context, port),
  }),
  route(`put ${ports}/{port}`, {
    ...changing,
    operationId: 'updatePort',
    summary: 'Update component port',
    description:
      'Opens or closes a port, or changes its protocol or alias. Idempotent. Requires the `developer` role in the team.',
    params: portPath,
    body: portChange,
    takesIfMatch: true,
    change: async (context, given) =>
      (await changePort(context, await portAt(context, given), given.body)).port,
    etag: (port) => entityTag('Port', port),
    run: (context, _, port) => portInfo.of(context, port),
  }),
  route(`delete ${ports}/{port}`, {
    ...changing,
    operationId: 'deletePort',
    summary: 'Delete component port',
    description:
      'Deletes a port and its default gateway rules, and returns the deleted port. Requires the `developer` role in the team.',
    // A different port than in the other examples, which would fail after this one was executed.
    params: { ...portPath, service_id: named(componentPath.service_id.description!, 'gr07c0fe') },
    takesIfMatch: true,
    change: async (context, given) => operations.deletePort(context, await portAt(context, given)),
    run: (context, _, { port }) => portInfo.of(context, port),
  }),
];
