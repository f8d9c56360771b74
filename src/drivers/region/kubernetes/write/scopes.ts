import { setMaxListeners } from 'node:events';
import type { KubernetesRegion, RegionSource } from '../../clusters.ts';
import type { RegionTarget } from '../../desired.ts';
import { RegionWorkError } from '../../driver.ts';
import type { Connection } from '../cluster/connection.ts';
import { Connections } from '../cluster/connections.ts';
import { withWorkErrors } from '../cluster/errors.ts';
import { JobLooks } from './job-looks.ts';
import type { ClusterScope, RolloutSettings } from './scope.ts';

/** A region by its id, or by its id with the name that errors have. */
type RegionKey = string | Pick<RegionTarget, 'id' | 'name'>;

const keyOf = (region: RegionKey) => (typeof region === 'string' ? { id: region, name: region } : region);

export type InCluster = Scopes['inCluster'];
export type FromConnection = Scopes['fromConnection'];

/** Connects to the clusters of regions. */
export class Scopes {
  readonly #source: RegionSource;
  readonly #rollouts: RolloutSettings;
  readonly #connections: Connections;

  constructor(source: RegionSource, rollouts: RolloutSettings) {
    this.#source = source;
    this.#rollouts = rollouts;
    this.#connections = new Connections(source);
  }

  readonly regionOf = async (region: RegionKey, signal: AbortSignal): Promise<KubernetesRegion> => {
    const { id, name } = keyOf(region);
    const settings = await this.#source.region(id, signal);
    if (!settings) throw new RegionWorkError(`There is no region ${name}.`, { isPermanent: true });
    return settings;
  };

  /** The cluster as the settings of the region say. */
  async open(key: RegionKey, signal: AbortSignal): Promise<ClusterScope> {
    signal.throwIfAborted();
    // Every request of a call listens to its signal.
    setMaxListeners(0, signal);
    const region = await this.regionOf(key, signal);
    const connection = await this.#connections.of(region);
    const looks = new JobLooks();
    return { region, connection, source: this.#source, rollouts: this.#rollouts, looks, signal };
  }

  /** The cluster to apply objects in: without an issuer if it has no cert-manager. */
  async openForWork(
    key: RegionKey,
    signal: AbortSignal,
    job?: { looks: JobLooks; job: number },
  ): Promise<ClusterScope> {
    const scope = { ...(await this.open(key, signal)), ...job };
    if (await scope.connection.capabilities.hasCertificates(scope.region, signal)) return scope;
    const cluster = { ...scope.region.cluster, certificateIssuer: null };
    return { ...scope, region: { ...scope.region, cluster } };
  }

  /** Runs work in the cluster of a region, with its failures as users see them. */
  readonly inCluster = async <T>(
    region: RegionKey,
    signal: AbortSignal,
    work: (scope: ClusterScope) => Promise<T>,
  ): Promise<T> => {
    const scope = await this.open(region, signal);
    return withWorkErrors(signal, () => work(scope));
  };

  /** Reads from the connection of a region once it knows its pods, with failures as users see them. */
  readonly fromConnection = async <T>(
    regionId: string,
    signal: AbortSignal,
    read: (connection: Connection) => Promise<T> | T,
  ): Promise<T> => {
    const { connection } = await this.open(regionId, signal);
    await connection.instances.ready(signal);
    return withWorkErrors(signal, async () => read(connection));
  };

  close(): Promise<void> {
    return this.#connections.close();
  }
}
