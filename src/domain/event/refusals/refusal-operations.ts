import type { RefusedChange, Services } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { credentialIdOf } from '../../../kernel/access.ts';
import { eventOf } from './refusal-model.ts';
import { insertRefusals } from './refusal-rows.ts';

export const refusalDefaults = {
  /** How many refused changes of an access token or a session are recorded in a window. */
  perWindow: 100,
  windowMs: 3_600_000,
  /** How long they are collected before they are written together. */
  collectMs: 1_000,
  /** The most that wait to be written, and the most tokens and sessions that are counted. */
  maxWaiting: 1_000,
  maxCounted: 10_000,
};

/**
 * Records changes that callers may not make. They are written together, some time after their answers, so that a caller
 * who is refused again and again makes no load.
 */
export class RefusedChanges {
  readonly #services: Pick<Services, 'db' | 'log'>;
  readonly #settings: typeof refusalDefaults;
  /** By the id of the token or session, in the order of their first refusals. */
  readonly #counts = new Map<string, { until: number; count: number }>();
  #waiting: Omit<Row<'Event'>, 'id'>[] = [];
  #timer: NodeJS.Timeout | undefined;
  #written: Promise<void> = Promise.resolve();

  constructor(services: Pick<Services, 'db' | 'log'>, settings: Partial<typeof refusalDefaults> = {}) {
    this.#services = services;
    this.#settings = { ...refusalDefaults, ...settings };
  }

  add(refused: RefusedChange): void {
    if (this.#waiting.length >= this.#settings.maxWaiting) return;
    if (!this.#isCounted(credentialIdOf(refused.actor))) return;
    this.#waiting.push(eventOf(refused));
    this.#timer ??= setTimeout(() => void this.#write(), this.#settings.collectMs).unref();
  }

  /** Writes what was collected. */
  async stop(): Promise<void> {
    await this.#write();
  }

  /** Whether there were not too many before. */
  #isCounted(id: string): boolean {
    const { perWindow, windowMs, maxCounted } = this.#settings;
    const now = performance.now();
    let counted = this.#counts.get(id);
    if (!counted || counted.until <= now) {
      this.#counts.delete(id);
      if (this.#counts.size >= maxCounted) this.#counts.delete(this.#counts.keys().next().value!);
      counted = { until: now + windowMs, count: 0 };
      this.#counts.set(id, counted);
    }
    return ++counted.count <= perWindow;
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
