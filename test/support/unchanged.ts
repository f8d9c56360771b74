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

/**
 * Every row of every table, but for the time at which a token was last used. To compare before and after. One statement: there
 * are too many tables for a read of each.
 */
export async function contentsOf(
  { services: { db } }: Trellis,
  isWanted: (table: string) => boolean = () => true,
): Promise<Record<string, string[]>> {
  const wanted = Object.values(tables).filter(({ table }) => isWanted(table));
  const list = db.dialect.kind === 'postgres' ? 'json_build_array' : 'json_array';
  const reads = wanted.map(({ table, columns }) => {
    const names = Object.values(columns).flatMap(({ column }) =>
      column === 'last_used_at' ? [] : [`"${column}"`],
    );
    return `SELECT '${table}', CAST(${list}(${names.join(', ')}) AS text) FROM "${table}"`;
  });
  const contents = Object.fromEntries(wanted.map(({ table }): [string, string[]] => [table, []]));
  const rows = await db.query(reads.join(' UNION ALL '), []);
  for (const [table, content] of rows as [string, string][]) contents[table]!.push(content);
  for (const each of Object.values(contents)) each.sort();
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
