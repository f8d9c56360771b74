import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../../../context.ts';
import { addDeprecatedUses, type CountedUse } from './rows.ts';

export interface DeprecatedUsesSettings {
  /** How often the counts are written. */
  everyMs: number;
  /** The most pairs of a token and what it used that are gathered. Further ones are not counted for their tokens. */
  most: number;
}

const defaults: DeprecatedUsesSettings = { everyMs: 5_000, most: 5_000 };

/** The most counts that are written in one transaction. */
const batch = 250;

/**
 * Counts the use of deprecated fields, arguments and values by access token. Counts are kept in memory and written in batches, so
 * that no request waits for them. A process that is killed loses the counts it has not written.
 */
export class DeprecatedUses implements NonNullable<Services['deprecatedUses']> {
  readonly #services: Pick<Services, 'db' | 'log' | 'telemetry'>;
  readonly #settings: DeprecatedUsesSettings;
  readonly #gathered = new Map<string, CountedUse>();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(
    services: Pick<Services, 'db' | 'log' | 'telemetry'>,
    settings: Partial<DeprecatedUsesSettings> = {},
  ) {
    this.#services = services;
    this.#settings = { ...defaults, ...settings };
  }

  count(tokenId: string | null, fields: readonly string[]): void {
    const lastUsedAt = new Date();
    for (const field of fields) {
      this.#services.telemetry?.deprecatedUse?.(field);
      if (tokenId !== null) this.#add({ tokenId, field, count: 1, lastUsedAt });
    }
  }

  #add(use: CountedUse): void {
    const key = `${use.tokenId} ${use.field}`;
    const sum = this.#gathered.get(key);
    if (sum) {
      sum.count += use.count;
      if (use.lastUsedAt > sum.lastUsedAt) sum.lastUsedAt = use.lastUsedAt;
    } else if (this.#gathered.size < this.#settings.most) this.#gathered.set(key, use);
  }

  start(): void {
    this.#running ??= this.#repeat();
  }

  /** Writes what is left. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping.abort();
    const written = Promise.resolve(this.#running).then(() => this.#write());
    await Promise.race([written, sleep(timeoutMs, undefined, { ref: false })]);
  }

  async #repeat(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await sleep(this.#settings.everyMs, undefined, { ref: false, signal }).catch(() => {});
      if (!signal.aborted) await this.#write();
    }
  }

  async #write(): Promise<void> {
    const { db, log } = this.#services;
    const uses = [...this.#gathered.values()];
    this.#gathered.clear();
    for (let at = 0; at < uses.length; at += batch) {
      const some = uses.slice(at, at + batch);
      try {
        await db.transaction((tx) => addDeprecatedUses({ context: { db }, tx }, some));
      } catch (error) {
        // A token was deleted, or another gateway has inserted a row, or the database cannot be reached.
        log.warn({ error }, 'the use of deprecated fields is written later');
        for (const use of uses.slice(at)) this.#add(use);
        return;
      }
    }
  }
}
