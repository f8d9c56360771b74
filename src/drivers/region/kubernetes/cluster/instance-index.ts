import { isOfComponent, isWorkload, type KindName, type KubernetesObject } from '../objects/objects.ts';
import type { Informer } from './informer.ts';
import { type ObjectCache, orAborted } from './object-cache.ts';

/** The kinds that the status of components is read from. */
const instanceKinds = ['Deployment', 'StatefulSet', 'Pod'] as const satisfies KindName[];

type Events = Record<(typeof instanceKinds)[number], number>;

export const isOfInstances = ({ kind }: KubernetesObject): boolean =>
  (instanceKinds as readonly string[]).includes(kind);

/** The workloads and pods of components, from watches that start at once. */
export class InstanceIndex {
  readonly #cache: ObjectCache;

  constructor(cache: ObjectCache) {
    this.#cache = cache;
    for (const kind of instanceKinds) this.#informer(kind);
  }

  #informer(kind: (typeof instanceKinds)[number]): Informer {
    return this.#cache.informer(kind, 'component');
  }

  get workloads(): KubernetesObject[] {
    return [...this.#informer('Deployment'), ...this.#informer('StatefulSet')];
  }

  get pods(): Iterable<KubernetesObject> {
    return this.#informer('Pod');
  }

  workloadOf(componentId: string): KubernetesObject | undefined {
    return this.#cache.ofComponent(componentId).find(isWorkload);
  }

  podsOf(componentId: string): KubernetesObject[] {
    return this.#cache.ofComponent(componentId).filter(({ kind }) => kind === 'Pod');
  }

  /** Resolves when everything has been listed once. */
  async ready(signal: AbortSignal): Promise<void> {
    await orAborted(Promise.all(instanceKinds.map((kind) => this.#informer(kind).ready)), signal);
  }

  /** Whether what is cached is what the cluster has. */
  get isCurrent(): boolean {
    return instanceKinds.every((kind) => this.#informer(kind).isCurrent);
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
  see(componentId: string, objects: readonly KubernetesObject[], events: Events): void {
    const isIn = (object: KubernetesObject) => isOfComponent(object, componentId);
    for (const kind of instanceKinds) {
      this.#informer(kind).see(
        objects.filter((each) => each.kind === kind),
        isIn,
        events[kind],
      );
    }
  }
}
