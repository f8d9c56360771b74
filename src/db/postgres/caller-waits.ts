interface Waiter<T> {
  resolve(place: T): void;
  reject(reason: unknown): void;
}

/** A queue of statements for each caller that has reached its limit of statements in progress, first in, first out. */
export class CallerWaits<T> {
  readonly #waiting = new Map<string, Waiter<T>[]>();

  /** Resolves with a place for the caller. Rejects with the signal's reason if it is aborted before that. */
  wait(caller: string, signal: AbortSignal | undefined): Promise<T> {
    const waiters = this.#waiting.get(caller) ?? [];
    this.#waiting.set(caller, waiters);
    return new Promise((resolve, reject) => {
      const abort = () => {
        waiters.splice(waiters.indexOf(waiter), 1);
        if (waiters.length === 0) this.#waiting.delete(caller);
        reject(signal!.reason);
      };
      const settled =
        <V>(settle: (value: V) => void) =>
        (value: V) => {
          signal?.removeEventListener('abort', abort);
          settle(value);
        };
      const waiter: Waiter<T> = { resolve: settled(resolve), reject: settled(reject) };
      waiters.push(waiter);
      signal?.addEventListener('abort', abort);
    });
  }

  /** Gives places to the caller as long as there are any. */
  admit(caller: string, take: () => T | undefined): void {
    const waiters = this.#waiting.get(caller);
    while (waiters && waiters.length > 0) {
      const place = take();
      if (!place) return;
      waiters.shift()!.resolve(place);
      if (waiters.length === 0) this.#waiting.delete(caller);
    }
  }

  get size(): number {
    let size = 0;
    for (const waiters of this.#waiting.values()) size += waiters.length;
    return size;
  }

  reject(reason: unknown): void {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const waiter of all) waiter.reject(reason);
  }
}
