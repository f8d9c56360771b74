import { randomUUID } from 'node:crypto';
import type { Services } from '../../context.ts';
import type { Database } from '../../db/open.ts';
import { change } from '../../db/write/change.ts';
import { asTrellis } from '../access-token/bootstrap-operations.ts';
import type { UpkeepTask } from '../upkeep/operations.ts';
import { lapseGroups } from './identity-operations.ts';
import { beginConfirmations, canLapse } from './identity-rows.ts';

const dayMs = 86_400_000;
const everyMs = 600_000;
/** The most users that are read or changed at once. */
const atOnce = 100;

/** Takes away what groups of the identity provider have given to users whom it has not named for a number of days. */
export const groupLapse = ({ db }: Pick<Services, 'db'>, days: number): UpkeepTask => ({
  name: 'memberships of groups',
  everyMs,
  run: (signal) => lapseUnconfirmed(db, new Date(Date.now() - days * dayMs), signal),
});

/** Takes away what groups have given to users who were last confirmed before a time. */
export async function lapseUnconfirmed(
  db: Database,
  before: Date,
  signal = new AbortController().signal,
): Promise<void> {
  // Of earlier versions, or what had to stay when the rest lapsed.
  while (!signal.aborted) {
    const begun = await db.transaction((tx) => beginConfirmations(tx, new Date(), atOnce));
    if (begun < atOnce) break;
  }
  let last = 0;
  while (!signal.aborted) {
    const found = await db.transaction((tx) =>
      tx.identity.findMany({
        where: { userId: { gt: last }, groupsConfirmedAt: { lt: before }, ...canLapse },
        select: { user: true },
        orderBy: { userId: 'asc' },
        take: atOnce,
      }),
    );
    for (const { user } of found) {
      if (signal.aborted) return;
      const context = asTrellis(db, user.enterpriseId, randomUUID());
      await change(context, 'user.update', (write) => lapseGroups(write, user, before));
    }
    if (found.length < atOnce) return;
    last = found.at(-1)!.user.id;
  }
}
