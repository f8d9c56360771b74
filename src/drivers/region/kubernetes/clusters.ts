import type { ClusterCheck } from './check.ts';
import type { KubernetesRegion } from './region.ts';

/** An instance of a component: a pod. */
export interface ClusterInstance {
  name: string;
  /** The node that it runs on, once it has one. */
  node: string | null;
  phase: string;
  isReady: boolean;
  restarts: number;
  startedAt: Date | null;
  /** Why it cannot start. */
  reason: string | null;
}

/** What is done with a cluster, beyond the interface of region drivers. */
export interface Clusters {
  /** Tells what stands in the way of the driver. Does not throw. */
  check(region: KubernetesRegion, signal?: AbortSignal): Promise<ClusterCheck>;
  /** The instances of a component by name, as watches have told. */
  instances(regionId: string, componentId: string, signal: AbortSignal): Promise<ClusterInstance[]>;
  close(): Promise<void>;
}
