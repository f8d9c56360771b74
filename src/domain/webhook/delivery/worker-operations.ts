import type { Services } from '../../../context.ts';
import type { Topic } from '../../../db/channel/topic.ts';
import type { Row } from '../../../db/tables.ts';
import { Leases } from '../../../db/work/leases.ts';
import { WorkLoop } from '../../../db/work/loop.ts';
import type { WebhookSender } from '../../../drivers/webhook/driver.ts';
import { attemptDelivery } from './attempt-operations.ts';
import { refusedDocument } from './document-operations.ts';
import { type Attempt, type DeliverySettings, deliveryDefaults } from './model.ts';
import { DeliveryQueue, type Taken } from './queue-operations.ts';
import { type DeliveryParts, partsOfDeliveries } from './reads.ts';
import { deliveryWork, renewDeliveries, settleAttempts } from './rows.ts';
import { switchOffWebhook } from './switch-off-operations.ts';

export interface DeliveryOptions {
  sender: WebhookSender;
  settings?: Partial<DeliverySettings>;
}

/**
 * Sends deliveries to webhooks, each at least once, and those of one object one after the other. Several processes can do so on
 * one database: a delivery is leased, and is sent again by another process if the lease ends before its outcome is stored. Only
 * what is under way is in memory.
 */
export class WebhookWorker {
  readonly #services: Services;
  readonly #settings: DeliverySettings;
  readonly #sender: WebhookSender;
  readonly #queue: DeliveryQueue;
  readonly #leases: Leases;
  readonly #loop: WorkLoop<Row<'WebhookDelivery'>, Attempt>;
  readonly #renewing: WorkLoop;
  #stopListening: (() => void) | undefined;

  constructor(services: Services, { sender, settings }: DeliveryOptions) {
    this.#services = services;
    this.#settings = { ...deliveryDefaults, ...settings };
    const { leaseMs, backoffMaxMs, postponeMs, pollMs, pauseMs } = this.#settings;
    this.#leases = new Leases({ leaseMs, longestWaitMs: backoffMaxMs + postponeMs });
    this.#sender = sender;
    this.#queue = new DeliveryQueue(this.#settings);
    this.#loop = new WorkLoop({
      look: (attempts) => this.#look(attempts),
      pollMs,
      pauseMs,
      onError: (error) => this.#warn(error),
    });
    this.#renewing = new WorkLoop({
      look: () => this.#renew(),
      pollMs: leaseMs / 3,
      onError: (error) => this.#warn(error),
    });
  }

  start(): void {
    this.#stopListening ??= this.#services.db.channel.subscribe((topics) => {
      if (topics === undefined || [...topics].some(mayHaveDeliveries)) this.wake();
    });
    this.#loop.start();
    this.#renewing.start();
  }

  /** Looks for deliveries. */
  wake(): void {
    this.#loop.wake();
  }

  /** Takes no more deliveries, gives those under way a part of the time to end, and hands back the others. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopListening?.();
    await Promise.all([this.#loop.stop(timeoutMs), this.#renewing.stop(timeoutMs)]);
    await this.#sender.close();
  }

  #warn(error: unknown): void {
    this.#services.log.warn({ error }, 'webhook deliveries are delayed');
  }

  /** Extends the leases of attempts that last. Those whose delivery another process has are aborted. */
  async #renew(): Promise<number> {
    const ids = this.#loop.underWay.map(({ id }) => id);
    if (ids.length > 0) {
      const lease = this.#leases.next();
      const held = await this.#services.db.transaction((tx) => renewDeliveries({ tx }, ids, lease));
      this.#loop.renew(ids, held, lease.heldFromMs);
    }
    return this.#settings.leaseMs / 3;
  }

  /** Stores outcomes and takes deliveries, in one short transaction if there are any. Returns when to look again, in ms. */
  async #look(attempts: readonly Attempt[]): Promise<number> {
    const { maxUnderWay, pollMs } = this.#settings;
    const [times] = await this.#leases.times(this.#services.db, deliveryWork);
    const { firstMs, isLost } = times!;
    const nowMs = this.#leases.now.getTime();
    const isDue = firstMs <= nowMs && this.#loop.underWay.length < maxUnderWay;
    if (attempts.length === 0 && !isDue && !isLost) return firstMs <= nowMs ? pollMs : firstMs - nowMs;
    const { hasMore, nextMs } = await this.#exchange(attempts, isLost);
    if (hasMore) return 0;
    return nextMs === undefined ? pollMs : Math.max(0, nextMs - this.#leases.now.getTime());
  }

  async #exchange(attempts: readonly Attempt[], isLost: boolean): Promise<Taken> {
    const { db } = this.#services;
    const { failing, taken, heldFromMs } = await db.transaction(async (tx) => {
      const write = { context: { db }, tx };
      const lease = this.#leases.next();
      const failing =
        attempts.length === 0 ? [] : await settleAttempts(write, attempts, lease, this.#settings);
      if (isLost) await deliveryWork.bringForward(tx, lease);
      const taken: Taken = this.#loop.isRunning
        ? await this.#queue.take(write, lease, this.#loop.underWay)
        : { deliveries: [], hasMore: false, nextMs: undefined };
      return { failing, taken, heldFromMs: lease.heldFromMs };
    });
    const parts = partsOfDeliveries(db, taken.deliveries);
    for (const delivery of taken.deliveries) {
      this.#send(
        delivery,
        parts.then((partsOf) => partsOf(delivery)),
        heldFromMs,
      );
    }
    for (const id of failing) await this.#switchOff(id);
    return taken;
  }

  /** Switches off a webhook that has failed for too long. */
  #switchOff(id: string): Promise<void> {
    const failingBefore = new Date(this.#leases.now.getTime() - this.#settings.giveUpMs);
    return switchOffWebhook(this.#services, id, { failingBefore });
  }

  #send(delivery: Row<'WebhookDelivery'>, parts: Promise<DeliveryParts>, heldFromMs: number): void {
    const options = {
      services: this.#services,
      sender: this.#sender,
      execute: this.#services.executeDocument ?? notExecuted,
      settings: this.#settings,
    };
    const { leaseMs } = this.#settings;
    this.#loop.carryOut(delivery, { heldFromMs, leaseMs }, async (signal) => {
      const attempt = await attemptDelivery(options, delivery, parts, () => this.#leases.now, signal);
      const { kind } = attempt.outcome;
      this.#services.telemetry?.webhookDelivery?.(kind, attempt.durationMs / 1000);
      // Before the outcome is stored, which nothing would repeat.
      if (kind === 'gone') {
        await switchOffWebhook(this.#services, delivery.webhookId, 'GONE').catch((error) =>
          this.#warn(error),
        );
      }
      return attempt;
    });
  }
}

/** Where documents cannot be executed, which is only so in tests. */
const notExecuted = async () => refusedDocument('This gateway executes no documents.');

/** The commits of other processes do not tell whether there are deliveries of their events. */
const mayHaveDeliveries = (topic: Topic) => topic.startsWith('events/');
