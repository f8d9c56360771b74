import { beforeAll, describe, expect, it } from 'vitest';
import { type ChangeContext, change, type Write } from '../../../src/db/write/change.ts';
import { dryRun } from '../../../src/db/write/dry-run.ts';
import type { RecordedEvent } from '../../../src/db/write/record.ts';
import { asTrellis } from '../../../src/domain/access-token/bootstrap-operations.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let context: ChangeContext;
let enterpriseId: string;
beforeAll(async () => {
  const { db } = trellis.services;
  enterpriseId = (await db.query('SELECT id FROM enterprise', []))[0]![0] as string;
  context = asTrellis(db, enterpriseId, 'change test');
});

const events = () =>
  trellis.services.db.event.findManyByKeys({
    by: 'enterpriseId',
    keys: [enterpriseId],
    fields: ['id', 'action', 'changes'],
    where: [{ field: 'action', is: 'demo.create' }],
  });
const unchanged = (): RecordedEvent => ({
  subject: { type: 'Enterprise', id: enterpriseId },
  before: { name: 'same' },
  after: { name: 'same' },
});

describe('a change', () => {
  it('records no event when no column differs', async () => {
    await change(context, 'demo.create', async ({ recordEvent }) => recordEvent(unchanged()));
    expect(await events()).toEqual([]);
  });

  it('records an event without a difference when told to', async () => {
    await change(context, 'demo.create', async ({ recordEvent }) =>
      recordEvent({ ...unchanged(), evenIfUnchanged: true }),
    );
    expect(await events()).toMatchObject([{ action: 'demo.create', changes: '{}' }]);
  });

  it('calls its hooks after the commit', async () => {
    const order: string[] = [];
    await change(context, 'demo.create', async ({ afterCommit }) => {
      afterCommit(() => order.push('hook'));
      order.push('work');
    });
    expect(order).toEqual(['work', 'hook']);
  });

  it('calls no hook when it fails', async () => {
    let calls = 0;
    const failing = change(context, 'demo.create', async ({ afterCommit }) => {
      afterCommit(() => calls++);
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    expect(calls).toBe(0);
  });

  it('is not made when a write fails', async () => {
    const { db } = trellis.services;
    const where = { id: enterpriseId };
    const aliases = () => db.query('SELECT alias FROM enterprise', []);
    const data = { id: enterpriseId, name: 'twice', alias: 'twice', createdAt: new Date() };
    const before = await aliases();
    const failures: ((write: Write) => Promise<unknown>)[] = [
      ({ tx }) => tx.$write('INSERT INTO enterprise SELECT * FROM enterprise', []),
      ({ tx }) => tx.enterprise.create({ data }),
    ];
    // More often than there are connections.
    for (const fail of Array.from({ length: 12 }, () => failures).flat()) {
      const failing = change(context, 'demo.create', async (write) => {
        await write.tx.enterprise.update({ where, data: { alias: 'changed' } });
        await fail(write);
      });
      await expect(failing).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    expect(await aliases()).toEqual(before);
    await change(context, 'demo.create', async ({ tx }) => {
      await tx.enterprise.update({ where, data: { alias: 'later' } });
    });
    expect(await aliases()).toEqual([['later']]);
  });
});

describe('a dry run', () => {
  it('records no event and calls no hook', async () => {
    const before = await events();
    let calls = 0;
    const result = await dryRun(context, async ({ recordEvent, afterCommit }) => {
      afterCommit(() => calls++);
      recordEvent({ ...unchanged(), evenIfUnchanged: true });
      return 'result';
    });
    expect({ result, calls, events: await events() }).toEqual({ result: 'result', calls: 0, events: before });
  });
});
