import { getOrCompute } from '../../../../kernel/memo.ts';
import type { OtherRule } from '../../clusters.ts';
import type { ComponentIdentity, DesiredHttpRule } from '../../desired.ts';
import { backendName } from '../../object-names.ts';
import { namespaceIn, teamNamespace } from '../objects/namespaces.ts';
import {
  annotations,
  isOfComponent,
  type KindName,
  type KubernetesObject,
  keyOf,
  shareLabel,
  teamSelector,
  withMetadata,
} from '../objects/objects.ts';
import type { ClusterScope } from '../write/scope.ts';
import { domainCertificatesOf, domainSecretsOf, httpRouteOf, routeName, rulesBy } from './http.ts';
import { limitationsOfHttp } from './limitations.ts';

/** The kinds of what components share. */
export const sharedIn = ({ connection, region, signal }: ClusterScope): Promise<KindName[]> =>
  connection.capabilities.among(['HTTPRoute', 'Secret', 'Certificate'], region, signal);

export const domainsOf = (rules: readonly DesiredHttpRule[]) => [
  ...new Set(rules.map(({ domain }) => domain)),
];

/**
 * The objects in the cluster for the rules of a component, together with those that share them, and for the objects in
 * `before` that it has left: as the rules of all components say now. A component takes its share once it has the Service that
 * requests are sent to. Undefined if neither has a domain.
 */
export async function sharedObjects(
  scope: ClusterScope,
  component: ComponentIdentity,
  rules: readonly DesiredHttpRule[],
  before: ReadonlyMap<string, KubernetesObject> = new Map(),
): Promise<KubernetesObject[] | undefined> {
  const { region, connection, source, signal } = scope;
  const leftDomains = [...before.values()].flatMap(
    ({ metadata }) => metadata.annotations?.[annotations.domain] ?? [],
  );
  const domains = [...new Set([...domainsOf(rules), ...leftDomains])];
  if (domains.length === 0) return undefined;
  const others = await source.otherRules(region.id, component, domains);
  const namespace = namespaceIn(region, teamNamespace(component));
  const published = [...rules.map((rule) => ({ ...rule, component, isRunning: true })), ...others].sort(
    (one, other) => one.id - other.id,
  );
  const isConcerned = (object: KubernetesObject) =>
    object.metadata.labels![shareLabel(component)] !== undefined || before.has(keyOf(object));

  /** Whether requests of a rule have somewhere to go. */
  const backends = new Map<string, Promise<KubernetesObject | undefined>>();
  async function hasBackend({ component: other, portNumber }: OtherRule): Promise<boolean> {
    const { id } = other;
    if (id === component.id) return true;
    const [name, place] = [backendName(other), namespaceIn(region, other)];
    const serves = (service: KubernetesObject | undefined): boolean =>
      isOfComponent(service, id) &&
      service.spec.ports.some(({ port }: { port: number }) => port === portNumber);
    // Another process may have made it a moment ago.
    if (serves(connection.cache.find('Service', place, name))) return true;
    const read = () => connection.client.read('Service', place, name, signal);
    return serves(await getOrCompute(backends, id, read));
  }

  const groups = rulesBy(published, routeName).filter(
    ([first, ...rest]) =>
      [first, ...rest].some((rule) => rule.component.id === component.id) ||
      before.has(`HTTPRoute ${routeName(first)}`),
  );
  const routes = await Promise.all(
    groups.map(async (group) => {
      const isServed = await Promise.all(
        group.map(
          async (rule) =>
            rule.isRunning &&
            limitationsOfHttp(rule, region.cluster, group).refused.length === 0 &&
            hasBackend(rule),
        ),
      );
      const [first, ...rest] = group.filter((_, index) => isServed[index]);
      return first ? [httpRouteOf(component.teamId, [first, ...rest], region)] : [];
    }),
  );
  const running = published.filter(({ isRunning }) => isRunning);
  const certificates = [
    ...domainSecretsOf(component.teamId, running),
    ...domainCertificatesOf(component.teamId, running, region.cluster),
  ].filter(isConcerned);
  return [...certificates, ...routes.flat()].map((object) => withMetadata(object, { namespace }));
}

/** The objects of these kinds in the cluster that a component shares. `isKnown` is whether the watches have them. */
export async function sharesOf(
  { connection, region, signal }: ClusterScope,
  component: ComponentIdentity,
  kinds: readonly KindName[],
  isKnown: boolean,
): Promise<KubernetesObject[]> {
  const namespace = namespaceIn(region, teamNamespace(component));
  if (isKnown) {
    const label = shareLabel(component);
    return kinds.flatMap((kind) =>
      [...connection.cache.informer(kind, 'team')].filter(
        ({ metadata }) => metadata.namespace === namespace && metadata.labels?.[label] !== undefined,
      ),
    );
  }
  const query = { namespace, labelSelector: `${teamSelector(component.teamId)},${shareLabel(component)}` };
  const lists = await Promise.all(kinds.map((kind) => connection.client.list(kind, signal, query)));
  return lists.flatMap(({ items }) => items);
}
