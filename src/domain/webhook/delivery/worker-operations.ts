import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../../../context.ts';
import type { Topic } from '../../../db/channel/topic.ts';
import type { Row } from '../../../db/tables.ts';
import { Leases } from '../../../db/work/leases.ts';
import type { WebhookSender } from '../../../drivers/webhook/driver.ts';
import { Waker } from '../../../kernel/waker.ts';
import { AttemptEnded, attemptDelivery } from './attempt-operations.ts';
import { refusedDocument } from './document-operations.ts';
import { type Attempt, type DeliverySettings, deliveryDefaults } from './model.ts';
import { DeliveryQueue, type Taken } from './queue-operations.ts';
import { deliveryWork, settleAttempts } from './rows.ts';
import { switchOffWebhook } from './switch-off-operations.ts';

export interface DeliveryOptions {
  sender: WebhookSender;
  settings?: Partial<DeliverySettings>;
}

/** A delivery that is being sent. */
interface UnderWay {
  delivery: Row<'WebhookDelivery'>;
  controller: AbortController;
  ended: Promise<void>;
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
  readonly #underWay = new Map<number, UnderWay>();
  readonly #stopping = new AbortController();
  #attempts: Attempt[] = [];
  readonly #leases: Leases;
  readonly #waker = new Waker();
  #working: Promise<void> | undefined;
  #stopListening: (() => void) | undefined;

  constructor(services: Services, { sender, settings }: DeliveryOptions) {
    this.#services = services;
    this.#settings = { ...deliveryDefaults, ...settings };
    const { leaseMs, backoffMaxMs, postponeMs } = this.#settings;
    this.#leases = new Leases({ leaseMs, longestWaitMs: backoffMaxMs + postponeMs });
    this.#sender = sender;
    this.#queue = new DeliveryQueue(this.#settings);
  }

  start(): void {
    if (this.#working) return;
    this.#stopListening = this.#services.db.channel.subscribe((topics) => {
      if (topics === undefined || [...topics].some(mayHaveDeliveries)) this.wake();
    });
    this.#working = this.#work();
  }

  /** Looks for deliveries. */
  wake(): void {
    this.#waker.wake();
  }

  /** Takes no more deliveries, gives those under way a part of the time to end, and hands back the others. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopListening?.();
    this.#stopping.abort();
    this.#waker.wake();
    const share = (part: number) => sleep(timeoutMs * part, undefined, { ref: false });
    await Promise.race([this.#working, share(0.4)]);
    const all = () => Promise.all([...this.#underWay.values()].map(({ ended }) => ended));
    await Promise.race([all(), share(0.2)]);
    for (const { controller } of this.#underWay.values()) controller.abort(new AttemptEnded());
    await Promise.race([all().then(() => this.#storeLast()), share(0.3)]);
    await this.#sender.close();
  }

  #warn(error: unknown): void {
    this.#services.log.warn({ error }, 'webhook deliveries are delayed');
  }

  async #work(): Promise<void> {
    const { pollMs, pauseMs } = this.#settings;
    while (!this.#stopping.signal.aborted) {
      this.#waker.reset();
      let waitMs = pollMs;
      try {
        waitMs = await this.#look();
      } catch (error) {
        this.#warn(error);
      }
      // Commits and outcomes during the pause are looked at together.
      await sleep(pauseMs, undefined, { ref: false });
      await this.#waker.wait(Math.min(waitMs, pollMs));
    }
  }

  /** Stores outcomes and takes deliveries, in one short transaction if there are any. Returns when to look again, in ms. */
  async #look(): Promise<number> {
    const { db } = this.#services;
    const { maxUnderWay, pollMs } = this.#settings;
    const [times] = await this.#leases.times(db, deliveryWork);
    const { firstMs, isLost } = times!;
    const nowMs = this.#leases.now.getTime();
    const isDue = firstMs <= nowMs && this.#underWay.size < maxUnderWay;
    if (this.#attempts.length === 0 && !isDue && !isLost) return firstMs <= nowMs ? pollMs : firstMs - nowMs;
    const taken = await this.#exchange(isLost);
    if (taken.hasMore) return 0;
    return taken.nextMs === undefined ? pollMs : Math.max(0, taken.nextMs - this.#leases.now.getTime());
  }

  async #exchange(isLost: boolean): Promise<Taken> {
    const { db } = this.#services;
    const attempts = this.#attempts.splice(0);
    let failing: string[] = [];
    const taken = await db
      .transaction(async (tx): Promise<Taken> => {
        const write = { context: { db }, tx };
        const lease = this.#leases.next();
        failing = attempts.length === 0 ? [] : await settleAttempts(write, attempts, lease, this.#settings);
        if (isLost) await deliveryWork.bringForward(tx, lease);
        if (this.#stopping.signal.aborted) return { deliveries: [], hasMore: false, nextMs: undefined };
        const underWay = [...this.#underWay.values()].map(({ delivery }) => delivery);
        return this.#queue.take(write, lease, underWay);
      })
      .catch((error) => {
        this.#attempts.unshift(...attempts);
        throw error;
      });
    for (const delivery of taken.deliveries) this.#send(delivery);
    for (const id of failing) await this.#switchOff(id);
    return taken;
  }

  /** Switches off a webhook that has failed for too long. */
  #switchOff(id: string): Promise<void> {
    const failingBefore = new Date(this.#leases.now.getTime() - this.#settings.giveUpMs);
    return switchOffWebhook(this.#services, id, { failingBefore });
  }

  #send(delivery: Row<'WebhookDelivery'>): void {
    const controller = new AbortController();
    const options = {
      services: this.#services,
      sender: this.#sender,
      execute: this.#services.executeDocument ?? notExecuted,
      settings: this.#settings,
    };
    const ended = attemptDelivery(options, delivery, () => this.#leases.now, controller.signal).then(
      async (attempt) => {
        const { kind } = attempt.outcome;
        this.#services.telemetry?.webhookDelivery?.(kind, attempt.durationMs / 1000);
        // Before the outcome is stored, which nothing would repeat.
        if (kind === 'gone') {
          await switchOffWebhook(this.#services, delivery.webhookId, 'GONE').catch((error) =>
            this.#warn(error),
          );
        }
        this.#underWay.delete(delivery.id);
        this.#attempts.push(attempt);
        this.wake();
      },
    );
    this.#underWay.set(delivery.id, { delivery, controller, ended });
  }

  /** Stores the outcomes of the last attempts, which other processes need not wait for then. */
  async #storeLast(): Promise<void> {
    if (this.#attempts.length > 0) await this.#exchange(false).catch((error) => this.#warn(error));
  }
}

/** Where documents cannot be executed, which is only so in tests. */
const notExecuted = async () => refusedDocument('This gateway executes no documents.');

/** The commits of other processes do not tell whether there are deliveries of their events. */
const mayHaveDeliveries = (topic: Topic) => topic.startsWith('events/');
