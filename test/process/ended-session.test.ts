import { afterEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { createMigratedDatabase, databaseKind } from '../support/trellis.ts';

const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** What a server sends when it ends a session. */
function endOfSession(): Buffer {
  const fields = Buffer.from(
    'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0',
  );
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** Stands before a Postgres, and ends its next sessions in the packet with which they begin. */
async function startProxy(target: URL): Promise<{ url: string; end: { next: number } }> {
  const end = { next: 0 };
  const { url, close } = await startPostgresProxy(target, () => {
    let isBegun = false;
    return {
      fromServer(data, client) {
        const begins = !isBegun && data.subarray(-6).equals(readyForQuery);
        isBegun ||= begins;
        if (begins && end.next > 0) {
          end.next--;
          client.end(Buffer.concat([data, endOfSession()]));
        } else client.write(data);
      },
    };
  });
  opened.push(close);
  return { url, end };
}

describe.skipIf(databaseKind === 'sqlite')(
  'a session that Postgres ends in the packet with which it begins',
  () => {
    it.each([{}, { pooler: 'transaction' as const }])('fails its requests alone: %o', async (options) => {
      const database = await createMigratedDatabase();
      opened.push(() => database.drop());
      const { url, end } = await startProxy(new URL(database.url));
      const db: Database = await openDatabase({ url, poolSize: 2, onConnectionError: () => {}, ...options });
      opened.push(() => db.close());
      const read = async () => (await db.query('SELECT 1', [])).length;
      const write = () => db.transaction((tx) => tx.enterprise.count());
      // An unhandled error of a connection fails the test run.
      for (const work of [write, read]) {
        end.next = 1;
        await work().catch(() => {});
        expect(end.next).toBe(0);
        expect(await work()).toBeGreaterThanOrEqual(0);
      }
    });
  },
);
