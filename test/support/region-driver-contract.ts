import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { componentStatuses } from '../../src/domain/component/model.ts';
import type { DesiredComponent, RegionTarget } from '../../src/drivers/region/desired.ts';
import {
  type ComponentKnowledge,
  type Progress,
  type RegionDriver,
  RegionWorkError,
} from '../../src/drivers/region/driver.ts';
import { noProbes, shutdownDefaults } from '../../src/drivers/region/health.ts';
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
    command: null,
    replicas: 2,
    cpuMillicores: 100,
    memoryMiB: 64,
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
          { id, attempt, elapsedMs },
          never,
        );
        if (progress.isDone) return [...reasons];
        if (progress.reason !== undefined) {
          reasons.add(progress.reason);
          onWait?.(progress.reason);
        }
        expect(progress.checkAgainMs).toBeGreaterThanOrEqual(0);
        await sleep(Math.min(progress.checkAgainMs, 1_000));
      }
    }

    /** The status after work with this outcome. */
    async function statusAfter(
      { id, state }: Pick<DesiredComponent, 'id' | 'state'>,
      outcome: 'succeeded' | 'failed' = 'succeeded',
    ): Promise<string | undefined> {
      const lastWork = { outcome, state, previousStatus: 'undeploy', hasStarted: true };
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
      const { id, teamId, applicationId, alias, clusterName } = component;
      const identity = { id, teamId, applicationId, alias, clusterName } as DesiredComponent;
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
      const component = desiredComponent(under.images[0], { extendMethod: 'state', volumes: [volume] });
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
      const { id, clusterName, image, replicas } = component;
      const inspected = {
        id,
        regionId: under.region.id,
        clusterName,
        image,
        replicas,
        deployState: 'running',
      };
      let isOver = false;
      const over = work.finally(() => {
        isOver = true;
      });
      over.catch(() => {});
      const counts: number[] = [];
      do {
        const instances = await under.driver.instances!.list(inspected, never);
        counts.push(instances.filter(({ isReady, phase }) => isReady && phase !== 'Terminating').length);
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
      const component = componentOf(under.images[0], { ...under.stubborn, teamId, replicas: 2 });
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

    it('ends a call whose signal is aborted', async ({ skip }) => {
      if (under.driver.isImmediate) return skip('Its calls end at once.');
      const component = componentOf(under.images[0]);
      const work = { id: ++works, attempt: 1, elapsedMs: 0 };
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
      const lastWork = { outcome: 'succeeded' as const, state, previousStatus: 'undeploy', hasStarted: true };
      const there: ComponentKnowledge = { id, regionId: neighbour.id, deployState: 'undeploy', lastWork };
      expect((await under.driver.observe([there], never)).get(id)).toBe('undeploy');
      const work = { id: ++works, attempt: 1, elapsedMs: 0 };
      expect(await under.driver.remove(neighbour, component, work, never)).toEqual({ isDone: true });
      expect(await statusAfter(component)).toBe('running');
      expect(region.id).not.toBe(neighbour.id);
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
