import pg from 'pg';
import type { PoolState } from '../database.ts';
import type { ReadOptions } from '../query/reader.ts';
import { CallerWaits } from './caller-waits.ts';
import { cancelRunning } from './cancel.ts';
import { connectionFor, depth } from './choice.ts';
import {
  countStatement,
  type PendingStatement,
  type ReadConnection,
  streamOf,
  uncountStatement,
} from './read-connection.ts';
import { type Conversions, RowQuery } from './row-query.ts';
import { SlowCallers } from './slow-callers.ts';

/** The SQLSTATE of a statement that was cancelled. */
const queryCanceled = '57014';

/** How long an abandoned connection can take to respond to its statements before it is destroyed. */
const destroyAfterMs = 5_000;

/**
 * The SQLSTATE of a statement that is not prepared, because the statement that should have prepared it timed out waiting
 * for a lock. It did not run and is retried.
 */
const notPrepared = '26000';
const maxAttempts = 5;

const isClosed = () => new Error('The database is closed.');

/** Marks a statement that was cancelled in place of another one. */
const hitByAnother = Symbol('hit by another');

/**
 * Connections for reads, each with several statements in progress. Writing to a socket is the most expensive part of a
 * short read, so the statements of one moment, from all requests, are sent in one write. Responses arrive in order and a
 * slow statement delays those behind it, so there are several connections with few statements each. One caller has statements on
 * half of them at most, those that were aborted included, so that many slow ones do not delay those of others; the rest of them waits.
 * Only for statements outside transactions, which have a pool of their own.
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
  readonly #connections: ReadConnection[] = [];
  readonly #conversions = new Map<string, Conversions>();
  /** Abandoned connections that have not ended yet. */
  readonly #abandoned = new Set<ReadConnection>();
  readonly #waits = new CallerWaits<ReadConnection>();
  readonly #slow = new SlowCallers();
  #isClosed = false;

  constructor(settings: pg.ClientConfig, most: number, onError: (error: Error) => void) {
    this.#settings = { ...settings, pipeline: true };
    this.#most = most;
    this.#onError = onError;
  }

  /** When the signal is aborted, rejects with its reason and cancels the statement. */
  async query(config: pg.QueryConfig, options: ReadOptions): Promise<unknown[][]> {
    const { signal, caller } = options;
    for (let attempts = 1; ; attempts++) {
      signal?.throwIfAborted();
      const connection = this.#take(caller) ?? (await this.#waits.wait(caller!, signal));
      if (signal?.aborted) {
        this.#release(connection, caller);
        throw signal.reason;
      }
      try {
        return await this.#send(connection, config, options);
      } catch (error) {
        const isUnprepared = (error as { code?: string }).code === notPrepared && attempts < maxAttempts;
        if (error !== hitByAnother && !isUnprepared) throw error;
      }
    }
  }

  #send(
    connection: ReadConnection,
    config: pg.QueryConfig,
    { signal, count, caller }: ReadOptions,
  ): Promise<unknown[][]> {
    return new Promise((resolve, reject) => {
      const statement: PendingStatement = { isAborted: false, isCancelled: false };
      const abort = () => {
        statement.isAborted = true;
        query.drop();
        reject(signal!.reason);
        // Statements that were not sent yet are dropped.
        if (connection.pending.includes(statement)) this.#abandon(connection);
      };
      const settled = () => {
        signal?.removeEventListener('abort', abort);
        connection.respondedAt = performance.now();
        this.#release(connection, caller);
      };
      const answered = (error: (Error & { code?: string }) | undefined, rows: unknown[][]) => {
        connection.pending.shift();
        const now = performance.now();
        this.#slow.note(caller, now - connection.respondedAt, now);
        settled();
        if (error) {
          const isHit = connection.isAbandoned && (error.code === queryCanceled || connection.isBrokenOff);
          reject(isHit ? hitByAnother : error);
        } else {
          resolve(rows);
        }
        if (connection.isAbandoned) this.#cancelOldest(connection);
      };
      const query = new RowQuery(config, this.#conversions, count, answered);
      const send = () => {
        if (statement.isAborted) return settled();
        this.#cork(connection);
        connection.pending.push(statement);
        connection.client.query(query as unknown as pg.Submittable);
      };
      signal?.addEventListener('abort', abort);
      if (connection.isConnected) send();
      else {
        connection.connected.then(send, (error) => {
          settled();
          reject(error);
        });
      }
    });
  }

  /** A connection for one more statement of the caller, which counts from now on. Undefined if the caller has to wait. */
  #take(caller: string | undefined): ReadConnection | undefined {
    if (this.#isClosed) throw isClosed();
    const choices = {
      connections: this.#connections,
      abandoned: this.#abandoned,
      slow: this.#slow,
      most: this.#most,
    };
    const connection = connectionFor(caller, choices, () => this.#open());
    if (!connection) return undefined;
    if (connection.inProgress++ === 0) connection.respondedAt = performance.now();
    countStatement(connection, caller);
    return connection;
  }

  /** A statement of the caller has ended, or is not sent. */
  #release(connection: ReadConnection, caller: string | undefined): void {
    uncountStatement(connection, caller);
    if (--connection.inProgress === 0) {
      // This connection replaced one that waited for a lock.
      if (this.#connections.length > this.#most) this.#forget(connection);
      if (!this.#connections.includes(connection)) this.#end(connection);
    }
    if (caller !== undefined && !this.#isClosed) this.#waits.admit(caller, () => this.#take(caller));
  }

  #abandon(connection: ReadConnection): void {
    if (!connection.isAbandoned) {
      connection.isAbandoned = true;
      this.#forget(connection);
      this.#abandoned.add(connection);
      connection.breakOff = setTimeout(() => {
        connection.isBrokenOff = true;
        streamOf(connection).destroy();
      }, destroyAfterMs).unref();
    }
    this.#cancelOldest(connection);
  }

  #cancelOldest(connection: ReadConnection): void {
    const oldest = connection.pending[0];
    if (!oldest?.isAborted || oldest.isCancelled) return;
    oldest.isCancelled = true;
    cancelRunning(connection.client, this.#settings);
  }

  #forget(connection: ReadConnection): void {
    const index = this.#connections.indexOf(connection);
    if (index >= 0) this.#connections.splice(index, 1);
  }

  #end(connection: ReadConnection): void {
    clearTimeout(connection.breakOff);
    this.#abandoned.delete(connection);
    connection.client.end().catch(() => {});
  }

  /** Opens new connections from now on. The current ones end after their last response. */
  renew(): void {
    this.#conversions.clear();
    for (const connection of this.#connections.splice(0)) {
      if (connection.inProgress === 0) connection.client.end().catch(() => {});
    }
  }

  #open(): ReadConnection {
    const client = new pg.Client(this.#settings);
    const connection: ReadConnection = {
      client,
      connected: client.connect(),
      isConnected: false,
      inProgress: 0,
      callers: new Map(),
      pending: [],
      respondedAt: 0,
      isCorked: false,
      isAbandoned: false,
      isBrokenOff: false,
    };
    this.#connections.push(connection);
    client.on('error', (error) => {
      this.#forget(connection);
      if (!connection.isBrokenOff) this.#onError(error);
    });
    client.on('end', () => this.#forget(connection));
    connection.connected.then(
      () => {
        connection.isConnected = true;
      },
      () => this.#forget(connection),
    );
    return connection;
  }

  /** Delays writes until all statements of this turn of the event loop are queued. */
  #cork(connection: ReadConnection): void {
    if (connection.isCorked) return;
    connection.isCorked = true;
    const stream = streamOf(connection);
    stream.cork();
    setImmediate(() => {
      connection.isCorked = false;
      stream.uncork();
    });
  }

  state(): PoolState {
    let inUse = 0;
    let waiting = 0;
    for (const { inProgress, isConnected } of this.#connections) {
      if (inProgress > 0) inUse++;
      waiting += isConnected ? Math.max(0, inProgress - depth) : inProgress;
    }
    return {
      pool: 'read',
      size: this.#most,
      open: this.#connections.length + this.#abandoned.size,
      inUse,
      waiting: waiting + this.#waits.size,
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waits.reject(isClosed());
    await Promise.all(
      [...this.#connections, ...this.#abandoned].map(async ({ client, connected }) => {
        // Statements that wait for the connection are sent first. The client ends after their responses.
        await connected.catch(() => {});
        await client.end();
      }),
    );
  }
}
