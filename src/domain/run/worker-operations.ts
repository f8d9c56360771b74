import type { Services } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { Leases } from '../../db/work/leases.ts';
import { ownTransaction } from '../../db/write/own-events.ts';
import type { ComponentIdentity } from '../../drivers/region/desired.ts';
import { WorkLoop } from '../../kernel/work-loop.ts';
import { endRun, lookAtRun, type RunSettings, runDefaults } from './call-operations.ts';
import { isOver } from './model.ts';
import { deleteRuns, type RunOutcome, runWork, settleRun, surplusRuns } from './rows.ts';
import { fireSchedules } from './schedules/fire-operations.ts';

type Run = Row<'ComponentRun'>;

/**
 * Starts runs of schedules, gives runs to clusters, and looks at them until they are over. Several processes can do so on one
 * database: a run is leased for each look, and another process looks at it if the outcome is not stored by then. Runs are stored
 * in the database, so that they survive the process.
 */
export class RunWorker {
  readonly #services: Services;
  readonly #settings: RunSettings;
  readonly #loop: WorkLoop;
  readonly #leases: Leases;

  constructor(services: Services, settings: Partial<RunSettings> = {}) {
    this.#services = services;
    this.#settings = { ...runDefaults, ...settings };
    const { leaseMs, maxPauseMs } = this.#settings;
    this.#leases = new Leases({ leaseMs, longestWaitMs: maxPauseMs });
    this.#loop = new WorkLoop({
      look: () => this.#look(),
      pollMs: this.#settings.pollMs,
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

  /** Starts the runs of schedules, and takes runs that are due. Returns when to look again, in ms. */
  async #look(): Promise<number> {
    const { db } = this.#services;
    const { pollMs, atOnce } = this.#settings;
    const [run, schedule] = await this.#leases.times(db, runWork, { model: 'Schedule', due: 'nextRunAt' });
    const now = this.#leases.now;
    let nextMs = run!.firstMs;
    if (schedule!.firstMs > now.getTime()) nextMs = Math.min(nextMs, schedule!.firstMs);
    // One that fails is tried again after a while, and does not delay runs.
    else if (await fireSchedules(this.#services, now)) return 0;
    const isDue = run!.firstMs <= now.getTime() || run!.isLost;
    if (!isDue) return Math.max(10, Math.min(nextMs - now.getTime(), pollMs));
    const except = this.#loop.ids;
    const limit = atOnce - except.length;
    // Each that ends wakes it.
    if (limit <= 0) return pollMs;
    // Some looks are kept for the others while one team has many runs.
    const room = { limit, except, mostOfTeam: Math.ceil((atOnce * 3) / 4) };
    const runs = await db.transaction(async (tx) => {
      const lease = this.#leases.next();
      if (run!.isLost) await runWork.bringForward(tx, lease);
      return runWork.take(tx, lease, room);
    });
    for (const each of runs) this.#loop.carryOut(each.id, this.#lookAt(each));
    return runs.length === 0 ? 100 : 0;
  }

  async #lookAt(run: Run): Promise<void> {
    const { db } = this.#services;
    const [component] = await db.component.findManyByKeys({ by: 'id', keys: [run.componentId] });
    const outcome = await lookAtRun(this.#services, run, this.#settings, this.#leases.now, this.#loop.signal);
    const isStored = await this.#store(run, outcome);
    if (!component) return;
    // What was started for a run that was cancelled or deleted meanwhile.
    if (!isStored && outcome.placedAt) await this.#end([run], component);
    if (isStored && isOver(outcome.status)) await this.#prune(component);
  }

  #store({ id }: Run, outcome: RunOutcome): Promise<boolean> {
    return ownTransaction(this.#services.db, (write) =>
      settleRun(write, { id, owner: this.#leases.owner }, outcome),
    );
  }

  async #end(runs: readonly Run[], component: ComponentIdentity): Promise<void> {
    for (const run of runs) {
      await endRun(this.#services, { run, component }, this.#settings, this.#loop.signal);
    }
  }

  /** Deletes the oldest runs of a component beyond those that stay, first in the cluster. */
  async #prune(component: ComponentIdentity): Promise<void> {
    const { db } = this.#services;
    const surplus = await db.transaction((tx) => surplusRuns(tx, component.id));
    if (surplus.length === 0) return;
    await this.#end(surplus, component);
    await db.transaction((tx) =>
      deleteRuns(
        tx,
        surplus.map(({ id }) => id),
      ),
    );
  }
}
