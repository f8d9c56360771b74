import type { At, Besides } from './fair.ts';

/** The most teams and applications that are remembered. With more, a round begins again. */
const mostServed = 500;

/**
 * The turns of work that is done in small batches, one after the other: while there is more than one batch, a team comes again after
 * the others that have some, and an application after the others of its team.
 */
export class Rounds {
  readonly #teamIds = new Set<string>();
  readonly #applicationIds = new Set<number>();

  /** The next batch, at most `limit`. `due` finds work in its order, except that which is excluded. */
  async take<T extends At & { id: string }>(
    limit: number,
    due: (besides?: Besides) => Promise<T[]>,
  ): Promise<T[]> {
    const taken = new Map<string, T>();
    const add = async (besides?: Besides) => {
      for (const each of await due(besides)) taken.set(each.id, each);
      return taken.size >= limit;
    };
    const isFull = (await this.#addOthers(add)) || (await add());
    return isFull ? [...taken.values()].slice(0, limit) : [...taken.values()];
  }

  /** Notes whose work was done, or tried. */
  served({ teamId, applicationId }: At): void {
    remember(this.#teamIds, teamId);
    if (applicationId !== null) remember(this.#applicationIds, applicationId);
  }

  /** Begins another round, because all of the work was done. */
  clear(): void {
    this.#teamIds.clear();
    this.#applicationIds.clear();
  }

  /** Adds the work of those who had no turn in this round. Begins another round if that is too little. */
  async #addOthers(add: (besides: Besides) => Promise<boolean>): Promise<boolean> {
    const [teamIds, applicationIds] = [[...this.#teamIds], [...this.#applicationIds]];
    if (teamIds.length > 0 && (await add({ teamIds }))) return true;
    this.#teamIds.clear();
    if (applicationIds.length > 0 && (await add({ applicationIds }))) return true;
    this.#applicationIds.clear();
    return false;
  }
}

function remember<T>(served: Set<T>, one: T): void {
  if (served.size >= mostServed) served.clear();
  served.add(one);
}
