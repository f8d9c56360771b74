import pg from 'pg';
import { Limiter } from '../../kernel/limiter.ts';
import type { PoolState } from '../database.ts';
import type { CountRow, ReadOptions } from '../query/reader.ts';
import { cancelRunning } from './cancel.ts';
import { hearErrors } from './hear-errors.ts';
import { type Conversions, RowQuery } from './row-query.ts';

/** Statements without a name are described each time. */
const unknown: Map<string, Conversions> = new Map();

/**
 * Connections for reads behind a pooler. Each runs one unnamed statement at a time, which leaves nothing in the session
 * that the pooler assigns to another client next.
 */
export class PooledReader {
  readonly #settings: pg.PoolConfig;
  readonly #pool: pg.Pool;
  /** One caller has half of the connections at most. */
  readonly #turns: Limiter;

  constructor(settings: pg.PoolConfig, size: number, onError: (error: Error) => void) {
    this.#settings = settings;
    this.#pool = new pg.Pool({ ...settings, max: size });
    this.#pool.on('error', onError);
    this.#pool.on('connect', hearErrors);
    this.#turns = new Limiter({ most: size, mostOfGroup: Math.ceil(size / 2), inTurns: true });
  }

  async query(config: pg.QueryConfig, { signal, count, caller }: ReadOptions): Promise<unknown[][]> {
    const holder = { ...(caller !== undefined && { group: caller }) };
    await this.#turns.enter(holder, signal);
    try {
      return await this.#query(config, signal, count);
    } finally {
      this.#turns.leave(holder);
    }
  }

  async #query(config: pg.QueryConfig, signal?: AbortSignal, count?: CountRow): Promise<unknown[][]> {
    signal?.throwIfAborted();
    const client = await this.#pool.connect();
    return new Promise((resolve, reject) => {
      const abort = () => {
        query.drop();
        reject(signal!.reason);
        void cancelRunning(client, this.#settings);
      };
      const release = () => {
        signal?.removeEventListener('abort', abort);
        // A late cancel request must not cancel the next statement on this connection.
        client.release(Boolean(signal?.aborted));
      };
      const query = new RowQuery(config, unknown, count, (error, rows) => {
        release();
        if (error) reject(error);
        else resolve(rows);
      });
      if (signal?.aborted) {
        release();
        return reject(signal.reason);
      }
      signal?.addEventListener('abort', abort);
      client.query(query as unknown as pg.Submittable);
    });
  }

  state(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return {
      pool: 'read',
      size: this.#pool.options.max,
      open: totalCount,
      inUse: totalCount - idleCount,
      waiting: waitingCount + this.#turns.waiting,
    };
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
