import { setTimeout as sleep } from 'node:timers/promises';
import type { KindName, KubernetesObject } from '../objects/objects.ts';
import { isMetadataOnly, storedPartOf } from '../objects/stored-object.ts';
import type { Client } from './client.ts';

const backoffMs = { min: 200, max: 30_000 };
/** A watch is renewed after this time, so that one whose connection is dead ends. */
const watchSeconds = 290;
/** How many objects are listed at once. */
const pageSize = 500;
/** How many events a watch may lag behind a read before the watch is trusted again. */
const maxBehind = 64;
/** How many objects that are gone are remembered: more than can go while a read is under way. */
const maxGone = 4_096;

/** An object that was read, or read to be deleted, before the watch reported it. */
interface Read {
  /** Undefined if it was gone. */
  version: string | undefined;
  /** Older events of the watch since then. */
  behind: number;
}

const nameOf = ({ namespace = '', name }: { namespace?: string | undefined; name: string }) =>
  `${namespace}/${name}`;

interface InformerOptions {
  /** Called with the stored part of every object that has changed. */
  changed: (object: KubernetesObject, isGone: boolean) => void;
  /** Called with each failure. It lists and watches again. */
  failed: (error: unknown) => void;
  /** Called after each list. */
  listed: () => void;
  /** Whether an object that the selector finds is one of those that are watched. */
  isIn: (object: KubernetesObject) => boolean;
}

/**
 * The objects of a kind that a selector finds, cached by a watch. Their versions are compared for equality alone, because
 * they have no order.
 */
export class Informer {
  readonly #kind: KindName;
  readonly #selector: string;
  readonly #objects = new Map<string, KubernetesObject>();
  /** The last versions of each object from lists and watches, and the event that first had it, by uid. */
  readonly #reported = new Map<string, { versions: string[]; since: number }>();
  /** The uids by namespace and name. */
  readonly #uids = new Map<string, string>();
  #events = 0;
  readonly #read = new Map<string, Read>();
  /** The uids of the last objects that a list or the watch reported as gone. */
  readonly #gone = new Set<string>();
  readonly #options: InformerOptions;
  #ready!: () => void;
  #tried!: () => void;
  #isCurrent = false;
  /** Resolves when everything was listed once. */
  readonly ready = new Promise<void>((resolve) => {
    this.#ready = resolve;
  });
  /** Resolves when everything was listed once, or could not be. */
  readonly tried = new Promise<void>((resolve) => {
    this.#tried = resolve;
  });

  constructor(kind: KindName, selector: string, options: InformerOptions) {
    this.#kind = kind;
    this.#selector = selector;
    this.#options = options;
  }

  /** Whether the objects are those of the cluster, as far as is known. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  /** The number of events from lists and watches so far. */
  get events(): number {
    return this.#events;
  }

  *[Symbol.iterator](): Iterator<KubernetesObject> {
    yield* this.#objects.values();
  }

  /** The stored part of an object; undefined if it is not known. */
  get(namespace: string | undefined, name: string): KubernetesObject | undefined {
    const uid = this.#uids.get(nameOf({ namespace, name }));
    return uid === undefined ? undefined : this.#objects.get(uid);
  }

  /** Lists and watches until the signal is aborted. Whatever ends a watch, it lists again, later each time. */
  async run(client: Client, signal: AbortSignal): Promise<void> {
    for (let waitMs = backoffMs.min; !signal.aborted; ) {
      try {
        const { items, version } = await this.#list(client, signal);
        this.#replace(items);
        waitMs = backoffMs.min;
        await this.#follow(client, version, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#isCurrent = false;
        this.#tried();
        this.#options.failed(error);
        await sleep(waitMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
        waitMs = Math.min(backoffMs.max, waitMs * 2);
      }
    }
  }

  /** The stored parts of all objects, read in pages, because whole objects can be large. */
  async #list(client: Client, signal: AbortSignal): Promise<{ items: KubernetesObject[]; version: string }> {
    const items: KubernetesObject[] = [];
    for (let from: string | undefined; ; ) {
      const query = { labelSelector: this.#selector, limit: pageSize, continue: from };
      const page = await (isMetadataOnly(this.#kind)
        ? client.listMetadata(this.#kind, signal, query)
        : client.list(this.#kind, signal, query));
      for (const item of page.items) {
        if (this.#options.isIn(item)) items.push(storedPartOf(item, this.#kind));
      }
      from = page.metadata.continue;
      if (!from) return { items, version: page.metadata.resourceVersion };
    }
  }

  /** Goes on watching from a version as long as watches end by themselves. Throws when one was lost. */
  async #follow(client: Client, from: string, signal: AbortSignal): Promise<void> {
    for (let version = from; !signal.aborted; ) {
      let isExpired = false;
      const startedAt = performance.now();
      const query = {
        labelSelector: this.#selector,
        resourceVersion: version,
        allowWatchBookmarks: true,
        timeoutSeconds: watchSeconds,
      };
      const { error } = await client.watch(
        this.#kind,
        query,
        (type, object) => {
          // The version is too old: what happened since is not known, and everything is listed again.
          if (type === 'ERROR') {
            isExpired = true;
            return;
          }
          version = object.metadata.resourceVersion ?? version;
          if (type === 'BOOKMARK') return;
          // One whose labels have changed so that it is no longer in counts as deleted, as with a selector.
          if (type === 'DELETED' || !this.#options.isIn(object)) this.#lose(object);
          else this.#hear(object);
        },
        signal,
        isMetadataOnly(this.#kind) ? 'metadata' : 'whole',
      );
      if (signal.aborted || isExpired) return;
      if (error) throw error;
      // A server that restarts ends watches without a word, and its versions of before are too old.
      if (performance.now() - startedAt < 1_000) throw new Error('The watch ended at once.');
      // An object that is not in a later list was older than the list. Only another list has newer objects.
      if (this.#read.size > 0) return;
    }
  }

  #replace(items: readonly KubernetesObject[]): void {
    this.#read.clear();
    const uids = new Set(items.map((item) => item.metadata.uid!));
    for (const [uid, object] of [...this.#objects]) if (!uids.has(uid)) this.#lose(object);
    for (const item of items) this.#hear(item);
    this.#isCurrent = true;
    this.#ready();
    this.#tried();
    this.#options.listed();
  }

  /** Stores the object of a list or watch event, unless a newer one was read. */
  #hear(object: KubernetesObject): void {
    const uid = object.metadata.uid!;
    const version = object.metadata.resourceVersion!;
    this.#gone.delete(uid);
    const { versions, since } = this.#reported.get(uid) ?? { versions: [], since: ++this.#events };
    this.#reported.set(uid, { versions: [...versions.slice(-15), version], since });
    const lastRead = this.#read.get(uid);
    if (lastRead && lastRead.version !== version && ++lastRead.behind < maxBehind) return;
    this.#read.delete(uid);
    this.#take(object);
  }

  #take(object: KubernetesObject): void {
    const { uid, resourceVersion } = object.metadata;
    const current = this.#objects.get(uid!);
    if (current?.metadata.resourceVersion === resourceVersion) return;
    const stored = storedPartOf(object, this.#kind);
    this.#objects.set(uid!, stored);
    this.#uids.set(nameOf(stored.metadata), uid!);
    this.#options.changed(stored, false);
  }

  /** Removes an object that a list or the watch reported as gone. */
  #lose(object: KubernetesObject): void {
    this.#gone.add(object.metadata.uid!);
    if (this.#gone.size > maxGone) this.#gone.delete(this.#gone.values().next().value!);
    this.#forget(object);
  }

  #forget({ metadata: { uid } }: KubernetesObject): void {
    this.#read.delete(uid!);
    this.#reported.delete(uid!);
    const current = this.#objects.get(uid!);
    if (!current) return;
    this.#objects.delete(uid!);
    const name = nameOf(current.metadata);
    if (this.#uids.get(name) === uid) this.#uids.delete(name);
    this.#options.changed(current, true);
  }

  /**
   * Stores the objects of a read, so that later reads see them. `events` is the number of events when it was sent: an object
   * whose first event came since then is newer than the read, even if that does not have it.
   */
  see(
    objects: readonly KubernetesObject[],
    isIn: (object: KubernetesObject) => boolean,
    events: number,
  ): void {
    const uids = new Set(objects.map(({ metadata }) => metadata.uid));
    for (const [uid, object] of [...this.#objects]) {
      const isNew = (this.#reported.get(uid)?.since ?? 0) > events;
      if (!isIn(object) || uids.has(uid) || isNew) continue;
      this.#forget(object);
      this.#read.set(uid, { version: undefined, behind: 0 });
    }
    for (const object of objects) this.add(object);
  }

  /** Stores an object that was read or written, so that later reads see it. */
  add(object: KubernetesObject): void {
    const { uid, resourceVersion: version } = object.metadata;
    // An answer that was under way when the watch reported that the object is gone.
    if (this.#gone.has(uid!)) return;
    // The stored version may be newer.
    if (this.#reported.get(uid!)?.versions.includes(version!)) return;
    this.#read.set(uid!, { version, behind: 0 });
    this.#take(object);
  }
}
