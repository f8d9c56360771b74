import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from '../db/channel/channel.ts';
import { yieldToLoop } from '../kernel/event-loop.ts';

export interface Subscriber<T> {
  push(item: T): void;
  /** Checks whether it still has its rights, and ends it if not. Never rejects. */
  check(): Promise<void>;
  /** Whether its rights have to be checked because of the time. */
  isDue(now: number): boolean;
}

type Checked = Pick<Subscriber<never>, 'check' | 'isDue'>;

/** How often rights are checked by the clock, in ms: with every tick while notifications of other processes do not arrive. */
const clockMs = { tick: 5_000, whenConnected: 60_000 };

/** The minimum time between two checks of all rights because of notifications, in ms. */
const checkEveryMs = 100;

/** All subscribers of a process, whose rights are checked when rights have changed, and by the clock. */
export class Subscribers {
  readonly #channel: Pick<Channel, 'isConnected'>;
  readonly #all = new Set<Checked>();
  #checking: Promise<void> | undefined;
  #mustCheck = false;
  #clock: NodeJS.Timeout | undefined;
  #checkedAt = 0;

  constructor(channel: Pick<Channel, 'isConnected'>) {
    this.#channel = channel;
  }

  get size(): number {
    return this.#all.size;
  }

  add(subscriber: Checked): void {
    this.#all.add(subscriber);
    this.#clock ??= setInterval(() => this.#tick(), clockMs.tick).unref();
  }

  delete(subscriber: Checked): void {
    this.#all.delete(subscriber);
    if (this.#all.size === 0) this.close();
  }

  /** Checks the rights of all subscribers, once at a time. */
  checkAll(): void {
    this.#mustCheck = true;
    this.#checking ??= this.#check();
  }

  async #check(): Promise<void> {
    while (this.#mustCheck) {
      this.#mustCheck = false;
      this.#checkedAt = performance.now();
      await Promise.all([...this.#all].map((subscriber) => subscriber.check()));
      await sleep(checkEveryMs, undefined, { ref: false });
    }
    this.#checking = undefined;
  }

  #tick(): void {
    const isLate = performance.now() - this.#checkedAt > clockMs.whenConnected;
    const now = Date.now();
    if (isLate || !this.#channel.isConnected) this.checkAll();
    else for (const subscriber of this.#all) if (subscriber.isDue(now)) void subscriber.check();
  }

  close(): void {
    clearInterval(this.#clock);
    this.#clock = undefined;
  }
}

/** Pushes items to the current subscribers, and yields to other requests between them, because each item is executed. */
export async function pushAll<T>(
  subscribers: ReadonlySet<Subscriber<T>>,
  items: readonly T[],
): Promise<void> {
  if (items.length === 0) return;
  for (const subscriber of [...subscribers]) {
    for (const item of items) subscriber.push(item);
    await yieldToLoop();
  }
}
