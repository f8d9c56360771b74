import pg from 'pg';

/** Statements under way on a connection before another connection is opened. */
const depth = 8;

/** For how long a connection may be without an answer before short reads go round it. */
const stalledAfterMs = 10;

interface Lane {
  client: pg.Client;
  /** Settled once the client can be asked, or cannot be. */
  connected: Promise<unknown>;
  underWay: number;
  /** When it last went on: got an answer, or its first question. */
  movedAt: number;
  isCorked: boolean;
}

/**
 * Connections for reads, each with several statements under way: a write to a socket is the dearest part of a
 * short read, and the statements that arise at one moment, of whatever requests, leave in one. Answers come in
 * the order of the questions, so a long one holds up those behind it: hence several connections, and few
 * statements on each. Only for statements that stand alone; what needs a transaction has a pool of its own.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export class Pipelines {
  readonly #settings: pg.ClientConfig;
  readonly #most: number;
  readonly #onError: (error: Error) => void;
  readonly #lanes: Lane[] = [];
  #isClosed = false;

  constructor(settings: pg.ClientConfig, most: number, onError: (error: Error) => void) {
    this.#settings = { ...settings, pipeline: true };
    this.#most = most;
    this.#onError = onError;
  }

  async query(config: pg.QueryArrayConfig): Promise<pg.QueryArrayResult> {
    const lane = this.#laneForOneMore();
    if (lane.underWay++ === 0) lane.movedAt = performance.now();
    try {
      await lane.connected;
      this.#cork(lane);
      return await lane.client.query(config);
    } finally {
      lane.movedAt = performance.now();
      if (--lane.underWay === 0 && !this.#lanes.includes(lane)) lane.client.end().catch(() => {});
    }
  }

  /** New connections from now on; the old ones end when they have answered. */
  renew(): void {
    for (const lane of this.#lanes.splice(0)) {
      if (lane.underWay === 0) lane.client.end().catch(() => {});
    }
  }

  /** The first lane that moves and is not full, else a new one; the emptiest when there can be no more. */
  #laneForOneMore(): Lane {
    if (this.#isClosed) throw new Error('The database is closed.');
    const now = performance.now();
    let emptiest: Lane | undefined;
    for (const lane of this.#lanes) {
      const isStalled = lane.underWay > 0 && now - lane.movedAt > stalledAfterMs;
      if (!isStalled && lane.underWay < depth) return lane;
      if (!emptiest || lane.underWay < emptiest.underWay) emptiest = lane;
    }
    return this.#lanes.length < this.#most || !emptiest ? this.#open() : emptiest;
  }

  #open(): Lane {
    const client = new pg.Client(this.#settings);
    const lane = { client, connected: client.connect(), underWay: 0, movedAt: 0, isCorked: false };
    this.#lanes.push(lane);
    const forget = () => {
      const index = this.#lanes.indexOf(lane);
      if (index >= 0) this.#lanes.splice(index, 1);
    };
    client.on('error', (error) => {
      forget();
      this.#onError(error);
    });
    client.on('end', forget);
    lane.connected.catch(forget);
    return lane;
  }

  /** Holds back what is written until all that is ready at this moment has been asked. */
  #cork(lane: Lane): void {
    if (lane.isCorked) return;
    lane.isCorked = true;
    const { stream } = (
      lane.client as unknown as { connection: { stream: NodeJS.WritableStream & Corkable } }
    ).connection;
    stream.cork();
    setImmediate(() => {
      lane.isCorked = false;
      stream.uncork();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(
      this.#lanes.map(async ({ client, connected }) => {
        // What waits for the connection is sent first: the client ends when that is answered.
        await connected.catch(() => {});
        await client.end();
      }),
    );
  }
}

interface Corkable {
  cork(): void;
  uncork(): void;
}
