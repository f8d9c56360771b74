import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { Leases } from '../../../db/work/leases.ts';
import { isDue, noLease } from '../../../db/work/protocol.ts';
import { ownTransaction } from '../../../db/write/own-events.ts';
import { unfinished } from '../model.ts';
import { lockJobs } from '../settle-rows.ts';
import { renewWork, takeWork } from '../take-rows.ts';
import { announceApplications, type Outcome, writeOutcomes } from '../worker-rows.ts';
import { carryOut, longestCheckMs } from './call.ts';
import { FailureLog } from './failure-log.ts';
import { LeaseTimer } from './lease-timer.ts';
import { type JobSettings, jobDefaults } from './model.ts';

/** A call to a driver that is in progress. */
interface Call {
  work: Row<'JobComponent'>;
  timer: LeaseTimer;
  ended: Promise<void>;
}

/** The work of one region: what calls came to, and whether there may be more to take. */
interface RegionQueue {
  outcomes: { work: Row<'JobComponent'>; outcome: Outcome }[];
  isDue: boolean;
  draining: Promise<void> | undefined;
}

/**
 * Carries out jobs through the region drivers. Several processes can do so on one database: work is leased, at most
 * `maxPerRegion` components of a region at once and never the same component twice, and is taken over when a lease is not
 * renewed. Processes are woken by their own commits, and poll for what others left.
 */
export class JobWorker {
  readonly #services: Services;
  readonly #settings: JobSettings;
  readonly #calls = new Map<number, Call>();
  readonly #queues = new Map<string, RegionQueue>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #failures = new FailureLog();
  readonly #stopping = new AbortController();
  readonly #leases: Leases;
  #isStarted = false;
  #polling: Promise<void> | undefined;
  #renewing: Promise<void> | undefined;

  constructor(services: Services, settings: Partial<JobSettings> = {}) {
    this.#services = services;
    this.#settings = { ...jobDefaults, ...settings };
    const { leaseMs, backoffMinMs, backoffMaxMs } = this.#settings;
    const longestWaitMs = Math.max(backoffMinMs, backoffMaxMs, longestCheckMs);
    this.#leases = new Leases({ leaseMs, longestWaitMs });
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#polling = this.#poll();
    this.#renewing = this.#renew();
  }

  /** Looks for work in a region, and whether work in progress there was cancelled. */
  wake(regionId: string): void {
    if (!this.#isStarted || this.#stopping.signal.aborted) return;
    this.#advance(regionId);
    if ([...this.#calls.values()].some(({ work }) => work.regionId === regionId)) {
      this.#renewOnce().catch((error) => this.#warn(error));
    }
  }

  /**
   * Takes no more work. Calls in progress have a part of the time to end, and are aborted then. What they have not
   * finished is handed back, so that other processes need not wait for the lease to expire.
   */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    const share = (part: number) => sleep(timeoutMs * part, undefined, { ref: false });
    const calls = [...this.#calls.values()];
    await Promise.race([Promise.all(calls.map(({ ended }) => ended)), share(0.1)]);
    for (const { timer } of this.#calls.values()) timer.abort('The process stops.');
    await Promise.all(calls.map(({ ended }) => ended));
    const draining = [...this.#queues.values()].map((queue) => queue.draining);
    await Promise.race([Promise.all([...draining, this.#polling, this.#renewing]), share(0.9)]);
  }

  #warn(error: unknown): void {
    this.#services.log.warn({ error }, 'jobs are delayed');
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { ref: false, signal: this.#stopping.signal }).catch(() => undefined);
  }

  /** Wakes up the regions that have due work from commits of other processes. */
  async #poll(): Promise<void> {
    const { db } = this.#services;
    const open = unfinished.map((status) => `'${status}'`).join(', ');
    const { nowMs: now, milliseconds } = db.dialect;
    const due = `${milliseconds('min(due_at)')}, ${milliseconds('max(due_at)')}`;
    const text = `SELECT ${now}, NULL, NULL, NULL UNION ALL SELECT ${now}, region_id, ${due} FROM job_component WHERE status IN (${open}) GROUP BY region_id`;
    while (!this.#stopping.signal.aborted) {
      try {
        const rows = (await this.#leases.read(db, text)) as [number, string | null, number, number][];
        const latestMs = this.#leases.next().latest.getTime();
        for (const [nowMs, regionId, firstMs, lastMs] of rows) {
          if (regionId === null) continue;
          if ([firstMs, lastMs].some((ms) => isDue(noLease, ms, nowMs, latestMs))) this.#advance(regionId);
        }
      } catch (error) {
        this.#warn(error);
      }
      await this.#pause(this.#settings.pollMs);
    }
  }

  async #renew(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#pause(this.#settings.leaseMs / 3);
      await this.#renewOnce().catch((error) => this.#warn(error));
    }
  }

  /** Extends the leases of calls in progress. Calls whose work was cancelled or taken over are aborted. */
  async #renewOnce(): Promise<void> {
    const ids = [...this.#calls.keys()];
    if (ids.length === 0) return;
    const { db } = this.#services;
    let lease = this.#leases.next();
    const held = await db.transaction((tx) => {
      lease = this.#leases.next();
      return renewWork({ tx }, ids, lease);
    });
    for (const id of ids) {
      const timer = this.#calls.get(id)?.timer;
      if (held.has(id)) timer?.renew(lease.heldFromMs);
      else timer?.abort('The work was taken away.');
    }
  }

  #advance(regionId: string): void {
    let queue = this.#queues.get(regionId);
    if (!queue) {
      queue = { outcomes: [], isDue: false, draining: undefined };
      this.#queues.set(regionId, queue);
    }
    queue.isDue = true;
    queue.draining ??= this.#drain(regionId, queue);
  }

  /** One transaction after the other writes the outcomes since the last one, and takes the next work. */
  async #drain(regionId: string, queue: RegionQueue): Promise<void> {
    while (queue.isDue) {
      queue.isDue = false;
      const outcomes = queue.outcomes.splice(0);
      try {
        await this.#leases.ready(this.#services.db);
        const { work, heldFromMs } = await this.#exchange(regionId, outcomes);
        for (const each of work) this.#call(each, heldFromMs);
        for (const { outcome } of outcomes) {
          if ('waitMs' in outcome) this.#advanceIn(regionId, outcome.waitMs);
        }
      } catch (error) {
        this.#warn(error);
        queue.outcomes.unshift(...outcomes);
        if (this.#stopping.signal.aborted) break;
        await this.#pause(this.#settings.backoffMinMs);
        queue.isDue = true;
      }
    }
    queue.draining = undefined;
  }

  async #exchange(
    regionId: string,
    outcomes: RegionQueue['outcomes'],
  ): Promise<{ work: Row<'JobComponent'>[]; heldFromMs: number }> {
    const { db } = this.#services;
    const busy = new Set([...this.#calls.values()].map(({ work }) => work.componentId));
    return ownTransaction(db, async (write) => {
      await lockJobs(write, regionId);
      // Waiting for the lock takes time, which a lease should not lose.
      const lease = this.#leases.next();
      if (outcomes.length > 0) await writeOutcomes(write, outcomes, lease);
      const work = this.#stopping.signal.aborted
        ? []
        : await takeWork(write, regionId, lease, (componentId) => busy.has(componentId));
      const jobIds = [...outcomes.map((each) => each.work.jobId), ...work.map(({ jobId }) => jobId)];
      await announceApplications(write, [...new Set(jobIds)]);
      return { work, heldFromMs: lease.heldFromMs };
    });
  }

  #advanceIn(regionId: string, ms: number): void {
    if (this.#stopping.signal.aborted) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#advance(regionId);
    }, ms);
    timer.unref();
    this.#timers.add(timer);
  }

  #call(work: Row<'JobComponent'>, heldFromMs: number): void {
    const timer = new LeaseTimer(heldFromMs, this.#settings.leaseMs);
    const { now } = this.#leases;
    const call = carryOut(this.#services, work, this.#settings, now, timer.signal, this.#failures);
    const ended = call.then((outcome) => {
      timer.end();
      this.#services.telemetry?.jobWork?.(outcome.kind);
      this.#calls.delete(work.id);
      this.#queues.get(work.regionId)!.outcomes.push({ work, outcome });
      this.#advance(work.regionId);
    });
    this.#calls.set(work.id, { work, timer, ended });
  }
}
