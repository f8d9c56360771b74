import type { Transaction } from '../../../db/open.ts';
import type { Row } from '../../../db/tables.ts';
import type { Lease } from '../../../db/work/leases.ts';
import { WorkTable } from '../../../db/work/table.ts';
import { type Bulk, findByKeys, updateMany } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { lockRows } from '../../../db/write/locks.ts';
import { revised } from '../../../db/write/revision.ts';
import { type Attempt, backoffMs, type DeliverySettings, switchedOff } from './model.ts';
import { nextDeliveries } from './reads.ts';

/** The most deliveries that a transaction changes of those that are not sent. */
const atOnce = 100;

const statusOf = { pending: 'PENDING', delivered: 'DELIVERED', failed: 'FAILED' } as const;

/** An open transaction of the worker. */
export interface DeliveryWrite extends Bulk {
  tx: Transaction;
}

/** The deliveries to send, and which process sends them. */
export const deliveryWork = new WorkTable('WebhookDelivery', {
  due: 'nextAttemptAt',
  owner: 'owner',
  until: 'heldUntil',
  where: { status: statusOf.pending },
});

/** Takes deliveries whose time has come, unless another process was faster. Returns those that the process has now. */
export async function claimDeliveries(
  write: DeliveryWrite,
  ids: readonly number[],
  lease: Lease,
): Promise<Row<'WebhookDelivery'>[]> {
  const { tx } = write;
  const claimed = await deliveryWork.claim(write, ids, lease, {
    where: { nextAttemptAt: { lte: lease.now } },
    data: { attemptedAt: lease.now, attempts: { increment: 1 } },
  });
  return tx.webhookDelivery.findMany({ where: { id: { in: [...claimed] } }, orderBy: { id: 'asc' } });
}

/**
 * Extends leases. Returns the ids of the deliveries that the process still holds. One that a user has asked to be sent again
 * keeps the time at which they did.
 */
export async function renewDeliveries(
  { tx }: Pick<DeliveryWrite, 'tx'>,
  ids: readonly number[],
  lease: Lease,
): Promise<Set<number>> {
  const held = await deliveryWork.renew(tx, ids, lease, { nextAttemptAt: { gt: lease.now } });
  const requested = ids.filter((id) => !held.has(id));
  if (requested.length === 0) return held;
  return new Set([...held, ...(await deliveryWork.extend(tx, requested, lease))]);
}

/** Lets deliveries wait for an earlier one of their objects, whose end calls the next one (`callNext`). */
export const postponeDeliveries = (
  write: Bulk,
  waiting: readonly { id: number; until: Date }[],
): Promise<void> =>
  updateMany(
    write,
    'WebhookDelivery',
    waiting.map(({ id, until }) => ({ id, data: { nextAttemptAt: until } })),
  );

async function idsOf(
  { tx }: DeliveryWrite,
  where: NonNullable<Parameters<Transaction['webhookDelivery']['findMany']>[0]>['where'],
  take: number,
): Promise<number[]> {
  const rows = await tx.webhookDelivery.findMany({ where, take, select: { id: true } });
  return rows.map(({ id }) => id);
}

/**
 * Stores what attempts came to. Deliveries that another process has taken over are not changed. Returns the webhooks that have
 * failed for so long that they are switched off.
 */
export async function settleAttempts(
  write: DeliveryWrite,
  attempts: readonly Attempt[],
  { owner, now }: Lease,
  settings: DeliverySettings,
): Promise<string[]> {
  const failing = await countFailures(write, attempts, now, settings.giveUpMs);
  const held = await findByKeys(
    write,
    'WebhookDelivery',
    'id',
    attempts.map(({ delivery }) => delivery.id),
    ['id'],
    { fields: ['id', 'nextAttemptAt', 'heldUntil'], where: { field: 'owner', is: owner }, lock: true },
  );
  const rows = new Map(held.map((row) => [row.id, row]));
  const ours = attempts.filter(({ delivery }) => rows.has(delivery.id));
  const updates = ours.map((attempt) => {
    const data = columnsAfter(attempt, now, settings);
    // A user has asked for another attempt during this one.
    if (data.nextAttemptAt && wasRequested(rows.get(attempt.delivery.id)!)) data.nextAttemptAt = now;
    return { id: attempt.delivery.id, data: { owner: null, heldUntil: null, ...data } };
  });
  await updateMany(write, 'WebhookDelivery', updates);
  const finished = updates.flatMap(({ id, data }) => (data.nextAttemptAt === null ? [id] : []));
  await callNext(write, finished, now);
  return failing;
}

/** A lease holds a delivery until its next attempt, unless a user asks for one before (`repeatDelivery`). */
const wasRequested = ({
  nextAttemptAt,
  heldUntil,
}: Pick<Row<'WebhookDelivery'>, 'nextAttemptAt' | 'heldUntil'>) =>
  nextAttemptAt !== null && heldUntil !== null && nextAttemptAt < heldUntil;

function columnsAfter(
  { delivery, outcome, payload, durationMs }: Attempt,
  now: Date,
  settings: DeliverySettings,
): Partial<Row<'WebhookDelivery'>> {
  const later = (ms: number) => new Date(now.getTime() + ms);
  if (outcome.kind === 'handBack') {
    return { nextAttemptAt: later(outcome.waitMs), attempts: delivery.attempts - 1 };
  }
  const { responseCode, response } = outcome;
  const error = outcome.kind === 'failed' ? outcome.error : null;
  const answered = { responseCode, response, error, ...payload, durationMs: Math.round(durationMs) };
  const finished = { ...answered, nextAttemptAt: null, finishedAt: now };
  if (outcome.kind === 'delivered') return { ...finished, status: statusOf.delivered };
  // The last attempt is a moment after the time is over, so that a webhook that failed from the first one on has failed for all of it.
  const leftMs = delivery.createdAt.getTime() + settings.giveUpMs - now.getTime();
  if (outcome.kind === 'gone' || leftMs <= 0) return { ...finished, status: statusOf.failed };
  const waitMs = Math.min(backoffMs(delivery.attempts, settings), leftMs + settings.backoffMinMs);
  return { ...answered, nextAttemptAt: later(waitMs) };
}

/** Notes since when webhooks fail. Returns those that have failed for longer than `giveUpMs`. */
async function countFailures(
  { tx }: DeliveryWrite,
  attempts: readonly Attempt[],
  now: Date,
  giveUpMs: number,
): Promise<string[]> {
  const webhooksOf = (...kinds: Attempt['outcome']['kind'][]) => [
    ...new Set(
      attempts
        .filter(({ outcome }) => kinds.includes(outcome.kind))
        .map(({ delivery }) => delivery.webhookId),
    ),
  ];
  const delivered = webhooksOf('delivered');
  const failed = webhooksOf('failed', 'gone').filter((id) => !delivered.includes(id));
  // Nearly always, nothing is to be written.
  await tx.webhook.updateMany({
    where: { id: { in: delivered }, failingSince: { not: null } },
    data: { failingSince: null },
  });
  if (failed.length === 0) return [];
  for (const id of failed) {
    const starts = attempts.flatMap(({ delivery }) =>
      delivery.webhookId === id ? delivery.attemptedAt! : [],
    );
    const failingSince = new Date(Math.min(...starts.map(Number)));
    await tx.webhook.updateMany({ where: { id, failingSince: null }, data: { failingSince } });
  }
  const rows = await tx.webhook.findMany({
    where: { id: { in: failed }, isEnabled: true, failingSince: { lte: new Date(now.getTime() - giveUpMs) } },
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}

/**
 * Has the next deliveries of objects sent now, which were waiting for these. Written even if they are due, so that a process
 * that is about to postpone one has done so before or sees that it need not wait.
 */
async function callNext({ context, tx }: DeliveryWrite, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  const next = await nextDeliveries(context.db, tx, ids);
  if (next.length === 0) return;
  await tx.webhookDelivery.updateMany({
    where: { id: { in: next }, owner: null },
    data: { nextAttemptAt: now },
  });
}

/** Gives up pending deliveries of a webhook that is switched off, unless one is being sent. Returns whether there are more. */
export async function closeDeliveries(write: DeliveryWrite, webhookId: string, now: Date): Promise<boolean> {
  const ids = await idsOf(write, { status: statusOf.pending, webhookId, ...deliveryWork.free(now) }, atOnce);
  const finished = { status: statusOf.failed, nextAttemptAt: null, finishedAt: now };
  await write.tx.webhookDelivery.updateMany({
    where: { id: { in: ids }, status: statusOf.pending },
    data: { ...finished, error: switchedOff, owner: null, heldUntil: null },
  });
  return ids.length === atOnce;
}

/** Switches a webhook off, unless it is or no longer has a reason. Returns whether it did. */
export async function switchOff(
  write: Write,
  id: string,
  reason: 'GONE' | { failingBefore: Date },
): Promise<boolean> {
  const { tx, recordEvent } = write;
  await lockRows(write, 'Webhook', id);
  const row = await tx.webhook.findUnique({ where: { id } });
  if (!row?.isEnabled) return false;
  if (reason !== 'GONE' && !(row.failingSince && row.failingSince <= reason.failingBefore)) return false;
  const data = { isEnabled: false, disabledReason: reason === 'GONE' ? reason : 'FAILED' };
  await tx.webhook.update({ where: { id }, data: { ...revised(row, data), updatedAt: new Date() } });
  recordEvent({
    subject: { type: 'Webhook', id },
    teamId: row.teamId,
    before: { isEnabled: row.isEnabled, disabledReason: row.disabledReason },
    after: data,
  });
  return true;
}

/** Deletes finished deliveries, the oldest first. Returns how many. */
export async function deleteFinished(
  { tx }: Pick<DeliveryWrite, 'tx'>,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const rows = await tx.webhookDelivery.findMany({
    where: { finishedAt: { lt: before } },
    orderBy: { finishedAt: 'asc' },
    take: limit,
    select: { id: true },
  });
  const ids = rows.map(({ id }) => id);
  await tx.webhookDelivery.deleteMany({ where: { id: { in: ids } } });
  return ids.length;
}
