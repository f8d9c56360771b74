import pg from 'pg';
import { databaseKind, type Trellis } from './trellis.ts';

/** The plan of a statement, one line for each step: on Postgres of all values, and without reading whole tables if that can be. */
export async function planOf(trellis: Trellis, text: string): Promise<string> {
  if (databaseKind === 'sqlite') {
    // Placeholders without values are NULL.
    const params = Array.from(text.matchAll(/\?/g), () => null);
    const rows = await trellis.services.db.transaction((tx) =>
      tx.$queryRawUnsafe<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${text}`, ...params),
    );
    return rows.map(({ detail }) => detail).join('\n');
  }
  const client = new pg.Client({ connectionString: trellis.databaseUrl });
  await client.connect();
  try {
    await client.query('SET enable_seqscan = off');
    const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN) ${text}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.end();
  }
}
