import type { KubernetesObject } from './objects.ts';
import { contentHashOf } from './stored-object.ts';

/** Objects as they were when they had been applied, to see what others change or delete while work goes on. */
export class Applied {
  readonly #contents: ReadonlyMap<string, string>;

  constructor(objects: readonly KubernetesObject[]) {
    this.#contents = new Map(objects.map((object) => [object.metadata.uid!, contentHashOf(object)]));
  }

  /** Whether the cluster still has the objects as they were. It can have more. */
  isSame(objects: readonly KubernetesObject[]): boolean {
    const now = new Map(objects.map((object) => [object.metadata.uid!, object]));
    return [...this.#contents].every(([uid, content]) => {
      const object = now.get(uid);
      return object !== undefined && !object.metadata.deletionTimestamp && contentHashOf(object) === content;
    });
  }
}
