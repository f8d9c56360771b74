import type { DesiredComponent } from '../../desired.ts';
import { annotations, type KubernetesObject, keyOf, shareLabel } from '../objects/objects.ts';
import type { ClusterScope } from '../write/scope.ts';
import { domainsOf, sharedIn, sharedObjects, sharesOf } from './shared.ts';

/**
 * A component's shares in routes and certificates of the cluster that its rules do not have: a request has arrived late, or
 * somebody else has made them.
 */
export async function routesLeft(
  scope: ClusterScope,
  component: DesiredComponent,
): Promise<KubernetesObject[]> {
  const { region, connection, source, signal } = scope;
  if (!region.cluster.gatewayClass) return [];
  const kinds = await sharedIn(scope);
  const isKnown = await connection.cache.hasAll(kinds, 'team', signal);
  const shares = await sharesOf(scope, component, kinds, isKnown);
  if (shares.length === 0) return [];
  const rules = component.state === 'running' ? component.httpRules : [];
  const leftDomains = shares.flatMap(({ metadata }) => metadata.annotations?.[annotations.domain] ?? []);
  const others = await source.otherRules(region.id, component, [
    ...new Set([...domainsOf(rules), ...leftDomains]),
  ]);
  const before = new Map(shares.map((object) => [keyOf(object), object]));
  const label = shareLabel(component);
  const desired = (await sharedObjects(scope, component, rules, others, before)).filter(
    ({ metadata }) => metadata.labels?.[label] !== undefined,
  );
  const desiredKeys = new Set(desired.map(keyOf));
  return shares.filter((object) => !desiredKeys.has(keyOf(object)));
}
