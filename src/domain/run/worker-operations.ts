import { randomUUID } from 'node:crypto';
import type { Services } from '../../context.ts';
import type { Topic } from '../../db/channel/topic.ts';
import { DatabaseClock } from '../../db/clock.ts';
import type { Row } from '../../db/tables.ts';
import { notifyWith } from '../../db/write/record.ts';
import type { ComponentIdentity } from '../../drivers/region/desired.ts';
import { WorkLoop } from '../../kernel/work-loop.ts';
import { endRun, lookAtRun, type RunSettings, runDefaults } from './call-operations.ts';
import { isOver } from './model.ts';
import { runTimes } from './reads.ts';
import { claimRuns, deleteRuns, type RunOutcome, settleRun, surplusRuns } from './rows.ts';
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
  readonly #owner = randomUUID();
  readonly #loop: WorkLoop;
  readonly #clock: DatabaseClock;

  constructor(services: Services, settings: Partial<RunSettings> = {}) {
    this.#services = services;
    this.#settings = { ...runDefaults, ...settings };
    this.#clock = new DatabaseClock(this.#settings.leaseMs);
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

  #now(): Date {
    return this.#clock.read().now;
  }

  /** Starts the runs of schedules, and takes runs that are due. Returns when to look again, in ms. */
  async #look(): Promise<number> {
    const { db } = this.#services;
    const { pollMs, leaseMs, atOnce } = this.#settings;
    const askedAtMs = performance.now();
    const { nowMs, runMs = Number.POSITIVE_INFINITY, scheduleMs } = await runTimes(db);
    this.#clock.set(nowMs, askedAtMs);
    let nextMs = runMs;
    if (scheduleMs !== undefined && scheduleMs > nowMs) nextMs = Math.min(runMs, scheduleMs);
    // One that fails is tried again after a while, and does not delay runs.
    else if (scheduleMs !== undefined && (await fireSchedules(this.#services, this.#now()))) return 0;
    if (runMs > nowMs) return Math.max(10, Math.min(nextMs - nowMs, pollMs));
    const except = this.#loop.ids;
    const limit = atOnce - except.length;
    // Each that ends wakes it.
    if (limit <= 0) return pollMs;
    const now = this.#now();
    const until = new Date(now.getTime() + leaseMs);
    // Some looks are kept for the others while one team has many runs.
    const mostOfTeam = Math.ceil((atOnce * 3) / 4);
    const claim = { owner: this.#owner, now, until, limit, except, mostOfTeam };
    const runs = await db.transaction((tx) => claimRuns(tx, claim));
    for (const run of runs) this.#loop.carryOut(run.id, this.#lookAt(run));
    return runs.length === 0 ? 100 : 0;
  }

  async #lookAt(run: Run): Promise<void> {
    const { db } = this.#services;
    const [component] = await db.component.findManyByKeys({ by: 'id', keys: [run.componentId] });
    const outcome = await lookAtRun(this.#services, run, this.#settings, this.#now(), this.#loop.signal);
    const isStored = await this.#store(run, outcome);
    if (!component) return;
    // What was started for a run that was cancelled or deleted meanwhile.
    if (!isStored && outcome.placedAt) await this.#end([run], component);
    if (isStored && isOver(outcome.status)) await this.#prune(component);
  }

  async #store({ id }: Run, outcome: RunOutcome): Promise<boolean> {
    const { db } = this.#services;
    let topics: Set<Topic> = new Set();
    const isStored = await db.transaction(async (tx) => {
      // A transaction can be run again.
      topics = new Set();
      const write = { context: { db }, tx, announce: (topic: Topic) => void topics.add(topic) };
      const isOurs = await settleRun(write, { id, owner: this.#owner }, outcome);
      if (topics.size > 0) await notifyWith(tx, db, db.channel.payloadOf(topics));
      return isOurs;
    });
    db.channel.publish(topics);
    return isStored;
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
