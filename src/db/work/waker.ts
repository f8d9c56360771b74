/** The longest time that a timer can have. */
const longestTimerMs = 2 ** 31 - 1;

/** Lets a loop wait until there is something to do. Who wakes it while it works has it not wait afterwards. */
export class Waker {
  #isWoken = false;
  #end: (() => void) | undefined;

  wake(): void {
    this.#isWoken = true;
    this.#end?.();
  }

  /** Only calls of `wake` from now on count. */
  reset(): void {
    this.#isWoken = false;
  }

  /** Waits until it is woken, but not longer than this. */
  async wait(ms: number): Promise<void> {
    if (this.#isWoken || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, longestTimerMs)).unref();
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#end = undefined;
  }
}
