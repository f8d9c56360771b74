import { RegionWorkError } from '../../driver.ts';
import { shortHash } from '../../object-names.ts';
import { isConflict, isDrift, isStale, subjectOf, workError } from '../cluster/errors.ts';
import {
  annotations,
  type KindName,
  type KubernetesObject,
  keyOf,
  labels,
  ordered,
  withAnnotations,
  withMetadata,
} from '../objects/objects.ts';
import { jobOf, laterJob, preconditionOf, requireLatestOf, withJob } from './fence.ts';
import { requireOwn } from './owner.ts';
import type { ClusterScope } from './scope.ts';

/** Adds an annotation with the hash of the object. */
export const hashed = (object: KubernetesObject): KubernetesObject =>
  withAnnotations(object, { [annotations.applied]: shortHash(ordered(object)) });

interface ApplyObjectOptions {
  /** The field manager, if it is one of several. */
  owner?: string;
  /**
   * The object in the cluster, null if there is none. If it has changed, applying fails, and `isStale` recognizes the error: a
   * request that arrives late never replaces what was written since. Undefined if it does not matter.
   */
  current?: KubernetesObject | null;
}

/** Applies an object. Fields that were changed by hand are taken back; those that others apply are not. */
export async function applyObject(
  { connection, source, job, signal }: ClusterScope,
  desired: KubernetesObject,
  { owner, current }: ApplyObjectOptions = {},
): Promise<KubernetesObject> {
  const { client } = connection;
  // An object with several owners is not hashed, because each of them would set another hash.
  const [whole, options] = owner === undefined ? [hashed(desired), {}] : [desired, { owner }];
  // Objects that components share have no number, because each component computes them anew.
  const isAlone = [labels.component, labels.removed].some((label) => desired.metadata.labels?.[label]);
  const numbered = isAlone ? withJob(whole, laterJob(job, jobOf(current ?? undefined))) : whole;
  const object =
    current === undefined ? numbered : withMetadata(numbered, preconditionOf(current ?? undefined));
  try {
    const applied = await client.apply(object, signal, options).catch((error) => {
      if (!isConflict(error) || !isDrift(error)) throw error;
      source.log.info({ error, object: keyOf(object) }, 'changes by hand taken back');
      return client.apply(object, signal, { ...options, isForced: true });
    });
    connection.wrote(applied);
    return applied;
  } catch (error) {
    signal.throwIfAborted();
    throw workError(error, object);
  }
}

/** How often an object is read again that others change all the time, until the call fails and is repeated later. */
const maxTries = 10;

/**
 * Applies an object of an owner. One that is not known to be the owner's is created, or else read first, so that nobody's
 * objects are taken over, nor what a later job has written. `shape` makes what is applied from what the cluster has.
 */
export async function applyOwn(
  scope: ClusterScope,
  object: KubernetesObject,
  label: string,
  shape: (current: KubernetesObject | undefined) => KubernetesObject = () => object,
): Promise<KubernetesObject> {
  const { connection, signal } = scope;
  const { namespace, name, labels: has } = object.metadata;
  const cachedObject = connection.cache.find(object.kind as KindName, namespace, name);
  let current =
    cachedObject && cachedObject.metadata.labels?.[label] === has?.[label] ? cachedObject : undefined;
  for (let tries = 1; ; tries++) {
    if (current) requireLatestOf(scope, current);
    try {
      return await applyObject(scope, shape(current), { current: current ?? null });
    } catch (error) {
      if (!isStale(error) || tries === maxTries) throw error;
    }
    current = await requireOwn(connection.client, object, label, signal);
  }
}

/**
 * Makes an object that components share what the database says. `compute` reads the database after the object was read, and what
 * it returns is written only if the object is still the one that was read. So a request never puts back what the database said
 * before, however late it arrives. Nothing is to be there if it returns undefined. `before` is the object as it was read last.
 */
export async function applyComputed(
  scope: ClusterScope,
  identity: KubernetesObject,
  label: string,
  before: KubernetesObject | undefined,
  compute: (current: KubernetesObject | undefined) => Promise<KubernetesObject | undefined>,
): Promise<KubernetesObject | undefined> {
  const { client } = scope.connection;
  for (let tries = 1, current = before; ; tries++) {
    const object = await compute(current);
    if (!object && !current) return undefined;
    try {
      if (object) return await applyObject(scope, object, { current: current ?? null });
      const version = current!.metadata.resourceVersion;
      if (await client.remove(current!, scope.signal, { version })) return undefined;
      if (tries === maxTries)
        throw new RegionWorkError(
          `${subjectOf(identity)} keeps changing. Stop the other client that changes the object.`,
        );
    } catch (error) {
      if (!isStale(error) || tries === maxTries) throw error;
    }
    current = await requireOwn(client, identity, label, scope.signal);
  }
}
