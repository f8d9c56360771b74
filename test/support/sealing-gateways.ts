import { afterAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { checkRecord } from '../../src/domain/event/seals/check-reads.ts';
import { recordedEnterprises, sealsAfter } from '../../src/domain/event/seals/reads.ts';
import { createRecordKey } from '../../src/kernel/record-key.ts';
import { clientOf } from './gateways.ts';
import { endProcesses, startProcess } from './process.ts';
import { createMigratedDatabase, databaseKind } from './trellis.ts';

const token = 'a-token-of-at-least-32-characters';
const secretKey = 'cd'.repeat(32);

/** Two gateways make so many changes each, three times, the last time without one of them. */
export function testSealing(changes: number): void {
  afterAll(endProcesses);

  // With SQLite, one process serves a database.
  describe.skipIf(databaseKind === 'sqlite')('the record of two gateways', { timeout: 180_000 }, () => {
    it('is one chain of seals, while both make changes and one is killed', async () => {
      const database = await createMigratedDatabase();
      const settings = {
        DATABASE_URL: database.url,
        SECRET_KEY: secretKey,
        BOOTSTRAP_TOKEN: token,
        RATE_LIMIT_PER_SECOND: '0',
      };
      const processes = [startProcess(settings), startProcess(settings)];
      const urls = await Promise.all(processes.map(({ listening }) => listening));
      const db = await openDatabase({ url: database.url, poolSize: 2 });
      const [enterprise] = await recordedEnterprises(db);
      const clients = urls.map((url) => clientOf(url, token, db));
      const lastEventId = async () => Number((await db.query('SELECT max(id) FROM event', []))[0]![0]);
      const seals = () => sealsAfter(db, enterprise!.id, 0, 1_000);

      let count = 0;
      /** Makes changes with these gateways at the same time. */
      const makeChanges = (gateways: typeof clients) =>
        Promise.all(
          gateways.map(async (gateway) => {
            for (let made = 0; made < changes; made++)
              await gateway.succeed('createTeam', { name: `team-${++count}`, alias: 'A team' }, '__typename');
          }),
        );
      const untilSealed = async () => {
        const last = await lastEventId();
        await vi.waitFor(
          async () => expect((await seals()).at(-1)?.lastEventId).toBeGreaterThanOrEqual(last),
          {
            timeout: 90_000,
            interval: 200,
          },
        );
      };

      await makeChanges(clients);
      await untilSealed();
      await makeChanges(clients);
      processes[0]!.child.kill('SIGKILL');
      await processes[0]!.ended;
      await makeChanges(clients.slice(1));
      await untilSealed();
      processes[1]!.child.kill('SIGTERM');
      await processes[1]!.ended;

      const report = await checkRecord(db, enterprise!.id, createRecordKey(Buffer.from(secretKey, 'hex')));
      expect(report.problem).toBeUndefined();
      expect(report.events).toBeGreaterThanOrEqual(5 * changes);
      const numbers = (await seals()).map(({ number }) => number);
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      expect(numbers.length).toBeGreaterThan(1);
      await db.close();
      await database.drop();
    });
  });
}
