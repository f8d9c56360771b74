import { afterEach, beforeEach, expect } from 'vitest';
import { tables } from '../../src/db/tables.ts';
import type { Trellis } from './trellis.ts';

/**
 * Every test of the file leaves as many rows as there were, and no error in the log. A test that has to write first
 * counts again with what this answers.
 */
export function expectUnchanged(running: () => Trellis): () => Promise<void> {
  let before: Record<string, number>;
  const count = async () => {
    before = await running().counts();
  };
  beforeEach(async () => {
    await count();
    running().logged.length = 0;
  });
  afterEach(async () => {
    expect(await running().counts()).toEqual(before);
    expect(running().logged.filter(({ level }) => level >= 50)).toEqual([]);
  });
  return count;
}

/** Every row of every table, but for the time at which a token was last used. To compare before and after. */
export async function contentsOf(
  { services }: Trellis,
  isWanted: (table: string) => boolean = () => true,
): Promise<Record<string, string[]>> {
  const contents: Record<string, string[]> = {};
  for (const { table, columns } of Object.values(tables)) {
    if (!isWanted(table)) continue;
    const wanted = Object.values(columns).flatMap(({ column }) =>
      column === 'last_used_at' ? [] : [`"${column}"`],
    );
    const rows = await services.db.query(`SELECT ${wanted.join(', ')} FROM "${table}"`, []);
    contents[table] = rows.map((row) => JSON.stringify(row)).sort();
  }
  return contents;
}

/** What a change and its deletion leave: the record, its jobs, and what is stored for requests and leases. */
const left = new Set([
  'event',
  'record_seal',
  'job',
  'job_component',
  'idempotency_key',
  'idempotency_result',
  'region_lease',
  'worker_lease',
  'gateway',
]);

/** Every row of every table that is as before once what was made is deleted. */
export const rowsLeft = (trellis: Trellis) => contentsOf(trellis, (table) => !left.has(table));

/** Rows without times: opening a preview changes when its original was changed last. */
export const timeless = (rows: Record<string, string[]>): Record<string, string[]> =>
  JSON.parse(JSON.stringify(rows).replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z|\+00:00)?/g, 'then'));
