import type { Services } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { dueLoop } from '../../db/work/due.ts';
import { Leases } from '../../db/work/leases.ts';
import type { WorkLoop } from '../../db/work/loop.ts';
import { ownTransaction } from '../../db/write/own-events.ts';
import type { ComponentIdentity } from '../../drivers/region/desired.ts';
import { fireSchedules } from '../component/timing/fire-operations.ts';
import { endRun, lookAtRun, type RunSettings, runDefaults } from './call-operations.ts';
import { isOver } from './model.ts';
import { deleteRuns, type RunOutcome, runWork, settleRun, surplusRuns } from './rows.ts';
import { runSchedules } from './schedules/fire-operations.ts';

type Run = Row<'ComponentRun'>;

/**
 * Starts runs of schedules, gives runs to clusters, and looks at them until they are over. Several processes can do so on one
 * database: a run is leased for each look, and another process looks at it if the outcome is not stored by then. Runs are stored
 * in the database, so that they survive the process.
 */
export class RunWorker {
  readonly #services: Services;
  readonly #settings: RunSettings;
  readonly #loop: WorkLoop<Run>;
  readonly #leases: Leases;

  constructor(services: Services, settings: Partial<RunSettings> = {}) {
    this.#services = services;
    this.#settings = { ...runDefaults, ...settings };
    const { leaseMs, maxPauseMs } = this.#settings;
    this.#leases = new Leases({ leaseMs, longestWaitMs: maxPauseMs });
    this.#loop = dueLoop({
      db: services.db,
      leases: this.#leases,
      table: runWork,
      settings: this.#settings,
      schedules: {
        model: 'Schedule',
        due: 'nextRunAt',
        fire: (now) => fireSchedules(services, runSchedules, now),
      },
      carryOut: (run, signal) => this.#lookAt(run, signal),
      onError: (error) => services.log.warn({ error }, 'runs are delayed'),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Looks for runs that are due. */
  wake(): void {
    this.#loop.wake();
  }

  /** Takes no more runs. Calls under way have a part of the time to end. */
  stop(timeoutMs: number): Promise<void> {
    return this.#loop.stop(timeoutMs);
  }

  async #lookAt(run: Run, signal: AbortSignal): Promise<void> {
    const { db } = this.#services;
    const [component] = await db.component.findManyByKeys({ by: 'id', keys: [run.componentId] });
    const outcome = await lookAtRun(this.#services, run, this.#settings, this.#leases.now, signal);
    const isStored = await this.#store(run, outcome);
    if (!component) return;
    // What was started for a run that was cancelled or deleted meanwhile.
    if (!isStored && outcome.placedAt) await this.#end([run], component, signal);
    if (isStored && isOver(outcome.status)) await this.#prune(component, signal);
  }

  #store({ id }: Run, outcome: RunOutcome): Promise<boolean> {
    return ownTransaction(this.#services.db, (write) =>
      settleRun(write, { id, owner: this.#leases.owner }, outcome),
    );
  }

  async #end(runs: readonly Run[], component: ComponentIdentity, signal: AbortSignal): Promise<void> {
    for (const run of runs) {
      await endRun(this.#services, { run, component }, this.#settings, signal);
    }
  }

  /** Deletes the oldest runs of a component beyond those that stay, first in the cluster. */
  async #prune(component: ComponentIdentity, signal: AbortSignal): Promise<void> {
    const { db } = this.#services;
    const surplus = await db.transaction((tx) => surplusRuns(tx, component.id));
    if (surplus.length === 0) return;
    await this.#end(surplus, component, signal);
    await db.transaction((tx) =>
      deleteRuns(
        tx,
        surplus.map(({ id }) => id),
      ),
    );
  }
}
