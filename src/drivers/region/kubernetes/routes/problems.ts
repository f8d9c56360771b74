import { gatewayName, slug, tcpGatewayName, tcpName } from '../../object-names.ts';
import type { RouteAccess, RouteProblems, TcpRouteProblems } from '../../route-problems.ts';
import { fromMemory } from '../cluster/answers.ts';
import type { Condition } from '../objects/conditions.ts';
import { isOfRegion, namespaceIn, teamNamespace } from '../objects/namespaces.ts';
import { type KubernetesObject, labels, teamSelector } from '../objects/objects.ts';
import type { ClusterScope } from '../write/scope.ts';
import type { InCluster } from '../write/scopes.ts';
import { matchOf } from './matches.ts';

/** The conditions without which no request arrives. */
const needed = ['Accepted', 'Programmed', 'ResolvedRefs'];

const unmet = (of: string, conditions: readonly Condition[] = []): string[] =>
  conditions
    .filter(({ type, status }) => needed.includes(type) && status !== 'True')
    .map(({ type, status, reason, message }) => `${of}: ${type} is ${status}: ${message || reason || ''}`);

/** The problems of a gateway with the listeners that a route uses. Others are of domains that the caller may not see. */
function problemsOfGateway(
  { metadata: { name }, status = {} }: KubernetesObject,
  { spec }: KubernetesObject,
): string[] {
  const used = new Set(spec.parentRefs.map(({ sectionName }: { sectionName: string }) => sectionName));
  const listeners: { name: string; conditions?: Condition[] }[] = status.listeners ?? [];
  return [
    ...unmet(`Gateway ${name}`, status.conditions),
    ...listeners
      .filter((listener) => used.has(listener.name))
      .flatMap((listener) => unmet(`Gateway ${name}, ${listener.name}`, listener.conditions)),
  ];
}

/** The problems of a route and of its gateway. */
function problemsOf(route: KubernetesObject, gateway: KubernetesObject | undefined): string[] {
  const { kind, metadata, status } = route;
  const own = (status?.parents ?? []).flatMap(({ conditions }: { conditions?: Condition[] }) =>
    unmet(`${kind} ${metadata.name}`, conditions),
  );
  return [...new Set([...(gateway ? problemsOfGateway(gateway, route) : []), ...own])];
}

/** The problems in the conditions of the team's gateway and routes. Ingress objects have no conditions. */
async function read({ connection, region, signal }: ClusterScope, teamId: string): Promise<RouteProblems> {
  if (!region.cluster.gatewayClass) return { of: () => [] };
  const { client } = connection;
  const namespace = namespaceIn(region, teamNamespace({ teamId }));
  const [gateway, routes] = await Promise.all([
    client.read('Gateway', namespace, gatewayName, signal),
    client.list('HTTPRoute', signal, { namespace, labelSelector: teamSelector(teamId), ...fromMemory }),
  ]);
  const byName = new Map(routes.items.map((route) => [route.metadata.name, route]));
  return {
    of(rule) {
      const route = byName.get(slug(matchOf(rule)));
      // A rule that is not served has no route.
      return route ? problemsOf(route, gateway) : [];
    },
  };
}

/** The problems in the conditions of the components' own gateways and routes. Services have no conditions. */
async function readTcp(
  { connection, region, signal }: ClusterScope,
  teamId: string,
): Promise<TcpRouteProblems> {
  if (!(await connection.capabilities.hasTcpRoutes(region, signal))) return { of: () => [] };
  const { client } = connection;
  // They are in the namespaces of the components.
  const list = async (kind: 'Gateway' | 'TCPRoute') =>
    (await client.list(kind, signal, { labelSelector: teamSelector(teamId), ...fromMemory })).items.filter(
      isOfRegion(region),
    );
  const [gateways, routes] = await Promise.all([list('Gateway'), list('TCPRoute')]);
  const keyOf = (id: string | undefined, name: string) => `${id} ${name}`;
  const byKey = (objects: readonly KubernetesObject[]) =>
    new Map(
      objects.map((object) => {
        const { name, labels: has } = object.metadata;
        return [keyOf(has?.[labels.component], name), object];
      }),
    );
  const [gatewayByKey, routeByKey] = [byKey(gateways), byKey(routes)];
  return {
    of({ component, outerPort }) {
      const route = routeByKey.get(keyOf(component.id, tcpName(component, outerPort)));
      const gateway = gatewayByKey.get(keyOf(component.id, tcpGatewayName(component)));
      return route ? problemsOf(route, gateway) : [];
    },
  };
}

export const routeAccess = (inCluster: InCluster): RouteAccess => ({
  problems: (regionId, teamId, signal) => inCluster(regionId, signal, (scope) => read(scope, teamId)),
  tcpProblems: (regionId, teamId, signal) => inCluster(regionId, signal, (scope) => readTcp(scope, teamId)),
});
