import type { Services } from '../../../context.ts';
import type { Database } from '../../../db/open.ts';
import type { RecordKey } from '../../../kernel/record-key.ts';
import { recordedEnterprises, sealsToDelete } from '../seals/reads.ts';
import { deleteSealedEvents } from '../seals/rows.ts';
import { inBatches } from '../upkeep/in-batches-operations.ts';
import type { UpkeepTask } from '../upkeep/upkeep-operations.ts';

const dayMs = 86_400_000;
const deleteEveryMs = 600_000;

/** The most seals, and with them events, that are deleted at once. */
const mostSeals = 4;

/** Deletes events that are older than a number of days, from time to time. */
export const recordRetention = ({ db, seal }: Pick<Services, 'db' | 'seal'>, days: number): UpkeepTask => ({
  name: 'record retention',
  everyMs: deleteEveryMs,
  run: (signal) => deleteRecord({ db, key: seal.recordKey }, new Date(Date.now() - days * dayMs), signal),
});

/** Deletes the events before a time, by whole seals. The last seal of an enterprise keeps its events. */
export async function deleteRecord(
  { db, key }: { db: Database; key: RecordKey },
  before: Date,
  signal = new AbortController().signal,
): Promise<number> {
  let count = 0;
  for (const { id } of await recordedEnterprises(db)) {
    let number = 0;
    await inBatches(signal, { most: mostSeals }, async (size) => {
      const seals = await sealsToDelete(db, id, { after: number, before, limit: size });
      const [first] = seals;
      if (!first) return false;
      number = seals.at(-1)!.number;
      count += await db.transaction((tx) => deleteSealedEvents(tx, seals, key));
      return true;
    });
  }
  return count;
}
