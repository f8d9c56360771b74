import type { DesiredComponent, RegionTarget } from '../desired.ts';
import type { ClusterCheck } from './check.ts';
import type { KubernetesRegion } from './region.ts';

/** Whose objects have changed: those of a component, those that a team has beside its components, or perhaps all. */
export type Changed = { componentId: string } | { teamId: string | undefined };

/** What of a component is not as it was applied. */
export interface Drift {
  /** The objects that can be put back. */
  changed: string[];
  /** What cannot be put back, and why: another field manager has taken fields, for example. */
  refused: string[];
}

/** What is done with a cluster, beyond the interface of region drivers. */
export interface Clusters {
  /** Tells what stands in the way of the driver. Does not throw. */
  check(region: KubernetesRegion, signal?: AbortSignal): Promise<ClusterCheck>;
  /**
   * Tells whose objects change in a cluster, but for what this process writes; first of all that everything may have.
   * Resolves when the signal is aborted or the connection is replaced.
   */
  watchChanges(regionId: string, told: (changed: Changed) => void, signal: AbortSignal): Promise<void>;
  /** Compares a component with what the cluster has of it. */
  drift(region: RegionTarget, component: DesiredComponent, signal: AbortSignal): Promise<Drift>;
  close(): Promise<void>;
}
