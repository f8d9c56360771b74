import type { LimitName } from './errors.ts';

export type Phase = 'parse' | 'validate' | 'execute';

/** How much a request has used of a limit, in the unit of its setting. */
export type LimitUsage = Partial<Record<LimitName, number>>;

/** The measurements for a request that asks what it costs. */
export class Explain {
  readonly milliseconds: Partial<Record<Phase, number>> = {};
  readonly used: LimitUsage = {};
  readonly #startedAt = performance.now();
  #parametersAt: number | undefined;

  /** Call when the parameters were read: until then, the request was received and authenticated. */
  begin(): void {
    this.#parametersAt ??= performance.now();
  }

  get receivedMs(): number {
    return (this.#parametersAt ?? performance.now()) - this.#startedAt;
  }

  get totalMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Runs a phase and adds its time. */
  measure<T>(phase: Phase, work: () => T): T {
    const since = performance.now();
    const end = () => {
      this.milliseconds[phase] = (this.milliseconds[phase] ?? 0) + performance.now() - since;
    };
    let result: T;
    try {
      result = work();
    } catch (error) {
      end();
      throw error;
    }
    if (result instanceof Promise) return result.finally(end) as T;
    end();
    return result;
  }
}
