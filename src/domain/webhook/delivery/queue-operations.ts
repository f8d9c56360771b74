import type { Row } from '../../../db/tables.ts';
import type { Lease } from '../../../db/work/leases.ts';
import { lockFree } from '../../../db/write/locks.ts';
import { increase } from '../../../kernel/counts.ts';
import type { DeliverySettings } from './model.ts';
import {
  type DueDelivery,
  deliveriesAtOnce,
  dueDeliveries,
  type PendingWebhook,
  pendingWebhooks,
  webhooksAtOnce,
} from './reads.ts';
import { claimDeliveries, closeDeliveries, type DeliveryWrite, postponeDeliveries } from './rows.ts';

export type UnderWay = Iterable<Pick<Row<'WebhookDelivery'>, 'id' | 'teamId' | 'webhookId'>>;

/** The deliveries that were taken, and when to look again. */
export interface Taken {
  deliveries: Row<'WebhookDelivery'>[];
  /** Whether there is more to do at once that does not wait for an attempt to end. */
  hasMore: boolean;
  /** When the next delivery is due of those that were not, in ms. */
  nextMs: number | undefined;
}

/**
 * Takes deliveries for a process. Webhooks take turns: each look begins after the webhook from which one was taken last. Reads
 * as much of a webhook with many deliveries as of others.
 */
export class DeliveryQueue {
  readonly #settings: DeliverySettings;
  #last = '';

  constructor(settings: DeliverySettings) {
    this.#settings = settings;
  }

  async take(write: DeliveryWrite, lease: Lease, underWay: UnderWay): Promise<Taken> {
    const room = new Room(this.#settings, underWay);
    const taken: Taken = { deliveries: [], hasMore: false, nextMs: undefined };
    const ids: number[] = [];
    const last = this.#last;
    for await (const webhook of this.#webhooks(write, last)) {
      if (room.isFull) break;
      if (!webhook.isEnabled) {
        if (await closeDeliveries(write, webhook.id, lease.now)) taken.hasMore = true;
        continue;
      }
      if (webhook.firstMs > lease.now.getTime()) {
        taken.nextMs = Math.min(taken.nextMs ?? webhook.firstMs, webhook.firstMs);
        continue;
      }
      const free = room.of(webhook);
      if (free === 0) continue;
      const due = await dueDeliveries(write.context.db, write.tx, webhook.id, lease.now);
      const ready = due.filter(({ id, waitsForMs }) => waitsForMs === undefined && !room.has(id));
      for (const { id } of ready.slice(0, free)) {
        ids.push(id);
        room.take(webhook);
        this.#last = webhook.id;
      }
      const postponed = { webhook, found: due, hasReady: ready.length > 0 };
      if (await this.#postpone(write, lease, postponed)) taken.hasMore = true;
    }
    if (ids.length > 0) taken.deliveries = await claimDeliveries(write, ids, lease);
    // Another process was faster.
    if (taken.deliveries.length < ids.length) taken.hasMore = true;
    return taken;
  }

  /** All webhooks with pending deliveries, beginning after `last`. */
  async *#webhooks({ context, tx }: DeliveryWrite, last: string): AsyncGenerator<PendingWebhook, void> {
    // Compared by identity, because the order of texts is that of the database.
    const seen = new Set<string>();
    for (let after of last === '' ? [''] : [last, '']) {
      for (;;) {
        const page = await pendingWebhooks(context.db, tx, after);
        for (const webhook of page) {
          if (seen.has(webhook.id)) return;
          seen.add(webhook.id);
          yield webhook;
        }
        if (page.length < webhooksAtOnce) break;
        after = page.at(-1)!.id;
      }
    }
  }

  /**
   * Deliveries that wait for an earlier one would hide those of other objects behind them. Returns whether there may be more of
   * them.
   */
  async #postpone(
    write: DeliveryWrite,
    { now }: Lease,
    {
      webhook,
      found,
      hasReady,
    }: { webhook: PendingWebhook; found: readonly DueDelivery[]; hasReady: boolean },
  ): Promise<boolean> {
    const isWhole = found.length === deliveriesAtOnce;
    if (hasReady && !isWhole) return false;
    const ids = found.flatMap(({ id, waitsForMs }) => (waitsForMs === undefined ? [] : [id]));
    if (ids.length === 0) return false;
    // Another process can have sent the earlier ones since. From now on, it has to wait before it calls these.
    const locked = new Set(await lockFree(write, 'WebhookDelivery', ids));
    const { db } = write.context;
    const due = db.dialect.rowLock ? await dueDeliveries(db, write.tx, webhook.id, now) : found;
    const waiting = due.flatMap(({ id, waitsForMs }) =>
      waitsForMs === undefined || !locked.has(id)
        ? []
        : [{ id, until: new Date(Math.max(waitsForMs, now.getTime()) + this.#settings.postponeMs) }],
    );
    await postponeDeliveries(write, waiting);
    return isWhole;
  }
}

/** How many more deliveries a process may have under way. */
class Room {
  readonly #settings: DeliverySettings;
  readonly #ids = new Set<number>();
  readonly #teams = new Map<string, number>();
  readonly #webhooks = new Map<string, number>();
  #count = 0;

  constructor(settings: DeliverySettings, underWay: UnderWay) {
    this.#settings = settings;
    for (const { id, teamId, webhookId } of underWay) {
      this.#ids.add(id);
      this.take({ id: webhookId, teamId });
    }
  }

  get isFull(): boolean {
    return this.#count >= this.#settings.maxUnderWay;
  }

  has(id: number): boolean {
    return this.#ids.has(id);
  }

  /** A webhook never has all of its team, so that one that is slow does not stop the others. */
  of({ id, teamId, hasSiblings }: Pick<PendingWebhook, 'id' | 'teamId' | 'hasSiblings'>): number {
    const { maxUnderWay, maxPerTeam } = this.#settings;
    const ofWebhook = hasSiblings ? Math.max(1, maxPerTeam - 1) : maxPerTeam;
    return Math.max(
      0,
      Math.min(
        maxUnderWay - this.#count,
        maxPerTeam - (this.#teams.get(teamId) ?? 0),
        ofWebhook - (this.#webhooks.get(id) ?? 0),
      ),
    );
  }

  take({ id, teamId }: Pick<PendingWebhook, 'id' | 'teamId'>): void {
    this.#count++;
    increase(this.#teams, teamId);
    increase(this.#webhooks, id);
  }
}
