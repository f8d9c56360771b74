import { setTimeout as sleep } from 'node:timers/promises';
import { LeaseTimer } from './lease-timer.ts';
import { Waker } from './waker.ts';

export interface WorkLoopOptions<O> {
  /** Stores what came of work, and takes work that is due, unless the loop stops. Returns when to look again, in ms. */
  look(outcomes: O[]): Promise<number>;
  /** The longest time between two looks, for what other processes have left. */
  pollMs: number;
  /** The wait before the first look. */
  firstAfterMs?: number;
  /** The pause after a look that failed. Defaults to `pollMs`. */
  retryMs?: number;
  /** The pause after each look, so that what ends or is called for meanwhile is looked at together. */
  pauseMs?: number;
  onError(error: unknown): void;
}

/** Work that is carried out by this process, until its lease ends. */
interface UnderWay<W> {
  work: W;
  timer: LeaseTimer;
  ended: Promise<void>;
}

/** Looks for work from time to time, one look after the other, and carries it out beside that. */
export class WorkLoop<W extends { id: number | string } = never, O = void> {
  readonly #options: WorkLoopOptions<O>;
  readonly #underWay = new Map<W['id'], UnderWay<W>>();
  readonly #outcomes: O[] = [];
  readonly #stopping = new AbortController();
  readonly #waker = new Waker();
  readonly #timers = new Set<NodeJS.Timeout>();
  #working: Promise<void> | undefined;

  constructor(options: WorkLoopOptions<O>) {
    this.#options = options;
  }

  /** The work that is being carried out. */
  get underWay(): W[] {
    return [...this.#underWay.values()].map(({ work }) => work);
  }

  /** Whether it was started and does not stop. */
  get isRunning(): boolean {
    return this.#working !== undefined && !this.#stopping.signal.aborted;
  }

  /** Aborted when it is to stop. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  start(): void {
    this.#working ??= this.#work();
  }

  /** Looks at once. */
  wake(): void {
    this.#waker.wake();
  }

  /** Looks after a time. */
  wakeIn(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.wake();
    }, ms).unref();
    this.#timers.add(timer);
  }

  /** Carries out work until its lease ends. What comes of it is stored by the next look. */
  carryOut(
    work: W,
    lease: { heldFromMs: number; leaseMs: number },
    run: (signal: AbortSignal) => Promise<O>,
  ): void {
    const timer = new LeaseTimer(lease);
    const end = (outcome?: O) => {
      timer.end();
      this.#underWay.delete(work.id);
      if (outcome !== undefined) this.#outcomes.push(outcome);
      this.wake();
    };
    const ended = run(timer.signal).then(end, (error) => {
      this.#options.onError(error);
      end();
    });
    this.#underWay.set(work.id, { work, timer, ended });
  }

  /** Goes on with work whose leases were renewed, and ends what was cancelled or taken over. */
  renew(ids: readonly W['id'][], held: ReadonlySet<W['id']>, heldFromMs: number): void {
    for (const id of ids) {
      const timer = this.#underWay.get(id)?.timer;
      if (held.has(id)) timer?.renew(heldFromMs);
      else timer?.abort('The work was taken away.');
    }
  }

  /** Takes no more work. What is under way has a part of the time to end, and is ended then. Stores what came of it. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    this.wake();
    const share = (part: number) => sleep(timeoutMs * part, undefined, { ref: false });
    const ended = () => Promise.all([...this.#underWay.values()].map((each) => each.ended));
    await Promise.race([this.#working, share(0.3)]);
    await Promise.race([ended(), share(0.2)]);
    for (const { timer } of this.#underWay.values()) timer.abort('The process stops.');
    await Promise.race([ended().then(() => this.#lookLast()), share(0.4)]);
  }

  async #work(): Promise<void> {
    const { pollMs, firstAfterMs = 0, retryMs = pollMs, pauseMs = 0 } = this.#options;
    await this.#waker.wait(firstAfterMs);
    while (!this.#stopping.signal.aborted) {
      this.#waker.reset();
      const waitMs = (await this.#look()) ?? retryMs;
      if (pauseMs > 0) await sleep(pauseMs, undefined, { ref: false });
      await this.#waker.wait(Math.min(waitMs, Math.max(pollMs, retryMs)));
    }
  }

  /** Returns when to look again. Undefined if the look failed: what came of work is stored by the next one. */
  async #look(): Promise<number | undefined> {
    const outcomes = this.#outcomes.splice(0);
    try {
      return await this.#options.look(outcomes);
    } catch (error) {
      this.#outcomes.unshift(...outcomes);
      this.#options.onError(error);
      return undefined;
    }
  }

  async #lookLast(): Promise<void> {
    if (this.#outcomes.length > 0) await this.#look();
  }
}
