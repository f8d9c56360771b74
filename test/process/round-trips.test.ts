import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { createMigratedDatabase, databaseKind } from '../support/trellis.ts';

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

const text = 'BEGIN';

/** The bytes after the message with `BEGIN`. Undefined without one. */
function bytesAfterBegin(data: Buffer): number | undefined {
  const at = data.indexOf(text);
  if (at < 0) return undefined;
  // The message has its type, its length and the text.
  return data.length - (at - 4 + data.readInt32BE(at - 4));
}

/** A database whose server answers nothing in a transaction before the client has sent more than `BEGIN`, and what was sent. */
async function startPatient() {
  const database = await createMigratedDatabase();
  opened.push(() => database.drop());
  const sent: string[] = [];
  const { url, close } = await startPostgresProxy(new URL(database.url), () => {
    let isWaiting = false;
    const held: Buffer[] = [];
    let release = () => {};
    return {
      fromClient(data, upstream) {
        sent.push(data.toString('latin1'));
        const after = bytesAfterBegin(data);
        isWaiting = after === 0;
        upstream.write(data);
        if (!isWaiting) release();
      },
      fromServer(data, client) {
        release = () => held.splice(0).forEach((each) => void client.write(each));
        held.push(data);
        if (!isWaiting) release();
      },
    };
  });
  opened.push(close);
  const db = await openDatabase({ url, poolSize: 2 });
  opened.push(() => db.close());
  return { db, sent };
}

describe.skipIf(databaseKind === 'sqlite')('a transaction on Postgres', () => {
  it('does not wait for its start before it sends its first statement', async () => {
    const { db, sent } = await startPatient();
    expect(await db.transaction((tx) => tx.enterprise.count())).toBe(0);
    expect(sent.filter((each) => each.includes(text))).toHaveLength(1);
  });

  it('sends nothing if it has no statement', async () => {
    const { db, sent } = await startPatient();
    await db.transaction((tx) => tx.enterprise.count());
    sent.length = 0;
    await db.transaction(async () => 'nothing');
    await expect(
      db.transaction(async () => {
        throw new Error('refused');
      }),
    ).rejects.toThrow('refused');
    expect(sent).toEqual([]);
  });

  it('reports the error of its first statement', async () => {
    const { db } = await startPatient();
    const broken = db.transaction(async (tx) => {
      await tx.$read('SELECT 1/0', []);
    });
    await expect(broken).rejects.toThrow('division by zero');
    expect(await db.transaction((tx) => tx.enterprise.count())).toBe(0);
  });

  it('sends statements of one moment together, in their order', async () => {
    const { db, sent } = await startPatient();
    const rows = await db.transaction(async (tx) => {
      await tx.$read('SELECT 0', []);
      sent.length = 0;
      return Promise.all([tx.$read('SELECT 1', []), tx.$read('SELECT 2', [])]);
    });
    expect(rows).toEqual([[[1]], [[2]]]);
    expect(sent[0]).toMatch(/SELECT 1.*SELECT 2/s);
  });
});
