import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { sqlite } from '../../src/db/sqlite/dialect.ts';

const database = new Sqlite(':memory:').exec(
  'CREATE TABLE variable (id INTEGER PRIMARY KEY, parent TEXT, name TEXT, value TEXT); CREATE INDEX by_name ON variable (parent, name)',
);
const insert = database.prepare('INSERT INTO variable (parent, name, value) VALUES (?, ?, ?)');
for (const parent of ['a', 'b', 'c'])
  for (const name of ['3', '1', '2']) insert.run(parent, name, parent + name);

const pages = (hasLongTexts: boolean) =>
  sqlite.pages(sqlite.placedKeyTable('?', 'String'), {
    columns: 't.value',
    from: 'variable t',
    table: 'variable t',
    parent: 't.parent',
    where: '',
    order: 't.name',
    limit: '?',
    hasLongTexts,
  });
const params = [JSON.stringify(['c', 'a']), 2];

it('has the same rows in the same order with long texts', () => {
  const rows = [false, true].map((hasLongTexts) =>
    database
      .prepare(pages(hasLongTexts))
      .raw()
      .all(...params),
  );
  expect(rows[0]).toEqual([
    [1, 'c1'],
    [1, 'c2'],
    [2, 'a1'],
    [2, 'a2'],
  ]);
  expect(rows[1]).toEqual(rows[0]);
});

it('sorts rows without their long texts, which it reads one after the other', () => {
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${pages(true)}`).all(...params) as {
    parent: number;
    detail: string;
  }[];
  const sorts = plan.filter(({ detail }) => detail.includes('TEMP B-TREE'));
  expect(sorts).toHaveLength(1);
  // Within the query of the ids.
  expect(sorts[0]!.parent).not.toBe(0);
});
