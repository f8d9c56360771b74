import type { Transaction } from '../../db/open.ts';

/** A process, and the time by the clock of the database. */
export interface Claim {
  owner: string;
  now: Date;
  until: Date;
  /** Later than any lease ends: one that ends later was written before the clock was set back. */
  latest: Date;
}

/** Renews the lease of a process, or takes one that nobody holds. Returns whether the process has it. */
export async function claimLease(
  tx: Transaction,
  name: string,
  { owner, now, until, latest }: Claim,
): Promise<boolean> {
  const lease = await tx.workerLease.findUnique({ where: { name } });
  if (lease && lease.owner !== owner && lease.until > now && lease.until <= latest) return false;
  // Another process can have been faster, which changes the row or has inserted it.
  const { count } = lease
    ? await tx.workerLease.updateMany({
        where: { name, owner: lease.owner, until: lease.until },
        data: { owner, until },
      })
    : await tx.workerLease.createMany({ data: [{ name, owner, until }] });
  return count > 0;
}

/** Gives up the lease of a process, so that others need not wait until it ends. */
export const releaseLease = (tx: Transaction, name: string, owner: string): Promise<unknown> =>
  tx.workerLease.deleteMany({ where: { name, owner } });
