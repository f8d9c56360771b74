import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../../../context.ts';
import { LeaseHolder } from '../../../db/work/holder.ts';
import { type JobSettings, jobDefaults } from '../worker/model.ts';
import { regionLeases } from './lease-rows.ts';
import { RegionWatch } from './region-watch.ts';

/**
 * Looks after the regions whose clusters others can change: what somebody changed or deleted there is put back, by a job.
 * One process at a time looks after a region. Two processes that take turns do no harm, because jobs are inserted under the
 * locks of the region.
 */
export class Reconciler {
  readonly #services: Services;
  readonly #settings: JobSettings;
  readonly #holder: LeaseHolder;
  readonly #watches = new Map<string, RegionWatch>();
  #isStopping = false;

  constructor(services: Services, settings: Partial<JobSettings> = {}) {
    this.#services = services;
    this.#settings = { ...jobDefaults, ...settings };
    const { db, log } = services;
    const { leaseMs, pollMs } = this.#settings;
    this.#holder = new LeaseHolder({
      db,
      table: regionLeases,
      keys: ({ nowMs }) => `SELECT ${nowMs}, id FROM region WHERE driver = 'kubernetes'`,
      leaseMs,
      pollMs,
      changed: (held) => this.#follow(held),
      onError: (error) => log.warn({ error }, 'leases of regions are delayed'),
    });
  }

  start(): void {
    this.#holder.start();
  }

  /** Ends all watches, and gives the regions to other processes. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    const ended = Promise.all([...this.#watches.values()].map((watch) => watch.stop()));
    await Promise.race([ended, sleep(timeoutMs / 2, undefined, { ref: false })]);
    await this.#holder.stop(timeoutMs / 2);
  }

  /** Watches the regions that this process holds, and no others. */
  #follow(held: ReadonlySet<string>): void {
    for (const [regionId, watch] of this.#watches) {
      if (held.has(regionId)) continue;
      this.#watches.delete(regionId);
      void watch.stop();
    }
    for (const regionId of held) {
      if (this.#isStopping || this.#watches.has(regionId)) continue;
      const isHeld = () => this.#holder.holds(regionId);
      this.#watches.set(regionId, new RegionWatch(this.#services, this.#settings, regionId, isHeld));
    }
  }
}
