import type { Services } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { dueLoop, type Look } from '../../db/work/due.ts';
import type { WorkLoop } from '../../db/work/loop.ts';
import { ownTransaction } from '../../db/write/own-events.ts';
import type { ComponentIdentity } from '../../drivers/region/desired.ts';
import { createFiring } from '../component/timing/fire-operations.ts';
import { endRun, lookAtRun, type RunSettings, runDefaults } from './call-operations.ts';
import { isOver } from './model.ts';
import { deleteRuns, runWork, settleRun, surplusRuns } from './rows.ts';
import { runSchedules } from './schedules/fire-operations.ts';

type Run = Row<'ComponentRun'>;

/**
 * Starts runs of schedules, gives runs to clusters, and looks at them until they are over. Several processes can do so on one
 * database: a run is leased for each look, and another process looks at it if the outcome is not stored by then. Runs are stored
 * in the database, so that they survive the process.
 */
export function createRunWorker(services: Services, given: Partial<RunSettings> = {}): WorkLoop<Run> {
  const { db, log } = services;
  const settings = { ...runDefaults, ...given };

  async function lookAt(run: Run, { owner, now, signal }: Look): Promise<void> {
    const [component] = await db.component.findManyByKeys({ by: 'id', keys: [run.componentId] });
    const outcome = await lookAtRun(services, run, settings, now, signal);
    const isStored = await ownTransaction(db, (write) => settleRun(write, { id: run.id, owner }, outcome));
    if (!component) return;
    // Ends a run that was cancelled or deleted while it was started.
    if (!isStored && outcome.placedAt) await endRun(services, { run, component }, settings, signal);
    if (!isStored || !isOver(outcome.status)) return;
    if (run.jobId !== null) services.jobs?.wake(run.regionId);
    await prune(component, signal);
  }

  /** Deletes the oldest runs of a component beyond those that stay, first in the cluster. */
  async function prune(component: ComponentIdentity, signal: AbortSignal): Promise<void> {
    const surplus = await db.transaction((tx) => surplusRuns(tx, component.id));
    if (surplus.length === 0) return;
    for (const run of surplus) await endRun(services, { run, component }, settings, signal);
    const ids = surplus.map(({ id }) => id);
    await db.transaction((tx) => deleteRuns(tx, ids));
  }

  return dueLoop({
    db,
    table: runWork,
    settings,
    schedules: {
      model: 'Schedule',
      due: 'nextRunAt',
      fire: createFiring(services, runSchedules),
    },
    carryOut: lookAt,
    onError: (error) => log.warn({ error }, 'runs are delayed'),
  });
}
