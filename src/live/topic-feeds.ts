import type { Topic } from '../db/channel/topic.ts';
import type { SharedReads } from './shared-reads.ts';
import type { Subscriber } from './subscribers.ts';

/** The item of a subscriber for a published topic. */
export interface TopicItem<T extends object = object> {
  row: T;
  reads: SharedReads;
}

/** The topics that subscribers follow. Nothing is read for them. */
export class TopicFeeds {
  readonly #followers = new Map<Topic, Map<Subscriber<TopicItem>, object>>();

  /** Adds a subscriber of topics. Returns a function that removes it. */
  add<T extends object>(rows: ReadonlyMap<Topic, T>, subscriber: Subscriber<TopicItem<T>>): () => void {
    const own = subscriber as unknown as Subscriber<TopicItem>;
    for (const [topic, row] of rows) {
      const followers = this.#followers.get(topic) ?? new Map();
      this.#followers.set(topic, followers.set(own, row));
    }
    return () => {
      for (const topic of rows.keys()) {
        const followers = this.#followers.get(topic);
        if (followers?.delete(own) && followers.size === 0) this.#followers.delete(topic);
      }
    };
  }

  /** Notifies the subscribers of these topics, or all of them if it is unknown what was published. */
  notify(topics: ReadonlySet<Topic> | undefined, share: () => SharedReads): void {
    let reads: SharedReads | undefined;
    for (const topic of topics ?? this.#followers.keys()) {
      const followers = this.#followers.get(topic);
      if (!followers) continue;
      reads ??= share();
      for (const [subscriber, row] of [...followers]) subscriber.push({ row, reads });
    }
  }
}
