import type { Services } from '../../../../context.ts';
import type { Row } from '../../../../db/tables.ts';
import { Leases } from '../../../../db/work/leases.ts';
import { WorkLoop } from '../../../../kernel/work-loop.ts';
import type { JobSettings } from '../../../job/worker/model.ts';
import { fireSnapshots } from './fire-operations.ts';
import { type LookSettings, lookAtSchedule, lookDefaults } from './look-operations.ts';
import { snapshotWork } from './rows.ts';

export interface SnapshotSettings extends LookSettings {
  /** How often due schedules are looked for that other processes have left. */
  pollMs: number;
  /** How long a process holds a schedule that it is looking at. Longer than its calls take. */
  leaseMs: number;
  /** Schedules that are looked at at once. */
  atOnce: number;
}

const snapshotDefaults: SnapshotSettings = {
  ...lookDefaults,
  pollMs: 2_000,
  leaseMs: 60_000,
  atOnce: 4,
};

/** How often jobs are looked for holds for snapshots, too. */
export const snapshotSettingsOf = ({ pollMs }: JobSettings): Partial<SnapshotSettings> => ({ pollMs });

/**
 * Makes the snapshots of schedules, and deletes those that are too many. Several processes can do so on one database: a schedule
 * is leased for each look, and another process takes it over if the look is not over by then. Pending work is stored in
 * the database, so that it survives the process and no snapshot is made twice.
 */
export class SnapshotWorker {
  readonly #services: Services;
  readonly #settings: SnapshotSettings;
  readonly #leases: Leases;
  readonly #loop: WorkLoop;

  constructor(services: Services, settings: Partial<SnapshotSettings> = {}) {
    this.#services = services;
    this.#settings = { ...snapshotDefaults, ...settings };
    const { leaseMs, maxPauseMs } = this.#settings;
    this.#leases = new Leases({ leaseMs, longestWaitMs: maxPauseMs });
    this.#loop = new WorkLoop({
      look: () => this.#look(),
      pollMs: this.#settings.pollMs,
      onError: (error) => services.log.warn({ error }, 'snapshots of schedules are delayed'),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Looks at no more schedules. Calls under way have a part of the time to end. */
  stop(timeoutMs: number): Promise<void> {
    return this.#loop.stop(timeoutMs);
  }

  /** Fires schedules whose time has come, and takes those that are due. Returns when to look again, in ms. */
  async #look(): Promise<number> {
    const { db } = this.#services;
    const { atOnce, pollMs } = this.#settings;
    const fires = { model: 'SnapshotSchedule', due: 'nextRunAt' } as const;
    const [due, fire] = await this.#leases.times(db, snapshotWork, fires);
    const { now } = this.#leases;
    const nowMs = now.getTime();
    // One that fails is tried again after a while, and does not delay others.
    if (fire!.firstMs <= nowMs && (await fireSnapshots(this.#services, now))) return 0;
    const nextMs = fire!.firstMs > nowMs ? fire!.firstMs - nowMs : pollMs;
    const isDue = due!.firstMs <= nowMs || due!.isLost;
    if (!isDue) return Math.max(10, Math.min(nextMs, due!.firstMs - nowMs));
    const except = this.#loop.ids;
    const limit = atOnce - except.length;
    // Each that ends wakes it.
    if (limit <= 0) return nextMs;
    // Some looks are kept for the others while one team has many schedules.
    const room = { limit, except, mostOfTeam: Math.ceil((atOnce * 3) / 4) };
    const schedules = await db.transaction(async (tx) => {
      const lease = this.#leases.next();
      if (due!.isLost) await snapshotWork.bringForward(tx, lease);
      return snapshotWork.take(tx, lease, room);
    });
    for (const schedule of schedules) this.#loop.carryOut(schedule.id, this.#lookAt(schedule));
    return schedules.length === 0 ? 100 : 0;
  }

  #lookAt(schedule: Row<'SnapshotSchedule'>): Promise<void> {
    const { owner, now } = this.#leases;
    const look = { schedule, owner, now, settings: this.#settings, signal: this.#loop.signal };
    return lookAtSchedule(this.#services, look);
  }
}
