import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { applicationName, listenerName } from './database.ts';

/** Whether another process seems to be connected to the database at `url`, which this process must not have open. */
export const hasOtherConnections = async (url: string): Promise<boolean> =>
  url.startsWith('file:') ? isInUse(url.slice('file:'.length)) : hasSessions(url);

/** In WAL mode, each open connection holds a shared lock. */
function isInUse(path: string): boolean {
  const database = new Sqlite(path, { timeout: 0 });
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE; ROLLBACK');
    return false;
  } catch (error) {
    if (/SQLITE_BUSY/.test((error as { code?: string }).code ?? '')) return true;
    throw error;
  } finally {
    database.close();
  }
}

async function hasSessions(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, application_name: `${applicationName}-check` });
  await client.connect();
  try {
    const { rows } = await client.query(
      'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = ANY($1) LIMIT 1',
      [[applicationName, listenerName]],
    );
    return rows.length > 0;
  } finally {
    await client.end();
  }
}
