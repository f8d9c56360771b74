import type { Services } from '../../../../context.ts';
import type { Row } from '../../../../db/tables.ts';
import { type DueSettings, dueLoop } from '../../../../db/work/due.ts';
import { Leases } from '../../../../db/work/leases.ts';
import type { WorkLoop } from '../../../../db/work/loop.ts';
import type { JobSettings } from '../../../job/worker/model.ts';
import { fireSchedules } from '../../timing/fire-operations.ts';
import { snapshotSchedules } from './fire-operations.ts';
import { type LookSettings, lookAtSchedule, lookDefaults } from './look-operations.ts';
import { snapshotWork } from './rows.ts';

export type SnapshotSettings = LookSettings & DueSettings;

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
  readonly #loop: WorkLoop<Row<'SnapshotSchedule'>>;

  constructor(services: Services, given: Partial<SnapshotSettings> = {}) {
    const settings = { ...snapshotDefaults, ...given };
    const { leaseMs, maxPauseMs } = settings;
    const leases = new Leases({ leaseMs, longestWaitMs: maxPauseMs });
    this.#loop = dueLoop({
      db: services.db,
      leases,
      table: snapshotWork,
      settings,
      schedules: {
        model: 'SnapshotSchedule',
        due: 'nextRunAt',
        fire: (now) => fireSchedules(services, snapshotSchedules, now),
      },
      carryOut(schedule, signal) {
        const { owner, now } = leases;
        return lookAtSchedule(services, { schedule, owner, now, settings, signal });
      },
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
}
