import type { Telemetry } from '../kernel/telemetry.ts';
import { withBatchedReads } from './client.ts';
import type { Database, Opened, OpenOptions } from './database.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

export type { Database, OpenOptions, PoolState, Transaction } from './database.ts';

const isFile = (url: string) => url.startsWith('file:');

export function openDatabase(options: OpenOptions): Database {
  const listeners: (() => void)[] = [];
  const { client, ...opened } = isFile(options.url) ? openSqlite(options) : openPostgres(options);
  const database = {
    ...(options.telemetry ? measured(opened, options.telemetry) : opened),
    guardsRows: options.guardsRows ?? false,
    onRightsChange: (listener: () => void) => void listeners.push(listener),
    rightsChanged: () => {
      for (const listener of listeners) listener();
    },
  };
  return withBatchedReads(database, client);
}

/** Measures reads and transactions. The statements of a transaction are measured where its connection is known. */
function measured(opened: Omit<Opened, 'client'>, telemetry: Telemetry): Omit<Opened, 'client'> {
  return {
    ...opened,
    query: (text, params, signal) =>
      telemetry.measure('read', text, () => opened.query(text, params, signal)),
    transaction: (work, signal, statements) =>
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
          statements,
        );
      }),
  };
}
