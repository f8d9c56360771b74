import { decrease, increase } from './counts.ts';

/** Work that counts towards a limit. */
export interface Holder {
  group?: string;
  /** The start of what it does now. Undefined while it does nothing that can take long. */
  since?: number | undefined;
  abort?(reason: unknown): void;
}

export interface LimiterOptions {
  /** The maximum number of holders. Unlimited by default. */
  most?: number;
  mostOfGroup?: number;
  /** How many holders there may be in addition, each the only one of its group. */
  reserved?: number;
  /** A holder whose `since` is longer ago does not count, while others wait. Never by default. */
  longAfterMs?: number;
  /** How many holders do not count at the same time. */
  mostLong?: number;
  /** Beyond that, a holder whose `since` is longer ago is aborted. */
  abortAfterMs?: number;
  /** Whether groups take turns, however much each has in the queue. */
  inTurns?: boolean;
  /** How long to wait, and the reasons with which a holder is then rejected or aborted. */
  maxWaitMs?: number;
  refused?: () => unknown;
  aborted?: () => unknown;
}

interface Waiter {
  holder: Holder;
  admit(): void;
}

/** How often holders are checked while others wait. */
const checkEveryMs = 50;

/**
 * Limits concurrent work, in total and per group. Other work waits in a queue, first in, first out, except for work whose
 * group is at its limit, and unless groups take turns. Work that takes long, because it waits for a lock or for another
 * server, no longer counts: the next work starts.
 */
export class Limiter {
  readonly most: number;
  readonly #options: LimiterOptions;
  readonly #holders = new Set<Holder>();
  readonly #long = new Set<Holder>();
  readonly #groups = new Map<string, number>();
  readonly #queue: Waiter[] = [];
  /** The turns of the groups while work waits: the number of the last one that each had. */
  readonly #turns = new Map<string | undefined, number>();
  #turn = 0;
  #check: NodeJS.Timeout | undefined;

  constructor(options: LimiterOptions) {
    this.most = options.most ?? Number.POSITIVE_INFINITY;
    this.#options = options;
  }

  /** The length of the queue. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Runs work of a group when the limits allow it. Rejects with the signal's reason if it is aborted before that. */
  async run<T>(group: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const holder = { group };
    await this.enter(holder, signal);
    try {
      return await work();
    } finally {
      this.leave(holder);
    }
  }

  /** Returns undefined if the limits allow the work now. Rejects with the signal's reason if it is aborted before they do. */
  enter(holder: Holder, signal?: AbortSignal): Promise<void> | undefined {
    if (signal?.aborted) return Promise.reject(signal.reason);
    // Whoever waits then is of a group that is at its limit.
    if (this.hasRoomFor(holder)) {
      this.#hold(holder);
      return undefined;
    }
    const { longAfterMs, maxWaitMs, refused } = this.#options;
    if (longAfterMs) this.#check ??= setInterval(() => this.#releaseLong(longAfterMs), checkEveryMs).unref();
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const refuse = (reason: unknown) => {
        settle();
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        reject(reason);
      };
      const abort = () => refuse(signal!.reason);
      const waiter: Waiter = {
        holder,
        admit() {
          settle();
          resolve();
        },
      };
      const timer = maxWaitMs && setTimeout(() => refuse(refused?.()), maxWaitMs);
      signal?.addEventListener('abort', abort);
      this.#queue.push(waiter);
    });
  }

  /** Does nothing if the holder does not count. */
  leave(holder: Holder): void {
    if (!this.#release(holder) && !this.#long.delete(holder)) return;
    this.#admit();
  }

  /** Stops counting a holder. Returns false if it does not count. */
  #release(holder: Holder): boolean {
    if (!this.#holders.delete(holder)) return false;
    if (holder.group !== undefined) decrease(this.#groups, holder.group);
    return true;
  }

  /** Whether the limits allow the work now. */
  hasRoomFor({ group }: Holder): boolean {
    const { mostOfGroup = Number.POSITIVE_INFINITY } = this.#options;
    if (group === undefined) return this.#holders.size < this.most;
    const own = this.#groups.get(group) ?? 0;
    return this.#holders.size < (own === 0 ? this.#mostWithReserved : this.most) && own < mostOfGroup;
  }

  get #mostWithReserved(): number {
    return this.most + (this.#options.reserved ?? 0);
  }

  #hold(holder: Holder): void {
    this.#holders.add(holder);
    if (holder.group !== undefined) increase(this.#groups, holder.group);
  }

  #admit(): void {
    if (this.#queue.length === 0 && this.#turns.size === 0 && !this.#check) return;
    for (let index = this.#next(0); index >= 0; index = this.#next(index)) {
      const [{ holder, admit }] = this.#queue.splice(index, 1) as [Waiter];
      if (this.#options.inTurns) this.#turns.set(holder.group, ++this.#turn);
      this.#hold(holder);
      admit();
    }
    if (this.#queue.length > 0) return;
    this.#turns.clear();
    clearInterval(this.#check);
    this.#check = undefined;
  }

  /** The index of the work that is admitted next, from here on if it is the first one with room for it. -1 if there is none. */
  #next(from: number): number {
    const { inTurns = false } = this.#options;
    let found = -1;
    let turn = Number.POSITIVE_INFINITY;
    for (let index = inTurns ? 0 : from; index < this.#queue.length; index++) {
      if (this.#holders.size >= this.#mostWithReserved) return found;
      const { holder } = this.#queue[index]!;
      const last = this.#turns.get(holder.group) ?? 0;
      if (last >= turn || !this.hasRoomFor(holder)) continue;
      if (!inTurns) return index;
      found = index;
      turn = last;
    }
    return found;
  }

  #releaseLong(longAfterMs: number): void {
    const { mostLong = Number.POSITIVE_INFINITY, abortAfterMs, aborted } = this.#options;
    const now = performance.now();
    for (const holder of this.#holders) {
      if (holder.since === undefined) continue;
      const ms = now - holder.since;
      if (ms > longAfterMs && this.#long.size < mostLong) {
        this.#release(holder);
        this.#long.add(holder);
      } else if (abortAfterMs && ms > abortAfterMs) holder.abort?.(aborted?.());
    }
    this.#admit();
  }
}

/**
 * Runs work when several limiters allow it, each with its group: the caller's own, the team's and that of all, for example. What
 * waits for one counts in those before it, so that a caller with much work does not fill the queue of the next.
 */
export function runWithin<T>(
  limits: readonly (readonly [limiter: Limiter, group: string])[],
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const inner = limits.reduceRight<() => Promise<T>>(
    (next, [limiter, group]) =>
      () =>
        limiter.run(group, next, signal),
    work,
  );
  return inner();
}
