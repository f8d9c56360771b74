import { afterAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { endCommandDatabases, freshSettings } from '../support/command-databases.ts';
import { start } from '../support/commands.ts';
import { settledApplications, startDemo } from '../support/demo.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

afterAll(endCommandDatabases);

/** The database of a demo that has begun to fill it. */
async function waitForComponent(url: string) {
  for (let db: Database | undefined; ; ) {
    try {
      db ??= await openDatabase({ url, poolSize: 1 });
      const [row] = await db.query('SELECT count(*) FROM "component"', []);
      if (Number(row![0]) > 3) return db;
    } catch {
      await db?.close();
      db = undefined;
    }
    // Waits on time: nothing reports how far the start is, and to ask without a pause takes a core.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('npm run demo', { timeout: 240_000 }, () => {
  it('completes a start that was interrupted', async () => {
    const whole = { ...(await freshSettings()), SIMULATED_DELAY_MS: '1000', SLOW_REQUEST_MS: '600000' };
    const uninterrupted = await startDemo(whole);
    const applications = await settledApplications(uninterrupted);
    await uninterrupted.stop();

    const interrupted = { ...(await freshSettings()), SIMULATED_DELAY_MS: '1000' };
    const first = start('demo', [], { ...interrupted, PORT: '0' });
    const db = await waitForComponent(interrupted.DATABASE_URL);
    first.child.kill('SIGKILL');
    await first.ended;
    const [row] = await db.query('SELECT count(*) FROM "component"', []);
    await db.close();
    expect(Number(row![0])).toBeLessThan(34);

    const second = await startDemo({ ...interrupted, BOOTSTRAP_TOKEN: 'x'.repeat(40) });
    const found = await settledApplications(second);
    await second.stop();
    expect(found).toEqual(applications);
  });
});
