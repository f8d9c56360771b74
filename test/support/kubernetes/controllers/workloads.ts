import { createHash } from 'node:crypto';
import { addDefaults } from '../api/defaults.ts';
import { deleteObject } from '../api/deletes.ts';
import { apiVersionOf, type Kind, kindNamed } from '../api/kinds.ts';
import { canonical } from '../api/managed-fields.ts';
import { requirePodSecurity } from '../api/pod-security.ts';
import { requireQuota } from '../api/quota.ts';
import { Failure } from '../api/status.ts';
import { now, type Store } from '../api/store.ts';

const hashes = new WeakMap<object, string>();

/** Stored objects do not change, so that a template is hashed once. */
export function hashOf(template: any): string {
  const known = typeof template === 'object' ? hashes.get(template) : undefined;
  if (known) return known;
  const hash = createHash('sha1').update(canonical(template)).digest('hex').slice(0, 10);
  if (typeof template === 'object') hashes.set(template, hash);
  return hash;
}

export const ownerOf = (kind: Kind, { metadata: { name, uid } }: any) => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

/** The objects of a kind that an object owns. */
export const ownedBy = (store: Store, kindName: string, owner: any): any[] =>
  store.relations.ownedBy(owner).flatMap(([{ kind }, object]) => (kind === kindName ? [object] : []));

export const remove = (store: Store, kindName: string, { metadata: { namespace, name } }: any) => {
  const kind = kindNamed(kindName);
  deleteObject(store, { kind, namespace, name, manager: '', isDryRun: false }, {});
};

/** Creates a pod from a template. Returns why a quota or the level of the namespace refuses it. */
export function createPod(
  store: Store,
  owner: [Kind, any],
  name: string,
  template: any,
  labels: object,
  volumes: object[] = [],
) {
  const kind = kindNamed('Pod');
  const [ownerKind, object] = owner;
  const pod: any = structuredClone({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: object.metadata.namespace,
      labels: { ...template.metadata.labels, ...labels },
      ...(template.metadata.annotations && { annotations: template.metadata.annotations }),
      ownerReferences: [ownerOf(ownerKind, object)],
    },
    spec: {
      ...template.spec,
      ...(volumes.length && { volumes: [...(template.spec.volumes ?? []), ...volumes] }),
    },
  });
  addDefaults(kind, pod);
  try {
    requirePodSecurity(store, kind, pod);
    requireQuota(store, kind, pod);
  } catch (error) {
    if (error instanceof Failure) return error.answer.body.message as string;
    throw error;
  }
  store.podCount++;
  store.save(kind, pod);
  return undefined;
}

export const counts = (given: { [name: string]: number }) =>
  Object.fromEntries(Object.entries(given).filter(([, count]) => count > 0));

export function warn(store: Store, object: any, reason: string, message: string): void {
  const { namespace, name, uid } = object.metadata;
  const eventName = `${name}.${hashOf(message)}`;
  if (store.get(kindNamed('Event'), namespace, eventName)) return;
  store.put('Event', {
    metadata: { name: eventName, namespace },
    involvedObject: { kind: object.kind, namespace, name, uid, apiVersion: object.apiVersion },
    type: 'Warning',
    reason,
    message,
    count: 1,
    firstTimestamp: now(),
    lastTimestamp: now(),
    source: { component: 'replicaset-controller' },
  });
}
