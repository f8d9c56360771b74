import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Listener } from '../channel/channel.ts';
import { channelName } from './dialect.ts';

/** The wait before the connection is made again grows from the first to the second, in ms. */
const backoffMs = { min: 100, max: 5_000 };

/** How often an idle connection is checked, and how long the response may take. A network can drop it without a reset. */
const checkMs = { every: 10_000, timeout: 5_000 };

/** Receives the notifications of Postgres on a connection of its own, which is made again whenever it is lost. */
export class PostgresListener implements Listener {
  isConnected = false;
  readonly #settings: pg.ClientConfig;
  readonly #lost: (error: Error) => void;
  readonly #closing = new AbortController();
  #client: pg.Client | undefined;
  #running: Promise<void> | undefined;

  constructor(settings: pg.ClientConfig, lost: (error: Error) => void) {
    this.#settings = { ...settings, keepAlive: true, query_timeout: checkMs.timeout };
    this.#lost = lost;
  }

  start(receive: (payload: string | undefined) => void): void {
    this.#running = this.#run(receive);
  }

  async #run(receive: (payload: string | undefined) => void): Promise<void> {
    let waitMs = backoffMs.min;
    while (!this.#closing.signal.aborted) {
      try {
        await this.#listen(receive, () => {
          waitMs = backoffMs.min;
        });
      } catch (error) {
        if (!this.#closing.signal.aborted) this.#lost(error as Error);
      }
      this.isConnected = false;
      // Many processes lose their connections at the same moment.
      await this.#pause(waitMs * (0.5 + Math.random()));
      waitMs = Math.min(backoffMs.max, waitMs * 2);
    }
  }

  /** Rejects when the connection is lost. */
  async #listen(receive: (payload: string | undefined) => void, connected: () => void): Promise<void> {
    const client = new pg.Client(this.#settings);
    this.#client = client;
    const ended = new Promise<never>((_, reject) => {
      client.on('error', reject);
      client.on('end', () => reject(new Error('The listening connection was closed.')));
    });
    ended.catch(() => {});
    client.on('notification', ({ payload = '' }) => receive(payload));
    try {
      await Promise.race([client.connect(), ended]);
      await Promise.race([client.query(`LISTEN ${channelName}`), ended]);
      this.isConnected = true;
      connected();
      // Notifications of earlier commits are lost.
      receive(undefined);
      while (!this.#closing.signal.aborted) {
        await Promise.race([this.#pause(checkMs.every), ended]);
        await Promise.race([client.query('SELECT 1'), ended]);
      }
    } finally {
      client.removeAllListeners('notification');
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { ref: false, signal: this.#closing.signal }).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#client?.end().catch(() => undefined);
    await this.#running;
  }
}
