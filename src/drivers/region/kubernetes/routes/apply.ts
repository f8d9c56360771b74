import type { ComponentIdentity, DesiredComponent, DesiredHttpRule } from '../../desired.ts';
import { RegionWorkError } from '../../driver.ts';
import { isStale } from '../cluster/errors.ts';
import { namespaceIn, teamNamespace } from '../objects/namespaces.ts';
import {
  annotations,
  isManaged,
  type KubernetesObject,
  keyOf,
  labels,
  shareLabel,
} from '../objects/objects.ts';
import { applyObject } from '../write/apply-object.ts';
import { requireOwner } from '../write/owner.ts';
import { isIssuedSecret, removeWhole } from '../write/remove.ts';
import type { ClusterScope } from '../write/scope.ts';
import { isIssued } from './certificates.ts';
import { routeName, tlsName } from './http.ts';
import { requireExpressible } from './limitations.ts';
import { domainsOf, sharedIn, sharedObjects, sharesOf } from './shared.ts';

/** Refuses a component with rules that the cluster cannot express. */
export async function requireRoutable(
  { region, source }: ClusterScope,
  component: DesiredComponent,
): Promise<void> {
  const { httpRules } = component;
  if (component.state === 'closed' || httpRules.length === 0) return;
  const others = await source.otherRules(region.id, component, domainsOf(httpRules));
  requireExpressible(httpRules, region.cluster, [...httpRules, ...others]);
}

/** The objects that a running component shares, as they are to be. */
export async function routesOf(
  scope: ClusterScope,
  component: DesiredComponent,
): Promise<KubernetesObject[]> {
  if (!scope.region.cluster.gatewayClass || component.state === 'closed') return [];
  return (await sharedObjects(scope, component, component.httpRules)) ?? [];
}

/**
 * A component's shares in routes and certificates of the cluster that its rules do not have: a request has arrived late, or
 * somebody else has made them.
 */
export async function routesLeft(
  scope: ClusterScope,
  component: DesiredComponent,
): Promise<KubernetesObject[]> {
  const { region, connection, signal } = scope;
  if (!region.cluster.gatewayClass) return [];
  const kinds = await sharedIn(scope);
  const isKnown = await connection.cache.hasAll(kinds, 'team', signal);
  const shares = await sharesOf(scope, component, kinds, isKnown);
  if (shares.length === 0) return [];
  const rules = component.state === 'running' ? component.httpRules : [];
  const before = new Map(shares.map((object) => [keyOf(object), object]));
  const label = shareLabel(component);
  const desired = ((await sharedObjects(scope, component, rules, before)) ?? []).filter(
    ({ metadata }) => metadata.labels?.[label] !== undefined,
  );
  const desiredKeys = new Set(desired.map(keyOf));
  return shares.filter((object) => !desiredKeys.has(keyOf(object)));
}

/**
 * Removes a Secret that cert-manager has made for the driver, and the request for it: the certificate of a rule comes in its
 * place. Returns whether it was such a one.
 */
async function giveWay({ connection, signal }: ClusterScope, secret: KubernetesObject): Promise<boolean> {
  const { client } = connection;
  const { namespace, name } = secret.metadata;
  const request = await client.read('Certificate', namespace, name, signal);
  if (request && !isManaged(request)) return false;
  if (request) await client.remove(request, signal);
  await client.remove(secret, signal);
  return true;
}

/** Refuses what the team has for another domain, whose name has the same hash. */
function requireDomain({ kind, metadata }: KubernetesObject, domain: string): void {
  const other = metadata.annotations?.[annotations.domain];
  if (other === undefined || other === domain) return;
  throw new RegionWorkError(`The ${kind} ${metadata.name} belongs to another domain of the team: ${other}.`, {
    isPermanent: true,
  });
}

/**
 * The objects in the cluster that a component shares, and those that its rules need: as they are known from watches, or as they
 * are now if what is known was found to be old. What is not known of them is found out when it is applied.
 */
async function sharedBefore(
  scope: ClusterScope,
  component: ComponentIdentity,
  rules: readonly DesiredHttpRule[],
  isFresh: boolean,
): Promise<Map<string, KubernetesObject>> {
  const { region, connection, signal } = scope;
  const { cache, client } = connection;
  const namespace = namespaceIn(region, teamNamespace(component));
  const kinds = await sharedIn(scope);
  const isKnown = !isFresh && (await cache.hasAll(kinds, 'team', signal));
  const shares = await sharesOf(scope, component, kinds, isKnown);
  const objects = new Map(shares.map((object) => [keyOf(object), object]));
  const secured = domainsOf(rules.filter(({ certificate }) => certificate));
  const issued = domainsOf(rules.filter((rule) => isIssued(rule, region.cluster)));
  const needed = new Map(
    [
      ...rules.map((rule) => ['HTTPRoute', routeName(rule), rule.domain] as const),
      ...secured.map((domain) => ['Secret', tlsName(domain), domain] as const),
      ...issued.map((domain) => ['Certificate', tlsName(domain), domain] as const),
    ].map(([kind, name, domain]) => [`${kind} ${name}`, { kind, name, domain }]),
  );
  await Promise.all(
    [...needed].map(async ([key, { kind, name, domain }]) => {
      if (objects.has(key)) return;
      // A Secret can be one that cert-manager has made for the driver, which is not watched.
      const isAsked = !isKnown || kind === 'Secret';
      const object =
        (isFresh ? undefined : cache.find(kind, namespace, name)) ??
        (isAsked ? await client.read(kind, namespace, name, signal) : undefined);
      if (!object) return;
      requireDomain(object, domain);
      const isLeft = isIssuedSecret(object) && (await giveWay(scope, object));
      if (isLeft) objects.delete(`Certificate ${name}`);
      else objects.set(key, object);
    }),
  );
  for (const object of objects.values()) requireOwner(object, labels.team, component.teamId);
  return objects;
}

/**
 * Makes the routes that a component has or had those that the rules of all components say; `rules` are its own, none if it is
 * not to be served. Routes belong to the team: another component can apply the same one at the same time, also in another
 * process. Each of them reads the route, then the rules, and writes only if the route is still the one that it has read, so
 * that older rules never replace newer ones. What is known from watches is believed at first: if it is old, nothing is written,
 * and the route is read.
 */
export async function applyRoutes(
  scope: ClusterScope,
  component: ComponentIdentity,
  rules: readonly DesiredHttpRule[],
): Promise<void> {
  const { region, signal } = scope;
  if (!region.cluster.gatewayClass) return;
  for (let isWritten = false, isFresh = false; !isWritten; signal.throwIfAborted(), isFresh = true) {
    const before = await sharedBefore(scope, component, rules, isFresh);
    const desired = await sharedObjects(scope, component, rules, before);
    if (!desired) return;
    isWritten = await write(scope, desired, before);
  }
}

/** Applies the objects and removes the others. Returns whether all were still those that had been read. */
async function write(
  scope: ClusterScope,
  desired: readonly KubernetesObject[],
  before: ReadonlyMap<string, KubernetesObject>,
): Promise<boolean> {
  let isSame = true;
  for (const object of desired) {
    try {
      await applyObject(scope, object, { current: before.get(keyOf(object)) ?? null });
    } catch (error) {
      if (!isStale(error)) throw error;
      isSame = false;
    }
  }
  const desiredKeys = new Set(desired.map(keyOf));
  for (const [key, object] of before) {
    if (desiredKeys.has(key)) continue;
    const version = object.metadata.resourceVersion;
    if (!(await removeWhole(scope.connection.client, object, scope.signal, { version }))) isSame = false;
  }
  return isSame;
}
