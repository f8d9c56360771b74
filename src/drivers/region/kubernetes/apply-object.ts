import type { ComponentIdentity } from '../desired.ts';
import { RegionWorkError } from '../driver.ts';
import type { Client } from './client.ts';
import type { Connection } from './connection.ts';
import { isConflict, isDrift, workError } from './errors.ts';
import {
  annotations,
  type KindName,
  type KubernetesObject,
  namespaceOf,
  ordered,
  shortHash,
} from './objects.ts';
import type { KubernetesRegion, RegionSource } from './region.ts';

/** A place in a cluster that work is done in. */
export interface Place {
  region: KubernetesRegion;
  connection: Connection;
  source: RegionSource;
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

/** Applies an object. Fields that were changed by hand are taken back; those that others apply are not. */
export async function applyObject(
  { connection, source, signal }: Place,
  given: KubernetesObject,
  owner?: string,
): Promise<void> {
  const { client } = connection;
  // An object with several owners is not hashed, because each of them would set another hash.
  const [object, options] = owner === undefined ? [hashed(given), {}] : [given, { owner }];
  try {
    const applied = await client.apply(object, signal, options).catch((error) => {
      if (!isConflict(error) || !isDrift(error)) throw error;
      source.log.info({ error, object: keyOf(object) }, 'changes by hand taken back');
      return client.apply(object, signal, { ...options, isForced: true });
    });
    for (const { written } of connection.observers) written(applied);
  } catch (error) {
    signal.throwIfAborted();
    throw workError(error, object);
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
  const isOwn = found?.metadata.labels?.[label] === object.metadata.labels?.[label];
  if (!found || isOwn) return found;
  throw new RegionWorkError(
    `The ${object.kind} ${name} in the namespace ${namespace ?? name} belongs to ${
      found.metadata.labels?.[label] === undefined ? 'somebody else' : 'another component'
    }.`,
    { isPermanent: true },
  );
}
