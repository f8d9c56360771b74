import { type ApiError, UnavailableError } from './errors.ts';
import type { Limits } from './limits.ts';

/**
 * What one request may still use. Whoever works for the request looks at `signal`, which is aborted with `failure`
 * as its reason once the request has used up its time.
 */
export class RequestBudget {
  /** Why the request was stopped, once it was. */
  failure: ApiError | undefined;
  readonly #controller = new AbortController();
  readonly #deadline: NodeJS.Timeout;

  constructor({ requestTimeoutMs }: Pick<Limits, 'requestTimeoutMs'>) {
    this.#deadline = setTimeout(() => {
      this.stop(new UnavailableError(`The request took longer than ${requestTimeoutMs / 1000} s.`));
    }, requestTimeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Stops all work for the request. */
  stop(failure: ApiError): void {
    if (this.failure) return;
    this.failure = failure;
    this.#controller.abort(failure);
  }

  /** To be called when the answer was sent, or will never be, since its caller is gone. */
  end(isAnswered: boolean): void {
    clearTimeout(this.#deadline);
    if (!isAnswered) this.stop(new UnavailableError('The caller has closed the connection.'));
  }
}
