import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../../../context.ts';
import { type JobSettings, jobDefaults } from '../worker/model.ts';
import { claimRegions, releaseRegions } from './lease-rows.ts';
import { RegionWatch } from './region-watch.ts';

/**
 * Looks after the regions whose clusters others can change: what somebody changed or deleted there is put back, by a job.
 * One process at a time looks after a region. It holds a lease, which another takes over when it is not renewed; leases are
 * compared by the clock of the database. Two processes that take turns do no harm, because jobs are inserted under the
 * locks of the region.
 */
export class Reconciler {
  readonly #services: Services;
  readonly #settings: JobSettings;
  readonly #owner = randomUUID();
  readonly #watches = new Map<string, RegionWatch>();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(services: Services, settings: Partial<JobSettings> = {}) {
    this.#services = services;
    this.#settings = { ...jobDefaults, ...settings };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends all watches, and gives the regions to other processes. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping.abort();
    const ended = Promise.all([this.#running, ...[...this.#watches.values()].map((watch) => watch.stop())]);
    await Promise.race([ended, sleep(timeoutMs / 2, undefined, { ref: false })]);
    if (this.#watches.size === 0) return;
    const released = this.#services.db.transaction((tx) => releaseRegions({ tx }, this.#owner));
    await Promise.race([released, sleep(timeoutMs / 2, undefined, { ref: false })]).catch(() => {});
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { leaseMs, pollMs } = this.#settings;
    while (!signal.aborted) {
      await this.#claim().catch((error) =>
        this.#services.log.warn({ error }, 'leases of regions are delayed'),
      );
      await sleep(Math.min(pollMs, leaseMs / 3), undefined, { ref: false, signal }).catch(() => {});
    }
  }

  /** Renews the leases of this process and takes those that are free. */
  async #claim(): Promise<void> {
    const { db } = this.#services;
    const { leaseMs } = this.#settings;
    const text = `SELECT id, ${db.dialect.nowMs} FROM region WHERE driver = 'kubernetes'`;
    // Time that the claim takes itself is not counted as held.
    const startedAt = performance.now();
    const rows = (await db.query(text, [])) as [string, number][];
    const held = rows.length > 0 ? await this.#claimed(rows, leaseMs) : new Set<string>();
    for (const [regionId, watch] of this.#watches) {
      if (held.has(regionId)) continue;
      this.#watches.delete(regionId);
      void watch.stop();
    }
    for (const regionId of held) {
      if (this.#stopping.signal.aborted) return;
      const watch = this.#watches.get(regionId);
      if (watch) watch.renew(startedAt);
      else this.#watches.set(regionId, new RegionWatch(this.#services, this.#settings, regionId, startedAt));
    }
  }

  #claimed(rows: readonly [string, number][], leaseMs: number): Promise<Set<string>> {
    const nowMs = rows[0]![1];
    const later = (ms: number) => new Date(nowMs + ms);
    const claim = { owner: this.#owner, now: later(0), until: later(leaseMs), latest: later(2 * leaseMs) };
    const ids = rows.map(([id]) => id);
    return this.#services.db.transaction((tx) => claimRegions({ tx }, ids, claim));
  }
}
