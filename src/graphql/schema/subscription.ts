import { createHash } from 'node:crypto';
import type { InputRef, ObjectRef } from '@pothos/core';
import type { ExecutionResult } from 'graphql';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { type Position, positionOf, positionText } from '../../db/query/committed.ts';
import type { Row } from '../../db/tables.ts';
import { type Actor, callerId } from '../../kernel/access.ts';
import { UnavailableError } from '../../kernel/errors.ts';
import { yieldToLoop } from '../../kernel/event-loop.ts';
import { jsonPieces } from '../../kernel/json-pieces.ts';
import { invalid, parse } from '../../kernel/validate.ts';
import type { EventItem } from '../../live/event-reader.ts';
import type { Followed, RowItem } from '../../live/row-feeds.ts';
import type { Subscriber } from '../../live/subscribers.ts';
import { builder, type Types } from './builder.ts';
import { ItemSource, type Pushed, type Source, type StreamItem } from './item-source.ts';

builder.subscriptionType({
  description:
    'Changes as they happen, as server-sent events. Rights are checked again before each item. A caller who has lost them gets a last item with the error.',
});

/** The most events that wait for a slow client. If there are more, it gets them from the record when it reads again. */
const maxWaiting = 1_000;

/** Where the signature of an id begins. No position has one. */
const signature = '.';

/**
 * The ids of the events of a team: positions, signed, because one that somebody has made up could have the whole record searched for
 * nothing.
 */
const eventIds = ({ seal }: Pick<Context, 'seal'>, teamId: string) => {
  const purpose = `events of ${teamId}`;
  return {
    of(position: Position): string {
      const text = positionText(position);
      return `${text}${signature}${seal.sign(purpose, text)}`;
    },
    read(id: string): Position | undefined {
      const end = id.indexOf(signature);
      const text = id.slice(0, Math.max(end, 0));
      return seal.isSigned(purpose, text, id.slice(end + 1)) ? positionOf(text) : undefined;
    },
  };
};

/** Subscribes to the events of a team. After the one that `isLast`, the team does not exist. */
export async function eventSource(
  context: Context,
  teamId: string,
  {
    require,
    isLast,
    isVisible,
  }: {
    require: Source<EventItem>['require'];
    isLast(event: Row<'Event'>): boolean;
    /** Whether the actor may see the event. Others are passed over. */
    isVisible(actor: Actor, event: Row<'Event'>): boolean;
  },
): Promise<ItemSource<EventItem>> {
  const { feeds } = context;
  const stream = context.stream!;
  const { lastEventId } = stream;
  const ids = eventIds(context, teamId);
  let beginning: Position | undefined;
  const caller = callerId(context.actor);
  const resume = async (subscriber: Subscriber<EventItem>, from: Position) => {
    const following = await feeds.resumeEvents(teamId, subscriber, from, String(caller));
    if (!following) throw notAnId();
    return following;
  };
  const source = new ItemSource<EventItem>(context, {
    require,
    noun: 'team',
    limit: maxWaiting,
    room: feeds.roomOf(caller),
    light: (item) => ({ ...item, row: { ...item.row, changes: '{}' } }),
    idOf: ({ position }) => ids.of(position),
    isLast: ({ row }) => isLast(row),
    isVisible: (actor, { row }) => isVisible(actor, row),
    resume: (subscriber, after) => resume(subscriber, after?.position ?? beginning!),
  });
  stream.begin((reason) => source.end(reason));
  if (lastEventId === undefined) {
    const following = await feeds.followEvents(teamId, source);
    beginning = following.position;
    stream.itemId = ids.of(beginning);
    return source.follow(following);
  }
  beginning = ids.read(lastEventId);
  if (!beginning) throw notAnId();
  return source.follow(await resume(source, beginning));
}

export const notAnId = () => invalid(['Last-Event-ID'], 'Must be the id of an item of this subscription');

interface StreamSource<T extends object> extends Pick<Source<Pushed>, 'require' | 'noun'> {
  /** Reads the items. Has to end when the signal is aborted. */
  read(signal: AbortSignal): AsyncIterable<{ row: T; id: string }>;
}

/** Subscribes to items that do not come from the database. */
export function streamSource<T extends object>(
  context: Context,
  { require, noun, read }: StreamSource<T>,
): ItemSource<Pushed> {
  const stream = context.stream!;
  const { feeds } = context;
  const ended = new AbortController();
  const ids = new WeakMap<object, string>();
  const source = new ItemSource<Pushed>(context, {
    require,
    noun,
    limit: 1,
    idOf: ({ row }) => ids.get(row!) ?? '',
  });
  async function* batches(): AsyncGenerator<Pushed[]> {
    for await (const { row, id } of read(ended.signal)) {
      ids.set(row, id);
      yield [{ row, reads: feeds.sharedReads() }];
    }
    source.end();
  }
  stream.begin((reason) => source.end(reason));
  if (stream.lastEventId === undefined) stream.itemId = unsent;
  const leaveRights = feeds.watchRights(source);
  const leave = () => {
    leaveRights();
    ended.abort();
  };
  return source.follow({ leave, missed: batches() });
}

/** The id of a state that no client has received. */
export const unsent = 'unsent';

/** Subscribes to a row. Of several changes that wait, only the state after the last one is sent. */
export async function rowSource<M extends Followed>(
  context: Context,
  model: M,
  id: number,
  { require, noun }: Pick<Source<RowItem<M>>, 'require' | 'noun'>,
): Promise<ItemSource<RowItem<M>>> {
  const { feeds } = context;
  const stream = context.stream!;
  const source = new ItemSource<RowItem<M>>(context, { require, noun, limit: 1, idOf: digestOf });
  stream.begin((reason) => source.end(reason));
  if (stream.lastEventId === undefined) stream.itemId = unsent;
  const leave = feeds.followRow(model, id, source);
  async function* missed(): AsyncGenerator<RowItem<M>[]> {
    yield [await feeds.rowNow(model, id)];
  }
  // The state now. It is not sent if the client has already received it.
  return source.follow({ leave, ...(stream.lastEventId !== undefined && { missed: missed() }) });
}

/** Equal for the same row with the same answer. In slices, because answers can be large. */
async function digestOf({ row }: Pushed, { data }: ExecutionResult): Promise<string> {
  const hash = createHash('sha256');
  for (const piece of jsonPieces([row, data])) {
    hash.update(piece);
    await yieldToLoop();
  }
  return hash.digest('base64url').slice(0, 22);
}

export function requireListening(context: Context): void {
  if (!context.db.channel.isLocal) return;
  throw new UnavailableError(
    'This server does not receive the changes of other gateways. Subscriptions need DATABASE_LISTEN_URL, a direct connection to Postgres.',
  );
}

type Argument = ReturnType<typeof builder.args>;

interface SubscriptionOptions<
  S extends z.ZodObject,
  N extends string,
  R extends object,
  O extends z.ZodObject,
> {
  description: string;
  type: ObjectRef<Types, R>;
  /** The argument that names the object. */
  argument: { name: N; type: InputRef<z.input<S>>; schema: S; description: string };
  /** Optional arguments. */
  options?: { args: Argument; schema: O };
  subscribe(
    context: Context,
    ref: z.output<S>,
    options: z.output<O>,
  ): Promise<AsyncIterable<StreamItem | null>>;
}

/** Defines a subscription whose argument is a reference. */
export function subscription<
  S extends z.ZodObject,
  N extends string,
  R extends object,
  O extends z.ZodObject,
>(name: string, { description, type, argument, options, subscribe }: SubscriptionOptions<S, N, R, O>) {
  builder.subscriptionField(name, (t) =>
    t.field({
      type: type as never,
      description,
      args: {
        [argument.name]: t.arg({ type: argument.type, required: true, description: argument.description }),
        ...options?.args,
      },
      subscribe: (async (_: object, args: Record<string, unknown>, context: Context) => {
        requireListening(context);
        const { [argument.name]: ref, ...others } = args;
        const given = options && parse(options.schema, others);
        return subscribe(context, parse(argument.schema, ref, [argument.name]), given as z.output<O>);
      }) as never,
      resolve: (row: unknown) => row as never,
    }),
  );
}
