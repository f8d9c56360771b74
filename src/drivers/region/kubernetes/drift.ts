import { setMaxListeners } from 'node:events';
import type { ClusterObserver, Drift, KubernetesRegion } from '../clusters.ts';
import type { DesiredComponent } from '../desired.ts';
import { RegionWorkError } from '../driver.ts';
import { asMade, objectsOf } from './apply.ts';
import { hashed, isOwn, keyOf, type Place, requireOwn } from './apply-object.ts';
import { routesOf } from './apply-routes.ts';
import { gatewayFor, objectsOfTeam } from './apply-team.ts';
import { type Connection, selector } from './connection.ts';
import { isConflict, isDrift, isInvalid, workError } from './errors.ts';
import {
  annotations,
  componentsOf,
  type KindName,
  type KubernetesObject,
  labels,
  managed,
  ordered,
} from './objects.ts';
import type { EventSettings } from './pod-events.ts';
import { securityLevelOf } from './pod-security.ts';
import { gatewayName, listenersOf } from './routes.ts';
import { crashOf } from './status.ts';
import { eventNeed } from './trouble.ts';

/** The part of an object that Trellis sets: not its status, nor annotations of controllers. */
function contentOf({ kind, metadata, status, ...rest }: KubernetesObject): string {
  const own = Object.entries(metadata.annotations ?? {}).filter(([name]) => name.startsWith('trellis.dev/'));
  // Provisioners write into claims, which nobody else can change.
  const content = kind === 'PersistentVolumeClaim' ? undefined : rest;
  return ordered([metadata.labels, Object.fromEntries(own), content]);
}

/** The kinds of components that are watched beside workloads, and those of teams. */
const watchedIn = (
  { cluster }: KubernetesRegion,
  has: { tcpRoutes: boolean; certificates: boolean; autoscalers: boolean; budgets: boolean },
): { components: KindName[]; teams: KindName[] } => ({
  components: [
    'Service',
    'ConfigMap',
    'Secret',
    'PersistentVolumeClaim',
    ...(has.autoscalers ? (['HorizontalPodAutoscaler'] as const) : []),
    ...(has.budgets ? (['PodDisruptionBudget'] as const) : []),
    ...(cluster.gatewayClass ? [] : (['Ingress'] as const)),
    ...(has.tcpRoutes ? (['TCPRoute', 'Gateway'] as const) : []),
    ...(has.certificates && !cluster.gatewayClass ? (['Certificate'] as const) : []),
  ],
  teams: [
    'NetworkPolicy',
    'ResourceQuota',
    ...(cluster.gatewayClass ? (['Gateway', 'HTTPRoute', 'Secret'] as const) : []),
    ...(has.certificates && cluster.gatewayClass ? (['Certificate'] as const) : []),
  ],
});

/**
 * What comes with another version of a workload: configuration objects, of which a component can have more than one until its next
 * deploy, and the budget that it did not have before.
 */
const madeWithWorkload = ['ConfigMap', 'Secret', 'PersistentVolumeClaim', 'PodDisruptionBudget'];

const hashOf = ({ metadata }: KubernetesObject) => metadata.annotations?.[annotations.applied];

const teamSelector = `${labels.managedBy}=${managed[labels.managedBy]},${labels.team},!${labels.component}`;

/**
 * Tells whose objects others change or delete, until the signal is aborted. Once everything is known, all may have changed
 * before. Writes of other processes look like changes by others; `driftOf` distinguishes them.
 */
export async function watchChanges(
  connection: Connection,
  region: KubernetesRegion,
  { changed: onChange, crashed: onCrash }: ClusterObserver,
  settings: EventSettings,
  signal: AbortSignal,
): Promise<void> {
  const contents = new Map<string, string>();
  const written = (object: KubernetesObject) => {
    contents.set(object.metadata.uid!, contentOf(object));
  };
  const changed = (object: KubernetesObject, isGone: boolean) => {
    const { uid, labels: has = {} } = object.metadata;
    const before = contents.get(uid!);
    if (isGone) contents.delete(uid!);
    else written(object);
    if (!isGone && (before === undefined || before === contents.get(uid!))) return;
    const componentIds = componentsOf(object);
    for (const componentId of componentIds) onChange({ componentId });
    const teamId = has[labels.team];
    if (componentIds.length === 0 && teamId !== undefined) onChange({ teamId });
  };
  setMaxListeners(0, signal);
  const [tcpRoutes, certificates, autoscalers, budgets] = await Promise.all([
    connection.hasTcpRoutes(region, signal),
    connection.hasCertificates(region, signal),
    connection.hasAutoscalers(signal),
    connection.hasBudgets(signal),
  ]);
  const { components, teams } = watchedIn(region, { tcpRoutes, certificates, autoscalers, budgets });
  const seen = (pod: KubernetesObject) => {
    const componentId = pod.metadata.labels?.[labels.component];
    const workload = componentId === undefined ? undefined : connection.workloadOf(componentId);
    if (!workload || !crashOf(workload, pod)) return;
    void connection.podEvents.read([pod], eventNeed, settings).then((eventsOf) => {
      if (signal.aborted) return;
      onCrash({ componentId: componentId!, ...crashOf(workload, pod, eventsOf(pod))! });
    });
  };
  const observer = { changed, written, seen };
  connection.observers.add(observer);
  for (const workload of connection.workloads) written(workload);
  const informers = [
    ...components.map((kind) => connection.watch(kind, selector, changed, signal)),
    ...teams.map((kind) => connection.watch(kind, teamSelector, changed, signal)),
  ];
  const ended = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const known = Promise.all([connection.ready(signal), ...informers.map(({ ready }) => ready)]);
  await Promise.race([known.catch(() => {}), ended]);
  if (!signal.aborted) {
    onChange({ teamId: undefined });
    for (const pod of connection.pods) seen(pod);
  }
  await ended;
  connection.observers.delete(observer);
}

/**
 * The differences between a component in the cluster and its last apply. What was never applied, because it is desired only since, is no drift. Each
 * object is applied for a trial, which also finds fields that were removed.
 */
export async function driftOf(place: Place, component: DesiredComponent): Promise<Drift> {
  const { connection, region, signal } = place;
  const { client } = connection;
  const drift: Drift = { changed: [], refused: [] };

  async function look(object: KubernetesObject, label: string): Promise<void> {
    try {
      const found = await requireOwn(client, object, label, signal);
      if (!found || (found.metadata.deletionTimestamp && object.kind !== 'PersistentVolumeClaim')) {
        const isAwaited = hasMoved && label === labels.component && madeWithWorkload.includes(object.kind);
        if (!isAwaited) drift.changed.push(keyOf(object));
        return;
      }
      const whole = hashed(asMade(object, found));
      const after = await client.apply(whole, signal, { isDryRun: true });
      if (
        hashOf(found) === hashOf(whole) &&
        contentOf(after) !== contentOf({ ...found, kind: object.kind })
      ) {
        drift.changed.push(keyOf(object));
      }
    } catch (error) {
      refuse(error, object);
    }
  }

  function refuse(error: unknown, object: KubernetesObject, key = keyOf(object)): void {
    if (error instanceof RegionWorkError && error.isPermanent) drift.refused.push(error.message);
    else if (isConflict(error)) {
      if (isDrift(error)) drift.changed.push(key);
      else drift.refused.push((workError(error, object) as Error).message);
    } else if (!isInvalid(error)) throw workError(error, object);
    // What the cluster finds invalid was never applied.
  }

  /** A gateway has listeners of several components, and no hash. */
  async function lookAtGateway(): Promise<void> {
    const listeners = listenersOf(component, region.cluster);
    const { object, owner } = gatewayFor(place, component, listeners);
    const found = await client.read('Gateway', object.metadata.namespace, gatewayName, signal);
    if (!found) drift.changed.push(keyOf(object));
    if (!found || listeners.length === 0) return;
    const key = `${keyOf(object)} for ${component.clusterName}`;
    try {
      const after = await client.apply(object, signal, { owner, isDryRun: true });
      if (contentOf(after) !== contentOf(found)) drift.changed.push(key);
    } catch (error) {
      refuse(error, object, key);
    }
  }

  const team = await objectsOfTeam(
    place,
    component.teamId,
    await securityLevelOf(place, component.teamId, component),
  );
  const [namespace] = team as [KubernetesObject];
  const kind = component.extendMethod === 'state' ? 'StatefulSet' : 'Deployment';
  const named = await client.read(kind, namespace.metadata.name, component.clusterName, signal);
  const workload = named && isOwn(named, labels.component, component.id) ? named : undefined;
  const own = await objectsOf(place, component, { workload });
  const shared = await routesOf(place, component);
  const wanted = own.find((object) => object.kind === kind)!;
  const hasMoved = workload !== undefined && hashOf(workload) !== hashOf(hashed(wanted));
  const hasGateway = region.cluster.gatewayClass !== null && component.state === 'running';
  await Promise.all([
    ...team.map((object) => look(object, labels.team)),
    ...own.map((object) => look(object, labels.component)),
    ...shared.map((object) => look(object, labels.team)),
    ...(hasGateway ? [lookAtGateway()] : []),
  ]);
  return { changed: drift.changed.sort(), refused: drift.refused.sort() };
}
