/** Something that grows while it is used, and is kept as long as there is room. */
export interface Sized {
  size: number;
}

/** How much is kept, of one and of all together. */
export interface Room {
  ofOne: number;
  ofAll: number;
}

/** What is kept until there is no room: what was kept first makes room first. */
export function createKept(most: Room) {
  const kept = new Map<Sized, () => void>();
  let size = 0;
  const forget = (one: Sized) => {
    kept.get(one)?.();
    if (kept.delete(one)) size -= one.size;
  };
  const makeRoom = () => {
    for (const oldest of kept.keys()) {
      if (size <= most.ofAll) break;
      forget(oldest);
    }
  };
  return {
    forget,
    /** Keeps one; `drop` is called when it is forgotten. */
    keep(one: Sized, drop: () => void): void {
      if (one.size > most.ofOne) {
        drop();
        return;
      }
      kept.set(one, drop);
      size += one.size;
      makeRoom();
    },
    /** One that grows too large is used to its end and not kept. */
    grow(one: Sized, by: number): void {
      if (one.size + by > most.ofOne) forget(one);
      one.size += by;
      if (!kept.has(one)) return;
      size += by;
      makeRoom();
    },
  };
}
