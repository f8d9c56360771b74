import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { KubernetesRegion, RegionSource } from '../../clusters.ts';
import { isOfRegion, isWorkload, type KindName, type KubernetesObject, labels } from '../objects/objects.ts';
import { Capabilities } from './capabilities.ts';
import { Client, maxStreams } from './client.ts';
import { isBroken } from './errors.ts';
import type { Informer } from './informer.ts';
import { ObjectCache, orAborted } from './object-cache.ts';
import { PodEvents } from './pod-events.ts';
import { Reachability } from './reachability.ts';
import { SharedTurns, Shares } from './shares.ts';

/** The kinds that the status of components is read from. */
const watched = ['Deployment', 'StatefulSet', 'Pod'] as const satisfies KindName[];

/** Streams for logs that are read once, which those that are followed leave. */
const readStreams = 100;

type Events = Record<(typeof watched)[number], number>;

/** Called with the changes that watches report. */
export type Observer = (object: KubernetesObject, isGone: boolean) => void;

/** The connection to a region's cluster, with the state from its watches. */
export class Connection {
  readonly client: Client;
  readonly capabilities: Capabilities;
  /** The instances whose logs are followed. Each takes a stream. */
  readonly followed = new Shares({ all: maxStreams - readStreams, ofTeam: 100, ofUser: 50 });
  /** The logs that are read once. */
  readonly logReads = new SharedTurns({ all: readStreams, ofTeam: 50, ofUser: 25 });
  /** The looks at events, which leave most connections to the work of jobs. */
  readonly eventReads = new SharedTurns({ all: 8, ofTeam: 4, ofUser: 2 });
  /** The events of single pods. */
  readonly podEvents: PodEvents;
  readonly cache: ObjectCache;
  readonly #ended = new AbortController();
  /** Whether a watch was lost since all were current. */
  #isLost = false;
  /** Told of workloads as well, and of what this process writes. */
  readonly observers = new Set<{
    changed: Observer;
    written(object: KubernetesObject): void;
    /** A pod has changed. */
    seen(pod: KubernetesObject): void;
  }>();
  /** The subscribers to changes of a component, by its id. */
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(client: Client, region: KubernetesRegion, log: RegionSource['log']) {
    this.client = client;
    this.capabilities = new Capabilities(client);
    this.podEvents = new PodEvents(client, this.#ended.signal);
    // Every request of a watch listens to it.
    setMaxListeners(0, this.#ended.signal);
    const about = { region: region.name };
    this.cache = new ObjectCache({
      client,
      isIn: isOfRegion(region),
      signal: this.#ended.signal,
      changed: (object, isGone) => this.#changed(object, isGone),
      failed: (kind) => (error) => {
        // One line for each change of the region, however many watches fail. A cluster that cannot be reached has its own.
        if (this.#isLost || this.#ended.signal.aborted || isBroken(error)) return;
        this.#isLost = true;
        log.warn({ error, ...about, kind }, 'watches of a cluster lost');
      },
      listed: () => {
        if (!this.#isLost || !this.cache.isCurrent) return;
        this.#isLost = false;
        log.info(about, 'watches of a cluster go on');
      },
    });
    for (const kind of watched) this.#informer(kind);
  }

  #informer(kind: (typeof watched)[number]): Informer {
    return this.cache.informer(kind, 'component');
  }

  /** Aborted when the connection is closed, or replaced because the settings of the region have changed. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** The workloads of all components. */
  get workloads(): KubernetesObject[] {
    return [...this.#informer('Deployment'), ...this.#informer('StatefulSet')];
  }

  /** The pods of all components. */
  get pods(): Iterable<KubernetesObject> {
    return this.#informer('Pod');
  }

  #changed(object: KubernetesObject, isGone: boolean): void {
    if (object.kind !== 'Pod') for (const { changed } of this.observers) changed(object, isGone);
    else if (!isGone) for (const { seen } of this.observers) seen(object);
    if (!(watched as readonly string[]).includes(object.kind)) return;
    const id = object.metadata.labels?.[labels.component] ?? '';
    for (const tell of [...(this.#listeners.get(id) ?? [])]) tell();
  }

  /** Calls the function after each change of the workload or the pods of a component. Returns a function that ends it. */
  listen(componentId: string, tell: () => void): () => void {
    const listeners = this.#listeners.get(componentId) ?? new Set();
    this.#listeners.set(componentId, listeners.add(tell));
    return () => {
      if (listeners.delete(tell) && listeners.size === 0) this.#listeners.delete(componentId);
    };
  }

  /** Resolves when everything has been listed once. */
  async ready(signal: AbortSignal): Promise<void> {
    await orAborted(Promise.all(watched.map((kind) => this.#informer(kind).ready)), signal);
  }

  /** Whether what is known is what the cluster has. */
  get isCurrent(): boolean {
    return watched.every((kind) => this.#informer(kind).isCurrent);
  }

  workloadOf(componentId: string): KubernetesObject | undefined {
    return this.cache.ofComponent(componentId).find(isWorkload);
  }

  podsOf(componentId: string): KubernetesObject[] {
    return this.cache.ofComponent(componentId).filter(({ kind }) => kind === 'Pod');
  }

  /** The number of events so far of each kind, for `see`. */
  get events(): Events {
    return {
      Deployment: this.#informer('Deployment').events,
      StatefulSet: this.#informer('StatefulSet').events,
      Pod: this.#informer('Pod').events,
    };
  }

  /**
   * Takes over what was read of a component, so that a status after it is not older. `events` is the number of events before
   * the read.
   */
  see(
    componentId: string,
    workloads: readonly KubernetesObject[],
    pods: readonly KubernetesObject[],
    events: Events,
  ): void {
    const isIn = ({ metadata }: KubernetesObject) => metadata.labels?.[labels.component] === componentId;
    for (const kind of watched) {
      const objects = kind === 'Pod' ? pods : workloads.filter((each) => each.kind === kind);
      this.#informer(kind).see(objects, isIn, events[kind]);
    }
  }

  /** Takes over an object that this process has written. */
  wrote(object: KubernetesObject): void {
    for (const { written } of this.observers) written(object);
    this.cache.wrote(object);
  }

  close(): void {
    this.#ended.abort();
    this.client.close();
  }
}

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
