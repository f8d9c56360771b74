import { type KindName, type KubernetesObject, labels, managedSelector } from '../objects/objects.ts';
import type { Client } from './client.ts';
import { Informer } from './informer.ts';

/** Selectors of what components have, and of what teams have beside their components. */
const selectors = {
  component: `${managedSelector},${labels.component}`,
  team: `${managedSelector},${labels.team},!${labels.component}`,
} as const;
export type Owner = keyof typeof selectors;

/** An object by its name. Accounts of regions may list pods, but not get them. */
async function readByName(
  client: Client,
  kind: KindName,
  namespace: string | undefined,
  name: string,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  if (kind !== 'Pod') return client.read(kind, namespace, name, signal);
  const query = { ...(namespace !== undefined && { namespace }), fieldSelector: `metadata.name=${name}` };
  return (await client.list(kind, signal, query)).items[0];
}

interface CacheOptions {
  client: Client;
  /** Whether an object is of the region. */
  isIn: (object: KubernetesObject) => boolean;
  /** Called with the stored part of every object that has changed. */
  changed: (object: KubernetesObject, isGone: boolean) => void;
  failed: (kind: KindName) => (error: unknown) => void;
  listed: () => void;
  /** Ends the watches. */
  signal: AbortSignal;
}

/** Rejects with the reason when the signal is aborted, whatever the promise comes to. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop!);
  }
}

/** The objects of the components and teams of a region, from watches that start when a kind is first asked for. */
export class ObjectCache {
  readonly #options: CacheOptions;
  readonly #informers = new Map<string, Informer>();
  /** The objects of each component, by its id and theirs. */
  readonly #byComponent = new Map<string, Map<string, KubernetesObject>>();

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  informer(kind: KindName, owner: Owner): Informer {
    const key = `${owner} ${kind}`;
    const current = this.#informers.get(key);
    if (current) return current;
    const { client, isIn, failed, listed, signal } = this.#options;
    const informer = new Informer(kind, selectors[owner], {
      ...{ isIn, listed, failed: failed(kind) },
      changed: (object, isGone) => this.#changed(object, isGone),
    });
    this.#informers.set(key, informer);
    void informer.run(client, signal);
    return informer;
  }

  #changed(object: KubernetesObject, isGone: boolean): void {
    const { uid, labels: has } = object.metadata;
    const id = has?.[labels.component];
    if (id !== undefined) {
      const of = this.#byComponent.get(id) ?? new Map<string, KubernetesObject>();
      if (isGone) of.delete(uid!);
      else of.set(uid!, object);
      if (of.size > 0) this.#byComponent.set(id, of);
      else this.#byComponent.delete(id);
    }
    this.#options.changed(object, isGone);
  }

  /** Whether everything that is watched is what the cluster has, as far as is known. */
  get isCurrent(): boolean {
    return [...this.#informers.values()].every(({ isCurrent }) => isCurrent);
  }

  /** Waits until these kinds were asked for. Returns whether what is known of them is what the cluster has. */
  async hasAll(kinds: readonly KindName[], owner: Owner, signal: AbortSignal): Promise<boolean> {
    const informers = kinds.map((kind) => this.informer(kind, owner));
    await orAborted(Promise.all(informers.map(({ tried }) => tried)), signal);
    return informers.every(({ isCurrent }) => isCurrent);
  }

  *all(): Generator<KubernetesObject> {
    for (const informer of this.#informers.values()) yield* informer;
  }

  /** The objects of a component of the kinds that are watched. */
  ofComponent(componentId: string): KubernetesObject[] {
    return [...(this.#byComponent.get(componentId)?.values() ?? [])];
  }

  /** The stored part of an object of a component or team, if its kind is watched and the cluster has it, as far as is known. */
  find(kind: KindName, namespace: string | undefined, name: string): KubernetesObject | undefined {
    for (const owner of ['component', 'team'] satisfies Owner[]) {
      const informer = this.#informers.get(`${owner} ${kind}`);
      const object = informer?.isCurrent ? informer.get(namespace, name) : undefined;
      if (object) return object;
    }
    return undefined;
  }

  /** Asks the cluster for an object that is known. Returns whether it is as it is known; otherwise, what it is now is known. */
  async verify(object: KubernetesObject, owner: Owner, signal: AbortSignal): Promise<boolean> {
    const { uid, namespace, name, resourceVersion } = object.metadata;
    const kind = object.kind as KindName;
    const informer = this.informer(kind, owner);
    const { events } = informer;
    const current = await readByName(this.#options.client, kind, namespace, name, signal);
    if (current?.metadata.uid === uid) {
      if (current!.metadata.resourceVersion === resourceVersion) return true;
      informer.add(current!);
    } else informer.see([], ({ metadata }) => metadata.uid === uid, events);
    return false;
  }

  /** Takes over an object that was written, so that what is read after it is not older. */
  wrote(object: KubernetesObject): void {
    if (!this.#options.isIn(object)) return;
    const owner: Owner = object.metadata.labels?.[labels.component] === undefined ? 'team' : 'component';
    this.#informers.get(`${owner} ${object.kind}`)?.add(object);
  }
}
