import { kindNamed } from './kinds.ts';
import { now, type Store } from './store.ts';

/** What a container uses, as quantities. */
export interface Measured {
  cpu: string;
  memory: string;
  /** When it was measured. Now if left out. */
  timestamp?: string;
}

const anyUsage: Measured = { cpu: '2500000n', memory: '10240Ki' };

/** Measures the pods that run, each container alike, as a metrics server does. It has the labels of its pods. */
export function measurePods(store: Store, usage: ReadonlyMap<string, Measured>): void {
  const kind = kindNamed('PodMetrics');
  for (const metrics of store.list(kind)) store.remove(kind, metrics);
  for (const { metadata, spec, status } of store.list(kindNamed('Pod'))) {
    if (status?.phase !== 'Running') continue;
    const { timestamp = now(), ...used } = usage.get(metadata.name) ?? anyUsage;
    const { name, namespace, labels } = metadata;
    const containers = spec.containers.map((each: { name: string }) => ({ name: each.name, usage: used }));
    store.put('PodMetrics', { metadata: { name, namespace, labels }, timestamp, window: '15s', containers });
  }
}
