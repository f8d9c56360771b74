import { randomUUID } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Topic } from '../../db/channel/topic.ts';
import type { Row } from '../../db/tables.ts';
import type { Actor } from '../../kernel/access.ts';
import { UnavailableError } from '../../kernel/errors.ts';
import { decodeGlobalId, encodeGlobalId } from '../../kernel/global-id.ts';
import { invalid } from '../../kernel/validate.ts';
import type { EventItem } from '../../live/event-reader.ts';
import type { Subscriber } from '../../live/subscribers.ts';
import type { TopicItem } from '../../live/topic-feeds.ts';
import { builder } from './builder.ts';
import { ItemSource, type Source } from './item-source.ts';
import { findObject, Node } from './node.ts';
import { objectType } from './object-type.ts';
import { requireListening } from './subscription.ts';

/** How an object is followed. */
interface Following {
  topic: Topic;
  require: Source<never>['require'];
  /** Its events, of which callers who may see only a part of a team are notified instead of its topic. */
  events?: { teamId: string; isVisible(actor: Actor, event: Row<'Event'>): boolean };
}

/** How an object of a type is followed. Null if it does not exist or is not visible to the actor. */
type Follow = (context: Context, id: string) => Promise<Following | null>;

const follows = new Map<string, Follow>();

/** Makes the objects of a type ones that `nodesChanged` can follow. */
export function followed(type: string, follow: Follow): void {
  follows.set(type, follow);
}

const maxFollowed = 500;

interface Ref {
  type: string;
  id: string;
}

const NodeChange = objectType<Ref>('NodeChange', {
  description: 'A change of an object that `nodesChanged` follows.',
  fields: (t) => ({
    nodeId: t.id({
      description: 'The global id of the object.',
      resolve: ({ type, id }) => encodeGlobalId(type, id),
    }),
    node: t.field({
      type: Node,
      nullable: true,
      description: 'The object after the change. Null if it was deleted.',
      resolve: ({ type, id }, _, context) => findObject(context, type, id),
    }),
  }),
});

function refOf(globalId: string, index: number): Ref {
  const ref = decodeGlobalId(globalId);
  if (!ref || !follows.has(ref.type)) {
    throw invalid(['ids', String(index)], 'Must be the global id of a team, an application or a job');
  }
  return ref;
}

const narrowed = 'Your rights have changed. Subscribe again.';

async function source(context: Context, ids: readonly string[]): Promise<ItemSource<TopicItem<Ref>>> {
  if (ids.length > maxFollowed) throw invalid(['ids'], `Too many ids. Send at most ${maxFollowed}.`);
  const refs = [...new Set(ids)].map(refOf);
  const targets = await Promise.all(
    refs.map(async (ref) => ({ ref, follow: await follows.get(ref.type)!(context, ref.id) })),
  );
  const rows = new Map<Topic, Ref>();
  const partly: { ref: Ref; events: NonNullable<Following['events']> }[] = [];
  const requirements: ((actor: Actor) => void)[] = [];
  let followsWholeTeams = false;
  let { actor } = context;
  for (const { ref, follow } of targets) {
    if (!follow) continue;
    const { topic, require, events } = follow;
    if (events && actor.isPartial) partly.push({ ref, events });
    else {
      rows.set(topic, ref);
      followsWholeTeams ||= events !== undefined;
    }
    requirements.push(require);
  }
  const { feeds } = context;
  const stream = context.stream!;
  const changes = new ItemSource<TopicItem<Ref>>(context, {
    require: (now) => {
      actor = now;
      for (const require of requirements) require(now);
      // The topic of a team has the changes of what the caller can no longer see as well.
      if (followsWholeTeams && now.isPartial) throw new UnavailableError(narrowed);
    },
    noun: 'object',
    limit: maxFollowed,
    replaces: (item, waiting) => item.row === waiting.row,
    idOf: () => randomUUID(),
  });
  stream.begin((reason) => changes.end(reason));
  const isResumed = stream.lastEventId !== undefined;
  if (!isResumed) stream.itemId = randomUUID();
  const leaveTopics = feeds.followTopics(rows, changes);
  const followed = await Promise.all(
    partly.map(({ ref, events: { teamId, isVisible } }) => {
      const part: Subscriber<EventItem> = {
        push({ row, reads }) {
          if (isVisible(actor, row)) changes.push({ row: ref, reads });
        },
        check: () => changes.check(),
        isDue: (now) => changes.isDue(now),
      };
      return feeds.followEvents(teamId, part, changes);
    }),
  );
  const leave = () => {
    leaveTopics();
    for (const each of followed) each.leave();
  };
  async function* missed(): AsyncGenerator<TopicItem<Ref>[]> {
    const reads = feeds.sharedReads();
    yield [...rows.values(), ...partly.map(({ ref }) => ref)].map((row) => ({ row, reads }));
  }
  // Any of them may have changed meanwhile.
  return changes.follow({ leave, ...(isResumed && { missed: missed() }) });
}

builder.subscriptionField('nodesChanged', (t) =>
  t.field({
    type: NodeChange,
    description:
      'Several teams, applications and jobs, each time one of them changes, over one connection: a team with each of its events that the caller can see, an application and a job as with `applicationChanged` and `jobChanged`. After several changes of an object in quick succession, only the last one is sent. Objects that do not exist or are not visible to the caller are left out. With `Last-Event-ID`, all objects are sent first, because each of them may have changed.',
    args: {
      ids: t.arg.idList({
        required: true,
        description: `The global ids of the objects, at most ${maxFollowed}.`,
      }),
    },
    subscribe: (async (_: object, { ids }: { ids: (string | number)[] }, context: Context) => {
      requireListening(context);
      return source(context, ids.map(String));
    }) as never,
    resolve: (ref: unknown) => ref as never,
  }),
);
