import { setMaxListeners } from 'node:events';
import { type ApiError, UnavailableError } from './errors.ts';

/** Every statement and call of a request listens to its signal until it ends, and there is no limit to their number. */
function newController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** The extra time, in ms, for a request whose change was committed shortly before its deadline. */
const graceMs = 5_000;

/**
 * How long a request goes on: until its response is sent, its client disconnects, its deadline passes, or something stops
 * it. A change that has begun is carried out first. Work for the request observes `signal`, which is aborted with `failure`
 * as its reason when it is stopped.
 */
export class RequestLifetime {
  /** Why the request was stopped, once it was. */
  failure: ApiError | undefined;
  /** Notified when the request is stopped, and when it may have used up its time slice. An object, because V8 frees a closure per request much later. */
  running: { stop(): void; look?(): void } | undefined;
  /** Queued reads, which are sent together. */
  held: (() => void)[] | undefined;
  readonly #timeoutMs: number;
  #controller = newController();
  #timer: NodeJS.Timeout;
  #isLate = false;
  #isChanging = false;
  protected hasChanged = false;
  protected hasEnded = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#timer = setTimeout(() => this.#late(), timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Stops all work for the request, except for a transaction that is already open. */
  stop(failure: ApiError): ApiError {
    if (this.failure) return this.failure;
    this.failure = failure;
    this.#controller.abort(failure);
    if (!this.#isChanging) this.running?.stop();
    return failure;
  }

  #late(): void {
    this.#isLate = true;
    // A committed change is reported as made.
    if (this.hasChanged && !this.#isChanging) this.#timer = setTimeout(() => this.#stopLate(), graceMs);
    else this.#stopLate();
  }

  #stopLate(): void {
    const seconds = this.#timeoutMs / 1000;
    const changed = this.hasChanged ? ' Changes that were already made remain.' : '';
    this.stop(
      new UnavailableError(`The request took longer than ${seconds} s and was stopped.${changed}`, {
        limit: 'REQUEST_TIMEOUT_MS',
      }),
    );
  }

  /** Call before a transaction begins. Throws if the deadline has passed. */
  beginChange(): void {
    if (this.#isLate) this.#stopLate();
    if (this.failure) throw this.failure;
    this.#isChanging = true;
  }

  /** Call when a transaction has ended. */
  endChange(isCommitted: boolean): void {
    this.#isChanging = false;
    if (isCommitted) this.hasChanged = true;
    if (!this.failure) return;
    if (isCommitted && this.#isLate && !this.hasEnded) {
      this.failure = undefined;
      this.#controller = newController();
      this.#timer = setTimeout(() => this.#stopLate(), graceMs);
    } else {
      this.running?.stop();
    }
    if (this.hasEnded) this.#letGo();
  }

  /** Whether work for the request can still be in progress: it waits for its response, or a transaction is open. */
  get isUnderWay(): boolean {
    return !this.hasEnded || this.#isChanging;
  }

  /** Resolves with the value, or rejects as soon as the request is stopped. */
  race<T>(value: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.running = { stop: () => reject(this.failure) };
      value.then(resolve, reject);
      if (this.failure) reject(this.failure);
    });
  }

  /** Call when the response was sent, or the client has disconnected. Only the first call counts. */
  end(isAnswered: boolean): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearTimeout(this.#timer);
    if (!isAnswered) this.stop(new UnavailableError('The client closed the connection.'));
    // A change in progress is stopped when its transaction ends.
    if (!this.#isChanging) this.#letGo();
  }

  /** Objects that outlive the request must not keep its data alive. */
  #letGo(): void {
    this.running = undefined;
    this.held = undefined;
  }
}
