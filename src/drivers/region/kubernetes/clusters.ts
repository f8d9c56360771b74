import type { ClusterCheck } from './check.ts';
import type { KubernetesRegion } from './region.ts';

/** What is done with a cluster, beyond the interface of region drivers. */
export interface Clusters {
  /** Tells what stands in the way of the driver. Does not throw. */
  check(region: KubernetesRegion, signal?: AbortSignal): Promise<ClusterCheck>;
  close(): Promise<void>;
}
