import type { Telemetry } from '../kernel/telemetry.ts';
import { Channel } from './channel/channel.ts';
import { withBatchedReads } from './client.ts';
import { closedInOrder } from './connection/closing.ts';
import type { Database, Opened, OpenOptions } from './database.ts';

export type { Database, OpenOptions, PoolState, Statements, Transaction } from './database.ts';

const isFile = (url: string) => url.startsWith('file:');

/** Loads the driver of the database alone, with its half of Prisma's client. */
async function openDriver(options: OpenOptions): Promise<Opened> {
  if (isFile(options.url)) return (await import('./sqlite/sqlite.ts')).openSqlite(options);
  return (await import('./postgres/postgres.ts')).openPostgres(options);
}

export async function openDatabase(options: OpenOptions): Promise<Database> {
  const { listener, ...driver } = await openDriver(options);
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
    query: (text, params, options) =>
      telemetry.measure('read', text, () => opened.query(text, params, options)),
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
