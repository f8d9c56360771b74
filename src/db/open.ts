import type { Database, OpenOptions } from './database.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

export type { Database, OpenOptions, Transaction } from './database.ts';

const isFile = (url: string) => url.startsWith('file:');

export function openDatabase(options: OpenOptions): Database {
  const listeners: (() => void)[] = [];
  return {
    ...(isFile(options.url) ? openSqlite(options) : openPostgres(options)),
    guardsRows: options.guardsRows ?? false,
    onRightsChange: (listener) => void listeners.push(listener),
    rightsChanged: () => {
      for (const listener of listeners) listener();
    },
  };
}
