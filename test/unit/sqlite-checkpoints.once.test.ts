import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { Checkpoints } from '../../src/db/sqlite-checkpoints.ts';

it('what was committed is copied into the database file while another transaction is open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'checkpoints-'));
  const path = join(folder, 'test.db');
  const open = () => new Sqlite(path).exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
  const [writing, other] = [open(), open()];
  const checkpoints = new Checkpoints(path, other);
  onTestFinished(async () => {
    await checkpoints.close();
    for (const database of [writing, other]) database.close();
    rmSync(folder, { recursive: true });
  });
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
    await expect.poll(copiedAfterCommit, { interval: 5, timeout: 20_000 }).toBe(log);
    writing.exec('ROLLBACK');
    // The log starts again from its beginning.
    expect(grow(), `after copy ${wanted}`).toBeLessThan(1_000);
  }
});
