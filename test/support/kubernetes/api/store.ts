import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Clock } from './clock.ts';
import { addDefaults } from './defaults.ts';
import { apiVersionOf, type Kind, kindNamed, kinds } from './kinds.ts';
import { type Manager, managedFields } from './managed-fields.ts';
import { Relations } from './relations.ts';

/** An object with the managers of its fields. */
export interface Stored {
  object: any;
  managers: Manager[];
}

/** A change, as watches tell it. */
export interface Change {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  version: number;
  object: any;
  managers: Manager[];
  /** Absent for an object that is new. */
  before?: any;
}

export const now = () => `${new Date().toISOString().slice(0, 19)}Z`;

/** The objects of a cluster, with one count of versions for all of them. */
export class Store {
  readonly relations = new Relations();
  readonly clock = new Clock((uid) => this.relations.wake(uid));
  version = 200;
  /** Watches can start from this version on. */
  oldest = 200;
  /** How many pods controllers have created, for their names. */
  podCount = 0;
  /** The storage classes whose claims can grow. */
  readonly expandable = new Set<string>();
  /** Called after each change. */
  onChange: () => void = () => {};
  /** By kind, namespace and name. */
  readonly #objects = new Map<Kind, Map<string, Map<string, Stored>>>(kinds.map((kind) => [kind, new Map()]));
  /** The names of the objects of a kind and namespace, in order. Absent if one was added or removed since. */
  readonly #names = new Map<Map<string, Stored>, readonly string[]>();
  readonly #changes = new Map<Kind, Change[]>(kinds.map((kind) => [kind, []]));
  readonly #watchers = new Map<Kind, Set<(change: Change) => void>>(kinds.map((kind) => [kind, new Set()]));

  #in(kind: Kind, namespace: string | undefined): Map<string, Stored> {
    const byNamespace = this.#objects.get(kind)!;
    const key = kind.isNamespaced ? (namespace ?? '') : '';
    const found = byNamespace.get(key) ?? new Map<string, Stored>();
    if (!byNamespace.has(key)) byNamespace.set(key, found);
    return found;
  }

  get(kind: Kind, namespace: string | undefined, name: string): Stored | undefined {
    return this.#in(kind, namespace).get(name);
  }

  /** In the order of their namespaces and names. */
  list(kind: Kind, namespace?: string): any[] {
    return this.entries(kind, namespace).map(({ object }) => object);
  }

  /** The same with the managers of their fields. */
  entries(kind: Kind, namespace?: string): Stored[] {
    if (namespace === undefined && kind.isNamespaced) {
      return [...this.#objects.get(kind)!.keys()].sort().flatMap((each) => this.entries(kind, each));
    }
    const objects = this.#in(kind, namespace);
    const names = this.#names.get(objects) ?? [...objects.keys()].sort((a, b) => (a < b ? -1 : 1));
    this.#names.set(objects, names);
    return names.map((name) => objects.get(name)!);
  }

  /** In no order. */
  *all(kind: Kind): Generator<any> {
    for (const objects of this.#objects.get(kind)!.values())
      for (const { object } of objects.values()) yield object;
  }

  /** Every object of a namespace, with its kind. */
  contentOf(namespace: string): [Kind, any][] {
    return kinds
      .filter(({ isNamespaced }) => isNamespaced)
      .flatMap((kind) => this.list(kind, namespace).map((object): [Kind, any] => [kind, object]));
  }

  /** Stores an object that is new, or another state of one. Nothing happens if it is the same. */
  save(kind: Kind, object: any, managers?: Manager[]): any {
    const { namespace, name } = object.metadata;
    const objects = this.#in(kind, namespace);
    const before = objects.get(name);
    const kept = managers ?? before?.managers ?? [];
    if (before && isDeepStrictEqual(before.object, object)) {
      if (kept === before.managers) return before.object;
      const fieldsOf = (list: Manager[]) => managedFields(list).map(({ time, ...rest }) => rest);
      if (isDeepStrictEqual(fieldsOf(before.managers), fieldsOf(kept))) return before.object;
    }
    const next = structuredClone(object);
    next.metadata.uid ??= randomUUID();
    next.metadata.creationTimestamp ??= now();
    if (kind.hasGeneration) {
      const { generation } = before?.object.metadata ?? { generation: 0 };
      const isSame = before && isDeepStrictEqual(before.object.spec, next.spec);
      const isDeleting =
        before && !before.object.metadata.deletionTimestamp && next.metadata.deletionTimestamp;
      next.metadata.generation = generation + (isSame && !isDeleting ? 0 : 1);
    }
    if (
      next.metadata.deletionTimestamp &&
      !next.metadata.finalizers?.length &&
      !next.metadata.deletionGracePeriodSeconds
    ) {
      const isTerminating = kind.kind === 'Namespace' && next.spec.finalizers.length > 0;
      if (!isTerminating) return this.remove(kind, next);
    }
    next.metadata.resourceVersion = String(++this.version);
    objects.set(name, { object: next, managers: kept });
    if (!before) this.#names.delete(objects);
    this.relations.note(kind, before?.object, next);
    this.#tell(kind, {
      type: before ? 'MODIFIED' : 'ADDED',
      version: this.version,
      object: next,
      managers: kept,
      before: before?.object,
    });
    return next;
  }

  /** Removes an object at once. Watches see its last state with a new version. */
  remove(kind: Kind, object: any): any {
    const { namespace, name } = object.metadata;
    const objects = this.#in(kind, namespace);
    const found = objects.get(name);
    if (!found) return object;
    objects.delete(name);
    this.#names.delete(objects);
    this.relations.note(kind, found.object, undefined);
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.version) } };
    const { object: before, managers } = found;
    this.#tell(kind, { type: 'DELETED', version: this.version, object: last, managers, before });
    return object;
  }

  /** Creates or changes an object as a controller does, without managers. */
  put(kindName: string, object: any): any {
    const kind = kindNamed(kindName);
    const full = structuredClone({ apiVersion: apiVersionOf(kind), kind: kindName, ...object });
    addDefaults(kind, full);
    return this.save(kind, full);
  }

  #tell(kind: Kind, change: Change): void {
    this.#changes.get(kind)!.push(change);
    for (const watcher of [...this.#watchers.get(kind)!]) watcher(change);
    this.onChange();
  }

  /** The changes after a version, then each further one, until the returned function is called. */
  watch(kind: Kind, after: number, tell: (change: Change) => void): () => void {
    for (const change of this.#changes.get(kind)!) if (change.version > after) tell(change);
    const watchers = this.#watchers.get(kind)!;
    watchers.add(tell);
    return () => void watchers.delete(tell);
  }

  /** Forgets the changes so far, so that watches of before have to list again. */
  compact(): void {
    this.oldest = this.version;
    for (const changes of this.#changes.values()) changes.length = 0;
  }
}
