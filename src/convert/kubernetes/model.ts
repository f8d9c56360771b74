import type { Grade } from '../claims.ts';
import type { Protocol } from '../ports.ts';

/** An object of a cluster, as its API and manifests write it. */
export interface KubernetesObject {
  kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: the rest depends on the kind
  metadata: { name: string; [name: string]: any };
  // biome-ignore lint/suspicious/noExplicitAny: the rest depends on the kind
  [name: string]: any;
}

/** A label that a node must have. */
export interface NodeLabel {
  key: string;
  value: string;
}

/** Lets instances run on nodes with matching taints. */
export interface Toleration {
  /** Null stands for the keys of all taints, with the operator `exists`. */
  key: string | null;
  operator: 'exists' | 'equal';
  /** Null with the operator `exists`. */
  value: string | null;
  /** Null stands for all effects. */
  effect: 'no_schedule' | 'prefer_no_schedule' | 'no_execute' | null;
}

/** On which nodes the pods of a workload run. */
export interface FoundPlacement {
  /** Each key once, in the order of the keys. */
  nodeLabels: readonly NodeLabel[];
  tolerations: readonly Toleration[];
  /** The domain that the instances are spread over. Null if that is left to the cluster. */
  spread: 'node' | 'zone' | null;
  /** The instances that stay available while nodes are drained. Null stands for the default. */
  minAvailable: number | null;
}

/** When runs of a component are started, as a manifest has it. */
export interface FoundSchedule {
  name: string;
  cron: string;
  timeZone: string | null;
  command: string[];
  concurrency: 'allow' | 'forbid' | 'replace';
  timeoutSeconds: number;
  isPaused: boolean;
}

/** A check of the instances, as a manifest has it. It has one of the first four. */
export interface FoundProbe {
  http?: { port: number; path: string; scheme?: 'https'; headers?: { name: string; value: string }[] };
  tcp?: { port: number };
  grpc?: { port: number; service?: string };
  command?: string[];
  initialDelaySeconds?: number;
  periodSeconds?: number;
  timeoutSeconds?: number;
  failureThreshold?: number;
  successThreshold?: number;
}

/** A workload of a namespace, as a component can have it. */
export interface FoundComponent {
  name: string;
  image: string;
  entrypoint: string | null;
  command: string | null;
  replicas: number;
  cpuMillicores: number;
  memoryMiB: number;
  /** How much an instance can use, at least what it requests. Null without a limit. */
  cpuLimitMillicores: number | null;
  memoryLimitMiB: number | null;
  extendMethod: 'stateless' | 'state';
  placement: FoundPlacement;
  autoscaling: {
    minReplicas: number;
    maxReplicas: number;
    cpuPercent: number | null;
    memoryPercent: number | null;
  } | null;
  schedules: FoundSchedule[];
  probes: { startup?: FoundProbe; readiness?: FoundProbe; liveness?: FoundProbe };
  /** The pause before an instance gets its termination signal, and the time from its beginning until it is killed. */
  preStopSeconds: number;
  terminationGracePeriodSeconds: number;
  /** Whether its processes can run as root. */
  needsRoot: boolean;
  /** The name by which others reach its ports. */
  serviceName: string | null;
  variables: { name: string; value: string; isSecret: boolean }[];
  volumes: {
    name: string;
    path: string;
    type: 'share-file' | 'config-file' | 'memoryfs';
    fileContent: string;
    capacityGiB: number | null;
    accessMode: string | null;
    /** Whether other components have the same data, under the same name. */
    isShared: boolean;
  }[];
  ports: FoundPort[];
  httpRules: { portNumber: number; domain: string; path: string; header: string; weight: number }[];
}

interface FoundPort {
  number: number;
  protocol: Protocol;
  isInner: boolean;
  /** A name of its own, beside that of the component. */
  additionalName: string | null;
}

/** Something of a namespace that cannot be expressed, or is different for a component. */
export interface OmittedPart {
  kind: string;
  name: string;
  /** The omitted part. */
  what: string;
  /** Without it, what runs is not the same. */
  grade?: Grade;
}

export interface FoundNamespace {
  components: FoundComponent[];
  omitted: OmittedPart[];
}

/** Tells what of an object is left out. */
export type TellOf = (what: string, more?: Partial<OmittedPart>) => void;
