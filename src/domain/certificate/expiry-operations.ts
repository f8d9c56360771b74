import { randomUUID } from 'node:crypto';
import type { Services } from '../../context.ts';
import type { Database } from '../../db/open.ts';
import { change } from '../../db/write/change.ts';
import { createLoaders } from '../../kernel/batch.ts';
import type { UpkeepTask } from '../upkeep/operations.ts';
import { setTold } from './rows.ts';

const dayMs = 86_400_000;

/** How many days before its end a certificate is recorded to expire. */
const toldDays = [30, 7, 1] as const;

/** How often certificates are looked at. */
const everyMs = 600_000;
const atOnce = 100;

/** Records that certificates expire soon, each number of days once. */
export const certificateExpiry = ({ db }: Pick<Services, 'db'>): UpkeepTask => ({
  name: 'expiry of certificates',
  everyMs,
  run: (signal, now) => recordExpiring(db, now, signal),
});

/** Records which certificates expire soon at a time. Of several numbers of days that have passed, the last one. */
export async function recordExpiring(
  db: Database,
  now: Date,
  signal = new AbortController().signal,
): Promise<void> {
  for (const days of toldDays.toReversed()) {
    let last = 0;
    while (!signal.aborted) {
      const found = await db.transaction((tx) =>
        tx.certificate.findMany({
          where: {
            id: { gt: last },
            expiresAt: { gt: now, lte: new Date(now.getTime() + days * dayMs) },
            OR: [{ toldDays: null }, { toldDays: { gt: days } }],
          },
          select: {
            id: true,
            teamId: true,
            name: true,
            expiresAt: true,
            toldDays: true,
            team: { select: { enterpriseId: true } },
          },
          orderBy: { id: 'asc' },
          take: atOnce,
        }),
      );
      for (const { team, ...certificate } of found) {
        if (signal.aborted) return;
        const { enterpriseId } = team;
        const actor = {
          userId: null,
          serviceAccountId: null,
          tokenId: null,
          enterpriseId,
          isReadOnly: false,
        };
        const context = { db, requestId: randomUUID(), loaders: createLoaders(), actor };
        await change(context, 'certificate.expiring', (write) => setTold(write, certificate, days));
      }
      if (found.length < atOnce) break;
      last = found.at(-1)!.id;
    }
  }
}
