import type { Client } from '../cluster/client.ts';
import { type KindName, type KubernetesObject, labels } from '../objects/objects.ts';
import { requireLatestOf } from './fence.ts';
import { isOwn } from './owner.ts';
import type { ClusterScope } from './scope.ts';

/** The annotation of the Secrets that cert-manager makes with the name of their Certificate. */
const certificateName = 'cert-manager.io/certificate-name';

/** Whether cert-manager has made a Secret for the Certificate of the same name. */
export const isIssuedSecret = ({ kind, metadata }: KubernetesObject): boolean =>
  kind === 'Secret' && metadata.annotations?.[certificateName] === metadata.name;

/** Removes the Secret of a Certificate that is gone, which cert-manager leaves. */
async function removeIssuedSecret(
  client: Client,
  { metadata: { namespace, name } }: Pick<KubernetesObject, 'metadata'>,
  signal: AbortSignal,
): Promise<void> {
  const secret = await client.read('Secret', namespace, name, signal);
  if (secret && isIssuedSecret(secret)) await client.remove(secret, signal);
}

/** Removes an object, and a Certificate with its Secret. */
export async function removeWhole(
  client: Client,
  object: KubernetesObject,
  signal: AbortSignal,
  options: Parameters<Client['remove']>[2] = {},
): Promise<boolean> {
  const wasExpected = await client.remove(object, signal, options);
  if (wasExpected && object.kind === 'Certificate') await removeIssuedSecret(client, object, signal);
  return wasExpected;
}

/** Removes an object of a component, unless a later job has written it. */
export async function removeOwn(
  scope: ClusterScope,
  object: KubernetesObject,
  options: { propagationPolicy?: 'Background' | 'Orphan' } = {},
): Promise<void> {
  const { connection, signal } = scope;
  const { kind, metadata } = object;
  const owner = metadata.labels?.[labels.component];
  for (let current: KubernetesObject | undefined = object; current; ) {
    requireLatestOf(scope, current);
    const version = current.metadata.resourceVersion;
    if (await removeWhole(connection.client, current, signal, { ...options, version })) return;
    signal.throwIfAborted();
    // Accounts of regions may not read snapshots by their names, and no job has written them.
    if (kind === 'VolumeSnapshot') return;
    const object = await connection.client.read(kind as KindName, metadata.namespace, metadata.name, signal);
    current = object && isOwn(object, labels.component, owner) ? object : undefined;
  }
}
