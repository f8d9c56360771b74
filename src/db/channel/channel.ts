import { randomBytes } from 'node:crypto';
import type { Topic } from './topic.ts';

/** Called with the topics of a commit, or with undefined if any may have changed, because notifications can be missing. */
export type TopicSubscriber = (topics: ReadonlySet<Topic> | undefined) => void;

/** Receives the notifications of the processes that share a database. */
export interface Listener {
  /** Whether notifications of other processes arrive at the moment. */
  readonly isConnected: boolean;
  /** Calls `receive` with each payload, and with undefined each time that it is connected again. */
  start(receive: (payload: string | undefined) => void): void;
  close(): Promise<void>;
}

/** Postgres rejects payloads of 8000 bytes. */
const maxPayloadBytes = 7_900;

/** A payload without topics, because they are too long. */
const anything = '*';

/**
 * Publishes the topics of commits to all processes that share a database. A transaction sends `payloadOf` its topics through
 * the database, which delivers it to the other processes with the commit. After the commit, `publish` notifies the
 * subscribers of this process without that detour.
 */
export class Channel {
  readonly #listener: Listener | undefined;
  readonly #subscribers = new Set<TopicSubscriber>();
  /** Distinguishes the notifications of this process from those of others. */
  readonly #origin = randomBytes(8).toString('hex');
  /** Whether changes of other processes are not received, although there can be some. */
  readonly isLocal: boolean;
  #isStarted = false;

  constructor(listener: Listener | undefined, { isShared }: { isShared: boolean }) {
    this.#listener = listener;
    this.isLocal = isShared && !listener;
  }

  /** Whether subscribers are notified of the changes of all processes at the moment. */
  get isConnected(): boolean {
    return this.#listener?.isConnected ?? !this.isLocal;
  }

  /** Calls the subscriber until the returned function is called. Subscribers must not throw. */
  subscribe(subscriber: TopicSubscriber): () => void {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#listener?.start((payload) => this.#receive(payload));
    }
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  /** Notifies the subscribers of this process. Call after the commit, or when its outcome is unknown. */
  publish(topics: ReadonlySet<Topic> | undefined): void {
    if (topics?.size === 0) return;
    for (const subscriber of this.#subscribers) subscriber(topics);
  }

  /** The notification of a transaction for the other processes. */
  payloadOf(topics: ReadonlySet<Topic>): string {
    const payload = [this.#origin, ...topics].join(' ');
    return Buffer.byteLength(payload) <= maxPayloadBytes ? payload : `${this.#origin} ${anything}`;
  }

  #receive(payload: string | undefined): void {
    const [origin, ...topics] = payload?.split(' ') ?? [];
    if (origin === this.#origin) return;
    this.publish(payload === undefined || topics[0] === anything ? undefined : new Set(topics as Topic[]));
  }

  async close(): Promise<void> {
    this.#subscribers.clear();
    await this.#listener?.close();
  }
}
