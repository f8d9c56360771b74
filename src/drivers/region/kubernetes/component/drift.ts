import { mayApply } from '../../../../db/work/protocol.ts';
import type { Drift } from '../../clusters.ts';
import type { DesiredComponent } from '../../desired.ts';
import { RegionWorkError } from '../../driver.ts';
import { gatewayName } from '../../object-names.ts';
import { isConflict, isDrift, isInvalid, workError } from '../cluster/errors.ts';
import { observed } from '../instances/status.ts';
import { namespacesFor, objectsOfNamespace } from '../namespace/apply.ts';
import { policiesLeft, policiesOf } from '../namespace/crossings.ts';
import {
  isRestrictedNamespace,
  presentLevel,
  type SecurityLevel,
  securityLevelOf,
} from '../namespace/security-level.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import {
  isWorkload,
  type KubernetesObject,
  keyOf,
  labels,
  ordered,
  ownerLabelOf,
} from '../objects/objects.ts';
import { contentOf, hashOf } from '../objects/stored-object.ts';
import { routesLeft, routesOf } from '../routes/apply.ts';
import { gatewayFor, hasManager } from '../routes/gateway.ts';
import { listenersOf } from '../routes/http.ts';
import { hashed } from '../write/apply-object.ts';
import { jobOf, withJob } from '../write/fence.ts';
import { ownObjects, prunedIn } from '../write/own-objects.ts';
import { isOwn, requireOwn } from '../write/owner.ts';
import type { ClusterScope } from '../write/scope.ts';
import { asMade, configurationKinds, objectsOf } from './apply.ts';

/**
 * Kinds that come with another version of a workload: configuration objects, of which a component can have more than one
 * until its next deploy, and the budget that it did not have before.
 */
const madeWithWorkload = ['ConfigMap', 'Secret', 'PersistentVolumeClaim', 'PodDisruptionBudget'];

/**
 * The differences between a component in the cluster and its last apply. What was never applied, because it is desired only since, is no drift. Each
 * object is applied for a trial, which also finds fields that were removed.
 */
export async function driftOf(
  scope: ClusterScope,
  component: DesiredComponent,
  lastJob: number | undefined,
): Promise<Drift> {
  const { connection, region, signal } = scope;
  const { client } = connection;
  const drift: Drift = { changed: [], refused: [] };

  /** Whether an older job has written an object after the last one that succeeded. */
  const isLate = (object: KubernetesObject): boolean => {
    const job = jobOf(object);
    return job !== undefined && !mayApply(job, lastJob);
  };

  async function look(object: KubernetesObject, label: string): Promise<void> {
    try {
      const current = await requireOwn(client, object, label, signal);
      if (!current || (current.metadata.deletionTimestamp && object.kind !== 'PersistentVolumeClaim')) {
        const isAwaited = hasMoved && label !== labels.team && madeWithWorkload.includes(object.kind);
        if (!isAwaited) drift.changed.push(keyOf(object));
        return;
      }
      const whole = withJob(hashed(asMade(object, current)), jobOf(current));
      const after = await client.apply(whole, signal, { isDryRun: true });
      const isSame = hashOf(current) === hashOf(whole);
      const isChanged = isSame && contentOf(after) !== contentOf(current);
      const isOutdated = !isSame && label === labels.team && (await isOtherThanStored(current, after));
      if (isChanged || (!isSame && isLate(current)) || isOutdated) drift.changed.push(keyOf(object));
    } catch (error) {
      refuse(error, object);
    }
  }

  /** Whether the database says something else of what belongs to a namespace, which has no number. */
  async function isOtherThanStored(current: KubernetesObject, after: KubernetesObject): Promise<boolean> {
    const { kind, metadata } = current;
    if (kind === 'ResourceQuota') return ordered(current.spec) !== ordered(after.spec);
    if (kind !== 'Namespace') return false;
    const level = levels.get(metadata.name)!;
    return isRestrictedNamespace(current) !== ((await presentLevel(scope, level, current)) === 'restricted');
  }

  /** Objects that are not desired: requests that arrived after a later job have created them. */
  async function lookForLate(): Promise<void> {
    const names = new Set(desired.map(keyOf));
    const kinds = (await prunedIn(scope)).filter((kind) => !configurationKinds.includes(kind));
    const late = (await ownObjects(scope, component, kinds)).filter(
      (object) => isLate(object) && !object.metadata.deletionTimestamp && !names.has(keyOf(object)),
    );
    const quota = connection.cache.find('ResourceQuota', namespace, 'trellis');
    const isLeft =
      quota?.metadata.labels?.[labels.team] === component.teamId &&
      !ofNamespaces.some(({ kind }) => kind === 'ResourceQuota');
    const left = [...(await routesLeft(scope, component)), ...(await policiesLeft(scope, component))];
    const objects = [...late, ...(isLeft ? [quota] : []), ...left];
    drift.changed.push(...objects.map(keyOf));
  }

  function refuse(error: unknown, object: KubernetesObject, key = keyOf(object)): void {
    if (error instanceof RegionWorkError && error.isPermanent) drift.refused.push(error.message);
    else if (isConflict(error)) {
      if (isDrift(error)) drift.changed.push(key);
      else drift.refused.push((workError(error, object) as Error).message);
    } else if (!isInvalid(error)) throw workError(error, object);
    // Objects that the cluster refuses as invalid were never applied.
  }

  /** A gateway has listeners of several components, and no hash. */
  async function lookAtGateway(): Promise<void> {
    const isRunning = component.state === 'running';
    const listeners = isRunning ? listenersOf(component, region.cluster) : [];
    const { object, owner } = gatewayFor(scope, component, listeners);
    const gateway = await client.read('Gateway', object.metadata.namespace, gatewayName, signal);
    if (!gateway && isRunning) drift.changed.push(keyOf(object));
    if (!gateway || (listeners.length === 0 && !hasManager(gateway, owner))) return;
    const key = `${keyOf(object)} for ${component.clusterName}`;
    try {
      const after = await client.apply(object, signal, { owner, isDryRun: true });
      if (contentOf(after) !== contentOf(gateway)) drift.changed.push(key);
    } catch (error) {
      refuse(error, object, key);
    }
  }

  const namespace = namespaceIn(region, component);
  const levels = new Map<string, SecurityLevel>();
  const ofNamespaces: KubernetesObject[] = [];
  for (const owner of namespacesFor(scope, component)) {
    const level = await securityLevelOf(scope, owner);
    levels.set(namespaceIn(region, owner), level);
    ofNamespaces.push(...(await objectsOfNamespace(scope, owner, level)));
  }
  const kind = component.extendMethod === 'state' ? 'StatefulSet' : 'Deployment';
  const candidate = await client.read(kind, namespace, component.clusterName, signal);
  const workload = candidate && isOwn(candidate, labels.component, component.id) ? candidate : undefined;
  const desired = await objectsOf(scope, component, { workload });
  const shared = [...(await routesOf(scope, component)), ...(await policiesOf(scope, component))];
  const desiredWorkload = desired.find((object) => object.kind === kind)!;
  const hasMoved = workload !== undefined && hashOf(workload) !== hashOf(hashed(desiredWorkload));
  const hasGateway = region.cluster.gatewayClass !== null;
  await Promise.all([
    ...ofNamespaces.map((object) => look(object, labels.team)),
    ...desired.map((object) => look(object, ownerLabelOf(object))),
    ...shared.map((object) => look(object, labels.team)),
    ...(hasGateway ? [lookAtGateway()] : []),
    lookForLate(),
  ]);
  return { changed: drift.changed.sort(), refused: drift.refused.sort() };
}

/**
 * The components whose workload was applied as it is desired now, with all instances ready. It is not read anew: what others
 * change in it is put back anyway.
 */
export async function matchingIn(
  scope: ClusterScope,
  components: readonly DesiredComponent[],
): Promise<Set<string>> {
  const { connection, signal } = scope;
  await connection.instances.ready(signal);
  const matching = new Set<string>();
  if (!connection.instances.isCurrent) return matching;
  for (const component of components) {
    const workload = connection.instances.workloadOf(component.id);
    if (!workload || workload.metadata.deletionTimestamp) continue;
    const { status, isSettled } = observed(workload, connection.instances.podsOf(component.id));
    if (status !== 'running' || !isSettled) continue;
    const objects = await objectsOf(scope, component, { workload });
    const desired = objects.find(isWorkload)!;
    if (hashOf(workload) === hashOf(hashed(desired))) matching.add(component.id);
  }
  return matching;
}
