import type { RegionSource } from '../../clusters.ts';
import type { KindName } from '../objects/objects.ts';
import { isBroken } from './errors.ts';

/** Logs that the watches of a region were lost: one line for each change of the region, however many of them fail. */
export class WatchLog {
  readonly #log: RegionSource['log'];
  readonly #about: { region: string };
  readonly #ended: AbortSignal;
  #isLost = false;

  constructor(log: RegionSource['log'], region: string, ended: AbortSignal) {
    this.#log = log;
    this.#about = { region };
    this.#ended = ended;
  }

  failed(kind: KindName, error: unknown): void {
    // A cluster that cannot be reached has a line of its own.
    if (this.#isLost || this.#ended.aborted || isBroken(error)) return;
    this.#isLost = true;
    this.#log.warn({ error, ...this.#about, kind }, 'watches of a cluster lost');
  }

  /** Called after each list. */
  listed(areAllCurrent: boolean): void {
    if (!this.#isLost || !areAllCurrent) return;
    this.#isLost = false;
    this.#log.info(this.#about, 'watches of a cluster go on');
  }
}
