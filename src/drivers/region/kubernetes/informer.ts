import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, List } from './client.ts';
import { type KindName, type KubernetesObject, kinds } from './objects.ts';

const backoffMs = { min: 200, max: 30_000 };
/** A watch is renewed after this time, so that one whose connection is dead ends. */
const watchSeconds = 290;

/** The objects of a kind that a selector finds, kept by a watch. */
export class Informer {
  readonly #kind: KindName;
  readonly #selector: string;
  readonly #objects = new Map<string, KubernetesObject>();
  /** Objects that were told of before the watch did, which a list that is older must not drop. */
  readonly #told = new Map<string, number>();
  readonly #changed: (object: KubernetesObject, isGone: boolean) => void;
  #ready!: () => void;
  #isCurrent = false;
  readonly ready = new Promise<void>((resolve) => {
    this.#ready = resolve;
  });

  constructor(
    kind: KindName,
    selector: string,
    changed: (object: KubernetesObject, isGone: boolean) => void = () => {},
  ) {
    this.#kind = kind;
    this.#selector = selector;
    this.#changed = changed;
  }

  /** Whether the objects are those of the cluster, as far as is known. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  *[Symbol.iterator](): Iterator<KubernetesObject> {
    yield* this.#objects.values();
  }

  /** Lists and watches until the signal is aborted. Whatever ends a watch, it lists again, later each time. */
  async run(client: Client, signal: AbortSignal, failed: (error: unknown) => void): Promise<void> {
    for (let waitMs = backoffMs.min; !signal.aborted; ) {
      try {
        const list = await client.list(this.#kind, signal, { labelSelector: this.#selector });
        this.#replace(list);
        waitMs = backoffMs.min;
        await this.#follow(client, list.metadata.resourceVersion, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#isCurrent = false;
        failed(error);
        await sleep(waitMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
        waitMs = Math.min(backoffMs.max, waitMs * 2);
      }
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
          if (type === 'DELETED') this.#forget(object);
          else if (type !== 'BOOKMARK') this.#take(object);
        },
        signal,
      );
      if (signal.aborted || isExpired) return;
      if (error) throw error;
      // A server that restarts ends watches without a word, and its versions of before are too old.
      if (performance.now() - startedAt < 1_000) throw new Error('The watch ended at once.');
    }
  }

  #replace({ items, metadata }: List): void {
    const uids = new Set(items.map((item) => item.metadata.uid));
    for (const object of [...this.#objects.values()]) {
      const { uid } = object.metadata;
      const isNewer = (this.#told.get(uid!) ?? 0) > Number(metadata.resourceVersion);
      if (!uids.has(uid) && !isNewer) this.#forget(object);
    }
    for (const item of items) this.#take(item);
    this.#isCurrent = true;
    this.#ready();
  }

  #take(object: KubernetesObject): void {
    const { uid, resourceVersion } = object.metadata;
    const known = this.#objects.get(uid!);
    if (known && Number(known.metadata.resourceVersion) > Number(resourceVersion)) return;
    this.#objects.set(uid!, { ...object, kind: this.#kind, apiVersion: kinds[this.#kind].apiVersion });
    if (known?.metadata.resourceVersion !== resourceVersion) this.#changed(object, false);
  }

  #forget(object: KubernetesObject): void {
    this.#told.delete(object.metadata.uid!);
    if (this.#objects.delete(object.metadata.uid!)) this.#changed(object, true);
  }

  /** What an answer of the cluster has told already, so that reads after it see it. */
  see(objects: readonly KubernetesObject[], isIn: (object: KubernetesObject) => boolean): void {
    const uids = new Set(objects.map(({ metadata }) => metadata.uid));
    for (const object of [...this.#objects.values()]) {
      if (isIn(object) && !uids.has(object.metadata.uid)) this.#forget(object);
    }
    for (const object of objects) {
      this.#told.set(object.metadata.uid!, Number(object.metadata.resourceVersion));
      this.#take(object);
    }
  }
}
