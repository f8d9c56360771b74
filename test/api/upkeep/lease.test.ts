import { describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../../src/db/open.ts';
import { Upkeep } from '../../../src/domain/upkeep/operations.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const waiting = { timeout: 60_000, interval: 10 };

/** What looks after the database, as a process of its own does: on its own connections. */
async function processOf(
  name: string,
  runs: string[],
  leaseMs: number,
): Promise<{ db: Database; upkeep: Upkeep }> {
  const { log } = trellis.services;
  const db = await openDatabase({ url: trellis.databaseUrl, poolSize: 2 });
  const task = {
    name: 'test',
    everyMs: 5,
    run: async () => {
      runs.push(name);
    },
  };
  return { db, upkeep: new Upkeep({ db, log }, [task], { leaseMs }) };
}

const has = (runs: string[], name: string, count: number) =>
  vi.waitFor(() => expect(runs.filter((run) => run === name).length).toBeGreaterThanOrEqual(count), waiting);

describe('the upkeep of a database', () => {
  it('is the work of one process, until it stops', async () => {
    const runs: string[] = [];
    const [one, other] = [await processOf('one', runs, 20_000), await processOf('other', runs, 20_000)];
    one.upkeep.start();
    await has(runs, 'one', 1);
    other.upkeep.start();
    await has(runs, 'one', 50);
    expect(runs).not.toContain('other');
    await one.upkeep.stop(10_000);
    const stoppedAt = runs.length;
    await has(runs, 'other', 10);
    expect(runs.slice(stoppedAt)).not.toContain('one');
    await other.upkeep.stop(10_000);
    await Promise.all([one.db.close(), other.db.close()]);
  });

  it('is taken over from a process that does not renew its lease, and has stopped by then', async () => {
    const runs: string[] = [];
    const [lost, other] = [await processOf('lost', runs, 1_000), await processOf('other', runs, 1_000)];
    lost.upkeep.start();
    await has(runs, 'lost', 1);
    other.upkeep.start();
    // As when it was killed: it does not give its lease back.
    await lost.db.close();
    await has(runs, 'other', 10);
    expect(runs.slice(runs.indexOf('other'))).not.toContain('lost');
    await Promise.all([lost.upkeep.stop(1_000), other.upkeep.stop(10_000)]);
    await other.db.close();
  });
});
