import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createMigratedDatabase } from '../support/trellis.ts';

/** Starts transactions at once and a little later, so that some begin while the database closes. */
const transactions = (db: Database) =>
  Array.from({ length: 8 }, async (_, index) => {
    // Waits on time: the database closes at moments that no event marks.
    await sleep(index);
    await db.transaction(async (tx) => {
      await tx.$read('SELECT 1 AS one', []);
      // Waits on time: some transactions last longer than others.
      await sleep(index % 3);
      await tx.$read('SELECT 1 AS one', []);
    });
  });

it('closes while transactions begin and run', async () => {
  const { url, drop } = await createMigratedDatabase();
  for (let round = 0; round < 30; round++) {
    const db = await openDatabase({ url, poolSize: 5, onConnectionError: () => {} });
    await db.query('SELECT 1 AS one', []);
    const ended = Promise.allSettled(transactions(db));
    // Waits on time: each round closes at another moment of the transactions.
    await sleep(round % 10);
    // A database that does not close is found by the timeout of the test.
    await db.close();
    for (const each of await ended) {
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'UNAVAILABLE' });
    }
  }
  await drop();
});
