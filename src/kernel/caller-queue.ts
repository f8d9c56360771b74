import { UnavailableError } from './errors.ts';
import { Limiter } from './limiter.ts';

export interface CallerQueueOptions {
  /** How much work runs at the same time. */
  most: number;
  /** How long work waits before it fails with UNAVAILABLE. */
  maxWaitMs: number;
  /** The message of that error. */
  message: string;
}

/** Limits work that many callers ask for. Each of them has one piece at a time, so that they take turns. */
export class CallerQueue {
  readonly #ofCaller = new Limiter({ most: Number.POSITIVE_INFINITY, mostOfGroup: 1 });
  readonly #all: Limiter;

  constructor({ most, maxWaitMs, message }: CallerQueueOptions) {
    this.#all = new Limiter({ most, maxWaitMs, refused: () => new UnavailableError(message) });
  }

  /** Runs work when it is the turn of its caller. Rejects with the signal's reason if it is aborted before that. */
  run<T>(caller: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#ofCaller.run(caller, () => this.#all.run(caller, work, signal), signal);
  }
}
