import pg from 'pg';
import type { PoolState } from '../database.ts';
import { cancelRunning } from './cancel.ts';
import { type Asked, type Lane, streamOf } from './lane.ts';
import { type Conversions, RowQuery } from './row-query.ts';

/** The statements in progress on a connection before another connection is opened. */
const depth = 8;

/** How long a connection can be without a response before new reads avoid it. */
const stalledAfterMs = 10;

/** How long a connection can be without a response before it is considered to be waiting for a lock. */
const blockedAfterMs = 250;
/** The connections that can wait for locks, in addition to each of the others. */
const blockedPerPlace = 2;

/** The SQLSTATE of a statement that was cancelled. */
const queryCanceled = '57014';

/** How long an abandoned connection can take to respond to its statements before it is destroyed. */
const giveUpAfterMs = 5_000;

/**
 * The SQLSTATE of a statement that is not prepared, because the statement that should have prepared it timed out waiting
 * for a lock. It did not run and is retried.
 */
const notPrepared = '26000';
const maxAttempts = 5;

/** Marks a statement that was cancelled in place of another one. */
const hitByAnother = Symbol('hit by another');

/**
 * Connections for reads, each with several statements in progress. Writing to a socket is the most expensive part of a
 * short read, so the statements of one moment, from all requests, are sent in one write. Responses arrive in order and a
 * slow statement delays those behind it, so there are several connections with few statements each. Only for statements
 * outside transactions, which have a pool of their own.
 *
 * A cancel request identifies a session, not a statement: it cancels whatever that session is running when the request
 * arrives. A connection with an aborted statement is therefore abandoned. It accepts no new statements, the cancel
 * request is sent once the aborted statement is the oldest without a response, and if it cancels a later statement
 * instead, that one is retried on another connection, which is safe for reads.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export class Pipelines {
  readonly #settings: pg.ClientConfig;
  readonly #most: number;
  readonly #onError: (error: Error) => void;
  readonly #lanes: Lane[] = [];
  readonly #conversions = new Map<string, Conversions>();
  /** Abandoned connections that have not ended yet. */
  readonly #givenUp = new Set<Lane>();
  #isClosed = false;

  constructor(settings: pg.ClientConfig, most: number, onError: (error: Error) => void) {
    this.#settings = { ...settings, pipeline: true };
    this.#most = most;
    this.#onError = onError;
  }

  /** When the signal is aborted, rejects with its reason and cancels the statement. */
  async query(config: pg.QueryArrayConfig, signal?: AbortSignal): Promise<unknown[][]> {
    for (let attempts = 1; ; attempts++) {
      signal?.throwIfAborted();
      try {
        return await this.#ask(this.#laneForOneMore(), config, signal);
      } catch (error) {
        const isUnprepared = (error as { code?: string }).code === notPrepared && attempts < maxAttempts;
        if (error !== hitByAnother && !isUnprepared) throw error;
      }
    }
  }

  #ask(lane: Lane, config: pg.QueryArrayConfig, signal?: AbortSignal): Promise<unknown[][]> {
    if (lane.underWay++ === 0) lane.movedAt = performance.now();
    return new Promise((resolve, reject) => {
      const asked: Asked = { isAborted: false, isCancelled: false };
      const abort = () => {
        asked.isAborted = true;
        reject(signal!.reason);
        // Statements that were not sent yet are dropped.
        if (lane.asked.includes(asked)) this.#giveUp(lane);
      };
      const settled = () => {
        signal?.removeEventListener('abort', abort);
        lane.movedAt = performance.now();
        if (--lane.underWay > 0) return;
        // This connection replaced one that waited for a lock.
        if (this.#lanes.length > this.#most) this.#forget(lane);
        if (!this.#lanes.includes(lane)) this.#end(lane);
      };
      const send = () => {
        if (asked.isAborted) return settled();
        this.#cork(lane);
        lane.asked.push(asked);
        const answered = (error: (Error & { code?: string }) | undefined, rows: unknown[][]) => {
          lane.asked.shift();
          settled();
          if (error) {
            const isHit = lane.isGivenUp && (error.code === queryCanceled || lane.isBrokenOff);
            reject(isHit ? hitByAnother : error);
          } else {
            resolve(rows);
          }
          if (lane.isGivenUp) this.#cancelOldest(lane);
        };
        lane.client.query(new RowQuery(config, this.#conversions, answered) as unknown as pg.Submittable);
      };
      signal?.addEventListener('abort', abort);
      if (lane.isConnected) send();
      else {
        lane.connected.then(send, (error) => {
          settled();
          reject(error);
        });
      }
    });
  }

  #giveUp(lane: Lane): void {
    if (!lane.isGivenUp) {
      lane.isGivenUp = true;
      this.#forget(lane);
      this.#givenUp.add(lane);
      lane.breakOff = setTimeout(() => {
        lane.isBrokenOff = true;
        streamOf(lane).destroy();
      }, giveUpAfterMs).unref();
    }
    this.#cancelOldest(lane);
  }

  #cancelOldest(lane: Lane): void {
    const oldest = lane.asked[0];
    if (!oldest?.isAborted || oldest.isCancelled) return;
    oldest.isCancelled = true;
    cancelRunning(lane.client, this.#settings);
  }

  #forget(lane: Lane): void {
    const index = this.#lanes.indexOf(lane);
    if (index >= 0) this.#lanes.splice(index, 1);
  }

  #end(lane: Lane): void {
    clearTimeout(lane.breakOff);
    this.#givenUp.delete(lane);
    lane.client.end().catch(() => {});
  }

  /** Opens new connections from now on. The current ones end after their last response. */
  renew(): void {
    this.#conversions.clear();
    for (const lane of this.#lanes.splice(0)) {
      if (lane.underWay === 0) lane.client.end().catch(() => {});
    }
  }

  /** The first lane that is responding and not full. Otherwise a new one or, at the limit, the least busy. */
  #laneForOneMore(): Lane {
    if (this.#isClosed) throw new Error('The database is closed.');
    const now = performance.now();
    let emptiest: Lane | undefined;
    let blocked = 0;
    for (const lane of this.#lanes) {
      const silentMs = lane.underWay > 0 ? now - lane.movedAt : 0;
      if (silentMs <= stalledAfterMs && lane.underWay < depth) return lane;
      if (silentMs > blockedAfterMs) blocked++;
      if (!emptiest || lane.underWay < emptiest.underWay) emptiest = lane;
    }
    // Abandoned connections count towards the limit, unless no other is left.
    const inUse = this.#lanes.length - Math.min(blocked, this.#most * blockedPerPlace);
    const isRoom = inUse + this.#givenUp.size < this.#most;
    return isRoom || !emptiest ? this.#open() : emptiest;
  }

  #open(): Lane {
    const client = new pg.Client(this.#settings);
    const lane: Lane = {
      client,
      connected: client.connect(),
      isConnected: false,
      underWay: 0,
      asked: [],
      movedAt: 0,
      isCorked: false,
      isGivenUp: false,
      isBrokenOff: false,
    };
    this.#lanes.push(lane);
    client.on('error', (error) => {
      this.#forget(lane);
      if (!lane.isBrokenOff) this.#onError(error);
    });
    client.on('end', () => this.#forget(lane));
    lane.connected.then(
      () => {
        lane.isConnected = true;
      },
      () => this.#forget(lane),
    );
    return lane;
  }

  /** Delays writes until all statements of this turn of the event loop are queued. */
  #cork(lane: Lane): void {
    if (lane.isCorked) return;
    lane.isCorked = true;
    const stream = streamOf(lane);
    stream.cork();
    setImmediate(() => {
      lane.isCorked = false;
      stream.uncork();
    });
  }

  state(): PoolState {
    let inUse = 0;
    let waiting = 0;
    for (const { underWay, isConnected } of this.#lanes) {
      if (underWay > 0) inUse++;
      waiting += isConnected ? Math.max(0, underWay - depth) : underWay;
    }
    return { pool: 'read', size: this.#most, open: this.#lanes.length + this.#givenUp.size, inUse, waiting };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(
      [...this.#lanes, ...this.#givenUp].map(async ({ client, connected }) => {
        // Statements that wait for the connection are sent first. The client ends after their responses.
        await connected.catch(() => {});
        await client.end();
      }),
    );
  }
}
