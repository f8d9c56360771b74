import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/db/open.ts';
import { postgres } from '../../src/db/postgres/dialect.ts';
import { countByKeys, sumByKeys, textSizeByKeys } from '../../src/db/query/aggregate.ts';
import type { Dialect } from '../../src/db/query/dialect.ts';
import { findManyByKeys } from '../../src/db/query/find.ts';
import { findPagesByKeys } from '../../src/db/query/pages.ts';
import { findRange } from '../../src/db/query/range.ts';
import type { CountRow, Reader } from '../../src/db/query/reader.ts';
import type { ListSpec } from '../../src/db/query/statement.ts';
import { scopedTo } from '../../src/db/scoped.ts';
import { sqlite } from '../../src/db/sqlite/dialect.ts';
import { RequestBudget } from '../../src/kernel/budget.ts';
import { defaultLimits } from '../../src/kernel/limits.ts';
import { SharedMemory } from '../../src/kernel/memory.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
let db: Database;
beforeAll(async () => {
  db = trellis.services.db;
});

describe('the batched reads', () => {
  it('exist for every model of the client', async () => {
    const [user] = await db.user.findManyByKeys({ by: 'id', keys: [1] });
    expect(user).toMatchObject({ id: 1 });
    const { enterpriseId } = user!;
    const counts = await db.user.countByKeys({
      parent: { field: 'enterpriseId' },
      keys: [enterpriseId, '?'],
    });
    expect([...counts.keys()]).toEqual([enterpriseId]);
  });

  it('send their statements through the database of the request', async () => {
    const sent: string[] = [];
    const scoped: Database = Object.create(db);
    scoped.query = (text, params) => {
      sent.push(text);
      return db.query(text, params);
    };
    expect(await scoped.user.findManyByKeys({ by: 'id', keys: [1] })).toHaveLength(1);
    expect(sent).toHaveLength(1);
    await db.user.findManyByKeys({ by: 'id', keys: [1] });
    expect(sent).toHaveLength(1);
  });

  it('do not exist in transactions', async () => {
    await db.transaction(async (tx) => {
      expect(await tx.user.findUnique({ where: { id: 1 } })).toMatchObject({ id: 1 });
      // @ts-expect-error: no such method
      expect(tx.user.findManyByKeys).toBeUndefined();
    });
  });

  it('send nothing for no keys', async () => {
    trellis.statements.length = 0;
    expect(await db.port.findManyByKeys({ by: 'id', keys: [] })).toEqual([]);
    expect(await db.port.countByKeys({ parent: { field: 'componentId' }, keys: [] })).toEqual(new Map());
    expect(await db.component.sumByKeys({ by: ['teamId'], keys: [], sums: { all: ['replicas'] } })).toEqual(
      [],
    );
    expect(trellis.statements).toEqual([]);
  });
});

describe('the rows of a read', () => {
  const many = {
    sqlite:
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i, printf('%.*c', 100000, 'x') FROM n",
    postgres: "SELECT i, repeat('x', 100000) FROM generate_series(1, 1000) i",
  };

  it('are counted when they arrive, so that a read ends before all of them are in memory', async () => {
    const text = many[db.dialect.kind];
    // The second time, the statement is known.
    for (let times = 0; times < 2; times++) {
      let characters = 0;
      let after = 0;
      const tooMany = new Error('too many');
      const count: CountRow = ([, value]) => {
        if (characters > 1_000_000) after++;
        characters += (value as string).length;
        if (characters > 1_000_000) throw tooMany;
      };
      const read = db.query(text, [], { count });
      await expect(read).rejects.toBe(tooMany);
      expect({ characters, after }).toEqual({ characters: 1_100_000, after: 0 });
      expect(await db.query('SELECT 1', [])).toEqual([[1]]);
    }
  });

  it('end with the request that reads them, once it has no memory left', async () => {
    const memory = new SharedMemory(2 ** 30);
    const budget = new RequestBudget({ ...defaultLimits, answersBytes: 4 * 2 ** 20 }, memory);
    await expect(scopedTo(db, budget).query(many[db.dialect.kind], [])).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      limit: 'ANSWERS_MEMORY_MIB',
    });
    expect(memory.taken).toBeLessThanOrEqual(4 * 2 ** 20);
    budget.end(true);
    expect(memory.taken).toBe(0);
  });
});

const where: ListSpec<'Team'>['where'] = [
  { field: 'name', is: 'a' },
  { field: 'alias', is: null },
  {
    any: [
      { field: 'id', in: ['b', 'c'] },
      { field: 'folded', contains: 'd' },
    ],
  },
  { field: 'id', through: 'Membership', on: 'teamId', where: [{ field: 'userId', is: 1 }] },
];
const parents: ListSpec<'Team'>['parent'][] = [
  { field: 'enterpriseId' },
  { through: 'Membership', parent: 'userId', target: 'teamId', field: 'id' },
];
const specs = parents.flatMap((parent): ListSpec<'Team'>[] => {
  const spec = { model: 'Team' as const, parent, order: ['name', 'id'] as const };
  return [spec, { ...spec, where, descending: true }];
});
const position = ['x', 'y'];
const windows = [
  { limit: 5, fromEnd: false },
  { limit: 5, fromEnd: false, after: position },
  { limit: 5, fromEnd: true, after: position, before: position },
];

/** Every statement that the reads make, for one key and for several. */
async function statementsOf(dialect: Dialect): Promise<[text: string, params: unknown[]][]> {
  const sent: [string, unknown[]][] = [];
  const reader: Reader = {
    dialect,
    query: async (text, params) => {
      sent.push([text, params]);
      return [];
    },
  };
  for (const keys of [['1'], ['1', '2']]) {
    await findManyByKeys(reader, 'Team', { by: 'name', keys, where });
    await sumByKeys(reader, 'Component', { by: ['teamId', 'regionId'], keys, sums: { all: ['replicas'] } });
    await textSizeByKeys(reader, 'Volume', { by: 'id', keys, text: 'fileContent' });
    for (const spec of specs) {
      await countByKeys(reader, 'Team', { ...spec, keys });
      await findRange(reader, { key: keys[0]!, spec, range: { offset: 1, limit: 2 } });
      // Twice: the second time the text may be known.
      for (const window of [...windows, ...windows]) await findPagesByKeys(reader, { keys, spec, window });
    }
  }
  return sent;
}

describe('the statements of the batched reads', () => {
  it('say how many rows they can return, unless those can be many or long', async () => {
    const most: (number | undefined)[] = [];
    const reader: Reader = {
      dialect: db.dialect,
      query: async (_text, _params, options) => {
        most.push(options?.maxRows);
        return [];
      },
    };
    const keys = ['1', '2'];
    const inEnterprise = { field: 'enterpriseId', is: '1' } as const;
    await findManyByKeys(reader, 'Team', { by: 'id', keys });
    await findManyByKeys(reader, 'Team', { by: 'name', keys, where: [inEnterprise] });
    await findManyByKeys(reader, 'Team', { by: 'name', keys });
    await findManyByKeys(reader, 'Component', { by: 'applicationId', keys });
    await findManyByKeys(reader, 'Volume', { by: 'id', keys });
    await findManyByKeys(reader, 'Volume', { by: 'id', keys, fields: ['name'] });
    expect(most).toEqual([2, 2, undefined, undefined, undefined, 2]);
  });

  it('have a value for each placeholder, in order', async () => {
    for (const [text, params] of await statementsOf(postgres)) {
      const numbers = [...text.matchAll(/\$(\d+)/g)].map((match) => Number(match[1]));
      expect(numbers, text).toEqual(params.map((_, index) => index + 1));
    }
    for (const [text, params] of await statementsOf(sqlite)) {
      expect([...text.matchAll(/\?/g)].length, text).toBe(params.length);
    }
  });

  it('are the same when they are made again', async () => {
    for (const dialect of [sqlite, postgres]) {
      expect(await statementsOf(dialect)).toEqual(await statementsOf(dialect));
    }
  });
});
