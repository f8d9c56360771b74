import { msLeft } from '../../../db/work/protocol.ts';
import { CallEnded } from './call.ts';

/**
 * Aborts a call shortly before the lease of its work ends, unless the lease is renewed. Measured by the monotonic clock of
 * this process, so that a process without its database ends its calls before another one takes the work over.
 */
export class LeaseTimer {
  readonly #controller = new AbortController();
  readonly #leaseMs: number;
  #renewedAtMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(renewedAtMs: number, leaseMs: number) {
    this.#renewedAtMs = renewedAtMs;
    this.#leaseMs = leaseMs;
    this.#check();
  }

  /** Aborted when the call has to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  renew(atMs: number): void {
    this.#renewedAtMs = Math.max(this.#renewedAtMs, atMs);
  }

  abort(why: string): void {
    this.end();
    this.#controller.abort(new CallEnded(why));
  }

  /** Call when the call has ended. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    const leftMs = msLeft(this.#renewedAtMs, this.#leaseMs, performance.now());
    if (leftMs <= 0) this.abort('The lease was not renewed.');
    else this.#timer = setTimeout(() => this.#check(), Math.ceil(leftMs)).unref();
  }
}
