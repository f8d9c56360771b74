import type { Services } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { Leases } from '../../../db/work/leases.ts';
import { WorkLoop } from '../../../db/work/loop.ts';
import { isDue, noLease } from '../../../db/work/protocol.ts';
import { ownTransaction } from '../../../db/write/own-events.ts';
import { deployGate } from '../gate-hooks.ts';
import { unfinished } from '../model.ts';
import { lockJobs } from '../settle-rows.ts';
import { renewWork, takeWork } from '../take-rows.ts';
import { announceApplications, type Outcome, writeOutcomes } from '../worker-rows.ts';
import { carryOut, longestCheckMs } from './call.ts';
import { FailureLog } from './failure-log.ts';
import { type JobSettings, jobDefaults } from './model.ts';

/** The outcome of a call to a driver. */
interface Ended {
  work: Row<'JobComponent'>;
  outcome: Outcome;
}

type RegionLoop = WorkLoop<Row<'JobComponent'>, Ended>;

/**
 * Carries out jobs through the region drivers. Several processes can do so on one database: work is leased, at most
 * `maxPerRegion` components of a region at once and never the same component twice, and is taken over when a lease is not
 * renewed. Processes are woken by their own commits, and poll for what others left.
 */
export class JobWorker {
  readonly #services: Services;
  readonly #settings: JobSettings;
  readonly #leases: Leases;
  readonly #failures = new FailureLog();
  /** Each region has its own transactions, so that none waits for the lock of another. */
  readonly #regions = new Map<string, RegionLoop>();
  readonly #polling: WorkLoop;
  readonly #renewing: WorkLoop;

  constructor(services: Services, settings: Partial<JobSettings> = {}) {
    this.#services = services;
    this.#settings = { ...jobDefaults, ...settings };
    const { pollMs, leaseMs, backoffMinMs, backoffMaxMs } = this.#settings;
    const longestWaitMs = Math.max(backoffMinMs, backoffMaxMs, longestCheckMs);
    this.#leases = new Leases({ leaseMs, longestWaitMs });
    const onError = (error: unknown) => this.#warn(error);
    this.#polling = new WorkLoop({ look: () => this.#poll(), pollMs, onError });
    this.#renewing = new WorkLoop({ look: () => this.#renew(), pollMs: leaseMs / 3, onError });
  }

  start(): void {
    this.#polling.start();
    this.#renewing.start();
  }

  /** Looks for work in a region, and whether work in progress there was cancelled. */
  wake(regionId: string): void {
    if (!this.#polling.isRunning) return;
    const loop = this.#loopOf(regionId);
    loop.wake();
    if (loop.underWay.length > 0) this.#renewing.wake();
  }

  /**
   * Takes no more work. Calls in progress have a part of the time to end, and are aborted then. What they have not
   * finished is handed back, so that other processes need not wait for the lease to expire.
   */
  async stop(timeoutMs: number): Promise<void> {
    const loops = [this.#polling, this.#renewing, ...this.#regions.values()];
    await Promise.all(loops.map((loop) => loop.stop(timeoutMs)));
  }

  #warn(error: unknown): void {
    this.#services.log.warn({ error }, 'jobs are delayed');
  }

  #loopOf(regionId: string): RegionLoop {
    const present = this.#regions.get(regionId);
    if (present) return present;
    const loop: RegionLoop = new WorkLoop({
      look: (ended) => this.#look(regionId, loop, ended),
      pollMs: Number.POSITIVE_INFINITY,
      retryMs: this.#settings.backoffMinMs,
      onError: (error) => this.#warn(error),
    });
    this.#regions.set(regionId, loop);
    loop.start();
    return loop;
  }

  /** Wakes up the regions that have due work from commits of other processes. */
  async #poll(): Promise<number> {
    const { db } = this.#services;
    const open = unfinished.map((status) => `'${status}'`).join(', ');
    const { nowMs: now, milliseconds } = db.dialect;
    const due = `${milliseconds('min(due_at)')}, ${milliseconds('max(due_at)')}`;
    const text = `SELECT ${now}, NULL, NULL, NULL UNION ALL SELECT ${now}, region_id, ${due} FROM job_component WHERE status IN (${open}) GROUP BY region_id`;
    const rows = (await this.#leases.read(db, text)) as [number, string | null, number, number][];
    const latestMs = this.#leases.next().latest.getTime();
    for (const [nowMs, regionId, firstMs, lastMs] of rows) {
      if (regionId === null || !this.#polling.isRunning) continue;
      if ([firstMs, lastMs].some((ms) => isDue(noLease, ms, nowMs, latestMs))) this.#loopOf(regionId).wake();
    }
    return this.#settings.pollMs;
  }

  /** Extends the leases of calls in progress. Calls whose work was cancelled or taken over are aborted. */
  async #renew(): Promise<number> {
    const loops = [...this.#regions.values()].map((loop) => ({
      loop,
      ids: loop.underWay.map(({ id }) => id),
    }));
    const ids = loops.flatMap((each) => each.ids);
    if (ids.length > 0) {
      let lease = this.#leases.next();
      const held = await this.#services.db.transaction((tx) => {
        lease = this.#leases.next();
        return renewWork({ tx }, ids, lease);
      });
      for (const { loop, ids } of loops) loop.renew(ids, held, lease.heldFromMs);
    }
    return this.#settings.leaseMs / 3;
  }

  /** One transaction writes what calls came to, and takes the next work. */
  async #look(regionId: string, loop: RegionLoop, ended: Ended[]): Promise<number> {
    const { db } = this.#services;
    await this.#leases.ready(db);
    const { work, heldFromMs } = await ownTransaction(db, async (write) => {
      const failed = ended.filter(({ outcome }) => outcome.kind === 'failed');
      await deployGate().lock(write, [...new Set(failed.map(({ work }) => work.jobId))]);
      await lockJobs(write, regionId);
      // Waiting for the lock takes time, which a lease should not lose.
      const lease = this.#leases.next();
      if (ended.length > 0) await writeOutcomes(write, ended, lease);
      const busy = new Set(loop.underWay.map(({ componentId }) => componentId));
      const endedIds = ended.map(({ work }) => work.id);
      const isBusy = (id: string) => busy.has(id);
      const taken = loop.isRunning ? await takeWork(write, regionId, lease, isBusy, endedIds) : [];
      const jobIds = [...ended.map((each) => each.work.jobId), ...taken.map(({ jobId }) => jobId)];
      await announceApplications(write, [...new Set(jobIds)]);
      return { work: taken, heldFromMs: lease.heldFromMs };
    });
    for (const each of work) this.#call(loop, each, heldFromMs);
    for (const { outcome } of ended) {
      if ('waitMs' in outcome) loop.wakeIn(outcome.waitMs);
    }
    return Number.POSITIVE_INFINITY;
  }

  #call(loop: RegionLoop, work: Row<'JobComponent'>, heldFromMs: number): void {
    const { now } = this.#leases;
    const { leaseMs } = this.#settings;
    loop.carryOut(work, { heldFromMs, leaseMs }, async (signal) => {
      const outcome = await carryOut(this.#services, work, this.#settings, now, signal, this.#failures);
      this.#services.telemetry?.jobWork?.(outcome.kind);
      return { work, outcome };
    });
  }
}
