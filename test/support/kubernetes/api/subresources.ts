import { patched } from './patches.ts';
import { parsed, type Request } from './requests.ts';
import * as status from './status.ts';
import type { Store } from './store.ts';
import { store as save, type Target, updatedManagers } from './writes.ts';

export function onSubresource(
  store: Store,
  request: Request,
  target: Target,
  subresource: string,
): status.Answer {
  const { kind, namespace, name } = target;
  const before = store.get(kind, namespace, name);
  if (!before) throw status.notFound(kind, name);
  if (subresource === 'status') {
    const next = patched(before.object, { status: parsed(request).status }, undefined);
    return { status: 200, body: save(store, target, before, next, before.managers) };
  }
  if (subresource !== 'scale') throw status.unknownResource();
  if (request.method === 'PATCH' || request.method === 'PUT') {
    const { replicas } = parsed(request).spec;
    const path = ['f:spec', 'f:replicas'].join('\n');
    const isOwned = before.managers.some(({ fields }) => fields.has(path));
    const next = { ...before.object, spec: { ...before.object.spec, replicas } };
    save(
      store,
      target,
      before,
      next,
      isOwned ? updatedManagers(target, before, next, 'scale') : before.managers,
    );
  }
  const { metadata, spec, status: of } = store.get(kind, namespace, name)!.object;
  const { name: _, namespace: __, uid, resourceVersion, creationTimestamp } = metadata;
  const labels = Object.entries(spec.selector.matchLabels).map(([key, value]) => `${key}=${value}`);
  return {
    status: 200,
    body: {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
      spec: { replicas: spec.replicas },
      status: { replicas: of.replicas ?? 0, selector: labels.join(',') },
    },
  };
}
