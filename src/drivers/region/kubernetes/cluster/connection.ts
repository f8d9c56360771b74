import { setMaxListeners } from 'node:events';
import type { KubernetesRegion, RegionSource } from '../../clusters.ts';
import { isOfRegion } from '../objects/namespaces.ts';
import type { KubernetesObject } from '../objects/objects.ts';
import { Capabilities } from './capabilities.ts';
import { Changes } from './changes.ts';
import type { Client } from './client.ts';
import { InstanceIndex } from './instance-index.ts';
import { ObjectCache } from './object-cache.ts';
import { PodEvents } from './pod-events.ts';
import { Readers } from './readers.ts';
import { WatchLog } from './watch-log.ts';

/** The connection to a region's cluster, with the state from its watches. */
export class Connection {
  readonly client: Client;
  readonly capabilities: Capabilities;
  readonly readers = new Readers();
  /** The events of single pods. */
  readonly podEvents: PodEvents;
  readonly cache: ObjectCache;
  readonly instances: InstanceIndex;
  readonly changes = new Changes();
  readonly #ended = new AbortController();

  constructor(client: Client, region: KubernetesRegion, log: RegionSource['log']) {
    const { signal } = this.#ended;
    this.client = client;
    this.capabilities = new Capabilities(client);
    this.podEvents = new PodEvents(client, signal);
    // Every request of a watch listens to it.
    setMaxListeners(0, signal);
    const watchLog = new WatchLog(log, region.name, signal);
    this.cache = new ObjectCache({
      client,
      isIn: isOfRegion(region),
      signal,
      changed: (object, isGone) => this.changes.changed(object, isGone),
      failed: (kind) => (error) => watchLog.failed(kind, error),
      listed: () => watchLog.listed(this.cache.isCurrent),
    });
    this.instances = new InstanceIndex(this.cache);
  }

  /** Aborted when the connection is closed, or replaced because the settings of the region have changed. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Takes over an object that this process has written. */
  wrote(object: KubernetesObject): void {
    this.changes.written(object);
    this.cache.wrote(object);
  }

  close(): void {
    this.#ended.abort();
    this.client.close();
  }
}
