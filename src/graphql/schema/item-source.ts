import type { ExecutionResult } from 'graphql';
import type { Context } from '../../context.ts';
import type { Actor } from '../../kernel/access.ts';
import { NotFoundError, UnauthenticatedError, UnavailableError } from '../../kernel/errors.ts';
import { ItemQueue, type Room } from '../../kernel/item-queue.ts';
import type { SharedReads } from '../../live/shared-reads.ts';
import type { Subscriber } from '../../live/subscribers.ts';

export interface StreamItem {
  /** The object, with the context in which its fields are resolved. Rejects if the actor has lost the right to see it. */
  open(): Promise<{ row: object; context: Context }>;
  /** Identifies the item for a client that reconnects. */
  idOf(result: ExecutionResult): string | Promise<string>;
}

/** A row that a subscriber is notified of, and the database in which its fields are resolved. */
export interface Pushed {
  row: object | null;
  reads: SharedReads;
}

/** How a subscription follows its object. */
interface Following<T extends Pushed> {
  /** Ends it. */
  leave(): void;
  /** The items before those that are pushed, in batches. */
  missed?: AsyncIterable<readonly T[]>;
}

export interface Source<T extends Pushed> {
  /** Throws if the actor may not see the object, or may no longer see it. */
  require(actor: Actor): void;
  /** The noun for the object in errors. */
  noun: string;
  /** The most items that wait for a slow client. With 1, only the latest does. */
  limit: number;
  /** Whether an item takes the place of one that waits. */
  replaces?(item: T, waiting: T): boolean;
  /** The memory that items take until they are sent. */
  room?: Room<T>;
  /** The part of an item that is needed to follow after it. */
  light?(item: T): T;
  idOf(item: T, result: ExecutionResult): string | Promise<string>;
  /** Whether nothing follows an item. */
  isLast?(item: T): boolean;
  /** Whether the actor may see the item. Others are passed over. */
  isVisible?(actor: Actor, item: T): boolean;
  /** Follows again when more items than the limit were waiting: after one, or from the beginning. */
  resume?(subscriber: Subscriber<T>, after: T | undefined): Promise<Following<T>>;
}

/** The most items that are passed over together. */
const maxPassedOver = 10;

/** The items of a subscription. Null stands for items that the actor may not see, which count as one. */
export class ItemSource<T extends Pushed> implements AsyncIterableIterator<StreamItem | null>, Subscriber<T> {
  readonly #context: Context;
  readonly #source: Source<T>;
  readonly #queue: ItemQueue<T>;
  #following: Following<T> | undefined;
  #missed: AsyncIterator<readonly T[]> | undefined;
  readonly #batch: T[] = [];
  #latest: T | undefined;
  /** Whether items were dropped, so that it has to follow again. */
  #isBehind = false;
  #hasEnded = false;

  constructor(context: Context, source: Source<T>) {
    this.#context = context;
    this.#source = source;
    this.#queue = new ItemQueue(source.limit, source.replaces, source.room);
  }

  follow(following: Following<T>): this {
    if (this.#hasEnded) following.leave();
    else {
      this.#following = following;
      this.#missed = following.missed?.[Symbol.asyncIterator]();
    }
    return this;
  }

  #leave(): void {
    this.#following?.leave();
    this.#following = undefined;
  }

  end(reason?: unknown): void {
    this.#hasEnded = true;
    this.#give(this.#batch.splice(0));
    this.#queue.end(reason);
    this.#leave();
  }

  push(item: T): void {
    if (this.#isBehind || this.#queue.push(item)) return;
    // The record has what the queue drops.
    this.#isBehind = true;
    this.#leave();
  }

  isDue(now: number): boolean {
    const { checkAt } = this.#context;
    return checkAt != null && checkAt.getTime() <= now;
  }

  async check(): Promise<void> {
    let actor: Actor | undefined;
    try {
      actor = await this.#context.actorNow!();
    } catch (error) {
      // Without the database, nothing is sent either.
      if (!(error instanceof UnavailableError)) this.end(error);
      return;
    }
    try {
      this.#requireStill(actor);
    } catch (error) {
      this.end(error);
    }
  }

  #requireStill(actor: Actor | undefined): Actor {
    if (!actor) throw new UnauthenticatedError();
    this.#source.require(actor);
    return actor;
  }

  async #actor(): Promise<Actor> {
    return this.#requireStill(await this.#context.actorNow!());
  }

  async #nextPushed(): Promise<T | undefined> {
    const { resume } = this.#source;
    for (;;) {
      const waiting = this.#waiting();
      if (waiting) return waiting;
      if (this.#missed && !this.#hasEnded) {
        const { done, value } = await this.#missed.next();
        if (done) this.#missed = undefined;
        else this.#hold(value);
      } else if (this.#isBehind && !this.#hasEnded) {
        this.#isBehind = false;
        this.follow(await resume!(this, this.#latest));
      } else return this.#queue.next();
    }
  }

  /** The next item, if one waits. */
  #waiting(): T | undefined {
    const item = this.#batch.shift();
    if (item) this.#give([item]);
    return item ?? (this.#missed || this.#isBehind ? undefined : this.#queue.take());
  }

  #give(items: readonly T[]): void {
    const { room } = this.#source;
    for (const item of items) room?.memory.give(room.sizeOf(item));
  }

  /** Holds a batch that was read, as far as there is room. The rest is read again after it. */
  #hold(items: readonly T[]): void {
    const { room } = this.#source;
    for (const item of this.#hasEnded ? [] : items) {
      if (room && !room.memory.take(room.sizeOf(item))) {
        if (this.#batch.length === 0)
          throw new UnavailableError('Too many updates are waiting for slow clients. Subscribe again later.');
        this.#missed = undefined;
        this.#isBehind = true;
        this.#leave();
        return;
      }
      this.#batch.push(item);
    }
  }

  async next(): Promise<IteratorResult<StreamItem | null>> {
    const { isLast, noun, idOf, light = (item: T) => item, isVisible } = this.#source;
    if (this.#latest && isLast?.(this.#latest)) throw new NotFoundError(noun);
    let item = await this.#nextPushed();
    if (!item) return { done: true, value: undefined };
    const actor = isVisible && (await this.#actor());
    for (let passedOver = 0; item; item = passedOver < maxPassedOver ? this.#waiting() : undefined) {
      this.#latest = light(item);
      if (!actor || isVisible!(actor, item)) break;
      passedOver++;
    }
    if (!item) return { done: false, value: null };
    const next = item;
    return { done: false, value: { open: () => this.#open(next), idOf: (result) => idOf(next, result) } };
  }

  async #open(item: T): Promise<{ row: object; context: Context }> {
    const { row, reads } = item;
    const { noun, room } = this.#source;
    const actor = await this.#actor();
    if (!row) throw new NotFoundError(noun);
    const context = this.#context.forItem!(actor, reads.db);
    if (room) context.budget?.reserve(room.sizeOf(item));
    // All subscribers get the same row, and what is derived from a row depends on the rights of the caller.
    return { row: { ...row }, context };
  }

  return(): Promise<IteratorResult<StreamItem | null>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
