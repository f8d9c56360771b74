import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { KubernetesRegion, RegionSource } from '../clusters.ts';
import { ClusterError } from './answers.ts';
import { Client, maxStreams } from './client.ts';
import { workError } from './errors.ts';
import { Informer } from './informer.ts';
import { isOfRegion, type KindName, type KubernetesObject, kinds, labels, managed } from './objects.ts';
import { PodEvents } from './pod-events.ts';
import { SharedTurns, Shares } from './shares.ts';

/** The kinds that the status of components is read from. */
const watched = ['Deployment', 'StatefulSet', 'Pod'] as const satisfies KindName[];

/** Streams for logs that are read once, which those that are followed leave. */
const readStreams = 100;

type Events = Record<(typeof watched)[number], number>;

/** Everything of components. */
export const selector = `${labels.managedBy}=${managed[labels.managedBy]},${labels.component}`;

/** Called with the changes that watches report. */
export type Observer = (object: KubernetesObject, isGone: boolean) => void;

/** The connection to a region's cluster, with the state from its watches. */
export class Connection {
  readonly client: Client;
  /** The instances whose logs are followed. Each takes a stream. */
  readonly followed = new Shares({ all: maxStreams - readStreams, ofTeam: 100, ofUser: 50 });
  /** The logs that are read once. */
  readonly logReads = new SharedTurns({ all: readStreams, ofTeam: 50, ofUser: 25 });
  /** The looks at events, which leave most connections to the work of jobs. */
  readonly eventReads = new SharedTurns({ all: 8, ofTeam: 4, ofUser: 2 });
  /** What the cluster says of single pods. */
  readonly podEvents: PodEvents;
  readonly #informers: Record<(typeof watched)[number], Informer>;
  readonly #isOwn: (object: KubernetesObject) => boolean;
  readonly #ended = new AbortController();
  readonly #failed: (kind: KindName) => (error: unknown) => void;
  /** Told of workloads as well, and of what this process writes. */
  readonly observers = new Set<{
    changed: Observer;
    written(object: KubernetesObject): void;
    /** A pod has changed. */
    seen(pod: KubernetesObject): void;
  }>();
  #hasTcpRoutes: boolean | undefined;
  #hasCertManager = false;
  #hasSnapshots = false;
  #hasSleep: boolean | undefined;
  #hasAutoscalers = false;
  #hasBudgets = false;
  /** The workload and the pods of each component, by its id. */
  readonly #byComponent = new Map<string, Map<string, KubernetesObject>>();
  /** The subscribers to changes of a component, by its id. */
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(client: Client, region: KubernetesRegion, log: RegionSource['log']) {
    this.client = client;
    this.podEvents = new PodEvents(client, this.#ended.signal);
    this.#isOwn = isOfRegion(region);
    // Every request of a watch listens to it.
    setMaxListeners(0, this.#ended.signal);
    const informer = (kind: KindName) =>
      new Informer(kind, selector, {
        changed: (object, isGone) => this.#index({ ...object, kind }, isGone),
        isIn: this.#isOwn,
      });
    this.#informers = {
      Deployment: informer('Deployment'),
      StatefulSet: informer('StatefulSet'),
      Pod: informer('Pod'),
    };
    this.#failed = (kind) => (error) => {
      if (!this.#ended.signal.aborted)
        log.warn({ error, region: region.name, kind }, 'watch of a cluster lost');
    };
    for (const kind of watched) {
      void this.#informers[kind].run(client, this.#ended.signal, this.#failed(kind));
    }
  }

  /** Aborted when the connection is closed, or replaced because the settings of the region have changed. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** The workloads of all components. */
  get workloads(): KubernetesObject[] {
    return [...this.#informers.Deployment, ...this.#informers.StatefulSet];
  }

  /** The pods of all components. */
  get pods(): Iterable<KubernetesObject> {
    return this.#informers.Pod;
  }

  /** Watches another kind until the signal is aborted. Only the metadata of its objects is stored. */
  watch(kind: KindName, selector: string, changed: Observer, signal: AbortSignal): Informer {
    const cached = ({
      apiVersion,
      metadata: { managedFields, annotations, ...metadata },
    }: KubernetesObject) => ({
      apiVersion,
      kind,
      metadata,
    });
    const informer = new Informer(kind, selector, { changed, cached, isIn: this.#isOwn });
    void informer.run(this.client, signal, this.#failed(kind));
    return informer;
  }

  #index(object: KubernetesObject, isGone: boolean): void {
    const id = object.metadata.labels?.[labels.component] ?? '';
    const of = this.#byComponent.get(id) ?? new Map<string, KubernetesObject>();
    if (isGone) of.delete(object.metadata.uid!);
    else of.set(object.metadata.uid!, object);
    if (of.size > 0) this.#byComponent.set(id, of);
    else this.#byComponent.delete(id);
    if (object.kind !== 'Pod') for (const { changed } of this.observers) changed(object, isGone);
    else if (!isGone) for (const { seen } of this.observers) seen(object);
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
    let stop: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
    });
    try {
      signal.throwIfAborted();
      await Promise.race([Promise.all(watched.map((kind) => this.#informers[kind].ready)), aborted]);
    } finally {
      signal.removeEventListener('abort', stop!);
    }
  }

  /** Whether what is known is what the cluster has. */
  get isCurrent(): boolean {
    return watched.every((kind) => this.#informers[kind].isCurrent);
  }

  /** Whether the cluster serves routes for TCP, which not every Gateway API has. */
  async hasTcpRoutes({ cluster }: Pick<KubernetesRegion, 'cluster'>, signal: AbortSignal): Promise<boolean> {
    if (!cluster.gatewayClass) return false;
    this.#hasTcpRoutes ??= await this.client.serves(kinds.TCPRoute, signal);
    return this.#hasTcpRoutes;
  }

  /** Whether the cluster has cert-manager. One that does not is asked again. */
  async hasCertManager(signal: AbortSignal): Promise<boolean> {
    this.#hasCertManager ||= await this.client.serves(kinds.Certificate, signal);
    return this.#hasCertManager;
  }

  /** Whether the cluster makes snapshots of volumes. One that does not is asked again. */
  async hasSnapshots(signal: AbortSignal): Promise<boolean> {
    this.#hasSnapshots ||= await this.client.serves(kinds.VolumeSnapshot, signal);
    return this.#hasSnapshots;
  }

  /** Whether certificates come from the cluster. */
  async hasCertificates(
    { cluster }: Pick<KubernetesRegion, 'cluster'>,
    signal: AbortSignal,
  ): Promise<boolean> {
    return cluster.certificateIssuer !== null && (await this.hasCertManager(signal));
  }

  /**
   * Whether the account of the region may read autoscalers. One that was set up for an earlier version of Trellis may not, and its
   * cluster has none of Trellis.
   */
  async hasAutoscalers(signal: AbortSignal): Promise<boolean> {
    this.#hasAutoscalers ||= await this.#mayList('HorizontalPodAutoscaler', signal);
    return this.#hasAutoscalers;
  }

  /** The same for disruption budgets. Components without one keep running, so that they are left out where it may not. */
  async hasBudgets(signal: AbortSignal): Promise<boolean> {
    this.#hasBudgets ||= await this.#mayList('PodDisruptionBudget', signal);
    return this.#hasBudgets;
  }

  #mayList(kind: KindName, signal: AbortSignal): Promise<boolean> {
    return this.client.list(kind, signal, { labelSelector: selector, limit: 1 }).then(
      () => true,
      (error) => {
        if (error instanceof ClusterError && [403, 404].includes(error.code)) return false;
        throw workError(error);
      },
    );
  }

  /** Whether the cluster has a pause of its own before it ends an instance: since 1.30. */
  async hasSleep(signal: AbortSignal): Promise<boolean> {
    if (this.#hasSleep === undefined) {
      const version = await this.client
        .get<{ major?: string; minor?: string }>('/version', signal)
        .catch((error): { major?: string; minor?: string } => {
          // Some clusters show their version to some accounts only.
          if (error instanceof ClusterError && [403, 404].includes(error.code)) return {};
          throw error;
        });
      this.#hasSleep = Number(version.major) > 1 || Number.parseInt(version.minor ?? '', 10) >= 30;
    }
    return this.#hasSleep;
  }

  workloadOf(componentId: string): KubernetesObject | undefined {
    return [...(this.#byComponent.get(componentId)?.values() ?? [])].find(({ kind }) => kind !== 'Pod');
  }

  podsOf(componentId: string): KubernetesObject[] {
    return [...(this.#byComponent.get(componentId)?.values() ?? [])].filter(({ kind }) => kind === 'Pod');
  }

  /** The number of events so far of each kind, for `see`. */
  get events(): Events {
    return {
      Deployment: this.#informers.Deployment.events,
      StatefulSet: this.#informers.StatefulSet.events,
      Pod: this.#informers.Pod.events,
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
      const found = kind === 'Pod' ? pods : workloads.filter((each) => each.kind === kind);
      this.#informers[kind].see(found, isIn, events[kind]);
    }
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
    const known = this.#known.get(region.id);
    if (known?.key === key) return known.connection;
    if (known)
      void known.connection.then(
        (each) => each.close(),
        () => {},
      );
    const connection = Client.connect(region, this.#source).then(
      (client) => new Connection(client, region, this.#source.log),
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
