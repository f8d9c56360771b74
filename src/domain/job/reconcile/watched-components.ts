import type { JobSettings } from '../worker/model.ts';

/** A component that is looked at, or was put back not long ago. */
interface Watched {
  /** When it is looked at next; infinite if nothing has changed since. */
  lookAt: number;
  /** Whether it has changed since it was looked at last. */
  hasChanged: boolean;
  /** When it was put back last, and how often without a rest. */
  putBackAt: number;
  tries: number;
  /** Differences that could not be reverted, which is not tried again. */
  refused: string;
}

/** The most components that are looked at before what was found is put back. */
const maxAtOnce = 64;

/** The pause after this many attempts in a row, in milliseconds. */
export const backoffOf = ({ backoffMinMs, backoffMaxMs }: JobSettings, tries: number): number =>
  Math.min(backoffMaxMs, backoffMinMs * 2 ** Math.min(tries, 30));

/** When each component is looked at. One that is put back again and again waits longer each time. */
export class WatchedComponents {
  readonly #settings: JobSettings;
  readonly #watched = new Map<string, Watched>();
  #wake = () => {};

  constructor(settings: JobSettings) {
    this.#settings = settings;
  }

  /** Has these looked at soon. */
  lookAt(ids: readonly string[]): void {
    const now = performance.now();
    for (const id of ids) {
      const entry = this.#watched.get(id) ?? {
        lookAt: Infinity,
        hasChanged: true,
        putBackAt: -Infinity,
        tries: 0,
        refused: '',
      };
      if (now - entry.putBackAt > this.#settings.backoffMaxMs) entry.tries = 0;
      const earliest = entry.putBackAt + (entry.tries > 0 ? backoffOf(this.#settings, entry.tries) : 0);
      entry.lookAt = Math.min(entry.lookAt, Math.max(now + this.#settings.backoffMinMs, earliest));
      entry.hasChanged = true;
      this.#watched.set(id, entry);
    }
    this.#wake();
  }

  /** Waits until a component is due, or `wake` is called. */
  async nextDue(ended: AbortSignal): Promise<void> {
    const now = performance.now();
    let first = Infinity;
    for (const [id, { lookAt, putBackAt, refused }] of this.#watched) {
      first = Math.min(first, lookAt);
      const isRested = now - putBackAt > this.#settings.backoffMaxMs;
      if (lookAt === Infinity && isRested && refused === '') this.#watched.delete(id);
    }
    if (first <= now || ended.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = first === Infinity ? undefined : setTimeout(resolve, first - now).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }

  wake(): void {
    this.#wake();
  }

  /** The components to look at now. */
  due(): string[] {
    const now = performance.now();
    const due = [...this.#watched].filter(([, { lookAt }]) => lookAt <= now);
    return due.slice(0, maxAtOnce).map(([id]) => id);
  }

  /** Call before looking at a component. Should that fail, others have their turn first. */
  begin(id: string): void {
    const watched = this.#watched.get(id)!;
    watched.lookAt = performance.now() + backoffOf(this.#settings, watched.tries + 1);
    watched.hasChanged = false;
  }

  refusedBefore(id: string): string {
    return this.#watched.get(id)!.refused;
  }

  /** Call after looking at a component. A `covered` one is put back by the job of another. */
  end(id: string, outcome: 'put back' | 'unchanged' | 'covered', refused: string): void {
    const watched = this.#watched.get(id)!;
    const now = performance.now();
    watched.refused = refused;
    if (outcome === 'put back') {
      watched.tries++;
      watched.putBackAt = now;
      watched.lookAt = now + backoffOf(this.#settings, watched.tries);
    } else if (outcome === 'unchanged') {
      watched.lookAt = watched.hasChanged ? now + this.#settings.backoffMinMs : Infinity;
    }
  }

  forget(id: string): void {
    this.#watched.delete(id);
  }

  clear(): void {
    this.#watched.clear();
  }
}
