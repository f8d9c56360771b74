import { type ChangeSink, Leader, type Message } from './leader.ts';
import type { Live } from './live.ts';

/** How long the connection stays when a page has gone and the next one follows nothing yet. */
const lingerMs = 500;

interface Options {
  live: Live;
  /** The name of the tabs that may share a connection. */
  group(): Promise<string>;
  connect(ids: readonly string[], sink: ChangeSink): () => void;
}

/**
 * The objects that a tab follows. Visible tabs share one connection: the holder of a lock is their leader, has the connection
 * and broadcasts what changes. A hidden tab follows nothing and gives the lock away, because browsers may stop it at any
 * time. Without locks, which browsers offer over HTTPS alone, each visible tab has a connection of its own.
 */
export class Follower {
  readonly #options: Options;
  readonly #tab = Math.random().toString(36).slice(2);
  /** The objects, each with how often it is followed. */
  readonly #counts = new Map<string, number>();
  /** Those of them whose changes have arrived without a gap since their views were read. */
  #covered = new Set<string>();
  #run: string | undefined;
  #joined: AbortController | undefined;
  #channel: BroadcastChannel | undefined;
  #leader: Leader | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options) {
    this.#options = options;
    document.addEventListener('visibilitychange', () => {
      this.#update();
      // Changes while the tab was hidden were not noticed.
      options.live.refresh();
    });
  }

  /** Reads the views again whenever one of these objects changes. Returns a function that ends it. */
  follow = (ids: readonly string[]): (() => void) => {
    for (const id of ids) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    this.#updateSoon();
    return () => {
      for (const id of ids) {
        const count = this.#counts.get(id)! - 1;
        if (count > 0) this.#counts.set(id, count);
        else {
          this.#counts.delete(id);
          this.#covered.delete(id);
        }
      }
      this.#updateSoon();
    };
  };

  #updateSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#update(), this.#counts.size > 0 ? 0 : lingerMs);
  }

  #update(): void {
    clearTimeout(this.#timer);
    if (document.hidden || this.#counts.size === 0) this.#quit();
    else if (this.#joined) this.#tellIds();
    else void this.#join();
  }

  async #join(): Promise<void> {
    const joined = new AbortController();
    const { signal } = joined;
    this.#joined = joined;
    this.#options.live.note(this, 'connecting');
    if (!navigator.locks) return this.#lead();
    const group = await this.#options.group();
    if (signal.aborted) return;
    this.#channel = new BroadcastChannel(group);
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#receive(data);
    this.#tellIds();
    const lead = () => {
      if (signal.aborted) return;
      this.#lead();
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    await navigator.locks.request(group, { signal }, lead).catch(() => {
      // It has left before it became the leader.
    });
  }

  #quit(): void {
    if (!this.#joined) return;
    this.#leader?.close();
    this.#leader = undefined;
    this.#say({ kind: 'follow', tab: this.#tab, ids: [] });
    this.#channel?.close();
    this.#channel = undefined;
    this.#covered.clear();
    this.#joined.abort();
    this.#joined = undefined;
    this.#options.live.note(this, undefined);
  }

  #lead(): void {
    const { connect } = this.#options;
    this.#leader = new Leader({ name: this.#tab, connect, say: (message) => this.#say(message) });
    this.#tellIds();
    this.#say({ kind: 'who' });
  }

  #tellIds(): void {
    this.#say({ kind: 'follow', tab: this.#tab, ids: [...this.#counts.keys()] });
  }

  /** Sends a message to the other tabs and handles it in this one. */
  #say(message: Message): void {
    this.#channel?.postMessage(message);
    this.#receive(message);
  }

  #receive(message: Message): void {
    const { live } = this.#options;
    switch (message.kind) {
      case 'who':
        if (!this.#leader) this.#tellIds();
        break;
      case 'follow':
        this.#leader?.follow(message.tab, message.ids);
        break;
      case 'changed':
        if (this.#counts.has(message.id)) live.refresh();
        break;
      case 'closed':
        this.#covered.clear();
        live.note(this, message.state);
        break;
      case 'open':
        this.#opened(message.run, new Set(message.ids));
    }
  }

  /** Newly followed objects may have changed since the views were read. */
  #opened(run: string, ids: ReadonlySet<string>): void {
    if (run !== this.#run) this.#covered.clear();
    this.#run = run;
    const followedIds = [...this.#counts.keys()].filter((id) => ids.has(id));
    const isNew = followedIds.some((id) => !this.#covered.has(id));
    this.#covered = new Set(followedIds);
    this.#options.live.note(this, followedIds.length === this.#counts.size ? 'open' : 'connecting');
    if (isNew) this.#options.live.refresh();
  }
}
