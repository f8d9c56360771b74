import type { Applied } from '../objects/stored-object.ts';
import { Silence } from './silence.ts';
import type { Observed } from './status.ts';

/** How often a failure is seen at least before work has failed. */
const minLooks = 3;

/** The results of checks of the instances during one piece of work. */
export class Rollout {
  /** Whether the objects have been applied by this process. Another process applies them again, which makes no difference. */
  isApplied = false;
  /** The applied object. */
  applied: Applied | undefined;
  readonly silence = new Silence();
  #reasonSinceMs: number | undefined;
  #failingSinceMs: number | undefined;
  #looks = 0;

  /** Takes note of a look. Returns whether the work has failed. */
  hasFailed({ failure, reason }: Observed, failingMs: number, nowMs = performance.now()): boolean {
    if (reason === undefined || failure === 'passing') {
      this.#reasonSinceMs = undefined;
      this.#failingSinceMs = undefined;
      this.#looks = 0;
      return false;
    }
    if (failure === 'permanent') return true;
    this.#reasonSinceMs ??= nowMs;
    if (failure === undefined) return false;
    this.#failingSinceMs ??= nowMs;
    this.#looks++;
    // Controllers try again after pauses that double: after an instance has gone that was in the way for long, the next try
    // can be as long away.
    const blockedMs = failure === 'refused' ? this.#failingSinceMs - this.#reasonSinceMs : 0;
    return this.#looks >= minLooks && nowMs - this.#failingSinceMs >= Math.max(failingMs, blockedMs);
  }
}
