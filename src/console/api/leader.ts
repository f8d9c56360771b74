import type { StreamSink, StreamState } from './event-stream.ts';

/** A message between tabs. */
export type Message =
  /** From a new leader: which objects do you follow? */
  | { kind: 'who' }
  | { kind: 'follow'; tab: string; ids: readonly string[] }
  /** Nothing is followed at the moment. */
  | { kind: 'closed'; state: Exclude<StreamState, 'open'> }
  /** These objects are followed. As long as `run` is the same, no change was missed. */
  | { kind: 'open'; run: string; ids: readonly string[] }
  | { kind: 'changed'; id: string };

interface Options {
  name: string;
  /** Opens a connection that follows these objects. Returns a function that closes it. */
  connect(ids: readonly string[], sink: ChangeSink): () => void;
  say(message: Message): void;
}

/** Where a connection reports to, with the ids of objects as items. */
export type ChangeSink = Omit<StreamSink, 'next'> & { next(id: string): void };

interface Connection {
  ids: ReadonlySet<string>;
  state: StreamState;
  close(): void;
}

/** The server follows at most so many objects over one connection. */
const maxFollowed = 500;

/** How long tabs are waited for that follow something at the same time. */
const collectMs = 20;

/** How long it takes until the server is asked again that has ended the connection. */
const againMs = 2_000;

/** The tab that has the connection to the server for all tabs. */
export class Leader {
  readonly #options: Options;
  readonly #followed = new Map<string, readonly string[]>();
  #current: Connection | undefined;
  /** The one that replaces the current one, which stays until it is open, so that no change is missed. */
  #next: Connection | undefined;
  #runs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Notes what a tab follows. */
  follow(tab: string, ids: readonly string[]): void {
    if (ids.length > 0) this.#followed.set(tab, ids);
    else this.#followed.delete(tab);
    this.#updateIn(collectMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#next?.close();
    this.#current?.close();
  }

  #updateIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#update(), ms);
  }

  #update(): void {
    const ids = new Set([...new Set([...this.#followed.values()].flat())].slice(0, maxFollowed));
    if (ids.size === 0) return;
    const { ids: had } = this.#next ?? this.#current ?? {};
    // Objects that no tab follows any more are dropped with the next connection.
    if (!had || [...ids].some((id) => !had.has(id))) this.#connect(ids);
    else this.#announce();
  }

  #connect(ids: ReadonlySet<string>): void {
    this.#next?.close();
    const connection: Connection = { ids, state: 'connecting', close: () => {} };
    this.#next = connection;
    connection.close = this.#options.connect([...ids], {
      next: (id) => this.#options.say({ kind: 'changed', id }),
      complete: () => this.#ended(connection),
      state: (state) => this.#note(connection, state),
    });
  }

  #note(connection: Connection, state: StreamState): void {
    if (state === 'open') {
      if (this.#current?.state !== 'open') this.#runs++;
      if (connection === this.#next) {
        this.#current?.close();
        this.#current = connection;
        this.#next = undefined;
      }
    }
    connection.state = state;
    this.#announce();
  }

  /** The server has refused the connection, or has ended it because rights were lost. */
  #ended(connection: Connection): void {
    if (connection === this.#current) this.#current = undefined;
    if (connection === this.#next) this.#next = undefined;
    for (const id of connection.ids) this.#options.say({ kind: 'changed', id });
    this.#announce();
    this.#updateIn(againMs);
  }

  #announce(): void {
    const { name, say } = this.#options;
    if (this.#current?.state === 'open') {
      say({ kind: 'open', run: `${name}/${this.#runs}`, ids: [...this.#current.ids] });
    } else {
      const isLost = [this.#current, this.#next].some((each) => each?.state === 'lost');
      say({ kind: 'closed', state: isLost ? 'lost' : 'connecting' });
    }
  }
}
