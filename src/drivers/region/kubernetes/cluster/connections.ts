import { createHash } from 'node:crypto';
import type { KubernetesRegion, RegionSource } from '../../clusters.ts';
import { Client } from './client.ts';
import { Connection } from './connection.ts';
import { Reachability } from './reachability.ts';

/** The settings that a connection depends on. Another metrics server or log store needs no new watches. */
const keyOf = ({
  url,
  credentials,
  cluster: { metricsUrl, gatewayQueries, logsUrl, ...cluster },
}: KubernetesRegion) =>
  createHash('sha256')
    .update(JSON.stringify([url, credentials, cluster]))
    .digest('hex');

/** The connections of the regions. One is made when a region is used first, and again when its settings change. */
export class Connections {
  readonly #source: Pick<RegionSource, 'log' | 'allowsLocal'>;
  readonly #known = new Map<string, { key: string; connection: Promise<Connection> }>();

  constructor(source: Pick<RegionSource, 'log' | 'allowsLocal'>) {
    this.#source = source;
  }

  of(region: KubernetesRegion): Promise<Connection> {
    const key = keyOf(region);
    const entry = this.#known.get(region.id);
    if (entry?.key === key) return entry.connection;
    if (entry)
      void entry.connection.then(
        (each) => each.close(),
        () => {},
      );
    const { log } = this.#source;
    const connection = Client.connect(region, this.#source, new Reachability(log, region.name)).then(
      (client) => new Connection(client, region, log),
    );
    this.#known.set(region.id, { key, connection });
    connection.catch(() => this.#known.delete(region.id));
    return connection;
  }

  async close(): Promise<void> {
    const all = [...this.#known.values()];
    this.#known.clear();
    for (const { connection } of all)
      await connection.then(
        (each) => each.close(),
        () => {},
      );
  }
}
