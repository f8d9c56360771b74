import { decrease, increase } from '../../../../kernel/counts.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { Limiter, runWithin } from '../../../../kernel/limiter.ts';
import { getOrCompute } from '../../../../kernel/memo.ts';
import type { Reader } from '../../instances.ts';

/** How much of something there is in a region, and how much of it one team and one user can have at once. */
interface Most {
  all: number;
  ofTeam: number;
  ofUser: number;
}

/** Things that are taken for a long time. Those of one team or user leave enough for the others. */
export class Shares {
  readonly #most: Most;
  readonly #taken = new Map<string, number>();

  constructor(most: Most) {
    this.#most = most;
  }

  /** Takes one, and returns the function that gives it back. Throws LIMIT_EXCEEDED if there are too many. */
  take({ teamId, callerId }: Reader): () => void {
    const { all, ofTeam, ofUser } = this.#most;
    const owners = [
      ['', all, 'everybody'],
      [`team ${teamId}`, ofTeam, 'the team'],
      [`user ${callerId}`, ofUser, 'the user'],
    ] as const;
    for (const [owner, most, name] of owners) {
      if ((this.#taken.get(owner) ?? 0) < most) continue;
      throw new ApiError(
        'LIMIT_EXCEEDED',
        `The logs of ${most} instances in the region are followed for ${name}, which is the limit. End other subscriptions.`,
      );
    }
    for (const [owner] of owners) increase(this.#taken, owner);
    return () => {
      for (const [owner] of owners) decrease(this.#taken, owner);
    };
  }
}

/** Short calls, of which those beyond the limits wait. Those of one team or user do not delay the others. */
export class SharedTurns {
  readonly #users: Limiter;
  readonly #teams: Limiter;

  constructor({ all, ofTeam, ofUser }: Most) {
    this.#users = new Limiter({ mostOfGroup: ofUser });
    this.#teams = new Limiter({ most: all, mostOfGroup: ofTeam });
  }

  run<T>({ teamId, callerId }: Reader, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return runWithin(
      [
        [this.#users, String(callerId)],
        [this.#teams, teamId],
      ],
      work,
      signal,
    );
  }
}

export function turnsByRegion(most: Most): (regionId: string) => SharedTurns {
  const turns = new Map<string, SharedTurns>();
  return (regionId) => getOrCompute(turns, regionId, () => new SharedTurns(most));
}
