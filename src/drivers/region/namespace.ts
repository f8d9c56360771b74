import type { DesiredComponent } from './desired.ts';
import type { Placement } from './placement.ts';

/** A workload of a namespace, as a component can have it. */
export interface FoundComponent {
  name: string;
  image: string;
  command: string | null;
  replicas: number;
  cpuMillicores: number;
  memoryMiB: number;
  extendMethod: 'stateless' | 'state';
  placement: Pick<Placement, 'nodeLabels' | 'tolerations' | 'spread'>;
  autoscaling: DesiredComponent['autoscaling'];
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
  }[];
  ports: FoundPort[];
  httpRules: { portNumber: number; domain: string; path: string; header: string; weight: number }[];
}

interface FoundPort {
  number: number;
  protocol: 'http' | 'tcp' | 'udp';
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
}

export interface FoundNamespace {
  components: FoundComponent[];
  omitted: OmittedPart[];
}

/** Reads what runs in a namespace, and changes nothing. */
export interface NamespaceAccess {
  /** Undefined if there is no such namespace. */
  read(regionId: string, namespace: string, signal: AbortSignal): Promise<FoundNamespace | undefined>;
}

/** The most workloads of a namespace that are read. */
export const maxFoundComponents = 100;
