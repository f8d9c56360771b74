import { createHash } from 'node:crypto';
import type { InputRef, ObjectRef } from '@pothos/core';
import type { ExecutionResult } from 'graphql';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import type { EventItem } from '../../db/channel/event-reader.ts';
import type { Followed, RowItem } from '../../db/channel/feeds.ts';
import type { Round } from '../../db/channel/round.ts';
import type { Subscriber } from '../../db/channel/subscribers.ts';
import type { Database } from '../../db/open.ts';
import { positionOf, positionText } from '../../db/read/committed.ts';
import type { Row } from '../../db/tables.ts';
import type { Actor } from '../../kernel/access.ts';
import { NotFoundError, UnauthenticatedError, UnavailableError } from '../../kernel/errors.ts';
import { ItemQueue } from '../../kernel/item-queue.ts';
import { invalid, parse } from '../../kernel/validate.ts';
import { builder, type Types } from './builder.ts';

builder.subscriptionType({
  description:
    'Changes as they happen, as server-sent events. Rights are checked again before each item; a caller who has lost them gets a last item with the error.',
});

/** The most events that wait for a slow client. It gets the rest from the record when it has read them. */
const maxWaiting = 1_000;

/** An object to send, with the context in which its fields are resolved. */
export interface StreamItem {
  row: object;
  context: Context;
  /** Identifies the item for a client that reconnects. */
  idOf(result: ExecutionResult): string;
}

/** What is read and may be sent. */
interface Told {
  row: object | null;
  round: Round;
}

/** How a subscription follows its object. */
interface Following<T extends Told> {
  /** Ends it. */
  leave(): void;
  /** What comes before the items that are pushed, in batches. */
  missed?: AsyncIterable<readonly T[]>;
}

interface Source<T extends Told> {
  /** Throws if the actor may not see the object, or may no longer see it. */
  require(actor: Actor): void;
  /** What the object is called in errors. */
  noun: string;
  /** The most items that wait for a slow client. With 1, only the latest does. */
  limit: number;
  idOf(item: T, result: ExecutionResult): string;
  /** Whether nothing follows an item. */
  isLast?(item: T): boolean;
  /** Follows again after an item, when more than the limit have followed it. */
  resume?(subscriber: Subscriber<T>, after: T): Promise<Following<T>>;
}

/** The items of one subscription. */
class ItemSource<T extends Told> implements AsyncIterableIterator<StreamItem>, Subscriber<T> {
  readonly #context: Context;
  readonly #source: Source<T>;
  readonly #queue: ItemQueue<T>;
  #following: Following<T> | undefined;
  #missed: AsyncIterator<readonly T[]> | undefined;
  #batch: T[] = [];
  #latest: T | undefined;
  #hasEnded = false;

  constructor(context: Context, source: Source<T>) {
    this.#context = context;
    this.#source = source;
    this.#queue = new ItemQueue(source.limit);
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
    this.#batch = [];
    this.#queue.end(reason);
    this.#leave();
  }

  push(item: T): void {
    // The record keeps what the queue cannot.
    if (!this.#queue.push(item)) this.#leave();
  }

  isDue(now: number): boolean {
    const { tokenExpiresAt } = this.#context;
    return tokenExpiresAt != null && tokenExpiresAt.getTime() <= now;
  }

  async check(): Promise<void> {
    try {
      await this.#actor();
    } catch (error) {
      // Without the database, nothing is sent either.
      if (!(error instanceof UnavailableError)) this.end(error);
    }
  }

  async #actor(): Promise<Actor> {
    const actor = await this.#context.actorNow!();
    if (!actor) throw new UnauthenticatedError();
    this.#source.require(actor);
    return actor;
  }

  async #nextTold(): Promise<T | undefined> {
    const { resume } = this.#source;
    for (;;) {
      const waiting = this.#batch.shift();
      if (waiting) return waiting;
      if (this.#missed && !this.#hasEnded) {
        const { done, value } = await this.#missed.next();
        if (done) this.#missed = undefined;
        else this.#batch = [...value];
      } else if (resume && this.#latest && !this.#following && !this.#hasEnded && this.#queue.isEmpty) {
        this.follow(await resume(this, this.#latest));
      } else return this.#queue.next();
    }
  }

  async next(): Promise<IteratorResult<StreamItem>> {
    const { isLast, noun, idOf } = this.#source;
    if (this.#latest && isLast?.(this.#latest)) throw new NotFoundError(noun);
    const item = await this.#nextTold();
    if (!item) return { done: true, value: undefined };
    this.#latest = item;
    const actor = await this.#actor();
    if (!item.row) throw new NotFoundError(noun);
    // A round is made of the whole database.
    const context = this.#context.forItem!(actor, item.round.db as Database);
    return { done: false, value: { row: item.row, context, idOf: (result) => idOf(item, result) } };
  }

  return(): Promise<IteratorResult<StreamItem>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** Subscribes to the events of a team. After the one that `isLast`, the team does not exist. */
export async function eventSource(
  context: Context,
  teamId: string,
  { require, isLast }: { require: Source<EventItem>['require']; isLast(event: Row<'Event'>): boolean },
): Promise<ItemSource<EventItem>> {
  const { feeds } = context.db;
  const stream = context.stream!;
  const { lastEventId } = stream;
  const resume = async (subscriber: Subscriber<EventItem>, { position }: Pick<EventItem, 'position'>) => {
    const following = await feeds.resumeEvents(teamId, subscriber, position);
    if (!following) throw notAnId();
    return following;
  };
  const source = new ItemSource<EventItem>(context, {
    require,
    noun: 'team',
    limit: maxWaiting,
    idOf: ({ position }) => positionText(position),
    isLast: ({ row }) => isLast(row),
    resume,
  });
  stream.begin((reason) => source.end(reason));
  if (lastEventId === undefined) {
    const following = await feeds.followEvents(teamId, source);
    stream.itemId = positionText(following.position);
    return source.follow(following);
  }
  const position = positionOf(lastEventId);
  if (!position) throw notAnId();
  return source.follow(await resume(source, { position }));
}

const notAnId = () => invalid(['Last-Event-ID'], 'Must be the id of an item of this subscription');

/** The id of a state that no client has received. */
const beginning = 'beginning';

/** Subscribes to a row. Of several changes that wait, only the state after the last one is sent. */
export async function rowSource<M extends Followed>(
  context: Context,
  model: M,
  id: number,
  { require, noun }: Pick<Source<RowItem<M>>, 'require' | 'noun'>,
): Promise<ItemSource<RowItem<M>>> {
  const { feeds } = context.db;
  const stream = context.stream!;
  const source = new ItemSource<RowItem<M>>(context, { require, noun, limit: 1, idOf: digestOf });
  stream.begin((reason) => source.end(reason));
  if (stream.lastEventId === undefined) stream.itemId = beginning;
  const leave = feeds.followRow(model, id, source);
  async function* missed(): AsyncGenerator<RowItem<M>[]> {
    yield [await feeds.rowNow(model, id)];
  }
  // The state now. It is not sent if the client has already received it.
  return source.follow({ leave, ...(stream.lastEventId !== undefined && { missed: missed() }) });
}

/** Equal for the same row with the same answer. */
function digestOf({ row }: Told, { data }: ExecutionResult): string {
  return createHash('sha256')
    .update(JSON.stringify([row, data]))
    .digest('base64url')
    .slice(0, 22);
}

interface SubscriptionOptions<S extends z.ZodObject, N extends string, R extends object> {
  description: string;
  type: ObjectRef<Types, R>;
  /** The argument that names the object. */
  argument: { name: N; type: InputRef<z.input<S>>; schema: S; description: string };
  subscribe(context: Context, ref: z.output<S>): Promise<AsyncIterable<StreamItem>>;
}

/** Defines a subscription whose argument is a reference. */
export function subscription<S extends z.ZodObject, N extends string, R extends object>(
  name: string,
  { description, type, argument, subscribe }: SubscriptionOptions<S, N, R>,
) {
  builder.subscriptionField(name, (t) =>
    t.field({
      type: type as never,
      description,
      args: {
        [argument.name]: t.arg({ type: argument.type, required: true, description: argument.description }),
      },
      subscribe: (async (_: object, args: Record<string, unknown>, context: Context) => {
        if (context.db.channel.isDeaf) {
          throw new UnavailableError(
            'This server is not told of the changes of other gateways. Subscriptions need DATABASE_LISTEN_URL, a direct connection to Postgres.',
          );
        }
        return subscribe(context, parse(argument.schema, args[argument.name], [argument.name]));
      }) as never,
      resolve: (row: unknown) => row as never,
    }),
  );
}
