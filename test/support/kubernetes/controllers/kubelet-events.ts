import { kindNamed } from '../api/kinds.ts';
import { now, type Store } from '../api/store.ts';
import { hashOf } from './workloads.ts';

/** What the kubelet says of a container, or of the pod as a whole. The same again is counted. */
export function tell(
  store: Store,
  pod: any,
  [type, reason, message]: readonly [type: 'Normal' | 'Warning', reason: string, message: string],
  container?: string,
): void {
  const { namespace, name, uid } = pod.metadata;
  const kind = kindNamed('Event');
  const eventName = `${name}.${hashOf(`${reason} ${message}`)}`;
  const known = store.get(kind, namespace, eventName)?.object;
  if (known) {
    store.save(kind, { ...known, count: known.count + 1, lastTimestamp: now() });
    return;
  }
  store.put('Event', {
    metadata: { name: eventName, namespace },
    involvedObject: {
      kind: 'Pod',
      namespace,
      name,
      uid,
      apiVersion: 'v1',
      ...(container && { fieldPath: `spec.containers{${container}}` }),
    },
    ...{ type, reason, message, count: 1, eventTime: null },
    ...{ firstTimestamp: now(), lastTimestamp: now() },
    source: { component: 'kubelet', host: pod.spec.nodeName },
    ...{ reportingComponent: 'kubelet', reportingInstance: pod.spec.nodeName },
  });
}

type ProbeName = 'readiness' | 'startup' | 'liveness';

/** What the kubelet says of a probe that fails: nothing listens, unless the program answers something. */
export function probeFailure(pod: any, name: ProbeName, answer?: string): ['Warning', 'Unhealthy', string] {
  const probe = pod.spec.containers[0][`${name}Probe`];
  const { httpGet, tcpSocket } = probe;
  const port = httpGet?.port ?? tcpSocket?.port;
  const address = `${pod.status.podIP ?? '10.2.0.1'}:${port}`;
  const refused = `dial tcp ${address}: connect: connection refused`;
  const how = httpGet ? `Get "http://${address}${httpGet.path}": ${refused}` : tcpSocket ? refused : '';
  const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  return ['Warning', 'Unhealthy', `${title} probe failed: ${answer ?? how}`];
}
