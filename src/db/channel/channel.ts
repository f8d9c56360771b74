import { randomBytes } from 'node:crypto';
import type { Topic } from './topic.ts';

/** Called with what was committed, or with undefined if anything may have been: some news may have been missed. */
export type NewsListener = (topics: ReadonlySet<Topic> | undefined) => void;

/** What carries the news between the processes that share a database. */
export interface Carrier {
  /** Whether the news of other processes arrives at the moment. */
  readonly isUp: boolean;
  /** `heard` gets each payload, and undefined each time that the news starts to arrive again. */
  start(heard: (payload: string | undefined) => void): void;
  close(): Promise<void>;
}

/** Postgres rejects payloads of 8000 bytes. */
const maxPayloadBytes = 7_900;

/** A payload that names nothing, because there is too much to name. */
const anything = '*';

/**
 * Tells the listeners of all processes what transactions have changed. A transaction sends `payloadOf` through the
 * database, which delivers it to the other processes when it commits. After the commit, `tell` notifies the listeners of
 * this process without that detour.
 */
export class Channel {
  readonly #carrier: Carrier | undefined;
  readonly #listeners = new Set<NewsListener>();
  /** Tells the news of this process from that of others. */
  readonly #origin = randomBytes(8).toString('hex');
  /** Whether listeners are never told of the changes of other processes, although there can be some. */
  readonly isDeaf: boolean;
  #isStarted = false;

  constructor(carrier: Carrier | undefined, { isShared }: { isShared: boolean }) {
    this.#carrier = carrier;
    this.isDeaf = isShared && !carrier;
  }

  /** Whether listeners are told of the changes of all processes at the moment. */
  get isUp(): boolean {
    return this.#carrier?.isUp ?? !this.isDeaf;
  }

  /** Calls the listener until the returned function is called. Listeners must not throw. */
  listen(listener: NewsListener): () => void {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#carrier?.start((payload) => this.#heard(payload));
    }
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Notifies the listeners of this process. Call after the commit, or when its outcome is unknown. */
  tell(topics: ReadonlySet<Topic> | undefined): void {
    if (topics?.size === 0) return;
    for (const listener of this.#listeners) listener(topics);
  }

  /** What a transaction sends to the other processes. */
  payloadOf(topics: ReadonlySet<Topic>): string {
    const payload = [this.#origin, ...topics].join(' ');
    return Buffer.byteLength(payload) <= maxPayloadBytes ? payload : `${this.#origin} ${anything}`;
  }

  #heard(payload: string | undefined): void {
    const [origin, ...topics] = payload?.split(' ') ?? [];
    if (origin === this.#origin) return;
    this.tell(payload === undefined || topics[0] === anything ? undefined : new Set(topics as Topic[]));
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#carrier?.close();
  }
}
