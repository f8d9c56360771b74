import { type KubernetesObject, labels } from '../objects/objects.ts';
import { isOfInstances } from './instance-index.ts';

/** Called with the changes of a region's objects. */
interface ChangeObserver {
  /** An object other than a pod has changed. */
  changed(object: KubernetesObject, isGone: boolean): void;
  podChanged(pod: KubernetesObject): void;
  /** This process has written an object. */
  written(object: KubernetesObject): void;
}

/** Publishes the changes that watches report. */
export class Changes {
  readonly #observers = new Set<ChangeObserver>();
  /** The subscribers to changes of a component, by its id. */
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Calls the observer with every change. Returns a function that ends it. */
  observe(observer: ChangeObserver): () => void {
    this.#observers.add(observer);
    return () => {
      this.#observers.delete(observer);
    };
  }

  /** Calls the function after each change of the workload or the pods of a component. Returns a function that ends it. */
  listen(componentId: string, tell: () => void): () => void {
    const listeners = this.#listeners.get(componentId) ?? new Set();
    this.#listeners.set(componentId, listeners.add(tell));
    return () => {
      if (listeners.delete(tell) && listeners.size === 0) this.#listeners.delete(componentId);
    };
  }

  changed(object: KubernetesObject, isGone: boolean): void {
    if (object.kind !== 'Pod') for (const observer of this.#observers) observer.changed(object, isGone);
    else if (!isGone) for (const observer of this.#observers) observer.podChanged(object);
    if (!isOfInstances(object)) return;
    const id = object.metadata.labels?.[labels.component] ?? '';
    for (const tell of [...(this.#listeners.get(id) ?? [])]) tell();
  }

  written(object: KubernetesObject): void {
    for (const observer of this.#observers) observer.written(object);
  }
}
