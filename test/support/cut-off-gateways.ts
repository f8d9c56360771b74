import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Services } from '../../src/context.ts';
import type { Database } from '../../src/db/open.ts';
import { otherRulesOf } from '../../src/domain/gateway-rule/desired-reads.ts';
import { JobWorker } from '../../src/domain/job/worker/worker.ts';
import { clusterSource } from '../../src/domain/region/cluster-reads.ts';
import { createKubernetesRegion } from '../../src/drivers/region/kubernetes/kubernetes.ts';
import { rolloutDefaults } from '../../src/drivers/region/kubernetes/write/scope.ts';
import { UnavailableError } from '../../src/kernel/errors.ts';
import { runHere } from './commands-here.ts';
import { unique } from './fixtures.ts';
import { kindNamed } from './kubernetes/api/kinds.ts';
import {
  type ClusterPlace,
  createClusterPlace,
  type Deployed,
  deploy,
  jobsOf,
  objectIn,
  patience,
} from './kubernetes/place.ts';
import { type FakeServer, startCluster } from './kubernetes/server.ts';
import { startTrellis, type Trellis } from './trellis.ts';

const leaseMs = 1_200;
const [older, newer] = ['nginx:1.28', 'nginx:1.29'];

/** A database that nothing is read from or written to while it is cut off. */
function cuttable(db: Database, isCut: () => boolean): Database {
  const away = async () => {
    throw new UnavailableError('cut off');
  };
  return new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value === 'function') return isCut() ? away : value.bind(target);
      const isModel = typeof value === 'object' && value !== null && 'findManyByKeys' in value;
      return isModel && isCut() ? new Proxy(value, { get: () => away }) : value;
    },
  });
}

interface Gateway {
  isCut: boolean;
  /** Calls to the driver that have not ended. */
  calls: number;
  worker: JobWorker;
  close(): Promise<void>;
}

function startGateway(trellis: Trellis): Gateway {
  const { seal, log } = trellis.services;
  const gateway = { isCut: false, calls: 0 } as Gateway;
  const db = cuttable(trellis.services.db, () => gateway.isCut);
  const source = clusterSource({ db, seal, log }, otherRulesOf({ db, seal }), { allowsLocal: true });
  const driver = createKubernetesRegion(source, { ...rolloutDefaults, failingMs: 1_000 });
  const counted =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      gateway.calls++;
      return call(...args).finally(() => gateway.calls--);
    };
  const { apply, restart, remove } = driver;
  const region = { ...driver, apply: counted(apply), restart: counted(restart), remove: counted(remove) };
  const drivers = {
    ...trellis.services.drivers,
    region: new Map([['kubernetes', region]]),
    clusters: driver,
  };
  const services: Services = { ...trellis.services, db, drivers };
  gateway.worker = new JobWorker(services, { leaseMs, pollMs: 50, backoffMinMs: 10, backoffMaxMs: 50 });
  gateway.close = async () => {
    gateway.isCut = false;
    await gateway.worker.stop(4_000);
    await driver.close();
  };
  gateway.worker.start();
  return gateway;
}

/** When the request of the gateway that was cut off arrives. */
const arrivals = [
  'when its call was given up',
  'in the middle of the newer job',
  'after the newer job',
] as const;
/** What the newer job does. */
const changes = ['deploy', 'stop', 'delete'] as const;

/** Three gateways, of which one is cut off from its database in the middle of a call, again and again. */
export function testCutOffGateways(rounds: readonly number[]): void {
  let trellis: Trellis;
  let server: FakeServer;
  let place: ClusterPlace;
  let gateways: Gateway[];
  beforeAll(async () => {
    [trellis, server] = await Promise.all([startTrellis({ allowLocalRegions: true }), startCluster()]);
    place = await createClusterPlace(trellis, server);
    gateways = [0, 1, 2].map(() => startGateway(trellis));
  });
  afterAll(async () => {
    await Promise.all((gateways ?? []).map((each) => each.close()));
    await trellis?.close();
    await server?.close();
  });

  const isOver = async () =>
    (await jobsOf(trellis, place)).every(({ status }) => !['PENDING', 'RUNNING'].includes(status));

  /**
   * Holds back the first write of a workload until it is let go: at the latest when the next write of another gateway comes, if
   * `meets` is set.
   */
  function holdWrite(alias: string, meets: boolean) {
    let arrive = () => {};
    const released = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    let isHeld = false;
    let seen = () => {};
    const held = new Promise<void>((resolve) => {
      seen = resolve;
    });
    server.late = ({ method, path }) => {
      if (method === 'GET') return undefined;
      if (isHeld) {
        // The gateway whose request is held sends nothing else: this one is of the newer job.
        if (meets) arrive();
        return undefined;
      }
      if (method !== 'PATCH' || !path.includes(`/deployments/${alias}?`)) return undefined;
      isHeld = true;
      seen();
      return released;
    };
    return { held, arrive };
  }

  async function round(number: number): Promise<void> {
    const [arrival, change] = [arrivals[number % 3]!, changes[Math.floor(number / 3) % 3]!];
    const alias = unique('web');
    const input = { application: { appId: place.appId }, name: alias, alias, image: older, replicas: 1 };
    const { component } = await trellis.succeed('createComponent', input, 'component { uid }');
    const ref = { component: { componentId: component.uid } };
    // Half of the time, the component is in the cluster before.
    if (number % 2) {
      await trellis.succeed('deployComponent', ref, '__typename');
      await expect.poll(isOver, patience).toBe(true);
    }
    const seen: string[] = [];
    const { store } = server.cluster;
    const stop = store.watch(kindNamed('Deployment'), store.version, ({ type, object }) => {
      if (object.metadata.name !== alias) return;
      const isGone = type === 'DELETED' || object.spec.replicas === 0;
      seen.push(isGone ? 'none' : object.spec.template.spec.containers[0].image);
    });
    const late = holdWrite(alias, arrival === 'in the middle of the newer job');
    if (number % 2) await trellis.succeed('scaleComponent', { ...ref, replicas: 2 }, '__typename');
    else await trellis.succeed('deployComponent', ref, '__typename');
    await late.held;
    const cut = gateways.find(({ calls }) => calls > 0)!;
    cut.isCut = true;
    const { length: before } = seen;
    if (change === 'deploy') {
      await trellis.succeed('updateComponent', { ...ref, image: newer }, '__typename');
      await trellis.succeed('deployComponent', ref, '__typename');
    } else if (change === 'stop') await trellis.succeed('stopComponent', ref, '__typename');
    else await trellis.succeed('deleteComponent', { ...ref, force: true }, '__typename');
    if (arrival === 'when its call was given up') {
      await expect.poll(() => cut.calls, patience).toBe(0);
      late.arrive();
    }
    await expect.poll(isOver, patience).toBe(true);
    const has = () => {
      const { spec } = objectIn(place, 'Deployment', alias) ?? {};
      return spec?.replicas ? spec.template.spec.containers[0].image : 'none';
    };
    const wanted = { deploy: newer, stop: 'none', delete: 'none' }[change];
    // What the newer job says is true when it says so, and stays true.
    expect({ has: has(), arrival, change }).toEqual({ has: wanted, arrival, change });
    late.arrive();
    // Waits on time: what is late may be carried out a moment after it has arrived.
    await sleep(20);
    cut.isCut = false;
    await expect.poll(() => cut.calls, patience).toBe(0);
    stop();
    expect({ has: has(), arrival, change }).toEqual({ has: wanted, arrival, change });
    // Once it was there, nothing older came after it.
    const after = seen.slice(before);
    const first = after.indexOf(wanted);
    if (first >= 0 && change !== 'deploy') expect(new Set(after.slice(first))).toEqual(new Set(['none']));
    if (first >= 0 && change === 'deploy') expect(after.slice(first)).not.toContain(older);
    // The newer job, and the one that it has superseded.
    const jobs = (await jobsOf(trellis, place)).slice(0, 2);
    expect(jobs.map(({ status, error }) => ({ status, error }))).toEqual([
      { status: 'SUCCEEDED', error: null },
      { status: 'CANCELLED', error: null },
    ]);
  }

  it('deploys again after a restore, when the fence of the region was reset', async () => {
    const [{ componentId, alias }] = (await deploy(trellis, place)) as [Deployed];
    const kind = kindNamed('Deployment');
    const workload = structuredClone(objectIn(place, 'Deployment', alias));
    // As it was before the database was restored.
    workload.metadata.annotations['trellis.dev/job'] = '1000000';
    server.cluster.store.save(kind, workload);
    const ref = { component: { componentId } };
    const last = async () => (await jobsOf(trellis, place))[0];
    await trellis.succeed('restartComponent', ref, '__typename');
    await expect
      .poll(last, patience)
      .toMatchObject({ status: 'FAILED', error: expect.stringContaining('reset') });
    const key = createHash('sha256').update(trellis.databaseUrl).digest('hex');
    const settings = { DATABASE_URL: trellis.databaseUrl, SECRET_KEY: key, REGION_ALLOW_LOCAL: 'true' };
    const reset = await runHere('reset-fence', ['--region', place.region.name], settings);
    expect(reset).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Removed .* from \d+ objects?\.$/m),
    });
    await trellis.succeed('restartComponent', ref, '__typename');
    await expect.poll(last, patience).toMatchObject({ status: 'SUCCEEDED' });
  });

  describe('three gateways, of which one loses the database in the middle of a call', () => {
    it.each(rounds)('never leave an older state in the cluster: round %i', { timeout: 240_000 }, round);
  });
}
