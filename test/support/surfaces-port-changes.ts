import { expect } from 'vitest';
import type { GraphqlCall, RestCall } from './surfaces.ts';
import { portSelection, type Twin } from './surfaces-twins.ts';

/** One change, as either surface says it. */
export interface Change {
  name: string;
  /** What both twins are before: mutations of GraphQL. */
  before?(twin: Twin): [string, object, string][];
  rest(twin: Twin): RestCall;
  graphql(twin: Twin): Extract<GraphqlCall, { mutation: string }>;
  /** The actions on the record, in their order. */
  recorded: string[];
  /** What has to be so afterwards, whichever surface did it: of the port, or of the application. */
  port?: object | null;
  afterwards?(state: { ports: any[]; components: any[]; rules: any; upgrades: any[] }, twin: Twin): void;
}

/** A port, as GraphQL names it. */
export const at = (twin: Twin, number = 8080) => ({
  at: { component: { componentId: twin.componentId }, number },
});
const onPort = (mutation: string, more: object = {}, number = 8080) => ({
  graphql: (twin: Twin) => ({
    mutation,
    input: { port: at(twin, number), ...more },
    selection: portSelection,
  }),
});
const put = (body: object, number = 8080) => ({
  rest: (twin: Twin) => ({ at: `PUT ${twin.component}/ports/${number}`, body }),
});
const make = (mutation: string, number = 8080) => ({
  before: (twin: Twin): [string, object, string][] => [[mutation, { port: at(twin, number) }, 'port { id }']],
});
const domainOf = (twin: Twin) =>
  `8080.${twin.alias}.${twin.place.team.name}.${twin.place.region.name}.apps.example`;

/** The actions of a switch, each in both directions and where it is so already. */
const switches: Change[] = [
  {
    name: 'open_outer of an HTTP port',
    ...put({ action: 'open_outer' }),
    ...onPort('openOuterService'),
    recorded: ['http_rule.create', 'port.open_outer'],
    port: { is_outer_service: true },
    afterwards: ({ components, rules: { http } }, twin) => {
      expect(http).toMatchObject([{ type: 0, is_outer_service: true, domain_name: domainOf(twin) }]);
      expect(components[0].access_infos).toEqual([`http://${domainOf(twin)}/`]);
    },
  },
  {
    name: 'open_outer of a TCP port',
    ...put({ action: 'open_outer' }, 9090),
    ...onPort('openOuterService', {}, 9090),
    recorded: ['tcp_rule.create', 'port.open_outer'],
    afterwards: ({ rules: { tcp } }) =>
      expect(tcp).toMatchObject([{ end_point: '0.0.0.0:30000', is_outer_service: true, type: 0 }]),
  },
  {
    name: 'open_outer where it is open',
    ...make('openOuterService'),
    ...put({ action: 'open_outer' }),
    ...onPort('openOuterService'),
    recorded: [],
    port: { is_outer_service: true },
  },
  {
    name: 'close_outer',
    ...make('openOuterService'),
    ...put({ action: 'close_outer' }),
    ...onPort('closeOuterService'),
    recorded: ['http_rule.unpublish', 'port.close_outer'],
    port: { is_outer_service: false },
    afterwards: ({ components, rules: { http } }) => {
      expect(http).toMatchObject([{ is_outer_service: false }]);
      expect(components[0].access_infos).toEqual([]);
    },
  },
  {
    name: 'close_outer where it is closed',
    ...put({ action: 'close_outer' }),
    ...onPort('closeOuterService'),
    recorded: [],
    port: { is_outer_service: false },
  },
  {
    name: 'open_inner',
    ...put({ action: 'open_inner' }),
    ...onPort('openInnerService'),
    recorded: ['port.open_inner'],
    port: { is_inner_service: true },
  },
  {
    name: 'close_inner',
    ...make('openInnerService'),
    ...put({ action: 'close_inner' }),
    ...onPort('closeInnerService'),
    recorded: ['port.close_inner'],
    port: { is_inner_service: false },
  },
];

const changes: Change[] = [
  {
    name: 'change_protocol',
    // What the action does not use is ignored, whatever it holds.
    ...put({ action: 'change_protocol', protocol: 'udp', port_alias: 'no alias', cluster_service_name: 7 }),
    ...onPort('changePortProtocol', { protocol: 'UDP' }),
    recorded: ['port.change_protocol'],
    port: { protocol: 'udp' },
  },
  {
    name: 'change_port_alias',
    ...put({ action: 'change_port_alias', port_alias: 'WEB' }),
    ...onPort('changePortAlias', { alias: 'WEB' }),
    recorded: ['port.change_alias'],
    port: { port_alias: 'WEB', cluster_service_name: 'ALIAS' },
  },
  {
    name: 'change_port_alias with the inner domain, which is that of all ports',
    ...put({ action: 'change_port_alias', port_alias: 'WEB', cluster_service_name: 'inside' }),
    ...onPort('changePortAlias', { alias: 'WEB', serviceName: 'inside' }),
    recorded: ['port.change_alias'],
    port: { port_alias: 'WEB', cluster_service_name: 'inside' },
    afterwards: ({ ports }) =>
      expect(ports.map((each) => each.cluster_service_name)).toEqual(['inside', 'inside']),
  },
];

export const addPort: Change[] = [
  {
    name: 'with all its fields',
    rest: ({ component }) => ({
      at: `POST ${component}/ports`,
      body: { port: '7001', protocol: 'mysql', port_alias: 'DATA', is_inner_service: true },
    }),
    graphql: ({ componentId }) => ({
      mutation: 'addPort',
      input: { component: { componentId }, number: 7001, protocol: 'MYSQL', alias: 'DATA', isInner: true },
      selection: portSelection,
    }),
    recorded: ['port.add'],
    port: { container_port: 7001, protocol: 'mysql', port_alias: 'DATA', is_inner_service: true },
  },
  {
    name: 'with its defaults',
    rest: ({ component }) => ({ at: `POST ${component}/ports`, body: { port: 7001, protocol: 'grpc' } }),
    graphql: ({ componentId }) => ({
      mutation: 'addPort',
      input: { component: { componentId }, number: 7001, protocol: 'GRPC' },
      selection: portSelection,
    }),
    recorded: ['port.add'],
    port: {
      container_port: 7001,
      protocol: 'grpc',
      port_alias: 'UPPER_ALIAS_7001',
      is_inner_service: false,
      is_outer_service: false,
      cluster_service_name: 'ALIAS',
    },
  },
];

export const deletePort: Change[] = [
  {
    name: 'of an open port, with its default rule',
    ...make('openOuterService'),
    rest: ({ component }) => ({ at: `DELETE ${component}/ports/8080` }),
    ...onPort('deletePort'),
    recorded: ['http_rule.delete', 'domain.release', 'port.delete'],
    port: { container_port: 8080, is_outer_service: true },
    afterwards: ({ ports, rules: { http } }) => {
      expect(ports.map((each) => each.container_port)).toEqual([9090]);
      expect(http).toEqual([]);
    },
  },
];

export const updatePort = [...switches, ...changes];
