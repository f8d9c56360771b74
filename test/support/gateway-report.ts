import pg from 'pg';
import type { Trellis } from './trellis.ts';

const lines = (title: string, texts: readonly string[]) => [`${title}:`, ...texts.map((text) => `  ${text}`)];

/** The most lines of the log, and the most statements, that are of use. */
const most = { logged: 1_000, statements: 50 };

/** What a gateway was doing when a test failed: the statements that wait, the last ones that were sent, and its log. */
export async function reportOf({ url, databaseUrl, services, statements, logged }: Trellis): Promise<string> {
  return [
    `Gateway ${url} on ${databaseUrl.split(':')[0]}`,
    ...lines(
      'Connections',
      services.db.pools().map((pool) => JSON.stringify(pool)),
    ),
    ...lines('Statements that wait', await waiting(databaseUrl)),
    ...lines('Last statements', statements.slice(-most.statements)),
    ...lines(
      'Log',
      logged.slice(-most.logged).map((line) => JSON.stringify(line)),
    ),
  ].join('\n');
}

/** On SQLite, statements are executed in this process one by one: none of them waits at the database. */
async function waiting(databaseUrl: string): Promise<string[]> {
  if (databaseUrl.startsWith('file:')) return [];
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(
      `SELECT pid, state, wait_event_type, wait_event, pg_blocking_pids(pid) AS blocked_by, query
       FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
       ORDER BY query_start`,
    );
    return rows.map((row) => JSON.stringify(row));
  } catch (error) {
    return [String(error)];
  } finally {
    await client.end().catch(() => {});
  }
}
