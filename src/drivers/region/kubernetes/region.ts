import type { Log } from '../../../kernel/log.ts';
import type { ComponentIdentity, DesiredHttpRule, RegionTarget } from '../desired.ts';

/** How rules reach the outside, and where volumes and namespaces are made. */
export interface ClusterSettings {
  /** The class of the gateways that routes are attached to. If null, rules become Ingress objects. */
  gatewayClass: string | null;
  /** The class of Ingress objects. If null, that is the default class of the cluster. */
  ingressClass: string | null;
  /** The class of volumes. If null, that is the default class of the cluster. */
  storageClass: string | null;
  /** What names of namespaces start with. */
  namespacePrefix: string;
}

/** A region whose jobs a Kubernetes cluster carries out. */
export interface KubernetesRegion extends RegionTarget {
  cluster: ClusterSettings;
}

/** The quota of a team in a region. 0 is none. */
export interface TeamQuota {
  cpuMillicores: number;
  memoryMiB: number;
}

/** A published HTTP rule with its component. */
export interface RoutedRule extends DesiredHttpRule {
  component: Pick<ComponentIdentity, 'id' | 'clusterName'>;
}

/** A published HTTP rule of another component, which can share requests with those of a component. */
export interface OtherRule extends RoutedRule {
  /** Whether the component is told to run. Otherwise its rule is not served. */
  isRunning: boolean;
}

/** What the driver has to know beyond what it is called with. */
export interface RegionSource {
  /** Undefined if there is no such region. */
  region(id: string, signal?: AbortSignal): Promise<KubernetesRegion | undefined>;
  quota(regionId: string, teamId: string): Promise<TeamQuota>;
  /** The published HTTP rules that the other components of a team have for these domains, as they are now. */
  otherRules(
    regionId: string,
    component: Pick<ComponentIdentity, 'id' | 'teamId'>,
    domains: readonly string[],
  ): Promise<OtherRule[]>;
  /** Whether clusters can have loopback and link-local addresses. */
  allowsLocal: boolean;
  log: Pick<Log, 'info' | 'warn'>;
}
