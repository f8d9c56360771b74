import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Client } from './client.ts';
import { Informer } from './informer.ts';
import { type KindName, type KubernetesObject, labels, managed } from './objects.ts';
import type { KubernetesRegion, RegionSource } from './region.ts';

/** The kinds that tell the status of components. */
const watched = ['Deployment', 'StatefulSet', 'Pod'] as const satisfies KindName[];

const selector = `${labels.managedBy}=${managed[labels.managedBy]},${labels.component}`;

/** What is kept of a region's cluster: the connection, and what watches have told. */
export class Connection {
  readonly client: Client;
  readonly #informers: Record<(typeof watched)[number], Informer>;
  readonly #ended = new AbortController();
  /** The workload and the pods of each component, by its id. */
  readonly #byComponent = new Map<string, Map<string, KubernetesObject>>();
  /** Who is told of changes of a component, by its id. */
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(client: Client, regionName: string, log: RegionSource['log']) {
    this.client = client;
    // Every request of a watch listens to it.
    setMaxListeners(0, this.#ended.signal);
    const informer = (kind: KindName) =>
      new Informer(kind, selector, (object, isGone) => this.#index({ ...object, kind }, isGone));
    this.#informers = {
      Deployment: informer('Deployment'),
      StatefulSet: informer('StatefulSet'),
      Pod: informer('Pod'),
    };
    for (const kind of watched) {
      const failed = (error: unknown) => {
        if (!this.#ended.signal.aborted)
          log.warn({ error, region: regionName, kind }, 'watch of a cluster lost');
      };
      void this.#informers[kind].run(client, this.#ended.signal, failed);
    }
  }

  #index(object: KubernetesObject, isGone: boolean): void {
    const id = object.metadata.labels?.[labels.component] ?? '';
    const of = this.#byComponent.get(id) ?? new Map<string, KubernetesObject>();
    if (isGone) of.delete(object.metadata.uid!);
    else of.set(object.metadata.uid!, object);
    if (of.size > 0) this.#byComponent.set(id, of);
    else this.#byComponent.delete(id);
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

  workloadOf(componentId: string): KubernetesObject | undefined {
    return [...(this.#byComponent.get(componentId)?.values() ?? [])].find(({ kind }) => kind !== 'Pod');
  }

  podsOf(componentId: string): KubernetesObject[] {
    return [...(this.#byComponent.get(componentId)?.values() ?? [])].filter(({ kind }) => kind === 'Pod');
  }

  /** Takes over what was read of a component, so that a status after it is not older. */
  see(componentId: string, workloads: readonly KubernetesObject[], pods: readonly KubernetesObject[]): void {
    const isIn = ({ metadata }: KubernetesObject) => metadata.labels?.[labels.component] === componentId;
    for (const kind of watched) {
      const found = kind === 'Pod' ? pods : workloads.filter((each) => each.kind === kind);
      this.#informers[kind].see(found, isIn);
    }
  }

  close(): void {
    this.#ended.abort();
    this.client.close();
  }
}

const keyOf = ({ url, credentials }: KubernetesRegion) =>
  createHash('sha256')
    .update(JSON.stringify([url, credentials]))
    .digest('hex');

/** The connections of the regions. One is made when a region is used first, and again when its credentials change. */
export class Connections {
  readonly #log: RegionSource['log'];
  readonly #known = new Map<string, { key: string; connection: Promise<Connection> }>();

  constructor(log: RegionSource['log']) {
    this.#log = log;
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
    const connection = Client.connect(region).then(
      (client) => new Connection(client, region.name, this.#log),
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
