import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { Pipelines } from '../../src/db/postgres/pipeline.ts';
import { createMigratedDatabase, databaseKind } from '../support/trellis.ts';

/** SQLite has no connections to have several statements on. */
describe.skipIf(databaseKind === 'sqlite')('reads on Postgres', () => {
  const poolSize = 3;
  let database: Awaited<ReturnType<typeof createMigratedDatabase>>;
  /** Another connection, to look at those of the database and to end them. */
  let other: pg.Client;
  const opened: Database[] = [];
  const errors: Error[] = [];
  beforeAll(async () => {
    database = await createMigratedDatabase();
    other = new pg.Client({ connectionString: database.url });
    await other.connect();
  });
  afterAll(async () => {
    // Those of tests that did not get to their end.
    await Promise.all(opened.map((db) => db.close().catch(() => {})));
    await other?.end();
    await database?.drop();
  });

  const openOne = async (): Promise<Database> => {
    const db = await openDatabase({
      url: database.url,
      poolSize,
      onConnectionError: (error) => errors.push(error),
    });
    opened.push(db);
    return db;
  };

  const timeout = 60_000;
  const number = 'SELECT $1::int, $2::float8, pg_sleep($2::float8)';
  const ask = async (db: Database, each: number, seconds = 0) =>
    (await db.query(number, [each, seconds]))[0]![0];
  const range = (size: number) => Array.from({ length: size }, (_, each) => each);
  const backends = async () => {
    const found = await other.query(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'trellis'`,
    );
    return found.rows.map(({ pid }) => pid as number);
  };
  /** How many connections carry out a statement. */
  const active = async () => {
    const { rows } = await other.query(
      `SELECT 1 FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'trellis' AND state = 'active'`,
    );
    return rows.length;
  };
  const terminate = async () => {
    for (const pid of await backends()) await other.query('SELECT pg_terminate_backend($1)', [pid]);
  };
  /** How many connections for reads the database believes to have. */
  const open = (db: Database) => db.pools().find(({ pool }) => pool === 'read')!.open;

  it('are answered each with its own rows, however many there are at once', { timeout }, async () => {
    const db = await openOne();
    const asked = range(600);
    const answers = await Promise.all(asked.map((each) => ask(db, each, each % 50 === 0 ? 0.02 : 0)));
    expect(answers).toEqual(asked);
    expect((await backends()).length).toBeLessThanOrEqual(poolSize);
    await db.close();
  });

  it('are answered whatever they are: of any length, and more texts than stay prepared', {
    timeout,
  }, async () => {
    const db = await openOne();
    const answers = await Promise.all(
      range(700).map((each) => db.query(`SELECT ${each}, repeat('x', ${each % 7 === 0 ? 200_000 : 3})`, [])),
    );
    for (const [each, rows] of answers.entries()) {
      expect(rows[0]![0]).toBe(each);
      expect(rows[0]![1]).toHaveLength(each % 7 === 0 ? 200_000 : 3);
    }
    await db.close();
  });

  it('of one caller, with more texts than stay prepared, leave those of others prepared', {
    timeout,
  }, async () => {
    const db = await openOne();
    const ofOther = () => db.query('SELECT $1::int', [1], { caller: 'other' });
    await ofOther();
    const before = await backends();
    const texts = range(1_200).map((each) => `SELECT ${each}`);
    for (let at = 0; at < texts.length; at += 100) {
      const part = texts.slice(at, at + 100);
      const rows = await Promise.all(part.map((text) => db.query(text, [], { caller: 'one' })));
      expect(rows.map(([row]) => row![0])).toEqual(part.map((_, index) => at + index));
    }
    expect(await ofOther()).toEqual([[1]]);
    expect(await backends()).toEqual(expect.arrayContaining(before));
    await db.close();
  });

  it('of one caller leave connections to those of others', { timeout }, async () => {
    const db = await openOne();
    const ended = new AbortController();
    const slow = Promise.allSettled(
      range(40).map((each) => db.query(number, [each, 60], { signal: ended.signal, caller: 'one' })),
    );
    await expect.poll(active).toBe(Math.ceil(poolSize / 2));
    for (let times = 0; times < 3; times++) {
      const others = range(20).map((each) => db.query(number, [each, 0], { caller: 'other' }));
      expect((await Promise.all(others)).map(([row]) => row![0])).toEqual(range(20));
    }
    expect(await active()).toBe(Math.ceil(poolSize / 2));
    ended.abort(new Error('ended'));
    expect((await slow).map(({ status }) => status)).toEqual(range(40).map(() => 'rejected'));
    await db.close();
  });

  it('of others do not get between the slow ones of a caller', { timeout }, async () => {
    const db = await openOne();
    let answered = 0;
    const passed: Promise<number>[] = [];
    const slow = range(16).map(async (each) => {
      await db.query(number, [each, 0.3], { caller: 'one' });
      const before = ++answered;
      // The connection has responded just now, and those that follow on it have not.
      const other = db.query(number, [each, 0], { caller: 'other' });
      passed.push(other.then(() => answered - before));
    });
    await Promise.all(slow);
    expect(Math.max(...(await Promise.all(passed)))).toBeLessThan(4);
    await db.close();
  });

  it('of one caller that were aborted count until they are cancelled', { timeout }, async () => {
    const db = await openOne();
    const ended = new AbortController();
    const slow = (count: number) =>
      Promise.allSettled(
        range(count).map((each) => db.query(number, [each, 60], { signal: ended.signal, caller: 'one' })),
      );
    const first = slow(30);
    await expect.poll(active).toBe(Math.ceil(poolSize / 2));
    // Those that are sent at the same moment are behind the ones that are cancelled.
    ended.abort(new Error('ended'));
    const again = range(30).map((each) => db.query(number, [each, 0], { caller: 'one' }));
    const others = range(20).map((each) => db.query(number, [each, 0], { caller: 'other' }));
    expect(open(db)).toBeLessThanOrEqual(poolSize);
    expect((await Promise.all(others)).map(([row]) => row![0])).toEqual(range(20));
    expect((await Promise.all(again)).map(([row]) => row![0])).toEqual(range(30));
    expect((await first).map(({ status }) => status)).toEqual(range(30).map(() => 'rejected'));
    await db.close();
  });

  it('fail alone', { timeout }, async () => {
    const db = await openOne();
    const bad: [text: string, params: unknown[], message: RegExp][] = [
      ['SELECT 1 / $1::int', [0], /division by zero/],
      ['SELEKT 1', [], /syntax error/],
      ['SELECT * FROM nowhere', [], /does not exist/],
      ['SELECT $1::int', ['x'], /invalid input syntax/],
      ['SELECT $1::int', [], /bind message supplies 0 parameters/],
      ['SELECT $1::text', ['\u0000'], /invalid byte sequence/],
      ['SELECT count(*) FROM generate_series(1, 9) HAVING 1 / (count(*) - 9) > 0', [], /division by zero/],
    ];
    for (let times = 0; times < 3; times++) {
      const settled = await Promise.all(
        range(210).map((each) => {
          const failing = each % 10 === 3 ? bad[((each / 10) % bad.length) | 0] : undefined;
          if (!failing) return ask(db, each);
          return db.query(failing[0], failing[1]).then(
            () => 'answered',
            (error: Error) => (failing[2].test(error.message) ? each : error.message),
          );
        }),
      );
      expect(settled).toEqual(range(210));
    }
    await db.close();
  });

  it('that are under way fail when their connection is ended; the next ones are answered', {
    timeout,
  }, async () => {
    const db = await openOne();
    expect(await ask(db, 1)).toBe(1);
    for (let times = 0; times < 3; times++) {
      const underWay = Promise.allSettled(range(40).map((each) => ask(db, each, 60)));
      await expect.poll(active).toBe(poolSize);
      await terminate();
      const settled = await underWay;
      expect(settled.map(({ status }) => status)).toEqual(range(40).map(() => 'rejected'));
      expect(await Promise.all(range(40).map((each) => ask(db, each)))).toEqual(range(40));
    }
    await db.close();
  });

  it('are answered after an idle connection was ended', { timeout }, async () => {
    const db = await openOne();
    for (let times = 0; times < 3; times++) {
      await Promise.all(range(40).map((each) => ask(db, each)));
      errors.length = 0;
      await terminate();
      // It has noticed the end of each.
      await expect.poll(() => open(db)).toBe(0);
      expect(errors.length).toBeGreaterThan(0);
      expect(await Promise.all(range(40).map((each) => ask(db, each)))).toEqual(range(40));
    }
    await db.close();
  });

  it('are planned once', { timeout }, async () => {
    const db = await openOne();
    for (let times = 0; times < 10; times++) await ask(db, times);
    const plans = 'SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement = $1';
    expect(await db.query(plans, [number])).toEqual([[10, 0]]);
    await db.close();
  });

  it('end before the database is closed, whether they were sent or not', { timeout }, async () => {
    const locked = 'SELECT $1::int, pg_advisory_lock_shared(9)';
    for (const isConnected of [true, false]) {
      const db = await openOne();
      if (isConnected) await ask(db, 0);
      await other.query('SELECT pg_advisory_lock(9)');
      const underWay = Promise.all(range(60).map(async (each) => (await db.query(locked, [each]))[0]![0]));
      if (isConnected) await expect.poll(active).toBe(poolSize);
      const closed = db.close();
      await other.query('SELECT pg_advisory_unlock(9)');
      expect(await underWay).toEqual(range(60));
      await closed;
      await expect(ask(db, 1)).rejects.toMatchObject({ cause: { message: 'The database is closed.' } });
      await expect.poll(backends).toEqual([]);
    }
  });

  it('fail where nothing listens, and are tried anew the next time', { timeout }, async () => {
    const readers = new Pipelines(
      { host: '127.0.0.1', port: 1, connectionTimeoutMillis: 2_000 },
      2,
      () => {},
    );
    for (let times = 0; times < 3; times++) {
      const settled = await Promise.allSettled(range(30).map(() => readers.query({ text: 'SELECT 1' }, {})));
      for (const each of settled) expect(each).toMatchObject({ reason: { code: 'ECONNREFUSED' } });
    }
    await readers.close();
  });
});
