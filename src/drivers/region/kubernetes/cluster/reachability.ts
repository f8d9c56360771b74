import type { RegionSource } from '../../clusters.ts';

/** After this time, a request that was given up counts as one that was not answered, in ms. */
const silentMs = 10_000;

/**
 * Whether the cluster of a region can be reached, as its requests show it. One line of the log for each change, however many
 * requests fail meanwhile.
 */
export class Reachability {
  readonly #log: RegionSource['log'];
  readonly #about: { region: string };
  #isLost = false;
  #isOver = false;
  #answeredAtMs = Number.NEGATIVE_INFINITY;

  constructor(log: RegionSource['log'], region: string) {
    this.#log = log;
    this.#about = { region };
  }

  /** Requests that fail from now on do so because their connections are closed here. */
  end(): void {
    this.#isOver = true;
  }

  answered(): void {
    this.#answeredAtMs = performance.now();
    if (!this.#isLost || this.#isOver) return;
    this.#isLost = false;
    this.#log.info(this.#about, 'a cluster is reachable again');
  }

  /** A request has failed that was sent then. Nothing is lost if another one was answered since. */
  failed(error: unknown, sentAtMs: number): void {
    if (this.#isLost || this.#isOver || this.#answeredAtMs > sentAtMs) return;
    this.#isLost = true;
    this.#log.warn({ error, ...this.#about }, 'a cluster cannot be reached');
  }

  /** A request was given up that was sent then. */
  givenUp(reason: unknown, sentAtMs: number): void {
    if (performance.now() - sentAtMs >= silentMs) this.failed(reason, sentAtMs);
  }
}
