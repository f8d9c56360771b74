import pg from 'pg';
import { cancelRunning } from '../cancel.ts';
import { type Asked, type Lane, streamOf } from './lane.ts';

/** Statements under way on a connection before another connection is opened. */
const depth = 8;

/** For how long a connection may be without an answer before short reads go round it. */
const stalledAfterMs = 10;

/** For how long a connection may be without an answer before it is taken to wait for a lock. */
const blockedAfterMs = 250;
/** Connections that may wait for locks beside those that go on, for each of those. */
const blockedPerPlace = 2;

/** The SQLSTATE of a statement that was cancelled. */
const queryCanceled = '57014';

/** How long a given-up connection may take to answer what it was asked, after which it is broken off. */
const giveUpAfterMs = 5_000;

/**
 * The SQLSTATE of a statement that is not prepared: the one before it that was to prepare it, on the same
 * connection, waited for a lock and gave up. It did not run, and is asked again.
 */
const notPrepared = '26000';
const maxAttempts = 5;

/** A statement hit by the cancellation of another one. */
const hitByAnother = Symbol('hit by another');

/**
 * Connections for reads, each with several statements under way: a write to a socket is the dearest part of a
 * short read, and the statements that arise at one moment, of whatever requests, leave in one. Answers come in
 * the order of the questions, so a long one holds up those behind it: hence several connections, and few
 * statements on each. Only for statements that stand alone; what needs a transaction has a pool of its own.
 *
 * A cancel request names a session, not a statement: it cancels what that session runs when the request
 * arrives. A connection with an aborted statement is therefore given up: it takes no new statements, the cancel
 * request is sent when the aborted one is the oldest without an answer, and a statement behind it that is hit
 * nevertheless, because the aborted one had just ended, is asked again on another connection. Reads can be.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export class Pipelines {
  readonly #settings: pg.ClientConfig;
  readonly #most: number;
  readonly #onError: (error: Error) => void;
  readonly #lanes: Lane[] = [];
  /** Given up, and not yet ended. */
  readonly #givenUp = new Set<Lane>();
  #isClosed = false;

  constructor(settings: pg.ClientConfig, most: number, onError: (error: Error) => void) {
    this.#settings = { ...settings, pipeline: true };
    this.#most = most;
    this.#onError = onError;
  }

  /** Rejects with the signal's reason as soon as that is aborted; the statement is then cancelled. */
  async query(config: pg.QueryArrayConfig, signal?: AbortSignal): Promise<pg.QueryArrayResult> {
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

  #ask(lane: Lane, config: pg.QueryArrayConfig, signal?: AbortSignal): Promise<pg.QueryArrayResult> {
    if (lane.underWay++ === 0) lane.movedAt = performance.now();
    return new Promise((resolve, reject) => {
      const asked: Asked = { isAborted: false, isCancelled: false };
      const abort = () => {
        asked.isAborted = true;
        reject(signal!.reason);
        // What was not sent yet will not be.
        if (lane.asked.includes(asked)) this.#giveUp(lane);
      };
      const settled = () => {
        signal?.removeEventListener('abort', abort);
        lane.movedAt = performance.now();
        if (--lane.underWay > 0) return;
        // It took the place of one that waited for a lock.
        if (this.#lanes.length > this.#most) this.#forget(lane);
        if (!this.#lanes.includes(lane)) this.#end(lane);
      };
      const send = () => {
        if (asked.isAborted) return settled();
        this.#cork(lane);
        lane.asked.push(asked);
        lane.client.query(config).then(
          (result) => {
            lane.asked.shift();
            settled();
            resolve(result);
            if (lane.isGivenUp) this.#cancelOldest(lane);
          },
          (error) => {
            lane.asked.shift();
            settled();
            const isHit = lane.isGivenUp && (error.code === queryCanceled || lane.isBrokenOff);
            reject(isHit ? hitByAnother : error);
            if (lane.isGivenUp) this.#cancelOldest(lane);
          },
        );
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
    let blocked = 0;
    for (const lane of this.#lanes) {
      const silentMs = lane.underWay > 0 ? now - lane.movedAt : 0;
      if (silentMs <= stalledAfterMs && lane.underWay < depth) return lane;
      if (silentMs > blockedAfterMs) blocked++;
      if (!emptiest || lane.underWay < emptiest.underWay) emptiest = lane;
    }
    // Those that are given up count, unless there would be none left.
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

  /** Holds back what is written until all that is ready at this moment has been asked. */
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

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(
      [...this.#lanes, ...this.#givenUp].map(async ({ client, connected }) => {
        // What waits for the connection is sent first: the client ends when that is answered.
        await connected.catch(() => {});
        await client.end();
      }),
    );
  }
}
