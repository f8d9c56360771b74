import type { Database, Statements } from '../open.ts';
import { columnOf, type Model, tableOf } from '../tables.ts';

type Locking = {
  context: { db: Pick<Database, 'dialect'> };
  tx: Pick<Statements, '$read' | 'isDryRun' | 'log'>;
};
type Ids = readonly (string | number)[];

/**
 * Locks rows until the commit, so that they cannot change after they are read.
 * SQLite has one writer at a time and needs no locks, and a dry run takes none. Rows are locked in order of their ids, and
 * components before their names, and these before their region, which prevents deadlocks.
 */
export const lockRows = (write: Locking, model: Model, ...ids: Ids): Promise<void> =>
  lockWith(write, write.context.db.dialect.rowLock, model, ids);

/** Locks rows that will be deleted: until the commit, no other change can add rows that refer to them. */
export const lockForDelete = (write: Locking, model: Model, ...ids: Ids): Promise<void> =>
  lockWith(write, write.context.db.dialect.deleteLock, model, ids);

/**
 * Locks the rows that no other transaction has locked, without waiting for the others. Returns their ids. On SQLite, one transaction
 * writes at a time, so that there are no others.
 */
export async function lockFree<Id extends string | number>(
  { context, tx }: Locking,
  model: Model,
  ids: readonly Id[],
): Promise<Id[]> {
  const { rowLock, placeholder, keyTable } = context.db.dialect;
  if (rowLock === undefined || ids.length === 0) return [...ids];
  const { column, type } = columnOf(model, 'id');
  const among = keyTable(placeholder(1), type);
  const rows = await tx.$read(
    `SELECT "${column}" FROM "${tableOf(model).table}" WHERE "${column}" IN (SELECT key FROM ${among}) ORDER BY "${column}"${rowLock} SKIP LOCKED`,
    [ids],
  );
  const free = new Set(rows.map(([id]) => (type === 'Int' ? Number(id) : id)));
  return ids.filter((id) => free.has(id));
}

async function lockWith(
  { context, tx }: Locking,
  lock: string | undefined,
  model: Model,
  ids: Ids,
): Promise<void> {
  if (lock === undefined || tx.isDryRun || ids.length === 0) return;
  const { placeholder, keyTable } = context.db.dialect;
  const { column, type } = columnOf(model, 'id');
  const among = keyTable(placeholder(1), type);
  const text = `SELECT 1 FROM "${tableOf(model).table}" WHERE "${column}" IN (SELECT key FROM ${among}) ORDER BY "${column}"${lock}`;
  if (tx.log) tx.log.locks(text, [ids]);
  else await tx.$read(text, [ids]);
}
