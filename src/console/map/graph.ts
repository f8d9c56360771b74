import type { ResultOf } from '../api/graphql.ts';
import type { MapQuery } from '../documents/map.ts';

export type MapApplication = NonNullable<ResultOf<typeof MapQuery>['application']>;
export type MapComponent = MapApplication['components']['nodes'][number];
export type MapPort = MapComponent['ports']['nodes'][number];

export interface MapNode {
  id: string;
  kind: 'component' | 'elsewhere' | 'outside';
  name: string;
  /** Of a component of this application. */
  component?: MapComponent;
  /** Of a component of another application. */
  uid?: string;
}

export interface MapEdge {
  id: string;
  kind: 'dependency' | 'rule';
  source: string;
  target: string;
  /** The port of the target that a rule leads to. */
  port?: string;
  /** The address of a rule. */
  label?: string;
  isPublished?: boolean;
}

export interface MapGraph {
  nodes: MapNode[];
  edges: MapEdge[];
}

/** The node for everything outside of the platform. */
const outsideId = 'outside';

/** The graph of an application: its components, what they depend on, and what leads to them from the outside. */
export function graphOf({ components, gatewayRules }: MapApplication, outside: string): MapGraph {
  const ids = new Set(components.nodes.map(({ id }) => id));
  const elsewhere = new Map<string, MapNode>();
  const dependencies = components.nodes.flatMap((component) =>
    component.dependencies.nodes.map(({ id, uid, name }): MapEdge => {
      if (!ids.has(id)) elsewhere.set(id, { id, kind: 'elsewhere', name, uid });
      return { id: `${component.id} ${id}`, kind: 'dependency', source: component.id, target: id };
    }),
  );
  const rules = [
    ...gatewayRules.http.nodes.map((rule) => ({ ...rule, label: rule.accessUrl.replace(/\/$/, '') })),
    ...gatewayRules.tcp.nodes.map((rule) => ({ ...rule, label: rule.mappedAddress ?? rule.accessUrl })),
  ]
    .filter(({ component }) => ids.has(component.id))
    .map(
      ({ id, label, isPublished, port, component }): MapEdge => ({
        id,
        kind: 'rule',
        source: outsideId,
        target: component.id,
        port: port.id,
        label,
        isPublished,
      }),
    );
  return {
    nodes: [
      ...(rules.length > 0 ? [{ id: outsideId, kind: 'outside' as const, name: outside }] : []),
      ...components.nodes.map((component) => ({
        id: component.id,
        kind: 'component' as const,
        name: component.name,
        component,
      })),
      ...elsewhere.values(),
    ],
    edges: [...rules, ...dependencies],
  };
}
