import type { Reader } from '../../../db/query/reader.ts';
import type { PublicKey } from '../../../kernel/record-key.ts';
import { type ChainReport, countSeal, newReport, problemOf, trustedKeys } from './check-model.ts';
import type { Seal } from './model.ts';
import { countAfter, eventsBetween, retiredKeys, sealsAfter } from './reads.ts';

const sealsAtOnce = 20;

/** Checks all seals of an enterprise and the events under them. Stops at the first problem. */
export async function checkRecord(
  db: Reader,
  enterpriseId: string,
  current: PublicKey,
): Promise<ChainReport> {
  const report = newReport();
  const keys = trustedKeys(current, await retiredKeys(db));
  let previous: Seal | undefined;
  for (;;) {
    const seals = await sealsAfter(db, enterpriseId, previous?.number ?? 0, sealsAtOnce);
    for (const seal of seals) {
      const check = await checkSeal(db, { seal, previous, keys });
      report.problem = check.problem;
      if (check.problem) return report;
      countSeal(report, check.seal, check.events);
      previous = check.seal;
    }
    if (seals.length < sealsAtOnce) break;
  }
  report.unsealedEvents = await countAfter(db, enterpriseId, previous?.lastEventId ?? 0);
  return report;
}

async function checkSeal(
  db: Reader,
  { seal, previous, keys }: { seal: Seal; previous: Seal | undefined; keys: readonly PublicKey[] },
) {
  const { enterpriseId } = seal;
  const range = [previous?.lastEventId ?? 0, seal.lastEventId] as const;
  const check = async (current: Seal) => {
    // One more than there were shows that there is one too many.
    const events = await eventsBetween(db, enterpriseId, range, seal.eventCount + 1);
    const problem = problemOf({ seal: current, previous, events, after: 0, keys });
    return { seal: current, events: events.length, problem };
  };
  const result = await check(seal);
  if (!result.problem) return result;
  // The events may have been deleted after their time since the seal was read.
  const [now] = await sealsAfter(db, enterpriseId, seal.number - 1, 1);
  return now && now.number === seal.number && now.deletedAt !== seal.deletedAt ? check(now) : result;
}
