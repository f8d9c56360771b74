import type { Transaction } from '../../../db/open.ts';
import { mayClaim, noLease } from '../../../db/work/protocol.ts';

/** A process, and the time by the clock of the database. */
export interface Claim {
  owner: string;
  now: Date;
  until: Date;
  /** Later than any lease ends: one that ends later was written before the clock was set back. */
  latest: Date;
}

/** Renews the leases of a process, and takes those that nobody holds. Returns the regions that it holds. */
export async function claimRegions(
  { tx }: { tx: Transaction },
  regionIds: readonly string[],
  { owner, now, until, latest }: Claim,
): Promise<Set<string>> {
  const rows = await tx.regionLease.findMany({ where: { regionId: { in: [...regionIds] } } });
  const known = new Map(rows.map((row) => [row.regionId, row]));
  const claimed = new Set<string>();
  for (const regionId of regionIds) {
    const lease = known.get(regionId);
    const held = lease ? { owner: lease.owner, untilMs: lease.until.getTime() } : noLease;
    if (!mayClaim(held, owner, now.getTime(), latest.getTime())) continue;
    // Another process can have been faster, which changes the row or has inserted it.
    const { count } = lease
      ? await tx.regionLease.updateMany({
          where: { regionId, owner: lease.owner, until: lease.until },
          data: { owner, until },
        })
      : await tx.regionLease.createMany({ data: [{ regionId, owner, until }] });
    if (count > 0) claimed.add(regionId);
  }
  return claimed;
}

/** Gives up the leases of a process, so that others need not wait until they end. */
export async function releaseRegions({ tx }: { tx: Transaction }, owner: string): Promise<void> {
  await tx.regionLease.deleteMany({ where: { owner } });
}
