import type { Services } from '../../context.ts';
import type { Database } from '../../db/open.ts';
import { inBatches } from '../upkeep/batch-operations.ts';
import type { UpkeepTask } from '../upkeep/operations.ts';
import { keepEndedMs } from './model.ts';
import { removeEndedTokens } from './rows.ts';

const everyMs = 3_600_000;
/** The most tokens that are deleted at once. */
const most = 200;

/** Deletes tokens long after they expired or were revoked. */
export const tokenRetention = ({ db }: Pick<Services, 'db'>): UpkeepTask => ({
  name: 'access token retention',
  everyMs,
  run: (signal, now) => deleteEndedTokens(db, new Date(now.getTime() - keepEndedMs), signal),
});

/** Deletes the tokens that expired or were revoked before a time, in small batches. */
export const deleteEndedTokens = (
  db: Database,
  before: Date,
  signal = new AbortController().signal,
): Promise<void> =>
  inBatches({ db, most, signal }, async (limit) => {
    const deleted = await db.transaction((tx) => removeEndedTokens(tx, before, limit));
    return deleted > 0;
  });
