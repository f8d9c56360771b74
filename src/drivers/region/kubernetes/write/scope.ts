import type { KubernetesRegion, RegionSource } from '../../clusters.ts';
import type { Connection } from '../cluster/connection.ts';
import { type EventSettings, eventDefaults } from '../cluster/pod-events.ts';
import type { JobLooks } from './job-looks.ts';

export interface RolloutSettings extends EventSettings {
  /** How long an instance has to be ready before it counts, in seconds. */
  minReadySeconds: number;
  /** How long instances fail before the work fails. The cause can pass by itself. */
  failingMs: number;
}

export const rolloutDefaults: RolloutSettings = {
  minReadySeconds: 10,
  failingMs: 30_000,
  ...eventDefaults,
};

/** The cluster of a region, in which work is done. */
export interface ClusterScope {
  region: KubernetesRegion;
  connection: Connection;
  source: RegionSource;
  rollouts: RolloutSettings;
  /** Of the job that the work belongs to. */
  looks: JobLooks;
  /** The number of the job that is carried out. Absent outside of jobs. */
  job?: number;
  signal: AbortSignal;
}
