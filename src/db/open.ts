import type { Telemetry } from '../kernel/telemetry.ts';
import { Channel } from './channel/channel.ts';
import { withBatchedReads } from './client.ts';
import { closedInOrder } from './connection/closing.ts';
import type { Database, Opened, OpenOptions } from './database.ts';
import { openPostgres } from './postgres/postgres.ts';
import { openSqlite } from './sqlite/sqlite.ts';

export type { Database, OpenOptions, PoolState, Statements, Transaction } from './database.ts';

const isFile = (url: string) => url.startsWith('file:');

export function openDatabase(options: OpenOptions): Database {
  const { listener, ...driver } = isFile(options.url) ? openSqlite(options) : openPostgres(options);
  const opened = closedInOrder(driver);
  const channel = new Channel(listener, { isShared: !isFile(options.url) });
  const database = {
    ...(options.telemetry ? measured(opened, options.telemetry) : opened),
    channel,
    async close() {
      await channel.close();
      await opened.close();
    },
  };
  return withBatchedReads(database);
}

/** Measures reads and transactions. The statements of a transaction are measured where its connection is known. */
function measured(opened: Opened, telemetry: Telemetry): Opened {
  return {
    ...opened,
    query: (text, params, signal, count, caller) =>
      telemetry.measure('read', text, () => opened.query(text, params, signal, count, caller)),
    transaction: (work, signal, counted) =>
      telemetry.measure('transaction', 'transaction', () => {
        const since = performance.now();
        let hasBegun = false;
        return opened.transaction(
          (tx) => {
            // After a deadlock, the work is done once more.
            if (!hasBegun) telemetry.transactionWaited?.((performance.now() - since) / 1000);
            hasBegun = true;
            return work(tx);
          },
          signal,
          counted,
        );
      }),
  };
}
