import type { Kind } from './kinds.ts';

type Known = readonly [kind: Kind, object: any];

const placeOf = ({ metadata: { namespace = '', name } }: any) => `${namespace}/${name}`;

/** The names of the claims that a pod has as volumes, with its namespace. */
const claimsOf = ({ metadata: { namespace }, spec }: any): string[] =>
  (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }: any) =>
    claim ? [`${namespace}/${claim.claimName}`] : [],
  );

/**
 * What the controllers ask of the objects of a store, so that none of them looks at all: who owns what, what is to go, and what has
 * changed since it was looked at last.
 */
export class Relations {
  readonly #byUid = new Map<string, Known>();
  /** What names an owner, by the uid of the owner. */
  readonly #owned = new Map<string, Map<string, Known>>();
  readonly #deleting = new Map<string, Known>();
  /** The uids of what may have lost its last owner. */
  readonly #bereft = new Set<string>();
  /** The uids of what has changed, or whose dependents have. */
  readonly #changed = new Map<Kind, Set<string>>();
  /** The uids of the pods with a claim. */
  readonly #users = new Map<string, Set<string>>();

  /** Takes note of a change. There is nothing before an object that is new, and nothing after one that is gone. */
  note(kind: Kind, before: any, after: any): void {
    if (before) this.#forget(kind, before);
    if (after) this.#add(kind, after);
    for (const object of [before, after]) if (object) this.#mark(kind, object);
  }

  #add(kind: Kind, object: any): void {
    const { uid, ownerReferences = [], deletionTimestamp } = object.metadata;
    const known: Known = [kind, object];
    this.#byUid.set(uid, known);
    if (deletionTimestamp) this.#deleting.set(uid, known);
    for (const { uid: owner } of ownerReferences) {
      const owned = this.#owned.get(owner) ?? new Map<string, Known>();
      this.#owned.set(owner, owned.set(uid, known));
      if (!this.#byUid.has(owner)) this.#bereft.add(uid);
    }
    if (kind.kind !== 'Pod') return;
    for (const claim of claimsOf(object)) {
      this.#users.set(claim, (this.#users.get(claim) ?? new Set()).add(uid));
    }
  }

  #forget(kind: Kind, object: any): void {
    const { uid, ownerReferences = [] } = object.metadata;
    this.#byUid.delete(uid);
    this.#deleting.delete(uid);
    for (const { uid: owner } of ownerReferences) {
      const owned = this.#owned.get(owner);
      if (owned?.delete(uid) && owned.size === 0) this.#owned.delete(owner);
    }
    for (const dependent of this.#owned.get(uid)?.keys() ?? []) this.#bereft.add(dependent);
    if (kind.kind !== 'Pod') return;
    for (const claim of claimsOf(object)) {
      const users = this.#users.get(claim);
      if (users?.delete(uid) && users.size === 0) this.#users.delete(claim);
    }
  }

  #mark(kind: Kind, object: any): void {
    this.again(kind, object.metadata.uid);
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const owner = this.#byUid.get(uid);
      if (owner) this.#mark(...owner);
    }
  }

  /** Has an object looked at the next time. */
  again(kind: Kind, uid: string): void {
    if (!this.#byUid.has(uid)) return;
    const marked = this.#changed.get(kind) ?? new Set();
    this.#changed.set(kind, marked.add(uid));
  }

  /** The same for an object that has waited for a time. */
  wake(uid: string): void {
    const known = this.#byUid.get(uid);
    if (known) this.again(known[0], uid);
  }

  /** Takes what has changed of a kind, or whose dependents have, since the last call. */
  take(kind: Kind): any[] {
    const marked = this.#changed.get(kind) ?? [];
    this.#changed.delete(kind);
    const found = [...marked].flatMap((uid) => this.#byUid.get(uid)?.slice(1) ?? []);
    return found.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  }

  /** What an object owns, by name. */
  ownedBy(owner: any): Known[] {
    const { namespace, uid } = owner.metadata;
    const owned = [...(this.#owned.get(uid)?.values() ?? [])].filter(
      ([, { metadata }]) => namespace === undefined || metadata.namespace === namespace,
    );
    return owned.sort(([, one], [, other]) => (placeOf(one) < placeOf(other) ? -1 : 1));
  }

  /** What is to go. */
  deleting(): Known[] {
    return [...this.#deleting.values()];
  }

  /** Takes what has lost all of its owners. */
  takeBereft(): Known[] {
    const uids = [...this.#bereft];
    this.#bereft.clear();
    return uids.flatMap((uid) => {
      const known = this.#byUid.get(uid);
      const owners: { uid: string }[] = known?.[1].metadata.ownerReferences ?? [];
      const isBereft = owners.length > 0 && !owners.some(({ uid: owner }) => this.#byUid.has(owner));
      return known && isBereft ? [known] : [];
    });
  }

  /** Whether a pod has a claim as a volume. */
  isUsed({ metadata }: any): boolean {
    return this.#users.has(placeOf({ metadata }));
  }
}
