import { setTimeout as sleep } from 'node:timers/promises';
import { Waker } from './waker.ts';

export interface WorkLoopOptions {
  /** Takes what is due. Returns when to look again, in ms. */
  look(): Promise<number>;
  /** The longest time between two looks, for what other processes have left. */
  pollMs: number;
  onError(error: unknown): void;
}

/** Looks for work from time to time, and knows the work that is under way. */
export class WorkLoop {
  readonly #options: WorkLoopOptions;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #ending = new AbortController();
  readonly #waker = new Waker();
  #working: Promise<void> | undefined;

  constructor(options: WorkLoopOptions) {
    this.#options = options;
  }

  /** The ids of the work under way. */
  get ids(): string[] {
    return [...this.#underWay.keys()];
  }

  /** Ends calls that are under way when the process stops. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  start(): void {
    this.#working ??= this.#work();
  }

  /** Looks at once. */
  wake(): void {
    this.#waker.wake();
  }

  /** Carries out work, and looks again when it has ended. */
  carryOut(id: string, work: Promise<void>): void {
    const ended = work.catch(this.#options.onError).finally(() => {
      this.#underWay.delete(id);
      this.wake();
    });
    this.#underWay.set(id, ended);
  }

  /** Takes no more work. What is under way has a part of the time to end. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping.abort();
    this.wake();
    const share = (part: number) => sleep(timeoutMs * part, undefined, { ref: false });
    await Promise.race([this.#working, share(0.3)]);
    const all = () => Promise.all(this.#underWay.values());
    await Promise.race([all(), share(0.2)]);
    this.#ending.abort();
    await Promise.race([all(), share(0.4)]);
  }

  async #work(): Promise<void> {
    const { look, pollMs, onError } = this.#options;
    while (!this.#stopping.signal.aborted) {
      this.#waker.reset();
      let waitMs = pollMs;
      try {
        waitMs = await look();
      } catch (error) {
        onError(error);
      }
      await this.#waker.wait(Math.min(waitMs, pollMs));
    }
  }
}
