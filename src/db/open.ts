import { withBatchedReads } from './client.ts';
import type { Database, OpenOptions } from './database.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

export type { Database, OpenOptions, Transaction } from './database.ts';

const isFile = (url: string) => url.startsWith('file:');

export function openDatabase(options: OpenOptions): Database {
  const listeners: (() => void)[] = [];
  const { client, ...opened } = isFile(options.url) ? openSqlite(options) : openPostgres(options);
  const database = {
    ...opened,
    guardsRows: options.guardsRows ?? false,
    onRightsChange: (listener: () => void) => void listeners.push(listener),
    rightsChanged: () => {
      for (const listener of listeners) listener();
    },
  };
  return withBatchedReads(database, client);
}
