import type { Row } from '../../../db/tables.ts';
import type { Lease } from '../../../db/work/leases.ts';
import { lockFree } from '../../../db/write/locks.ts';
import { increase } from '../../../kernel/counts.ts';
import { createBoundedCache } from '../../../kernel/memo.ts';
import type { DeliverySettings } from './model.ts';
import {
  type DeliveryPlace,
  type DueDelivery,
  deliveriesAtOnce,
  dueDeliveries,
  type PendingApplication,
  type PendingWebhook,
  pendingApplications,
  pendingWebhooks,
  placesAtOnce,
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

/** The most webhooks of which a process remembers which application had its turn last. */
const maxTurns = 10_000;

/**
 * Takes deliveries for a process. Webhooks take turns: each look begins after the webhook from which one was taken last. So do
 * the applications whose events a webhook receives. However many deliveries one of them has, a look reads only the first ones.
 */
export class DeliveryQueue {
  readonly #settings: DeliverySettings;
  readonly #turns = createBoundedCache<string, number>({ size: maxTurns });
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
      const { ready, hasMore } = await this.#ready(write, lease, { webhookId: webhook.id, free, room });
      for (const id of ready) {
        ids.push(id);
        room.take(webhook);
        this.#last = webhook.id;
      }
      if (hasMore) taken.hasMore = true;
    }
    if (ids.length > 0) taken.deliveries = await claimDeliveries(write, ids, lease);
    // Another process was faster.
    if (taken.deliveries.length < ids.length) taken.hasMore = true;
    return taken;
  }

  /** The deliveries of a webhook to take: one of each application in turn, until there are enough. */
  async #ready(
    write: DeliveryWrite,
    lease: Lease,
    { webhookId, free, room }: { webhookId: string; free: number; room: Room },
  ): Promise<{ ready: number[]; hasMore: boolean }> {
    const lists: number[][] = [];
    let hasMore = false;
    const last = this.#turns.get(webhookId) ?? noApplication;
    for await (const { id: applicationId, firstMs } of this.#applications(write, webhookId, last)) {
      if (firstMs > lease.now.getTime()) continue;
      const place = { webhookId, applicationId };
      const due = await dueDeliveries(write.context.db, write.tx, place, lease.now);
      const ready = due.flatMap(({ id, waitsForMs }) =>
        waitsForMs === undefined && !room.has(id) ? [id] : [],
      );
      if (await this.#postpone(write, lease, { place, due, hasReady: ready.length > 0 })) hasMore = true;
      if (ready.length === 0) continue;
      lists.push(ready);
      this.#turns.set(webhookId, applicationId, 1);
      if (lists.length === free) break;
    }
    return { ready: inTurn(lists).slice(0, free), hasMore };
  }

  /** All webhooks with pending deliveries, beginning after `last`. */
  #webhooks({ context, tx }: DeliveryWrite, last: string): AsyncGenerator<PendingWebhook, void> {
    return allAfter(last, '', (after) => pendingWebhooks(context.db, tx, after));
  }

  /** All applications with pending deliveries of a webhook, beginning after `last`. */
  #applications(
    { context, tx }: DeliveryWrite,
    webhookId: string,
    last: number,
  ): AsyncGenerator<PendingApplication, void> {
    return allAfter(last, noApplication, (after) => pendingApplications(context.db, tx, webhookId, after));
  }

  /**
   * Deliveries that wait for an earlier one would hide those of other objects behind them. Returns whether there may be more of
   * them.
   */
  async #postpone(
    write: DeliveryWrite,
    { now }: Lease,
    { place, due, hasReady }: { place: DeliveryPlace; due: readonly DueDelivery[]; hasReady: boolean },
  ): Promise<boolean> {
    const isWhole = due.length === deliveriesAtOnce;
    if (hasReady && !isWhole) return false;
    const ids = due.flatMap(({ id, waitsForMs }) => (waitsForMs === undefined ? [] : [id]));
    if (ids.length === 0) return false;
    // Another process can have sent the earlier ones since. From now on, it has to wait before it calls these.
    const locked = new Set(await lockFree(write, 'WebhookDelivery', ids));
    const { db } = write.context;
    const dueNow = db.dialect.rowLock ? await dueDeliveries(db, write.tx, place, now) : due;
    const waiting = dueNow.flatMap(({ id, waitsForMs }) =>
      waitsForMs === undefined || !locked.has(id)
        ? []
        : [{ id, until: new Date(Math.max(waitsForMs, now.getTime()) + this.#settings.postponeMs) }],
    );
    await postponeDeliveries(write, waiting);
    return isWhole;
  }
}

/** Smaller than the ids of applications, and than the 0 of deliveries that belong to none. */
const noApplication = -1;

/** All items of a list, read by the page: those after `last`, then those from the start on. */
async function* allAfter<Id extends string | number, Item extends { id: Id }>(
  last: Id,
  start: Id,
  pageAfter: (id: Id) => Promise<Item[]>,
): AsyncGenerator<Item, void> {
  // Compared by identity, because the order of texts is that of the database.
  const seen = new Set<Id>();
  for (let after of last === start ? [start] : [last, start]) {
    for (;;) {
      const page = await pageAfter(after);
      for (const item of page) {
        if (seen.has(item.id)) return;
        seen.add(item.id);
        yield item;
      }
      if (page.length < placesAtOnce) break;
      after = page.at(-1)!.id;
    }
  }
}

/** The first items of all lists, then the second ones, and so on. */
function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) =>
    lists.flatMap((list) => list.slice(place, place + 1)),
  ).flat();
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
