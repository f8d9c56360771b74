import type { InspectedComponent, Reader } from './instances.ts';
import type { TrafficHistory } from './traffic.ts';
import type { UsageHistory, UsageWindow } from './usage-history.ts';

/** A component whose usage is read, with the resources that each of its instances requests. */
export interface MeasuredComponent extends InspectedComponent {
  cpuMillicores: number;
  memoryMiB: number;
  /** Measurements from before can be of another component with its name. */
  createdAt: Date;
}

/** Why there are no measurements. */
export const usageGaps = {
  no_cluster: 'The region has no cluster: its driver is DECLARED.',
  no_metrics: 'The cluster does not serve `metrics.k8s.io`: no metrics server is installed.',
  not_allowed: 'The account of the region is not allowed to list `pods` of `metrics.k8s.io`.',
  not_responding: 'The metrics server of the cluster does not respond.',
} as const;
export type UsageGap = keyof typeof usageGaps;

/** The usage of an instance. CPU and memory are null if it was not measured, for example because it has just started. */
export interface InstanceUsage {
  name: string;
  cpuMillicores: number | null;
  memoryMiB: number | null;
  restarts: number;
  measuredAt: Date | null;
}

export interface ComponentUsage {
  /** Null if the instances are measured. */
  gap: UsageGap | null;
  /** By name. */
  instances: InstanceUsage[];
}

/** A look at what instances use. */
export interface UsageAccess {
  /** The present usage of components of one region, by component id. */
  now(
    regionId: string,
    components: readonly MeasuredComponent[],
    signal: AbortSignal,
  ): Promise<Map<string, ComponentUsage>>;
  /** The usage of a component over time. */
  history(
    component: MeasuredComponent,
    reader: Reader,
    window: UsageWindow,
    signal: AbortSignal,
  ): Promise<UsageHistory>;
  /** The HTTP requests that a gateway has sent to a component over time. */
  traffic(
    component: MeasuredComponent,
    reader: Reader,
    window: UsageWindow,
    signal: AbortSignal,
  ): Promise<TrafficHistory>;
}
