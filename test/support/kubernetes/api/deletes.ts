import type { Kind } from './kinds.ts';
import { conflict, failure, forbidden, invalidOptions, notFound, notSupported } from './status.ts';
import { now, type Store } from './store.ts';
import type { Target } from './writes.ts';

export interface DeleteOptions {
  propagationPolicy?: string;
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
}

const policies = ['Foreground', 'Background', 'Orphan', 'nil'];

/** Deletes an object, or marks it if something has to be waited for. */
export function deleteObject(store: Store, target: Target, options: DeleteOptions): any {
  const { kind, namespace, name, isDryRun } = target;
  const policy = options.propagationPolicy;
  if (policy && !policies.includes(policy)) {
    throw invalidOptions('DeleteOptions', notSupported('propagationPolicy', policy, policies));
  }
  const object = store.get(kind, namespace, name)?.object;
  if (!object) throw notFound(kind, name);
  const { uid, resourceVersion } = options.preconditions ?? {};
  // Unlike elsewhere, these conflicts name the kind.
  const singular = { ...kind, plural: kind.kind, group: '' };
  if (uid && uid !== object.metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${object.metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(singular, name, why);
  }
  if (resourceVersion && resourceVersion !== object.metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${object.metadata.resourceVersion}). The object might have been modified`;
    throw conflict(singular, name, why);
  }
  if (kind.kind === 'Namespace' && ['default', 'kube-system', 'kube-public'].includes(name)) {
    throw forbidden(kind, name, 'this namespace may not be deleted');
  }
  const deleted = marked(kind, object, options);
  if (isDryRun) return answer(kind, object);
  if (
    deleted.metadata.finalizers?.length ||
    deleted.metadata.deletionGracePeriodSeconds ||
    kind.kind === 'Namespace'
  ) {
    return store.save(kind, deleted);
  }
  store.remove(kind, object);
  return answer(kind, object);
}

function marked(kind: Kind, object: any, { propagationPolicy, gracePeriodSeconds }: DeleteOptions): any {
  const next = structuredClone(object);
  const { metadata } = next;
  const added = { Foreground: 'foregroundDeletion', Orphan: 'orphan' }[propagationPolicy ?? ''];
  if (added) metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), added])];
  metadata.deletionTimestamp ??= now();
  if (kind.kind === 'Namespace') {
    next.status = { ...next.status, phase: 'Terminating' };
    return next;
  }
  // Only the kubelet, or a grace period of 0, removes a pod that has a node.
  if (kind.kind === 'Pod' && next.spec.nodeName && gracePeriodSeconds !== 0) {
    const seconds = gracePeriodSeconds ?? next.spec.terminationGracePeriodSeconds;
    metadata.deletionGracePeriodSeconds ??= seconds;
  } else if (kind.kind === 'Pod' || metadata.finalizers?.length) {
    metadata.deletionGracePeriodSeconds = 0;
  }
  return next;
}

function answer(kind: Kind, object: any): any {
  if (kind.deleteAnswer === 'object') return object;
  const { name, uid } = object.metadata;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(kind.group && { group: kind.group }), kind: kind.plural, uid },
  };
}

/** Deletes what a selector finds, and answers what that was. */
export function deleteCollection(store: Store, target: Target, found: any[], options: DeleteOptions): void {
  if (target.kind.kind === 'Namespace') {
    throw failure(
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
      {},
    );
  }
  for (const { metadata } of found) deleteObject(store, { ...target, name: metadata.name }, options);
}

/** Removes what has no owner any more, and what its finalizers of the server no longer hold. */
export function collectGarbage(store: Store): void {
  const { relations } = store;
  const bereft = relations.takeBereft();
  for (const [kind, object] of relations.deleting()) finish(store, kind, object);
  for (const [kind, { metadata }] of bereft) {
    const { namespace, name, uid, deletionTimestamp } = metadata;
    const isThere = store.get(kind, namespace, name)?.object.metadata.uid === uid;
    if (isThere && !deletionTimestamp)
      deleteObject(store, { kind, namespace, name, manager: '', isDryRun: false }, {});
  }
}

function finish(store: Store, kind: Kind, object: any): void {
  const { metadata } = object;
  const without = (finalizer: string) => {
    const finalizers = metadata.finalizers.filter((each: string) => each !== finalizer);
    const next = { ...object, metadata: { ...metadata, finalizers, deletionGracePeriodSeconds: undefined } };
    store.save(kind, next);
  };
  if (metadata.finalizers?.includes('orphan')) {
    for (const [of, dependent] of store.relations.ownedBy(object)) {
      const { ownerReferences, ...rest } = dependent.metadata;
      const kept = ownerReferences.filter(({ uid }: any) => uid !== metadata.uid);
      store.save(of, { ...dependent, metadata: { ...rest, ...(kept.length && { ownerReferences: kept }) } });
    }
    without('orphan');
  } else if (metadata.finalizers?.includes('foregroundDeletion')) {
    const found = store.relations.ownedBy(object);
    for (const [of, { metadata: each }] of found) {
      if (each.deletionTimestamp) continue;
      const target = { kind: of, namespace: each.namespace, name: each.name, manager: '', isDryRun: false };
      deleteObject(store, target, { propagationPolicy: of.kind === 'Pod' ? 'Background' : 'Foreground' });
    }
    if (found.length === 0) without('foregroundDeletion');
  } else if (metadata.finalizers?.includes('kubernetes.io/pvc-protection')) {
    if (!store.relations.isUsed(object)) without('kubernetes.io/pvc-protection');
  }
}
