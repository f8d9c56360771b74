import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { migrate } from '../../src/db/migrate/migrate.ts';
import { type Database, openDatabase, type Transaction } from '../../src/db/open.ts';
import { createDatabase, databaseKind } from '../support/trellis.ts';

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
  await migrate({ url: database.url });
});
afterAll(() => database?.drop());

const opened: Database[] = [];
const open = async (poolSize: number): Promise<Database> => {
  const db = await openDatabase({ url: database.url, poolSize, onConnectionError: () => {} });
  opened.push(db);
  return db;
};
afterAll(() => Promise.all(opened.map((db) => db.close())));

const range = (size: number) => Array.from({ length: size }, (_, each) => each);
const gone = new Error('the caller is gone');
const enterprise = (id: string) => ({ id, name: id, alias: id, createdAt: new Date() });
const count = async (db: Database, id: string) =>
  Number((await db.query(`SELECT count(*) FROM enterprise WHERE id = '${id}'`, []))[0]![0]);

describe('a transaction that is aborted', () => {
  it('is rolled back, and rejects with the reason', async () => {
    const db = await open(2);
    const controller = new AbortController();
    const writing = db.transaction(async (tx) => {
      await tx.enterprise.create({ data: enterprise('aborted') });
      controller.abort(gone);
    }, controller.signal);
    await expect(writing).rejects.toBe(gone);
    expect(await count(db, 'aborted')).toBe(0);

    await expect(
      db.transaction((tx) => tx.enterprise.create({ data: enterprise('late') }), controller.signal),
    ).rejects.toBe(gone);
    expect(await count(db, 'late')).toBe(0);

    await db.transaction(
      (tx) => tx.enterprise.create({ data: enterprise('kept') }),
      new AbortController().signal,
    );
    expect(await count(db, 'kept')).toBe(1);
  });

  const insert = (id: string) =>
    `INSERT INTO enterprise (id, name, alias, created_at) VALUES ('${id}', '${id}', '${id}', CURRENT_TIMESTAMP)`;
  it.each([
    ['of Prisma', (tx: Transaction) => tx.enterprise.create({ data: enterprise('stray') })],
    ['without Prisma', (tx: Transaction) => tx.$write(insert('stray'), [])],
    ['that read', (tx: Transaction) => tx.$read(`${insert('stray')} RETURNING id`, [])],
  ])('has no writes %s that come late, as part of the next transaction', async (how, write) => {
    const db = await open(1);
    let writeLate = async (): Promise<unknown> => undefined;
    const failing = db.transaction(async (tx) => {
      await tx.enterprise.create({ data: enterprise('undone') });
      writeLate = async () => write(tx);
      throw gone;
    });
    await expect(failing).rejects.toBe(gone);
    await db.transaction(async (tx) => {
      await expect(writeLate()).rejects.toThrow();
      await tx.enterprise.create({ data: enterprise(`next ${how}`) });
    });
    expect(await count(db, 'undone')).toBe(0);
    expect(await count(db, 'stray')).toBe(0);
    expect(await count(db, `next ${how}`)).toBe(1);
  });

  it('has no writes without Prisma that come after its commit', async () => {
    const db = await open(1);
    let writeLate = async (): Promise<unknown> => undefined;
    await db.transaction(async (tx) => {
      await tx.enterprise.create({ data: enterprise('committed') });
      writeLate = async () => tx.$write(insert('stray'), []);
    });
    await db.transaction(async () => {
      await expect(writeLate()).rejects.toThrow();
    });
    expect(await count(db, 'stray')).toBe(0);
  });

  it('never starts a transaction that is aborted while it waits', async () => {
    const db = await open(1);
    const controller = new AbortController();
    let release = () => {};
    let hasBegun = () => {};
    const begun = new Promise<void>((resolve) => {
      hasBegun = resolve;
    });
    const first = db.transaction(async () => {
      hasBegun();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    await begun;
    let ran = false;
    const second = db.transaction(async () => {
      ran = true;
    }, controller.signal);
    const refused = expect(second).rejects.toBe(gone);
    controller.abort(gone);
    release();
    await first;
    await refused;
    expect(ran).toBe(false);
    expect(await db.transaction(async (tx) => tx.team.count())).toBe(0);
  });
});

describe.runIf(databaseKind === 'sqlite')('a large read on SQLite', () => {
  const many = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n';

  it('does not block other reads, which see later commits', async () => {
    const db = await open(1);
    let isDone = false;
    const reading = db.query(many, [150_000]).then((rows) => {
      isDone = true;
      return rows;
    });
    await db.transaction((tx) => tx.enterprise.create({ data: enterprise('meanwhile') }));
    expect(await count(db, 'meanwhile')).toBe(1);
    // The same statement, while the first is not done with it.
    expect(await db.query(many, [3])).toEqual([[1], [2], [3]]);
    expect(isDone).toBe(false);
    const rows = await reading;
    expect(rows).toHaveLength(150_000);
    expect(rows.at(-1)).toEqual([150_000]);
  });

  it('ends when its signal is aborted', async () => {
    const db = await open(1);
    for (const times of range(4)) {
      const controller = new AbortController();
      const reading = db.query(many, [2_000_000_000 + times], { signal: controller.signal });
      setImmediate(() => controller.abort(gone));
      await expect(reading).rejects.toBe(gone);
    }
    await expect(db.query('SELECT 1', [], { signal: AbortSignal.abort(gone) })).rejects.toBe(gone);
    expect(await db.query('SELECT 1', [])).toEqual([[1]]);
  });

  it('fails when the database closes', async () => {
    const db = await open(1);
    const reading = db.query(many, [2_000_000_000]);
    await db.close();
    opened.splice(opened.indexOf(db), 1);
    await expect(reading).rejects.toMatchObject({ cause: { message: 'The database is closed.' } });
  });
});

describe.runIf(databaseKind === 'postgres')('on Postgres', () => {
  let other: pg.Client;
  beforeAll(async () => {
    other = new pg.Client({ connectionString: database.url });
    await other.connect();
  });
  afterAll(() => other?.end());

  /** What sessions of Trellis run at this moment. */
  const running = async () => {
    const { rows } = await other.query(
      `SELECT query, wait_event_type FROM pg_stat_activity WHERE datname = current_database()
       AND application_name = 'trellis' AND state <> 'idle'`,
    );
    return rows as { query: string; wait_event_type: string | null }[];
  };
  const sleeping = 'SELECT $1::int, pg_sleep($2::float8)';

  it('cancels an aborted read, and completes those behind it on its connection', async () => {
    const db = await open(1);
    await db.query('SELECT 1', []);
    const controller = new AbortController();
    const before = range(3).map((each) => db.query(sleeping, [each, 0.01]));
    const long = db.query(sleeping, [99, 600], { signal: controller.signal });
    const behind = range(20).map((each) => db.query(sleeping, [each, 0]));
    await expect.poll(async () => (await running()).length).toBe(1);
    await Promise.all(before);
    controller.abort(gone);
    await expect(long).rejects.toBe(gone);
    expect((await Promise.all(behind)).map((rows) => rows[0]![0])).toEqual(range(20));
    await expect.poll(running).toEqual([]);
  });

  it('does not cancel an aborted read before it has started', async () => {
    const db = await open(1);
    await db.query('SELECT 1', []);
    const controller = new AbortController();
    const first = db.query(sleeping, [1, 0.3]);
    const second = db.query(sleeping, [2, 600], { signal: controller.signal });
    const third = db.query(sleeping, [3, 0]);
    await expect.poll(async () => (await running()).length).toBe(1);
    controller.abort(gone);
    await expect(second).rejects.toBe(gone);
    expect((await first)[0]![0]).toBe(1);
    expect((await third)[0]![0]).toBe(3);
    await expect.poll(running).toEqual([]);
  });

  it('never affects other reads when reads are aborted', async () => {
    const db = await open(3);
    let wrong = 0;
    let aborted = 0;
    await Promise.all(
      range(400).map(async (each) => {
        // Waits on time: reads begin and are aborted at moments that no event marks.
        await sleep(each % 40);
        const controller = new AbortController();
        const isAborted = each % 3 === 0;
        // Waits on time: the same holds for the abort.
        if (isAborted) setTimeout(() => controller.abort(gone), each % 7);
        const answer = db.query(sleeping, [each, 0.002], { signal: controller.signal });
        await answer.then(
          (rows) => {
            if (rows[0]![0] !== each) wrong++;
          },
          (error) => {
            if (error === gone && isAborted) aborted++;
            else throw error;
          },
        );
      }),
    );
    expect(wrong).toBe(0);
    expect(aborted).toBeGreaterThan(20);
    await expect.poll(running).toEqual([]);
    const { rows } = await other.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'trellis'`,
    );
    expect(rows.length).toBeLessThan(20);
  });

  it('cancels a transaction that waits for a row, and closes its connection', async () => {
    const db = await open(1);
    await db.transaction((tx) => tx.enterprise.create({ data: enterprise('held') }));
    await other.query('BEGIN');
    await other.query(`SELECT 1 FROM enterprise WHERE id = 'held' FOR UPDATE`);
    const controller = new AbortController();
    const writing = db.transaction(
      (tx) => tx.enterprise.update({ where: { id: 'held' }, data: { alias: 'changed' } }),
      controller.signal,
    );
    const refused = expect(writing).rejects.toBe(gone);
    // Within its transaction the other client would see the same numbers for ever.
    const waiting = async () => {
      await other.query('SELECT pg_stat_clear_snapshot()');
      return (await running()).filter((each) => each.wait_event_type === 'Lock').length;
    };
    await expect.poll(waiting).toBe(1);
    controller.abort(gone);
    await refused;
    await expect.poll(waiting).toBe(0);
    await other.query('ROLLBACK');
    expect(await db.query(`SELECT alias FROM enterprise WHERE id = 'held'`, [])).toEqual([['held']]);
    await db.transaction((tx) => tx.enterprise.update({ where: { id: 'held' }, data: { alias: 'changed' } }));
  });
});

describe('a database that nobody wrote to for a month', () => {
  afterAll(() => vi.useRealTimers());

  it('takes the next transaction', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const db = await open(1);
    await db.transaction((tx) => tx.enterprise.create({ data: enterprise('before') }));
    await vi.advanceTimersByTimeAsync(30 * 24 * 60 * 60 * 1000);
    await db.transaction((tx) => tx.enterprise.create({ data: enterprise('after') }));
    vi.useRealTimers();
    expect(await count(db, 'after')).toBe(1);
  });
});
