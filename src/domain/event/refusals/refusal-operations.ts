import type { RefusedChange, Services } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { callerId, credentialIdOf } from '../../../kernel/access.ts';
import { eventOf } from './refusal-model.ts';
import { insertRefusals } from './refusal-rows.ts';

export const refusalDefaults = {
  /** How many refused changes of an access token or a session are recorded in a window. */
  perWindow: 100,
  /** How many those of its user, who can make another token for each hundred. */
  perCaller: 1_000,
  windowMs: 3_600_000,
  /** How long they are collected before they are written together. */
  collectMs: 1_000,
  /** The most that wait to be written, and the most tokens, sessions and users that are counted. */
  maxWaiting: 1_000,
  maxCounted: 10_000,
};

/** By the id of who is counted, in the order of their first refusals. */
type Counts = Map<string | number, { until: number; count: number }>;

/**
 * Records changes that callers may not make. They are written together, some time after their answers, so that a caller
 * who is refused again and again makes no load.
 */
export class RefusedChanges {
  readonly #services: Pick<Services, 'db' | 'log'>;
  readonly #settings: typeof refusalDefaults;
  readonly #ofCredential: Counts = new Map();
  readonly #ofCaller: Counts = new Map();
  #waiting: Omit<Row<'Event'>, 'id'>[] = [];
  #timer: NodeJS.Timeout | undefined;
  #written: Promise<void> = Promise.resolve();

  constructor(services: Pick<Services, 'db' | 'log'>, settings: Partial<typeof refusalDefaults> = {}) {
    this.#services = services;
    this.#settings = { ...refusalDefaults, ...settings };
  }

  add(refused: RefusedChange): void {
    if (this.#waiting.length >= this.#settings.maxWaiting) return;
    const { perWindow, perCaller } = this.#settings;
    if (!this.#isCounted(this.#ofCredential, credentialIdOf(refused.actor), perWindow)) return;
    if (!this.#isCounted(this.#ofCaller, callerId(refused.actor), perCaller)) return;
    this.#waiting.push(eventOf(refused));
    this.#timer ??= setTimeout(() => void this.#write(), this.#settings.collectMs).unref();
  }

  /** Writes what was collected. */
  async stop(): Promise<void> {
    await this.#write();
  }

  /** Whether there were not too many before. */
  #isCounted(counts: Counts, id: string | number, most: number): boolean {
    const { windowMs, maxCounted } = this.#settings;
    const now = performance.now();
    let counted = counts.get(id);
    if (!counted || counted.until <= now) {
      counts.delete(id);
      if (counts.size >= maxCounted) counts.delete(counts.keys().next().value!);
      counted = { until: now + windowMs, count: 0 };
      counts.set(id, counted);
    }
    return ++counted.count <= most;
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#waiting;
    this.#waiting = [];
    if (events.length > 0) this.#written = this.#written.then(() => this.#insert(events));
    return this.#written;
  }

  async #insert(events: Omit<Row<'Event'>, 'id'>[]): Promise<void> {
    const { db, log } = this.#services;
    await insertRefusals(db, events).catch((error) =>
      log.warn({ error, count: events.length }, 'refused changes were not recorded'),
    );
  }
}
