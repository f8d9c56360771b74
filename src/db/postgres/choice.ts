import type { ReadConnection } from './read-connection.ts';
import type { SlowCallers } from './slow-callers.ts';

/** The statements in progress on a connection before another connection is opened. */
export const depth = 8;

/** How long a connection can be without a response before new reads avoid it. */
const stalledAfterMs = 10;

/** More statements than a connection ever has in progress. */
const stalledRank = 1_000_000;

/** How long a connection can be without a response before it is considered to be waiting for a lock. */
const blockedAfterMs = 250;
/** The connections that can wait for locks, in addition to each of the others. */
const blockedPerPlace = 2;

interface Choices {
  connections: readonly ReadConnection[];
  /** Abandoned connections that have not ended yet. */
  abandoned: ReadonlySet<ReadConnection>;
  slow: SlowCallers;
  /** The maximum number of connections. */
  most: number;
}

/**
 * The first connection that is responding and not full. Otherwise a new one, which `open` returns, or, at the limit, the least busy. A
 * caller with statements on half of the connections gets one of that half, unless all are full. Some connections that wait for locks
 * are not counted, so that a locked table does not stop the other reads of the caller. Undefined if the caller has to wait.
 */
export function connectionFor(
  caller: string | undefined,
  { connections, abandoned, slow, most }: Choices,
  open: () => ReadConnection,
): ReadConnection | undefined {
  const now = performance.now();
  const isOwn = ({ callers }: ReadConnection) => caller !== undefined && callers.has(caller);
  const silentMsOf = ({ inProgress, respondedAt }: ReadConnection) =>
    inProgress > 0 ? now - respondedAt : 0;
  const isStalled = (each: ReadConnection) =>
    silentMsOf(each) > stalledAfterMs || slow.areIn(each.callers, caller, now);
  const isFree = (each: ReadConnection) => each.inProgress < depth && !isStalled(each);

  const free = connections.find(isFree);
  // Most statements: those of one moment share a connection.
  if (free && (caller === undefined || isOwn(free))) return free;
  const own = connections.filter(isOwn);
  const half = Math.ceil(most / 2);
  const ownBlocked = own.filter((each) => now - each.respondedAt > blockedAfterMs).length;
  const ownAbandoned = abandoned.size > 0 ? [...abandoned].filter(isOwn).length : 0;
  const hasHalf = own.length + ownAbandoned - Math.min(ownBlocked, Math.floor(half / 2)) >= half;
  const among = hasHalf ? own : connections;
  const chosen = hasHalf ? own.find(isFree) : free;
  if (chosen) return chosen;

  let emptiest: ReadConnection | undefined;
  let least = Number.POSITIVE_INFINITY;
  let blocked = 0;
  for (const connection of among) {
    if (silentMsOf(connection) > blockedAfterMs) blocked++;
    // One that responds, if any does.
    const rank = connection.inProgress + (isStalled(connection) ? stalledRank : 0);
    if (rank >= least) continue;
    least = rank;
    emptiest = connection;
  }
  if (hasHalf) return emptiest && emptiest.inProgress < depth ? emptiest : undefined;
  // Abandoned connections count towards the limit, unless no other is left.
  const inUse = connections.length - Math.min(blocked, most * blockedPerPlace);
  const isRoom = inUse + abandoned.size < most;
  return isRoom || !emptiest ? open() : emptiest;
}
