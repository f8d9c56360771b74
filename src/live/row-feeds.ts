import type { Topic } from '../db/channel/topic.ts';
import { type Reads, readsOf } from '../db/client.ts';
import type { Row } from '../db/tables.ts';
import type { SharedReads } from './shared-reads.ts';
import { pushAll, type Subscriber } from './subscribers.ts';

/** The models whose rows can be followed, with their topics. */
const topicOf = {
  Application: (id: number): Topic => `application/${id}`,
  Job: (id: number): Topic => `job/${id}`,
};
export type Followed = keyof typeof topicOf;

/** A row as it is after a change, or null if it was deleted. */
export interface RowItem<M extends Followed> {
  row: Row<M> | null;
  reads: SharedReads;
}

interface RowFeed {
  model: Followed;
  id: number;
  subscribers: Set<Subscriber<RowItem<Followed>>>;
}

/** The rows that subscribers follow. */
export class RowFeeds {
  readonly #db: Reads;
  readonly #feeds = new Map<Topic, RowFeed>();

  constructor(db: Reads) {
    this.#db = db;
  }

  topics(): Iterable<Topic> {
    return this.#feeds.keys();
  }

  has(topic: Topic): boolean {
    return this.#feeds.has(topic);
  }

  /** Adds a subscriber of a row. Returns a function that removes it. */
  add<M extends Followed>(model: M, id: number, subscriber: Subscriber<RowItem<M>>): () => void {
    const topic = topicOf[model](id);
    let feed = this.#feeds.get(topic);
    if (!feed) {
      feed = { model, id, subscribers: new Set() };
      this.#feeds.set(topic, feed);
    }
    const { subscribers } = feed;
    subscribers.add(subscriber as unknown as Subscriber<RowItem<Followed>>);
    return () => {
      subscribers.delete(subscriber as unknown as Subscriber<RowItem<Followed>>);
      if (subscribers.size === 0 && this.#feeds.get(topic)?.subscribers === subscribers) {
        this.#feeds.delete(topic);
      }
    };
  }

  async now<M extends Followed>(model: M, id: number, reads: SharedReads): Promise<RowItem<M>> {
    const [row = null] = await readsOf(this.#db, model).findManyByKeys({ by: 'id', keys: [id] });
    return { row, reads };
  }

  /** Pushes the rows of these topics, with one statement for each model. */
  async read(topics: readonly Topic[], reads: SharedReads): Promise<void> {
    const feeds = topics.flatMap((topic) => this.#feeds.get(topic) ?? []);
    await Promise.all(
      (Object.keys(topicOf) as Followed[]).map((model) =>
        this.#readModel(
          model,
          feeds.filter((feed) => feed.model === model),
          reads,
        ),
      ),
    );
  }

  async #readModel(model: Followed, feeds: readonly RowFeed[], reads: SharedReads): Promise<void> {
    if (feeds.length === 0) return;
    const rows = await readsOf(this.#db, model).findManyByKeys({ by: 'id', keys: feeds.map(({ id }) => id) });
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const { id, subscribers } of feeds) {
      await pushAll(subscribers, [{ row: byId.get(id) ?? null, reads }]);
    }
  }
}
