import type { KubernetesRegion } from '../../clusters.ts';
import { type KindName, kinds, managedSelector } from '../objects/objects.ts';
import { hasCode } from './answers.ts';
import type { Client } from './client.ts';
import { workError } from './errors.ts';

/** How long a cluster that lacks something is not asked for it again, in ms. */
const askAgainMs = 60_000;

/** Something that a cluster may have. One that has it is not asked again; one that lacks it is asked again after a time. */
export class Capability {
  readonly #ask: (signal: AbortSignal) => Promise<boolean>;
  readonly #askAgainMs: number;
  #has = false;
  #askAtMs = 0;

  constructor(ask: (signal: AbortSignal) => Promise<boolean>, againMs = askAgainMs) {
    this.#ask = ask;
    this.#askAgainMs = againMs;
  }

  async isThere(signal: AbortSignal, nowMs = performance.now()): Promise<boolean> {
    if (this.#has || nowMs < this.#askAtMs) return this.#has;
    this.#has = await this.#ask(signal);
    this.#askAtMs = nowMs + this.#askAgainMs;
    return this.#has;
  }
}

type Of = Pick<KubernetesRegion, 'cluster'>;

/** The kinds that the cluster of a region serves, and that its account may use. */
export class Capabilities {
  readonly #client: Client;
  readonly #tcpRoutes = this.#served('TCPRoute');
  readonly #certManager = this.#served('Certificate');
  readonly #snapshots = this.#served('VolumeSnapshot');
  readonly #snapshotContents = this.#listed('VolumeSnapshotContent', 0);
  readonly #autoscalers = this.#listed('HorizontalPodAutoscaler', 0);
  readonly #budgets = this.#listed('PodDisruptionBudget', 0);
  readonly #namespaces = this.#listed('Namespace');
  readonly #grants = this.#listed('ReferenceGrant');
  #hasSleep: boolean | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  #served(kind: KindName): Capability {
    return new Capability((signal) => this.#client.serves(kinds[kind], signal));
  }

  /**
   * Whether the account may list a kind. An account that was set up for an earlier version of Trellis may not. Who gives it the right
   * expects the next deploy to use it.
   */
  #listed(kind: KindName, againMs?: number): Capability {
    const ask = (signal: AbortSignal) =>
      this.#client.list(kind, signal, { labelSelector: managedSelector, limit: 1 }).then(
        () => true,
        (error) => {
          if (hasCode(error, 403, 404)) return false;
          throw workError(error);
        },
      );
    return new Capability(ask, againMs);
  }

  /** Whether the cluster serves routes for TCP, which not every Gateway API has. */
  async hasTcpRoutes({ cluster }: Of, signal: AbortSignal): Promise<boolean> {
    return cluster.gatewayClass !== null && (await this.#tcpRoutes.isThere(signal));
  }

  hasCertManager(signal: AbortSignal): Promise<boolean> {
    return this.#certManager.isThere(signal);
  }

  /** Whether the cluster makes snapshots of volumes. */
  hasSnapshots(signal: AbortSignal): Promise<boolean> {
    return this.#snapshots.isThere(signal);
  }

  /** Whether the account may read what snapshots are of, which copies in other namespaces need. */
  async hasSnapshotContents(signal: AbortSignal): Promise<boolean> {
    return (await this.hasSnapshots(signal)) && (await this.#snapshotContents.isThere(signal));
  }

  /** Whether certificates come from the cluster. */
  async hasCertificates({ cluster }: Of, signal: AbortSignal): Promise<boolean> {
    return cluster.certificateIssuer !== null && (await this.hasCertManager(signal));
  }

  /** Whether the account may read disruption budgets. Components without one keep running, so that they are left out where it may not. */
  hasBudgets(signal: AbortSignal): Promise<boolean> {
    return this.#budgets.isThere(signal);
  }

  /** Whether the account may read the namespaces of all teams. Otherwise each is read by its name. */
  hasNamespaces(signal: AbortSignal): Promise<boolean> {
    return this.#namespaces.isThere(signal);
  }

  /** Those of the kinds that the cluster serves, and that its account may use. */
  async among(kinds: readonly KindName[], region: Of, signal: AbortSignal): Promise<KindName[]> {
    const has = await Promise.all(kinds.map((kind) => this.#has(kind, region, signal)));
    return kinds.filter((_, index) => has[index]);
  }

  #has(kind: KindName, region: Of, signal: AbortSignal): Promise<boolean> | boolean {
    switch (kind) {
      case 'Gateway':
      case 'HTTPRoute':
        return region.cluster.gatewayClass !== null;
      case 'ReferenceGrant':
        return region.cluster.gatewayClass !== null && this.#grants.isThere(signal);
      case 'TCPRoute':
        return this.hasTcpRoutes(region, signal);
      case 'Certificate':
        return this.hasCertificates(region, signal);
      case 'VolumeSnapshot':
        return this.hasSnapshots(signal);
      case 'HorizontalPodAutoscaler':
        // The cluster of an account that may not read them has none of Trellis.
        return this.#autoscalers.isThere(signal);
      case 'PodDisruptionBudget':
        return this.hasBudgets(signal);
      case 'Namespace':
        return this.hasNamespaces(signal);
      default:
        return true;
    }
  }

  /** Whether the cluster has a pause of its own before it ends an instance: since 1.30. */
  async hasSleep(signal: AbortSignal): Promise<boolean> {
    if (this.#hasSleep === undefined) {
      const version = await this.#client
        .get<{ major?: string; minor?: string }>('/version', signal)
        .catch((error): { major?: string; minor?: string } => {
          // Some clusters show their version to some accounts only.
          if (hasCode(error, 403, 404)) return {};
          throw error;
        });
      this.#hasSleep = Number(version.major) > 1 || Number.parseInt(version.minor ?? '', 10) >= 30;
    }
    return this.#hasSleep;
  }
}
