import { msLeft } from './protocol.ts';

/** The reason of calls that are aborted because the process stops or no longer holds the work. */
export class WorkEnded extends Error {}

/**
 * Aborts a call shortly before the lease of its work ends, unless the lease is renewed. Measured by the monotonic clock of
 * this process, so that a process without its database ends its calls before another one takes the work over.
 */
export class LeaseTimer {
  readonly #controller = new AbortController();
  readonly #leaseMs: number;
  #heldFromMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor({ heldFromMs, leaseMs }: { heldFromMs: number; leaseMs: number }) {
    this.#heldFromMs = heldFromMs;
    this.#leaseMs = leaseMs;
    this.#check();
  }

  /** Aborted when the call has to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  renew(heldFromMs: number): void {
    this.#heldFromMs = Math.max(this.#heldFromMs, heldFromMs);
  }

  abort(why: string): void {
    this.end();
    this.#controller.abort(new WorkEnded(why));
  }

  /** Call when the call has ended. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    const leftMs = msLeft(this.#heldFromMs, this.#leaseMs, performance.now());
    if (leftMs <= 0) this.abort('The lease was not renewed.');
    else this.#timer = setTimeout(() => this.#check(), Math.ceil(leftMs)).unref();
  }
}
