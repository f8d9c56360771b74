import { setTimeout as sleep } from 'node:timers/promises';
import type { Topic } from '../db/channel/topic.ts';
import type { Database } from '../db/open.ts';
import { isAhead, type Position } from '../db/query/committed.ts';
import { groupBy } from '../kernel/group.ts';
import { inTurn } from '../kernel/in-turn.ts';
import type { Room } from '../kernel/item-queue.ts';
import { SharedMemory } from '../kernel/memory.ts';
import { type EventItem, EventReader } from './event-reader.ts';
import { type Followed, RowFeeds, type RowItem } from './row-feeds.ts';
import { retainedBytes, SharedReads } from './shared-reads.ts';
import { pushAll, type Subscriber, Subscribers } from './subscribers.ts';
import { TopicFeeds, type TopicItem } from './topic-feeds.ts';

interface EventFeed {
  position: Position;
  /** The subscriptions that are about to begin. */
  starting: number;
  subscribers: Set<Subscriber<EventItem>>;
}

/** The memory that all events take that wait for slow clients. Those without room are read from the record later. */
const waitingBytes = 32 * 2 ** 20;

/** The wait after a read that failed grows from the first to the second, in ms. */
const backoffMs = { min: 50, max: 2_000 };

/**
 * Reads what subscribers wait for when it has changed: each time one statement for each kind of
 * object, however many subscribers there are. What is read comes from the record and not from notifications, which
 * may be lost, repeated or late.
 */
export class Feeds {
  readonly #db: Database;
  readonly #shareMs: number;
  readonly #retained = new SharedMemory(retainedBytes);
  readonly #waiting = new SharedMemory(waitingBytes);
  readonly #events: EventReader;
  readonly #eventFeeds = new Map<string, EventFeed>();
  readonly #rows: RowFeeds;
  readonly #topics = new TopicFeeds();
  readonly #subscribers: Subscribers;
  #dirty = new Set<Topic>();
  #reading: Promise<void> | undefined;
  #stopListening: (() => void) | undefined;

  /** Subscribers share for `shareMs` what they read of a change. */
  constructor(db: Database, { shareMs = 5_000 }: { shareMs?: number | undefined } = {}) {
    this.#db = db;
    this.#shareMs = shareMs;
    this.#events = new EventReader(db);
    this.#rows = new RowFeeds(db);
    this.#subscribers = new Subscribers(db.channel);
  }

  /** The number of subscriptions. */
  get size(): number {
    return this.#subscribers.size;
  }

  /**
   * Pushes the events of a team that are ahead of the position that it returns, which is now. `leave` ends it. `whole` is the subscription
   * of which the subscriber is a part.
   */
  async followEvents(
    teamId: string,
    subscriber: Subscriber<EventItem>,
    whole: Subscriber<never> = subscriber,
  ) {
    const feed = await this.#startEvents(teamId);
    try {
      return { position: feed.position, leave: this.#addEvents(teamId, feed, subscriber, whole) };
    } finally {
      this.#endStart(teamId, feed);
    }
  }

  /**
   * Follows the events after a position: `missed` reads the events between it and the ones that are pushed, for a caller.
   * Undefined if the position is not of this database.
   */
  async resumeEvents(teamId: string, subscriber: Subscriber<EventItem>, from: Position, caller: string) {
    const feed = await this.#startEvents(teamId);
    try {
      // The position can be that of another process, which was notified before this one.
      // One read at a time moves the positions.
      await inTurn(this, async () => {
        do await this.#readEvents([teamId], this.sharedReads());
        while (feed.position.during !== undefined);
      });
      const until = feed.position.before;
      if (isAhead(from, until)) return undefined;
      return {
        leave: this.#addEvents(teamId, feed, subscriber),
        missed: this.#events.missed({ teamId, from, until, caller }, () => this.sharedReads()),
      };
    } finally {
      this.#endStart(teamId, feed);
    }
  }

  /** Pushes the row each time that it has changed. Returns a function that ends it. */
  followRow<M extends Followed>(model: M, id: number, subscriber: Subscriber<RowItem<M>>): () => void {
    const leave = this.#rows.add(model, id, subscriber);
    this.#listen();
    this.#subscribers.add(subscriber);
    return () => {
      leave();
      this.#subscribers.delete(subscriber);
    };
  }

  /** Pushes what is given for a topic whenever it is published, or may have been. Returns a function that ends it. */
  followTopics<T extends object>(
    rows: ReadonlyMap<Topic, T>,
    subscriber: Subscriber<TopicItem<T>>,
  ): () => void {
    const leave = this.#topics.add(rows, subscriber);
    this.#listen();
    this.#subscribers.add(subscriber);
    return () => {
      leave();
      this.#subscribers.delete(subscriber);
    };
  }

  /** Checks the rights of a subscriber whose items come from elsewhere. Returns a function that ends it. */
  watchRights(subscriber: Subscriber<never>): () => void {
    this.#listen();
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  /** The room for the events that wait for a slow client of a caller. */
  roomOf(caller: string | number): Room<EventItem> {
    return { memory: this.#waiting.of(caller), sizeOf: ({ row }) => row.changes.length };
  }

  /** The database for the items of subscribers that are notified now. */
  sharedReads(): SharedReads {
    return new SharedReads(this.#db, this.#shareMs, this.#retained);
  }

  rowNow<M extends Followed>(model: M, id: number): Promise<RowItem<M>> {
    return this.#rows.now(model, id, this.sharedReads());
  }

  #addEvents(
    teamId: string,
    feed: EventFeed,
    subscriber: Subscriber<EventItem>,
    whole: Subscriber<never> = subscriber,
  ): () => void {
    feed.subscribers.add(subscriber);
    this.#listen();
    this.#subscribers.add(whole);
    return () => {
      feed.subscribers.delete(subscriber);
      this.#dropUnused(teamId, feed);
      this.#subscribers.delete(whole);
    };
  }

  #dropUnused(teamId: string, feed: EventFeed): void {
    if (feed.subscribers.size === 0 && feed.starting === 0) this.#eventFeeds.delete(teamId);
  }

  #endStart(teamId: string, feed: EventFeed): void {
    feed.starting--;
    this.#dropUnused(teamId, feed);
  }

  #listen(): void {
    this.#stopListening ??= this.#db.channel.subscribe((topics) => this.#notify(topics));
  }

  #notify(topics: ReadonlySet<Topic> | undefined): void {
    if (!topics || topics.has('rights')) this.#subscribers.checkAll();
    this.#topics.notify(topics, () => this.sharedReads());
    if (!topics) {
      for (const teamId of this.#eventFeeds.keys()) this.#dirty.add(`events/${teamId}`);
      for (const topic of this.#rows.topics()) this.#dirty.add(topic);
    } else {
      for (const topic of topics) {
        if (this.#rows.has(topic) || this.#eventFeeds.has(teamOf(topic))) this.#dirty.add(topic);
      }
    }
    if (this.#dirty.size > 0) this.#reading ??= this.#read();
  }

  async #read(): Promise<void> {
    let waitMs = backoffMs.min;
    while (this.#dirty.size > 0) {
      const topics = this.#dirty;
      this.#dirty = new Set();
      try {
        await inTurn(this, () => this.#readOnce([...topics]));
        waitMs = backoffMs.min;
      } catch {
        // The database is not available. Nothing is lost: positions only advance with what was read.
        for (const topic of topics) this.#dirty.add(topic);
        await sleep(waitMs, undefined, { ref: false });
        waitMs = Math.min(backoffMs.max, waitMs * 2);
      }
    }
    this.#reading = undefined;
  }

  async #readOnce(topics: readonly Topic[]): Promise<void> {
    const reads = this.sharedReads();
    const teams = topics.map(teamOf).filter((teamId) => this.#eventFeeds.has(teamId));
    await Promise.all([this.#readEvents(teams, reads), this.#rows.read(topics, reads)]);
  }

  async #readEvents(teams: readonly string[], reads: SharedReads): Promise<void> {
    if (teams.length === 0) return;
    const from = teams.map((key) => ({ key, position: this.#eventFeeds.get(key)!.position }));
    const found = await this.#events.read(from);
    const byTeam = groupBy(found.rows, ({ teamId }) => teamId!);
    for (const { key, position } of from) {
      const feed = this.#eventFeeds.get(key);
      if (!feed) continue;
      const { items, next } = this.#events.step(position, byTeam.get(key) ?? [], found, reads);
      feed.position = next;
      await pushAll(feed.subscribers, items);
      if (next.during !== undefined || position.during !== undefined) this.#dirty.add(`events/${key}`);
    }
  }

  /** The feed of a team, which stays until `#endStart`. */
  async #startEvents(teamId: string): Promise<EventFeed> {
    this.#listen();
    const known = this.#eventFeeds.get(teamId);
    if (known) {
      known.starting++;
      return known;
    }
    const position = await this.#events.positionNow();
    const feed = this.#eventFeeds.get(teamId) ?? { position, starting: 0, subscribers: new Set() };
    feed.starting++;
    this.#eventFeeds.set(teamId, feed);
    // Notifications since the position was read found no feed.
    this.#notify(new Set<Topic>([`events/${teamId}`]));
    return feed;
  }

  close(): void {
    this.#subscribers.close();
    this.#stopListening?.();
  }
}

const teamOf = (topic: Topic) => (topic.startsWith('events/') ? topic.slice('events/'.length) : '');
