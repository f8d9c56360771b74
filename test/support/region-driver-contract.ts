import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { componentStatuses } from '../../src/domain/component/state-model.ts';
import type { DesiredComponent, DesiredHttpRule, RegionTarget } from '../../src/drivers/region/desired.ts';
import {
  type ComponentKnowledge,
  type Progress,
  type RegionDriver,
  RegionWorkError,
} from '../../src/drivers/region/driver.ts';
import { noProbes, shutdownDefaults } from '../../src/drivers/region/health.ts';
import type { LogFilter } from '../../src/drivers/region/instances.ts';
import { noFilter } from '../../src/drivers/region/log-filter.ts';
import { anywhere } from '../../src/drivers/region/placement.ts';
import type { RunOrder, RunReport } from '../../src/drivers/region/runs.ts';
import { logGaps } from '../../src/drivers/region/stored-logs.ts';
import { trafficGaps, trafficSeries } from '../../src/drivers/region/traffic.ts';
import { historyGaps, usageSeries } from '../../src/drivers/region/usage-history.ts';
import { unique } from './fixtures.ts';

/** A driver and a cluster, for the tests that every driver has to pass. */
export interface DriverUnderTest {
  driver: RegionDriver;
  region: RegionTarget;
  /** Another region in the same cluster. Left out if the driver has no clusters. */
  neighbour?: RegionTarget;
  /** An image that starts, and another version of it. */
  images: [string, string];
  /** An image that never runs. Left out if the driver does not look at images. */
  brokenImage?: string;
  /** What every component has beside what its test gives it. */
  given?: Partial<DesiredComponent>;
  /** Why something that a controller does is not tested, asked once the component was applied. Null if it is. */
  missing?(controller: 'certificates' | 'snapshots', component: DesiredComponent): Promise<string | null>;
  /** A program that exits some seconds after it was ready. Left out if the driver does not run programs, as below. */
  crashing?: Partial<DesiredComponent>;
  /** A program that goes on after the signal to end. */
  stubborn?: Partial<DesiredComponent>;
  /** A program that a node is too busy to start, until it is told that it is not. */
  delayed?: { program: Partial<DesiredComponent>; start(): void };
  /** A team whose quota has room for two instances. */
  limitedTeamId?: string;
  close?(): Promise<void>;
}

/** A region whose address nobody answers at. */
export const anyRegion: RegionTarget = {
  id: 'region',
  name: 'contract',
  url: 'https://contract.example:8443',
  websocketUrl: 'wss://contract.example:6060',
  httpDomain: 'apps.contract.example',
  tcpDomain: 'tcp.contract.example',
  credentials: { token: null, caCertificate: null, clientCertificate: null, clientKey: null },
};

let outerPorts = 0;
/** A port of the nodes, of which a cluster gives each to one rule. */
const nextOuterPort = () => 30_001 + (outerPorts++ % 2_700);

let rules = 0;

/** A component with everything that one can have. */
export function desiredComponent(image: string, given: Partial<DesiredComponent> = {}): DesiredComponent {
  const alias = unique('c');
  return {
    id: unique('component'),
    teamId: 'team',
    applicationId: 1,
    namespaceId: 0,
    alias,
    clusterName: alias,
    probes: noProbes,
    checksPorts: true,
    ...shutdownDefaults,
    generation: 1,
    state: 'running',
    name: 'main',
    serviceName: alias,
    image,
    entrypoint: null,
    command: null,
    replicas: 2,
    autoscaling: null,
    needsRoot: false,
    placement: anywhere,
    cpuMillicores: 100,
    memoryMiB: 64,
    cpuLimitMillicores: 100,
    memoryLimitMiB: 64,
    gpuMemoryMiB: 0,
    extendMethod: 'stateless',
    variables: [
      { name: 'MODE', value: 'test', isSecret: false },
      { name: 'PASSWORD', value: 'hunter2', isSecret: true },
    ],
    volumes: [
      {
        name: 'settings',
        path: '/etc/main.conf',
        type: 'config-file',
        fileContent: 'a=b',
        capacityGiB: null,
        accessMode: null,
        sharePolicy: null,
      },
    ],
    dependencies: [],
    ports: [
      { number: 8080, protocol: 'http', alias: 'MAIN', isInner: true, isOuter: true, additionalName: null },
      { number: 9000, protocol: 'tcp', alias: 'ADMIN', isInner: false, isOuter: true, additionalName: null },
    ],
    httpRules: [
      {
        id: ++rules,
        key: unique('rule'),
        portNumber: 8080,
        protocol: 'http',
        domain: `${alias}.apps.contract.example`,
        path: '/',
        header: '',
        cookie: '',
        weight: 100,
        pathRewrite: false,
        rewrites: [],
        extensions: [],
        configuration: {},
        autoSsl: false,
        certificate: null,
      },
    ],
    tcpRules: [
      {
        key: unique('rule'),
        portNumber: 9000,
        address: '0.0.0.0',
        outerPort: nextOuterPort(),
        extensions: [],
      },
    ],
    ...given,
  };
}

let works = 0;

/** The tests that every driver has to pass. `create` is called once. Work may take as long as `patienceMs`. */
export function describeRegionDriver(
  name: string,
  create: () => Promise<DriverUnderTest>,
  patienceMs = 60_000,
): void {
  const made = new Map<string, DesiredComponent>();
  // A test does several pieces of work.
  describe(`the region driver ${name}`, { timeout: 8 * patienceMs }, () => {
    let under: DriverUnderTest;
    const never = new AbortController().signal;
    beforeAll(async () => {
      under = await create();
    });
    afterAll(async () => {
      const left = [...made.values()];
      const removed = await Promise.allSettled(left.map((component) => carryOut('remove', component)));
      await under?.close?.();
      expect(removed.filter(({ status }) => status === 'rejected')).toEqual([]);
    }, 8 * patienceMs);

    type Method = 'apply' | 'restart' | 'remove';

    const componentOf = (image: string, given: Partial<DesiredComponent> = {}) =>
      desiredComponent(image, { ...under.given, ...given });

    /** Calls the driver until the work is done, as the worker does. Returns what it has waited for. */
    async function carryOut(
      method: Method,
      component: DesiredComponent,
      { id = ++works, onWait }: { id?: number; onWait?: (reason: string) => void } = {},
    ): Promise<string[]> {
      const startedAt = performance.now();
      const reasons = new Set<string>();
      if (!under.driver.isImmediate) made.set(component.id, component);
      for (let attempt = 1; ; ) {
        const elapsedMs = performance.now() - startedAt;
        if (elapsedMs > patienceMs) {
          throw new Error(`Not done after ${patienceMs} ms: ${[...reasons].join(' ')}`);
        }
        const progress: Progress = await under.driver[method](
          under.region,
          component,
          { id, job: id, attempt, elapsedMs },
          never,
        );
        if (progress.isDone) return [...reasons];
        if (progress.reason !== undefined) {
          reasons.add(progress.reason);
          onWait?.(progress.reason);
        }
        expect(progress.checkAgainMs).toBeGreaterThanOrEqual(0);
        // Waits on time: the driver says when to call it again.
        await sleep(Math.min(progress.checkAgainMs, 1_000));
      }
    }

    /** The status after work with this outcome. */
    async function statusAfter(
      { id, state }: Pick<DesiredComponent, 'id' | 'state'>,
      outcome: 'succeeded' | 'failed' = 'succeeded',
    ): Promise<string | undefined> {
      const lastWork = { outcome, state, previousStatus: 'undeploy' };
      const knowledge: ComponentKnowledge = { id, regionId: under.region.id, deployState: state, lastWork };
      const found = await under.driver.observe([knowledge], never);
      expect([...found.keys()]).toEqual([id]);
      const status = found.get(id)!;
      expect(Object.keys(componentStatuses)).toContain(status);
      return status;
    }

    it('starts, changes, stops and starts a component again', async () => {
      const [image, nextImage] = under.images;
      const component = componentOf(image);
      const states: Partial<DesiredComponent>[] = [
        {},
        { image: nextImage, replicas: 3, variables: [], volumes: [] },
        { ports: [], httpRules: [], tcpRules: [] },
        { state: 'closed' },
        { state: 'running' },
      ];
      let desired = component;
      for (const [index, change] of states.entries()) {
        desired = { ...desired, ...change, generation: index + 1 };
        await carryOut('apply', desired);
        expect(await statusAfter(desired)).toBe(desired.state);
      }
    });

    it('carries out the same work again', async () => {
      const component = componentOf(under.images[0]);
      for (const method of ['apply', 'restart'] as const) {
        const work = ++works;
        await carryOut(method, component, { id: work });
        await carryOut(method, component, { id: work });
        expect(await statusAfter(component)).toBe('running');
      }
    });

    it('restarts a component that the cluster does not have', async () => {
      const component = componentOf(under.images[0], { extendMethod: 'state' });
      await carryOut('restart', component);
      expect(await statusAfter(component)).toBe('running');
    });

    it('stops a component that the cluster does not have', async () => {
      const component = componentOf(under.images[0], { state: 'closed' });
      await carryOut('apply', component);
      expect(await statusAfter(component)).toBe('closed');
    });

    it('removes a component, one that is gone, and one that never was', async () => {
      const component = componentOf(under.images[0]);
      await carryOut('apply', component);
      const { id, teamId, applicationId, namespaceId, alias, clusterName } = component;
      const identity = { id, teamId, applicationId, namespaceId, alias, clusterName } as DesiredComponent;
      await carryOut('remove', identity);
      await carryOut('remove', identity);
      await carryOut('remove', componentOf(under.images[0]));
      await carryOut('apply', component);
      expect(await statusAfter(component)).toBe('running');
    });

    it('adds a volume to a component with state, and deploys it again', async () => {
      const volume = {
        ...{ type: 'share-file', fileContent: '', capacityGiB: 1, accessMode: null, sharePolicy: null },
        ...{ name: 'data', path: '/data' },
      } as const;
      const more = { ...volume, name: 'more', path: '/more' };
      const component = componentOf(under.images[0], { extendMethod: 'state', volumes: [volume] });
      await carryOut('apply', component);
      await carryOut('apply', { ...component, generation: 2, volumes: [volume, more] });
      expect(await statusAfter(component)).toBe('running');
      const [, image] = under.images;
      await carryOut('apply', { ...component, generation: 3, volumes: [volume, more], image });
      expect(await statusAfter(component)).toBe('running');
    });

    it('carries out work on several components at once', async () => {
      const components = Array.from({ length: 8 }, () => componentOf(under.images[0]));
      await Promise.all(components.map((component) => carryOut('apply', component)));
      const statuses = await Promise.all(components.map((component) => statusAfter(component)));
      expect(new Set(statuses)).toEqual(new Set(['running']));
    });

    it('refuses for good an image that never runs', async ({ skip }) => {
      if (under.brokenImage === undefined) return skip('It does not look at images.');
      const component = componentOf(under.brokenImage);
      const error = await carryOut('apply', component).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(RegionWorkError);
      expect(error).toMatchObject({ isPermanent: true, message: expect.stringMatching(/.{10}/) });
      expect(await statusAfter(component, 'failed')).toBe('abnormal');
      // What is broken can still be repaired, stopped and removed.
      await carryOut('apply', { ...component, generation: 2, image: under.images[0] });
      expect(await statusAfter(component)).toBe('running');
      await carryOut('apply', { ...component, generation: 3, state: 'closed' });
      await carryOut('remove', component);
    });

    /** The most and the least instances that are ready and not about to end, while something goes on. */
    async function readyDuring(component: DesiredComponent, work: Promise<unknown>) {
      const inspected = { ...component, regionId: under.region.id, deployState: 'running' };
      let isOver = false;
      const over = work.finally(() => {
        isOver = true;
      });
      over.catch(() => {});
      const counts: number[] = [];
      do {
        const instances = await under.driver.instances!.list(inspected, never);
        counts.push(instances.filter(({ isReady, phase }) => isReady && phase !== 'Terminating').length);
        // Waits on time: instances are listed again and again while they change.
        await sleep(10);
      } while (!isOver);
      await over;
      return Math.min(...counts);
    }

    it('has as many instances as before while it changes them, and while it restarts them', async ({
      skip,
    }) => {
      if (!under.driver.instances) return skip('It has no instances.');
      const component = componentOf(under.images[0]);
      await carryOut('apply', component);
      const next = { ...component, image: under.images[1], generation: 2 };
      expect(await readyDuring(next, carryOut('apply', next))).toBeGreaterThanOrEqual(2);
      expect(await readyDuring(next, carryOut('restart', next))).toBeGreaterThanOrEqual(2);
    });

    it('leaves the number of instances to the load, within bounds, and takes it back', async () => {
      const { driver, images } = under;
      const component = componentOf(images[0]);
      await carryOut('apply', component);
      const autoscaling = { minReplicas: 2, maxReplicas: 3, cpuPercent: 50, memoryPercent: null };
      const scaled = { ...component, autoscaling };
      const replicas = async () =>
        (await driver.replicas?.([{ id: component.id, regionId: under.region.id }], never))?.get(
          component.id,
        );
      const changes: Partial<DesiredComponent>[] = [
        {},
        { image: images[1] },
        { image: images[0], replicas: 1 },
      ];
      for (const [index, change] of changes.entries()) {
        const next = { ...scaled, ...change, generation: index + 2 };
        const work = carryOut('apply', next);
        if (driver.instances) expect(await readyDuring(component, work)).toBeGreaterThanOrEqual(2);
        else await work;
        expect(await statusAfter(next)).toBe('running');
        if (driver.replicas) expect([2, 3]).toContain(await replicas());
      }
      await carryOut('apply', { ...scaled, state: 'closed', generation: 5 });
      expect(await statusAfter({ ...scaled, state: 'closed' })).toBe('closed');
      // It begins within its bounds.
      await carryOut('apply', { ...scaled, replicas: 1, generation: 6 });
      if (driver.replicas) expect([2, 3]).toContain(await replicas());
      await carryOut('apply', { ...component, replicas: 1, generation: 7 });
      expect(await statusAfter(component)).toBe('running');
      if (driver.replicas) expect(await replicas()).toBe(1);
    });

    it('carries a placement out without fewer instances than before, and does without it again', async () => {
      const { driver, images } = under;
      const component = componentOf(images[0]);
      await carryOut('apply', component);
      const placement: DesiredComponent['placement'] = {
        nodeLabels: [],
        tolerations: [
          { key: 'dedicated', operator: 'equal', value: 'web', effect: 'no_schedule' },
          { key: null, operator: 'exists', value: null, effect: null },
        ],
        spread: 'node',
        minAvailable: 1,
      };
      const changes: Partial<DesiredComponent>[] = [
        { placement },
        { placement: { ...placement, spread: 'zone', minAvailable: 0 } },
        { placement: anywhere },
      ];
      for (const [index, change] of changes.entries()) {
        const next = { ...component, ...change, generation: index + 2 };
        const work = carryOut('apply', next);
        if (driver.instances) expect(await readyDuring(component, work)).toBeGreaterThanOrEqual(2);
        else await work;
        expect(await statusAfter(next)).toBe('running');
      }
    });

    it('lets instances run as root and restricts them again without fewer than before', async () => {
      const { driver, images } = under;
      const component = componentOf(images[0]);
      await carryOut('apply', component);
      for (const [index, needsRoot] of [true, false].entries()) {
        const next = { ...component, needsRoot, generation: index + 2 };
        const work = carryOut('apply', next);
        if (driver.instances) expect(await readyDuring(component, work)).toBeGreaterThanOrEqual(2);
        else await work;
        expect(await statusAfter(next)).toBe('running');
      }
    });

    it('keeps what ran before when a version crashes after it was ready', async ({ skip }) => {
      if (!under.crashing) return skip('It does not run programs.');
      const component = componentOf(under.images[0]);
      await carryOut('apply', component);
      const next = { ...component, ...under.crashing, generation: 2 };
      const work = carryOut('apply', next);
      const least = readyDuring(
        component,
        work.catch(() => {}),
      );
      const error = await work.catch((thrown) => thrown);
      expect(error).toBeInstanceOf(RegionWorkError);
      expect(error).toMatchObject({ isPermanent: true, message: expect.stringContaining('exit code 3') });
      expect(await least).toBe(2);
      expect(await statusAfter(next, 'failed')).toBe('some_abnormal');
      await carryOut('apply', { ...component, generation: 3 });
      expect(await statusAfter(component)).toBe('running');
    });

    it('waits for instances that end slowly where a quota has no room for others', async ({ skip }) => {
      if (!under.stubborn || under.limitedTeamId === undefined) return skip('It has no quotas.');
      const teamId = under.limitedTeamId;
      const namespaceId = under.given?.namespaceId && 2;
      const given = { ...under.stubborn, teamId, replicas: 2, ...(namespaceId && { namespaceId }) };
      const component = componentOf(under.images[0], given);
      await carryOut('apply', component);
      await carryOut('restart', component);
      expect(await statusAfter(component)).toBe('running');
      await carryOut('remove', component);
    });

    it('waits for a node that is slow, and says why', async ({ skip }) => {
      if (!under.delayed) return skip('It has no nodes.');
      const { program, start } = under.delayed;
      const component = componentOf(under.images[0], program);
      const onWait = (reason: string) => reason.includes('timed out waiting') && start();
      const reasons = await carryOut('apply', component, { onWait });
      expect(reasons.join()).toContain('timed out waiting');
      expect(await statusAfter(component)).toBe('running');
    });

    it('has a certificate for a rule that asks for one', async ({ skip }) => {
      const { certificates } = under.driver;
      if (!certificates || (await certificates.missing(under.region.id, never)) !== null) {
        return skip('Nothing issues certificates.');
      }
      const component = componentOf(under.images[0]);
      const httpRules = component.httpRules.map((rule) => ({ ...rule, autoSsl: true }));
      await carryOut('apply', { ...component, httpRules });
      const missing = await under.missing?.('certificates', component);
      if (missing) return skip(missing);
      const [{ domain }] = httpRules as [DesiredHttpRule];
      const state = async () =>
        (await certificates.issued(under.region.id, component.teamId, never)).of({ component, domain });
      await expect
        .poll(state, { timeout: patienceMs, interval: 50 })
        .toMatchObject({ state: 'ready', reason: null });
    });

    it('runs a command once, with its exit code and its log, and ends another', async ({ skip }) => {
      const { runs } = under.driver;
      if (!runs) return skip();
      // Of a real cluster, an image with a shell.
      const { image = under.images[0], needsRoot = false } = under.crashing ?? {};
      const component = componentOf(image, { needsRoot });
      made.set(component.id, component);
      const order = (command: string[], timeoutSeconds = 600): RunOrder => ({
        id: randomUUID().replaceAll('-', ''),
        command,
        timeoutSeconds,
        createdAt: new Date(),
        startedAt: null,
      });
      const until = async (run: RunOrder, phases: RunReport['phase'][]) => {
        const startedAt = performance.now();
        let report = await runs.start(under.region, component, run, never);
        while (!phases.includes(report.phase)) {
          if (performance.now() - startedAt > patienceMs) throw new Error(JSON.stringify(report));
          // Waits on time: a run ends in the cluster, which says so only when it is asked.
          await sleep(50);
          const known = { ...run, startedAt: report.startedAt };
          report = await runs.look(under.region, component, known, never);
        }
        return report;
      };
      // A second call for the same run does not start it again.
      const failing = order(['sh', '-c', 'echo one; exit 3']);
      await runs.start(under.region, component, failing, never);
      const report = await until(failing, ['succeeded', 'failed', 'timedOut', 'gone']);
      expect(report).toMatchObject({ phase: 'failed', exitCode: 3 });
      const inspected = { ...failing, ...report, regionId: under.region.id, component };
      const reader = { callerId: 1, teamId: component.teamId };
      const found = await runs.logs(inspected, { ...noFilter, reader, tail: 10 }, never);
      expect(found!.lines.map(({ text }) => text)).toContain('one');
      const endless = order(['sleep', '3600']);
      await until(endless, ['running']);
      await vi.waitUntil(() => runs.end(under.region, component, endless, never), {
        timeout: patienceMs,
        interval: 50,
      });
      const left = { ...endless, endedAt: null, exitCode: null, regionId: under.region.id, component };
      expect((await runs.logs(left, { ...noFilter, reader, tail: 10 }, never))?.lines ?? []).toEqual([]);
    });

    it('makes snapshots of a volume, restores and copies it from them, and removes them', async ({
      skip,
    }) => {
      const { snapshots } = under.driver;
      if (!snapshots || (await snapshots.missing(under.region.id, never)) !== null) {
        return skip('Nothing makes snapshots.');
      }
      const volume = {
        ...desiredComponent(under.images[0]).volumes[0]!,
        name: 'data',
        path: '/data',
        type: 'share-file',
        capacityGiB: 1,
      };
      const component = componentOf(under.images[0], { volumes: [volume] });
      const owner = { ...component, regionId: under.region.id };
      await carryOut('apply', component);
      const missing = await under.missing?.('snapshots', component);
      if (missing) return skip(missing);
      const name = unique('snapshot');
      for (let repeat = 0; repeat < 2; repeat++) {
        await snapshots.create(owner, { volume: 'data', name, scheduleId: 'nightly' }, never);
      }
      const list = async () => (await snapshots.list([owner], never)).get(owner.id);
      await expect.poll(list, { timeout: patienceMs, interval: 50 }).toEqual([
        expect.objectContaining({
          ...{ name, volume: 'data', isReady: true, problem: null, scheduleId: 'nightly' },
        }),
      ]);
      if ((await snapshots.missingForCopies(under.region.id, never)) === null) {
        const { id: componentId, teamId, namespaceId } = component;
        const source = { componentId, teamId, namespaceId, snapshot: name };
        const copy = componentOf(under.images[0], { volumes: [{ ...volume, source }] });
        await carryOut('apply', copy);
        await carryOut('remove', { ...copy, deletesVolumes: true } as DesiredComponent);
      }
      await carryOut('apply', { ...component, state: 'closed', generation: 2 });
      await snapshots.restore(owner, { volume, name }, never);
      await carryOut('apply', { ...component, generation: 3 });
      await expect
        .poll(() => snapshots.inUse(owner, never), { timeout: patienceMs, interval: 50 })
        .toEqual([]);
      await snapshots.remove(owner, name, never);
      await snapshots.remove(owner, name, never);
      expect(await list()).toEqual([]);
    });

    it('ends a call whose signal is aborted', async ({ skip }) => {
      if (under.driver.isImmediate) return skip('Its calls end at once.');
      const component = componentOf(under.images[0]);
      const work = { id: ++works, job: works, attempt: 1, elapsedMs: 0 };
      const signal = AbortSignal.abort(new Error('stop'));
      for (const method of ['apply', 'restart', 'remove'] as const) {
        await expect(under.driver[method](under.region, component, work, signal)).rejects.toThrow('stop');
      }
    });

    it('observes no components, and components that the cluster does not have', async () => {
      expect((await under.driver.observe([], never)).size).toBe(0);
      const id = unique('component');
      const knowledge = { id, regionId: under.region.id, deployState: 'undeploy' };
      expect((await under.driver.observe([knowledge], never)).get(id)).toBe('undeploy');
    });

    it('keeps to its own when another region has the same cluster', async ({ skip }) => {
      const { region, neighbour } = under;
      if (neighbour === undefined) return skip('It has no clusters.');
      const component = componentOf(under.images[0]);
      await carryOut('apply', component);
      expect(await statusAfter(component)).toBe('running');
      const { id, state } = component;
      const lastWork = { outcome: 'succeeded' as const, state, previousStatus: 'undeploy' };
      const there: ComponentKnowledge = { id, regionId: neighbour.id, deployState: 'undeploy', lastWork };
      expect((await under.driver.observe([there], never)).get(id)).toBe('undeploy');
      const work = { id: ++works, job: works, attempt: 1, elapsedMs: 0 };
      expect(await under.driver.remove(neighbour, component, work, never)).toEqual({ isDone: true });
      expect(await statusAfter(component)).toBe('running');
      expect(region.id).not.toBe(neighbour.id);
    });

    it('measures the components that it is asked for, or says why it does not', async ({ skip }) => {
      const access = under.driver.usage;
      if (!access) return skip('It has no usage.');
      expect((await access.now(under.region.id, [], never)).size).toBe(0);
      const component = componentOf(under.images[0]);
      await carryOut('apply', component);
      const known = { regionId: under.region.id, deployState: 'running', createdAt: new Date(0) };
      const measured = { ...component, ...known };
      const absent = { ...measured, id: unique('component'), deployState: 'undeploy' };
      const found = await access.now(under.region.id, [measured, absent], never);
      expect([...found.keys()].sort()).toEqual([component.id, absent.id].sort());
      expect(found.get(absent.id)!.instances).toEqual([]);
      const { gap, instances } = found.get(component.id)!;
      expect(instances.length).toBeGreaterThanOrEqual(component.replicas);
      const names = instances.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)].sort());
      for (const { cpuMillicores, memoryMiB, restarts, measuredAt } of instances) {
        expect(restarts).toBeGreaterThanOrEqual(0);
        if (gap === null && measuredAt) {
          expect(cpuMillicores).toBeGreaterThanOrEqual(0);
          expect(memoryMiB).toBeGreaterThanOrEqual(0);
        } else expect([cpuMillicores, memoryMiB]).toEqual([null, null]);
      }
    });

    it('returns the history of a component, or says why there is none', async ({ skip }) => {
      const access = under.driver.usage;
      if (!access) return skip('It has no usage.');
      const component = componentOf(under.images[0]);
      await carryOut('apply', component);
      const known = { regionId: under.region.id, deployState: 'running', createdAt: new Date(0) };
      const measured = { ...component, ...known };
      const to = new Date(Math.floor(Date.now() / 60_000) * 60_000);
      const window = { from: new Date(to.getTime() - 3_600_000), to, stepSeconds: 60 };
      const reader = { callerId: 1, teamId: component.teamId };
      const history = await access.history(measured, reader, window, never);
      const traffic = await access.traffic(measured, reader, window, never);
      if (history.gap !== null) expect(Object.keys(historyGaps)).toContain(history.gap);
      if (traffic.gap !== null) expect(Object.keys(trafficGaps)).toContain(traffic.gap);
      const all = [
        ...(history.gap === null ? usageSeries.map((series) => history[series]) : []),
        ...(traffic.gap === null ? trafficSeries.map((series) => traffic[series] ?? []) : []),
      ];
      for (const series of all) {
        const times = series.map(({ at }) => at.getTime());
        expect(times.length).toBeLessThanOrEqual(61);
        expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
        for (const at of times) {
          expect(at).toBeGreaterThanOrEqual(window.from.getTime());
          expect(at).toBeLessThanOrEqual(to.getTime());
        }
      }
    });

    it('searches the lines of instances, and says whether it has a log store', async ({ skip }) => {
      const { instances } = under.driver;
      if (!instances) return skip('It has no instances.');
      const component = componentOf(under.images[0]);
      await carryOut('apply', component);
      const inspected = { ...component, regionId: under.region.id, deployState: 'running' };
      const reader = { callerId: 1, teamId: component.teamId };
      const all = await instances.list(inspected, never);
      const query = { ...noFilter, reader, container: null, tail: 5 };
      const read = (filter: Partial<LogFilter>) =>
        instances.logs(inspected, all, { ...query, ...filter }, never);
      expect(all.length).toBeGreaterThan(0);
      expect((await read({})).lines.length).toBeLessThanOrEqual(5);
      expect((await read({ search: unique('never-written') })).lines).toEqual([]);
      expect((await read({ until: new Date(-1_000) })).lines).toEqual([]);
      for (const { text } of (await read({})).lines) {
        const search = text.slice(0, 20).toUpperCase();
        const { lines } = await read({ search });
        expect(lines.length).toBeGreaterThan(0);
        for (const line of lines) expect(line.text.toUpperCase()).toContain(search);
      }
      const to = new Date();
      const range = { from: new Date(to.getTime() - 3_600_000), to, instance: null };
      const stored = await instances.stored(inspected, { ...query, ...range }, never);
      if (stored.gap !== null) return expect(Object.keys(logGaps)).toContain(stored.gap);
      expect(stored.lines.length).toBeLessThanOrEqual(5);
    });

    it('returns figures of its region', async () => {
      const { id, name } = under.region;
      const declared = { cpuCores: 8, memoryMiB: 1_024, diskGiB: 10 };
      const region = { id, name, ...declared, requestedCpuMillicores: 500, requestedMemoryMiB: 64 };
      const figures = (await under.driver.figures([region], never)).get(id)!;
      for (const value of Object.values(figures)) expect(value).toBeGreaterThanOrEqual(0);
      expect(figures.totalCpuCores).toBeGreaterThan(0);
      expect(Object.keys(figures).length).toBe(6);
    });
  });
}
