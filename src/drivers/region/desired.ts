import type { Probes, PullCredential } from './health.ts';
import type { Placement } from './placement.ts';

/** The cluster of a region, as a driver reaches it. */
export interface RegionTarget {
  id: string;
  name: string;
  url: string;
  websocketUrl: string;
  httpDomain: string;
  tcpDomain: string;
  /** Decrypted. */
  credentials: {
    token: string | null;
    caCertificate: string | null;
    clientCertificate: string | null;
    clientKey: string | null;
  };
}

export interface DesiredVariable {
  name: string;
  value: string;
  isSecret: boolean;
}

/** A snapshot of a component from which another one was copied. */
export interface SnapshotSource extends NamespaceOwner {
  componentId: string;
  snapshot: string;
}

export interface DesiredVolume {
  name: string;
  path: string;
  type: string;
  fileContent: string;
  capacityGiB: number | null;
  accessMode: string | null;
  sharePolicy: string | null;
  /** Whether the components of the application that share a volume of this name have the same data. */
  isShared?: boolean;
  /** What the volume has until it has data of its own. Absent if that is nothing. */
  source?: SnapshotSource;
}

export interface DesiredPort {
  number: number;
  protocol: string;
  alias: string;
  isInner: boolean;
  isOuter: boolean;
  /** An inner domain of the port alone, beside that of the component. */
  additionalName: string | null;
}

/** A published HTTP rule. */
export interface DesiredHttpRule {
  /** A rule that was made later has a higher one. */
  id: number;
  key: string;
  portNumber: number;
  /** The application protocol of the port: `http` or `grpc`. */
  protocol: string;
  domain: string;
  path: string;
  header: string;
  cookie: string;
  weight: number;
  pathRewrite: boolean;
  rewrites: unknown[];
  extensions: unknown[];
  configuration: object;
  /** Whether the cluster provides the certificate, by its issuer. */
  autoSsl: boolean;
  certificate: { name: string; chain: string; key: string } | null;
}

/** A published TCP rule. */
export interface DesiredTcpRule {
  key: string;
  portNumber: number;
  address: string;
  outerPort: number;
  extensions: unknown[];
}

/** Whose a namespace in the cluster of a region is. */
export interface NamespaceOwner {
  teamId: string;
  /** The application that has the namespace to itself. 0 for the namespace of the team. */
  namespaceId: number;
}

/** The names of a component in a cluster. A deleted component has only these. */
export interface ComponentIdentity extends NamespaceOwner {
  id: string;
  applicationId: number;
  alias: string;
  clusterName: string;
}

/** A component that the cluster has to remove. */
export interface RemovedComponent extends ComponentIdentity {
  /** Whether the data of its volumes goes with it. */
  deletesVolumes?: boolean;
  /** The names of its volumes that others of its application can have as well. */
  sharedVolumes?: readonly string[];
}

/** The bounds of the number of instances, and the usage to aim at, in percent of what the instances request. */
interface DesiredAutoscaling {
  minReplicas: number;
  maxReplicas: number;
  cpuPercent: number | null;
  memoryPercent: number | null;
}

export interface DesiredComponent extends ComponentIdentity {
  /** Grows with every change of what is desired. */
  generation: number;
  /** `running`, or `closed`: it keeps its volumes and has no instances. */
  state: 'running' | 'closed';
  name: string;
  /** The inner domain of its ports. */
  serviceName: string | null;
  image: string;
  /** Whether instances pull the image at each start. */
  pullsAlways?: boolean;
  /** The program that starts, and its arguments, as words. Null for those of the image. */
  entrypoint: string | null;
  command: string | null;
  replicas: number;
  /** How the load sets the number of instances. `replicas` is then the number that a start begins with. */
  autoscaling: DesiredAutoscaling | null;
  cpuMillicores: number;
  memoryMiB: number;
  /** How much an instance can use. Null without a limit. */
  cpuLimitMillicores: number | null;
  memoryLimitMiB: number | null;
  gpuMemoryMiB: number;
  extendMethod: string;
  /** Whether its processes can run as root. Otherwise instances are restricted as far as the region can do that. */
  needsRoot: boolean;
  placement: Placement;
  probes: Probes;
  /** Whether a port that is open inside, or has a rule, is checked by TCP when there is no readiness probe. */
  checksPorts: boolean;
  /** The pause between the end of new requests to an instance and its termination signal. */
  preStopSeconds: number;
  /** The time from the beginning of that pause until an instance is killed. Longer than the pause. */
  terminationGracePeriodSeconds: number;
  /** How long work on it may take, in seconds, if that is shorter than for all components. */
  deployDeadlineSeconds?: number;
  /** The credential of the image's registry, if the team or the enterprise has one. */
  pullCredential?: PullCredential | null;
  /** The connection variables of its dependencies, then its own, which override them. */
  variables: readonly DesiredVariable[];
  volumes: readonly DesiredVolume[];
  /** The ids of the components that it depends on. */
  dependencies: readonly string[];
  ports: readonly DesiredPort[];
  httpRules: readonly DesiredHttpRule[];
  tcpRules: readonly DesiredTcpRule[];
}
