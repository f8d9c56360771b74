import { kindNamed } from './kinds.ts';
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
  if (subresource === 'log' && kind.kind === 'Pod')
    return logOf(before.object, new URL(request.path, 'https://server').searchParams);
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

/** The lines that a container has written: an annotation of the pod, for tests. */
function logOf(pod: any, query: URLSearchParams): status.Answer {
  const names = pod.spec.containers.map((each: any) => each.name);
  const container = query.get('container');
  if (!container && names.length > 1) {
    throw status.badRequest(
      `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${names.join(' ')}]`,
    );
  }
  if (container && !names.includes(container)) {
    throw status.badRequest(`container ${container} is not valid for pod ${pod.metadata.name}`);
  }
  const tail = query.get('tailLines');
  if (Number(tail) < 0) {
    const cause = status.invalidValue('tailLines', tail!, 'must be greater than or equal to 0');
    throw status.invalid({ ...kindNamed('Pod'), kind: 'PodLogOptions' }, pod.metadata.name, [cause]);
  }
  if (!pod.spec.nodeName) return { status: 204, body: '' };
  const lines = (pod.metadata.annotations?.['test/log'] ?? '').split('\n');
  const told = tail === null ? lines : lines.slice(-Number(tail));
  return { status: 200, body: `${told.join('\n')}\n`, headers: { 'content-type': 'text/plain' } };
}
