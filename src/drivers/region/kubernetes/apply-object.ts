import type { KubernetesRegion, RegionSource } from '../clusters.ts';
import type { ComponentIdentity } from '../desired.ts';
import { RegionWorkError } from '../driver.ts';
import { shortHash } from '../object-names.ts';
import { type Client, fieldManager } from './client.ts';
import type { Connection } from './connection.ts';
import { isConflict, isDrift, isStale, workError } from './errors.ts';
import type { JobLooks } from './job-looks.ts';
import { annotations, type KindName, type KubernetesObject, namespaceOf, ordered } from './objects.ts';
import type { RolloutSettings } from './rollout.ts';

/** The namespace in a cluster that work is done in. */
export interface Place {
  region: KubernetesRegion;
  connection: Connection;
  source: RegionSource;
  rollouts: RolloutSettings;
  /** Of the job that the work belongs to. */
  looks: JobLooks;
  signal: AbortSignal;
}

export const namespaceIn = ({ cluster }: KubernetesRegion, { teamId }: Pick<ComponentIdentity, 'teamId'>) =>
  namespaceOf(cluster.namespacePrefix, teamId);

export const keyOf = ({ kind, metadata: { name } }: KubernetesObject) => `${kind} ${name}`;

/** An object with the hash of what is applied. */
export const hashed = (object: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: { ...object.metadata.annotations, [annotations.applied]: shortHash(ordered(object)) },
  },
});

interface ApplyObjectOptions {
  /** The field manager, if it is one of several. */
  owner?: string;
  /** The version that the object must have. With another one, applying fails, and `isStale` recognizes the error. */
  version?: string | undefined;
}

/** Applies an object. Fields that were changed by hand are taken back; those that others apply are not. */
export async function applyObject(
  { connection, source, signal }: Place,
  given: KubernetesObject,
  { owner, version }: ApplyObjectOptions = {},
): Promise<KubernetesObject> {
  const { client } = connection;
  // An object with several owners is not hashed, because each of them would set another hash.
  const [whole, options] = owner === undefined ? [hashed(given), {}] : [given, { owner }];
  const object =
    version === undefined ? whole : { ...whole, metadata: { ...whole.metadata, resourceVersion: version } };
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

/** A version that no object has: what is applied with it is created, and what exists is not changed. */
export const absentVersion = '1';

/**
 * Applies an object of an owner. One that is not known to be the owner's is created, or else read first, so that nobody's
 * objects are taken over. `shape` makes what is applied from what the cluster has.
 */
export async function applyOwn(
  place: Place,
  object: KubernetesObject,
  label: string,
  shape: (found: KubernetesObject | undefined) => KubernetesObject = () => object,
): Promise<KubernetesObject> {
  const { connection, signal } = place;
  const { namespace, name, labels: has } = object.metadata;
  const known = connection.cache.find(object.kind as KindName, namespace, name);
  if (known && known.metadata.labels?.[label] === has?.[label]) return applyObject(place, shape(known));
  try {
    return await applyObject(place, shape(undefined), { version: absentVersion });
  } catch (error) {
    if (!isStale(error)) throw error;
    return applyObject(place, shape(await requireOwn(connection.client, object, label, signal)));
  }
}

/** Refuses to take over an object that somebody else made, or another component has. */
export async function requireOwn(
  client: Client,
  object: KubernetesObject,
  label: string,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  const { namespace, name } = object.metadata;
  const found = await client.read(object.kind as KindName, namespace, name, signal).catch((error) => {
    throw workError(error);
  });
  if (found) requireOwner({ ...found, kind: object.kind }, label, object.metadata.labels?.[label]);
  return found;
}

/** Whether the driver has applied an object, also if somebody has removed its labels since. */
const isApplied = ({ annotations: has, managedFields }: KubernetesObject['metadata']) =>
  has?.[annotations.applied] !== undefined &&
  (managedFields?.some(({ manager, operation }) => manager === fieldManager && operation === 'Apply') ??
    false);

/** Whether the label of an object has a value. One without the label that the driver has applied is its own. */
export const isOwn = ({ metadata }: KubernetesObject, label: string, owner: string | undefined): boolean => {
  const has = metadata.labels?.[label];
  return has === owner || (has === undefined && isApplied(metadata));
};

/** Refuses an object that is not the owner's. */
export function requireOwner(object: KubernetesObject, label: string, owner: string | undefined): void {
  if (isOwn(object, label, owner)) return;
  const { kind, metadata } = object;
  const { namespace, name, labels: has } = metadata;
  throw new RegionWorkError(
    `The ${kind} ${name} in the namespace ${namespace ?? name} belongs to ${
      has?.[label] === undefined ? 'somebody else' : 'another component'
    }.`,
    { isPermanent: true },
  );
}
