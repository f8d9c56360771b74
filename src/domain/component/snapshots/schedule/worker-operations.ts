import type { Services } from '../../../../context.ts';
import type { Row } from '../../../../db/tables.ts';
import { type DueSettings, dueLoop } from '../../../../db/work/due.ts';
import type { WorkLoop } from '../../../../db/work/loop.ts';
import type { JobSettings } from '../../../job/worker/model.ts';
import { createFiring } from '../../timing/fire-operations.ts';
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
export function createSnapshotWorker(
  services: Services,
  given: Partial<SnapshotSettings> = {},
): WorkLoop<Row<'SnapshotSchedule'>> {
  const { db, log } = services;
  const settings = { ...snapshotDefaults, ...given };
  return dueLoop({
    db,
    table: snapshotWork,
    settings,
    schedules: {
      model: 'SnapshotSchedule',
      due: 'nextRunAt',
      fire: createFiring(services, snapshotSchedules),
    },
    carryOut: (schedule, look) => lookAtSchedule(services, { schedule, settings, ...look }),
    onError: (error) => log.warn({ error }, 'snapshots of schedules are delayed'),
  });
}
