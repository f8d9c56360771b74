import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { ownTransaction } from '../../../db/write/own-events.ts';
import type { Changed, Crashed, Drift } from '../../../drivers/region/clusters.ts';
import type { NamespaceOwner } from '../../../drivers/region/desired.ts';
import { bounded, RegionWorkError } from '../../../drivers/region/driver.ts';
import { createLoaders } from '../../../kernel/batch.ts';
import { createBoundedCache } from '../../../kernel/memo.ts';
import { regionTarget } from '../../region/cluster-reads.ts';
import { regionById } from '../../region/reads.ts';
import { recordCrash } from '../crash-rows.ts';
import { desiredComponent } from '../desired-reads.ts';
import { unfinished } from '../model.ts';
import type { JobInsert } from '../rows.ts';
import type { JobSettings } from '../worker/model.ts';
import { type Drifted, insertReconcileJobs } from './reconcile-rows.ts';
import { backoffOf, WatchedComponents } from './watched-components.ts';

/** How many instances are remembered. One that is forgotten is looked up again, which records nothing twice. */
const maxInstances = 10_000;

/**
 * Looks at the components of one region whose objects others have changed, one after the other, and has those put back that
 * are not as they were applied. A component that is changed again and again is put back later each time.
 */
export class RegionWatch {
  readonly #services: Services;
  readonly #settings: JobSettings;
  readonly #regionId: string;
  readonly #watched: WatchedComponents;
  /** The instances whose crashes were recorded. */
  readonly #crashes = createBoundedCache<string, true>({ size: maxInstances });
  readonly #ended = new AbortController();
  #isFailing = false;
  readonly #isLeased: () => boolean;
  readonly #running: Promise<unknown>;

  constructor(services: Services, settings: JobSettings, regionId: string, isLeased: () => boolean) {
    this.#services = services;
    this.#settings = settings;
    this.#regionId = regionId;
    this.#isLeased = isLeased;
    this.#watched = new WatchedComponents(settings);
    setMaxListeners(0, this.#ended.signal);
    this.#running = Promise.all([this.#listen(), this.#work()]);
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    this.#watched.wake();
    await this.#running;
  }

  get #isHeld(): boolean {
    return !this.#ended.signal.aborted && this.#isLeased();
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { ref: false, signal: this.#ended.signal }).catch(() => {});
  }

  /** One line for each time that the database goes away or a cluster refuses something, however often it is tried again. */
  #warn(error: unknown): void {
    // That a cluster cannot be reached is in the log.
    const isUnreachable = error instanceof RegionWorkError && error.isUnreachable;
    if (this.#ended.signal.aborted || this.#isFailing || isUnreachable) return;
    this.#isFailing = true;
    this.#services.log.warn({ error, region: this.#regionId }, 'changes in a cluster are put back later');
  }

  async #listen(): Promise<void> {
    const { signal } = this.#ended;
    const observer = {
      changed: (changed: Changed) => void this.#changed(changed),
      crashed: (crashed: Crashed) => void this.#crashed(crashed),
    };
    for (let tries = 0; !signal.aborted; ) {
      try {
        await this.#services.drivers.clusters.watchChanges(this.#regionId, observer, signal);
        tries = 0;
      } catch (error) {
        this.#warn(error);
        await this.#pause(backoffOf(this.#settings, ++tries));
      }
    }
  }

  /** Has what has changed looked at soon. A change by one program is often several. */
  async #changed(changed: Changed): Promise<void> {
    for (let tries = 0; !this.#ended.signal.aborted; ) {
      try {
        const ids = 'componentId' in changed ? [changed.componentId] : await this.#componentsOf(changed);
        this.#isFailing = false;
        return this.#watched.lookAt(ids);
      } catch (error) {
        this.#warn(error);
        await this.#pause(backoffOf(this.#settings, ++tries));
      }
    }
  }

  /** Has recorded that a component crashes, once for an instance. */
  async #crashed({ componentId, instance, reason }: Crashed): Promise<void> {
    const { db } = this.#services;
    const isRepeat = this.#crashes.get(instance);
    this.#crashes.set(instance, true, 1);
    if (isRepeat) return;
    for (let tries = 0; !this.#ended.signal.aborted; ) {
      try {
        const crash = { componentId, reason, requestId: randomUUID() };
        return await ownTransaction(db, (write) => recordCrash(write, crash));
      } catch (error) {
        this.#warn(error);
        await this.#pause(backoffOf(this.#settings, ++tries));
      }
    }
  }

  async #componentsOf({ teamId, namespaceId }: Partial<NamespaceOwner>): Promise<string[]> {
    const rows = await this.#services.db.component.findManyByKeys({
      by: 'regionId',
      keys: [this.#regionId],
      fields: ['id', 'teamId', 'namespaceId', 'deployState'],
    });
    return rows
      .filter(
        (row) =>
          row.deployState !== 'undeploy' &&
          (teamId ?? row.teamId) === row.teamId &&
          (namespaceId ?? row.namespaceId) === row.namespaceId,
      )
      .map(({ id }) => id);
  }

  async #work(): Promise<void> {
    for (let failures = 0; !this.#ended.signal.aborted; ) {
      await this.#watched.nextDue(this.#ended.signal);
      if (!this.#isHeld) {
        await this.#pause(this.#settings.backoffMinMs);
        continue;
      }
      try {
        await this.#round();
        failures = 0;
        this.#isFailing = false;
      } catch (error) {
        this.#warn(error);
        await this.#pause(backoffOf(this.#settings, ++failures));
      }
    }
  }

  /** Looks at what is due, and has put back what is not as it was applied. */
  async #round(): Promise<void> {
    const due = this.#watched.due();
    const region = await regionById({ ...this.#services, loaders: createLoaders() }, this.#regionId);
    if (!region) return this.#watched.clear();
    const drifted: Drifted[] = [];
    /** The differences that jobs revert. Several components share the objects of their namespace. */
    const covered = new Set<string>();
    for (const id of due) {
      if (!this.#isHeld) return;
      this.#watched.begin(id);
      const component = await this.#driftOf(region, id);
      if (component === 'gone') this.#watched.forget(id);
      if (component === 'gone' || component === 'busy') continue;
      const refused = component.refused.join('\n');
      const names = component.changed.map((name) => `${component.teamId} ${component.namespaceId} ${name}`);
      const isNew =
        names.some((name) => !covered.has(name)) ||
        (refused !== '' && refused !== this.#watched.refusedBefore(id));
      if (isNew) {
        drifted.push(component);
        for (const name of names) covered.add(name);
        const { changed } = component;
        this.#services.log.info({ component: id, changed, refused }, 'changed by others in the cluster');
      }
      const outcome = isNew ? 'put back' : names.length === 0 ? 'unchanged' : 'covered';
      this.#watched.end(id, outcome, refused);
    }
    if (drifted.length > 0 && this.#isHeld) await this.#putBack(region, drifted);
  }

  /** Compares a component with the cluster, unless there is work that makes them equal. */
  async #driftOf(
    region: Row<'Region'>,
    id: string,
  ): Promise<'gone' | 'busy' | (Drifted & Drift & NamespaceOwner)> {
    const { services, settings } = { services: this.#services, settings: this.#settings };
    const { db } = services;
    const [row] = await db.component.findManyByKeys({
      by: 'id',
      keys: [id],
      fields: ['id', 'teamId', 'namespaceId', 'regionId', 'generation', 'deployState'],
    });
    // Others can write the id of any component on an object.
    if (row?.regionId !== this.#regionId || row.deployState === 'undeploy') return 'gone';
    const open = unfinished.map((status) => `'${status}'`).join(', ');
    // Work that had nothing to change made no call.
    const [[busy, lastJob] = []] = (await db.query(
      `SELECT count(CASE WHEN status IN (${open}) THEN 1 END),
         max(CASE WHEN status = 'succeeded' AND action <> 'remove' AND attempts > 0 THEN job_id END)
       FROM job_component WHERE component_id = ${db.dialect.placeholder(1)}`,
      [id],
    )) as [number | string, number | null][];
    if (Number(busy) > 0) return 'busy';
    const component = await desiredComponent({ ...services, loaders: createLoaders() }, id).catch((error) => {
      // It cannot be carried out, so that nothing can be put back.
      if (error instanceof RegionWorkError && error.isPermanent) return null;
      throw error;
    });
    if (!component) return 'gone';
    const drift = await bounded(
      (signal) =>
        services.drivers.clusters.drift(
          regionTarget(services, region),
          component,
          signal,
          lastJob ?? undefined,
        ),
      this.#ended.signal,
      settings.callTimeoutMs,
    );
    return { ...row, ...drift };
  }

  async #putBack(region: Row<'Region'>, drifted: readonly Drifted[]): Promise<void> {
    const { db, drivers, jobs } = this.#services;
    const requestId = randomUUID();
    const actor = { userId: null, serviceAccountId: null };
    await ownTransaction(db, async ({ tx, announce }) => {
      const context = { db, drivers, requestId, actor };
      const write: JobInsert = { context, tx, announce, afterCommit: () => {} };
      const inserted = await insertReconcileJobs(write, region, drifted);
      for (const { applicationId } of inserted) announce(`application/${applicationId!}`);
    });
    jobs?.wake(region.id);
  }
}
