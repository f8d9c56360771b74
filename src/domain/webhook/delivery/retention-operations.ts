import type { Services } from '../../../context.ts';
import { inBatches } from '../../upkeep/batch-operations.ts';
import type { UpkeepTask } from '../../upkeep/operations.ts';
import { keepFinishedMs } from './model.ts';
import { deleteFinished } from './rows.ts';

/** The most deliveries that are deleted at once. */
const most = 200;

/** Deletes finished deliveries that are old. */
export const deliveryRetention = (
  { db }: Pick<Services, 'db'>,
  { keepMs = keepFinishedMs, everyMs = 600_000 } = {},
): UpkeepTask => ({
  name: 'webhook delivery retention',
  everyMs,
  run: (signal, now) =>
    inBatches({ db, most, signal }, async (limit) => {
      const before = new Date(now.getTime() - keepMs);
      const deleted = await db.transaction((tx) => deleteFinished({ tx }, { before, limit }));
      return deleted === limit;
    }),
});
