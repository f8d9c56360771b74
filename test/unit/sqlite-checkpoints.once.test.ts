import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { Checkpoints } from '../../src/db/sqlite/checkpoints.ts';

/** An empty database with a connection that writes, whose commits copy nothing themselves. */
function open(options?: { copyAfterMs: number }) {
  const folder = mkdtempSync(join(tmpdir(), 'checkpoints-'));
  const path = join(folder, 'test.db');
  const connect = () => new Sqlite(path).exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
  const [writing, other] = [connect(), connect()];
  const checkpoints = new Checkpoints(path, other, options);
  onTestFinished(async () => {
    await checkpoints.close();
    for (const database of [writing, other]) database.close();
    rmSync(folder, { recursive: true });
  });
  return { writing, other, checkpoints, logBytes: () => statSync(`${path}-wal`).size };
}

it('what was committed is copied into the database file while another transaction is open', async () => {
  const { writing, other, checkpoints } = open();
  const copied = () => other.pragma('wal_checkpoint(NOOP)') as [{ log: number; checkpointed: number }];
  const copiedAfterCommit = () => {
    checkpoints.committed();
    return copied()[0].checkpointed;
  };
  const grow = () => {
    writing.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
       INSERT INTO page SELECT randomblob(4000) FROM n`,
    );
    copiedAfterCommit();
    return copied()[0].log;
  };
  writing.exec('CREATE TABLE page (content)');
  for (const wanted of [1, 2]) {
    let log = 0;
    while (log < 1_000) log = grow();
    writing.exec('BEGIN IMMEDIATE');
    await expect.poll(copiedAfterCommit, { interval: 5, timeout: 90_000 }).toBe(log);
    writing.exec('ROLLBACK');
    // The log starts again from its beginning.
    expect(grow(), `after copy ${wanted}`).toBeLessThan(1_000);
  }
});

it('the log stays small while transactions follow each other', async () => {
  const { writing, checkpoints, logBytes } = open();
  writing.exec(
    `CREATE TABLE page (id INTEGER PRIMARY KEY, content);
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
     INSERT INTO page SELECT i, randomblob(4000) FROM n`,
  );
  const change = writing.prepare('UPDATE page SET content = randomblob(4000) WHERE id % 20 = ?');
  let most = 0;
  // 100 MiB in all.
  for (let nth = 0; nth < 500; nth++) {
    await checkpoints.room();
    change.run(nth % 20);
    checkpoints.committed();
    most = Math.max(most, logBytes());
    await setImmediate();
  }
  expect(most).toBeLessThan(24 * 2 ** 20);
});

it('what a transaction leaves in the log is copied after a while, and the log is emptied', async () => {
  const { writing, checkpoints, logBytes } = open({ copyAfterMs: 5 });
  writing.exec('CREATE TABLE page (content)');
  checkpoints.committed();
  expect(logBytes()).toBeGreaterThan(0);
  await expect.poll(logBytes, { interval: 5, timeout: 90_000 }).toBe(0);
});
