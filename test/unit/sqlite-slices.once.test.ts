import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { SqliteReader } from '../../src/db/sqlite/reader.ts';

/** Keeps the thread busy, as the pages of a long text do. */
function slowRow(): number {
  const until = performance.now() + 4;
  while (performance.now() < until);
  return 1;
}

it('gives the event loop its turn between a few rows that take long', async () => {
  const reader = new SqliteReader(() => new Sqlite(':memory:').function('slow_row', slowRow));
  let turns = 0;
  let hasEnded = false;
  const turn = () => {
    turns++;
    if (!hasEnded) setImmediate(turn);
  };
  setImmediate(turn);
  const rows = await reader.query('SELECT slow_row() FROM json_each(?)', [JSON.stringify(Array(48).fill(0))]);
  hasEnded = true;
  expect(rows).toHaveLength(48);
  // With 16 rows in each turn, there are four.
  expect(turns).toBeGreaterThan(8);
  reader.close();
});
