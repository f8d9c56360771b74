/**
 * The decisions by which only one gateway at a time works on a component, and no older work is applied over newer. The worker
 * and the drivers decide by these functions alone, and a test explores what they allow. Times are in milliseconds: those of
 * leases are by the clock of the database, those of a call by the monotonic clock of its process.
 */

/** The process that holds a piece of work or looks after a region, and until when unless it renews the lease. */
export interface WorkLease {
  owner: string | null;
  untilMs: number | null;
}

export const noLease: WorkLease = { owner: null, untilMs: null };

const isHeld = ({ untilMs }: WorkLease, nowMs: number): boolean => untilMs !== null && untilMs > nowMs;

/** Whether a piece of work may be taken: by the first process, or from one that has not renewed its lease. */
export const mayTakeOver = (lease: WorkLease, nowMs: number): boolean => !isHeld(lease, nowMs);

/**
 * Whether work on a component may start, with the leases of its other work. Work that was cancelled keeps its lease until its
 * call has ended.
 */
export const mayStart = (others: readonly WorkLease[], nowMs: number): boolean =>
  !others.some((lease) => isHeld(lease, nowMs));

/** Whether a process still holds work that nobody has cancelled, so that its lease is extended. */
export const mayRenew = ({ owner }: WorkLease, isRunning: boolean, self: string): boolean =>
  isRunning && owner === self;

/** Whether the outcome of a call counts: no other process has taken the work over. */
export const maySettle = ({ owner }: WorkLease, self: string): boolean => owner === self;

/**
 * Whether the time of work has come. `latestMs` is later than anything waits for: what is due after it was written before the clock
 * was set back, unless a lease is why.
 */
export const isDue = ({ untilMs }: WorkLease, dueAtMs: number, nowMs: number, latestMs: number): boolean =>
  dueAtMs <= nowMs || (dueAtMs > latestMs && untilMs === null);

/**
 * Whether a process may look after a region: it does already, or nobody does. `latestMs` is later than any lease ends: one that
 * ends after it was written before the clock was set back.
 */
export const mayClaim = (lease: WorkLease, self: string, nowMs: number, latestMs: number): boolean =>
  lease.owner === self || mayTakeOver(lease, nowMs) || lease.untilMs! > latestMs;

/** A process ends its calls before others can take its work over, by this part of the lease. */
const marginOfLease = 1 / 6;

/** How long a call or a look may go on, by the monotonic clock of its process, unless the lease is renewed. */
export const msLeft = (renewedAtMs: number, leaseMs: number, nowMs: number): number =>
  renewedAtMs + leaseMs * (1 - marginOfLease) - nowMs;

/**
 * Whether what a job wants may be applied to an object, or remove it: no later job has written it, nor has removed its
 * component. Numbers are undefined where there are none.
 */
export const mayApply = (job: number, written: number | undefined, removed?: number | undefined): boolean =>
  job >= Math.max(written ?? job, removed ?? job);
