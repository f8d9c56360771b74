import type { Grade } from '../claims.ts';
import type { Protocol } from '../ports.ts';

/** A note about a service. */
export type ServiceTell = (grade: Grade, key: string, reason: string, detail?: string) => void;

export interface VolumeEntry {
  path: string;
  type: string;
  fileContent?: string;
  isShared?: boolean;
}

export interface PortEntry {
  protocol: Protocol;
  isInner: boolean;
  isOuter?: boolean;
}

/** A component as a manifest has it. */
export interface Component {
  image: string;
  serviceName?: string;
  entrypoint?: string;
  command?: string;
  preDeployCommand?: string[];
  replicas?: number;
  cpuMillicores?: number;
  memoryMiB?: number;
  cpuLimitMillicores?: number | 'none';
  memoryLimitMiB?: number | 'none';
  preStopSeconds?: number;
  terminationGracePeriodSeconds?: number;
  needsRoot?: boolean;
  probes?: Record<string, object>;
  variables?: Record<string, string>;
  volumes?: Record<string, VolumeEntry>;
  ports?: Record<string, PortEntry>;
  dependsOn?: string[];
}
