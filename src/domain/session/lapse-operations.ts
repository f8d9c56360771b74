import { randomUUID } from 'node:crypto';
import type { Services } from '../../context.ts';
import type { Database } from '../../db/open.ts';
import { change } from '../../db/write/change.ts';
import { asTrellis } from '../access-token/bootstrap-operations.ts';
import { inBatches } from '../upkeep/batch-operations.ts';
import type { UpkeepTask } from '../upkeep/operations.ts';
import { lapseGroups } from './identity-operations.ts';
import { beginConfirmations, canLapse } from './identity-rows.ts';

const dayMs = 86_400_000;
const everyMs = 600_000;
/** The most users of a batch. */
const most = 100;

/** Takes away what groups of the identity provider have given to users whom it has not named for a number of days. */
export const groupLapse = ({ db }: Pick<Services, 'db'>, days: number): UpkeepTask => ({
  name: 'memberships of groups',
  everyMs,
  run: (signal, now) => lapseUnconfirmed(db, { before: new Date(now.getTime() - days * dayMs), now }, signal),
});

/** Takes away what groups have given to users who were last confirmed before a time. `now` is the time of the database. */
export async function lapseUnconfirmed(
  db: Database,
  { before, now }: { before: Date; now: Date },
  signal = new AbortController().signal,
): Promise<void> {
  // Of earlier versions, or what had to stay when the rest lapsed.
  await inBatches({ db, most, signal }, async (size) => {
    return (await db.transaction((tx) => beginConfirmations(tx, now, size))) === size;
  });
  let last = 0;
  await inBatches({ db, most, signal }, async (size) => {
    const found = await db.transaction((tx) =>
      tx.identity.findMany({
        where: { userId: { gt: last }, groupsConfirmedAt: { lt: before }, ...canLapse },
        select: { user: true },
        orderBy: { userId: 'asc' },
        take: size,
      }),
    );
    for (const { user } of found) {
      if (signal.aborted) return false;
      const context = asTrellis(db, user.enterpriseId, randomUUID());
      await change(context, 'user.update', (write) => lapseGroups(write, user, before));
      last = user.id;
    }
    return found.length === size;
  });
}
