import type { Log } from '../../kernel/log.ts';
import type {
  ComponentIdentity,
  DesiredComponent,
  DesiredHttpRule,
  DesiredPort,
  DesiredTcpRule,
  NamespaceOwner,
  RegionTarget,
} from './desired.ts';
import type { QueryCredentials } from './query-credentials.ts';
import type { GatewayQueries } from './traffic.ts';

/** How rules reach the outside, and where volumes and namespaces are made. */
export interface ClusterSettings {
  /** The class of the gateways that routes are attached to. If null, rules become Ingress objects. */
  gatewayClass: string | null;
  /** The class of Ingress objects. If null, that is the default class of the cluster. */
  ingressClass: string | null;
  /** The class of volumes. If null, that is the default class of the cluster. */
  storageClass: string | null;
  /** The class of volumes that components share. Null if not set. */
  sharedStorageClass: string | null;
  /**
   * The issuer of certificates for rules with `autoSsl`: the name of a ClusterIssuer of cert-manager, or `Issuer/` and that of
   * an Issuer in the namespace of each team. Null if not set.
   */
  certificateIssuer: string | null;
  /** The prefix of the names of namespaces. */
  namespacePrefix: string;
  /** Where the usage of instances over time is asked for. Null if nowhere. */
  metricsUrl: string | null;
  /** How the metrics server is asked for what the gateway has recorded. Null if the gateway records nothing. */
  gatewayQueries: GatewayQueries | null;
  /** Where the lines of instances that are gone are asked for. Null if nowhere. */
  logsUrl: string | null;
}

/** A region whose jobs a Kubernetes cluster carries out. */
export interface KubernetesRegion extends RegionTarget {
  cluster: ClusterSettings;
  /** Of the servers at `cluster.metricsUrl` and `cluster.logsUrl`. */
  queryCredentials: { metrics: QueryCredentials | null; logs: QueryCredentials | null };
}

/** The quota of a team in a region. 0 is none. */
export interface TeamQuota {
  cpuMillicores: number;
  memoryMiB: number;
}

export interface RoutedRule extends DesiredHttpRule {
  component: Pick<ComponentIdentity, 'id' | 'clusterName' | keyof NamespaceOwner>;
}

/** A published HTTP rule of another component, which can share requests with those of a component. */
export interface OtherRule extends RoutedRule {
  /** Whether the component should run. Otherwise its rule is not served. */
  isRunning: boolean;
}

/** A component on which deployed components of other namespaces depend. */
export interface Crossing {
  target: ComponentIdentity;
  ports: readonly Pick<DesiredPort, 'number' | 'protocol'>[];
  dependents: readonly ({ id: string } & NamespaceOwner)[];
}

/** The reads that the driver needs in addition to its arguments. */
export interface RegionSource {
  /** Undefined if there is no such region. */
  region(id: string, signal?: AbortSignal): Promise<KubernetesRegion | undefined>;
  quota(regionId: string, teamId: string): Promise<TeamQuota>;
  /** Whether a component of the namespace that is or was deployed to the region needs root. */
  needsRoot(regionId: string, owner: NamespaceOwner): Promise<boolean>;
  /** Whether an application has a component that is or was deployed, so that it needs its namespace; or whether this one is. */
  isInUse(applicationId: number, componentId?: string): Promise<boolean>;
  /** Those of the components that deployed components of other namespaces depend on, as it is now. */
  crossings(targetIds: readonly string[]): Promise<Crossing[]>;
  /** The published HTTP rules that the other components of a team have for these domains, as they are now. */
  otherRules(
    regionId: string,
    component: Pick<ComponentIdentity, 'id' | 'teamId'>,
    domains: readonly string[],
  ): Promise<OtherRule[]>;
  /** Whether clusters can have loopback and link-local addresses. */
  allowsLocal: boolean;
  /** The largest answer of a cluster that is read, in bytes. Defaults to 128 MiB. */
  maxAnswerBytes?: number;
  log: Pick<Log, 'info' | 'warn'>;
}

export interface ClusterRight {
  verb: string;
  /** Empty for the core group. */
  group: string;
  resource: string;
  isAllowed: boolean;
}

export interface ClusterCheck {
  isReachable: boolean;
  /** Why the cluster could not be looked at. */
  problem: string | null;
  version: string | null;
  /** A permission that the driver needs, and whether the account has it. */
  rights: ClusterRight[];
  hasGatewayApi: boolean;
  hasMetrics: boolean;
  hasCertManager: boolean;
  hasSnapshots: boolean;
}

/** The part of a rule that decides whether it can be expressed. */
export type LimitedRule = Pick<
  DesiredHttpRule,
  | 'id'
  | 'domain'
  | 'path'
  | 'header'
  | 'cookie'
  | 'pathRewrite'
  | 'rewrites'
  | 'extensions'
  | 'configuration'
  | 'autoSsl'
  | 'protocol'
>;

/** The parts of a rule that a cluster cannot express. */
export interface RuleLimitations {
  /** The component is not applied with it, because the meaning of the rule would be another. */
  refused: string[];
  /** Settings that are left out. */
  ignored: string[];
}

/** The stored part of a kubeconfig. */
export interface KubeconfigContent {
  url: string;
  credentials: {
    token: string | null;
    caCertificate: string | null;
    clientCertificate: string | null;
    clientKey: string | null;
  };
}

/** Whose objects have changed: those of a component, those that a team or a namespace has beside its components, or perhaps all. */
export type Changed = { componentId: string } | Partial<NamespaceOwner>;

/** An instance of a component that was started again three times. */
export interface Crashed {
  componentId: string;
  /** Differs for each instance, also for those with the same name. */
  instance: string;
  restarts: number;
  reason: string | null;
}

/** The receiver of the reports of a watch of a cluster. */
export interface ClusterObserver {
  changed(changed: Changed): void;
  /** An instance of the last deploy was started again three times. Called for each change of such an instance. */
  crashed(crashed: Crashed): void;
}

/** The differences between a component in the cluster and its last apply. */
export interface Drift {
  /** The objects that can be put back. */
  changed: string[];
  /** The differences that cannot be reverted, and why: for example, another field manager owns the fields. */
  refused: string[];
}

/** Operations on a cluster that are not part of the interface of region drivers. */
export interface Clusters {
  /** Checks whether the driver can work with a cluster. Does not throw. */
  check(region: KubernetesRegion, signal?: AbortSignal): Promise<ClusterCheck>;
  /**
   * Reports whose objects have changed in a cluster, except for writes of this process, and at the start for all
   * of them, and which components crash. Resolves when the signal is aborted or the connection is replaced.
   */
  watchChanges(regionId: string, observer: ClusterObserver, signal: AbortSignal): Promise<void>;
  /** Compares a component with what the cluster has of it. `lastJob` is the last job that has applied it and succeeded. */
  drift(
    region: RegionTarget,
    component: DesiredComponent,
    signal: AbortSignal,
    lastJob?: number,
  ): Promise<Drift>;
  /** Forgets which jobs have written what the cluster of a region has. Returns how many objects had the number of one. */
  resetFence(regionId: string, signal: AbortSignal): Promise<number>;
  /** The address and credentials in a kubeconfig, or why it cannot be used. */
  readKubeconfig(text: string): Promise<KubeconfigContent | string>;
  /**
   * The parts of an HTTP rule that a cluster does not support: those that keep the component from being applied, and those
   * that are left out. `sharing` has the published rules for the same requests: a rule is compared with those made before it.
   */
  limitationsOfHttp(
    rule: LimitedRule,
    settings: Pick<ClusterSettings, 'gatewayClass' | 'certificateIssuer'>,
    sharing?: readonly LimitedRule[],
  ): RuleLimitations;
  limitationsOfTcp(rule: Pick<DesiredTcpRule, 'address' | 'extensions'>): RuleLimitations;
  /** The requests that a rule matches, as text. Rules with the same text share them by weight. */
  matchOf(rule: Pick<DesiredHttpRule, 'domain' | 'path' | 'header' | 'cookie'>): string;
  close(): Promise<void>;
}
