import { setTimeout as sleep } from 'node:timers/promises';
import type { DesiredComponent } from '../../../src/drivers/region/desired.ts';
import { noProbes } from '../../../src/drivers/region/health.ts';
import { desiredComponent } from '../region-driver-contract.ts';
import { type KubernetesUnderTest, kubernetesUnderTest } from './driver.ts';

/** As many components of a region are worked on at once. */
const atOnce = 4;
let works = 0;
let jobs = 0;

/** A component with one port, one volume and one secret. */
export const plainComponent = (more: Partial<DesiredComponent> = {}): DesiredComponent =>
  desiredComponent('registry.example:5000/web:1.0', {
    replicas: 1,
    probes: noProbes,
    variables: [{ name: 'PASSWORD', value: 'hunter2', isSecret: true }],
    volumes: [
      {
        ...{ name: 'data', path: '/data', type: 'share-file', fileContent: '' },
        ...{ capacityGiB: 1, accessMode: null, sharePolicy: null },
      },
    ],
    ports: [
      { number: 8080, protocol: 'http', alias: 'MAIN', isInner: true, isOuter: false, additionalName: null },
    ],
    httpRules: [],
    tcpRules: [],
    ...more,
  });

/** Carries out one job for components, as a worker does. */
export async function carryOutJob(
  { driver, region }: Pick<KubernetesUnderTest, 'driver' | 'region'>,
  method: 'apply' | 'remove',
  components: readonly DesiredComponent[],
): Promise<void> {
  const job = ++jobs;
  const left = [...components];
  const signal = new AbortController().signal;
  const work = async () => {
    for (let component = left.pop(); component; component = left.pop()) {
      const id = ++works;
      const given = { ...component, deletesVolumes: true } as DesiredComponent;
      for (let attempt = 1; ; attempt++) {
        const call = { id, job, attempt, elapsedMs: 0 };
        if ((await driver[method](region, given, call, signal)).isDone) break;
        // Waits on time: the cluster takes its steps by its own clock.
        await sleep(10);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

interface Counted {
  method: string;
  path: string;
  status: number;
}

const isWatch = ({ path }: Counted) => path.includes('watch=true');
/** A list of a namespace, whatever the selector. */
export const isList = ({ method, path }: Counted) =>
  method === 'GET' && /\/namespaces\/[^/]+\/[a-z]+(\?|$)/.test(path) && !path.includes('fieldSelector');

/**
 * Without what conflicts repeat: a controller that writes the status of a workload between two requests of a job lets the
 * second one read it again.
 */
function withoutConflicts(requests: readonly Counted[]): Counted[] {
  const repeated = new Set<Counted>();
  const objectOf = ({ path }: Counted) => path.split('?')[0];
  for (const [index, request] of requests.entries()) {
    if (request.status !== 409 || !/\/(deployments|statefulsets)\//.test(request.path)) continue;
    const isReadAgain = (each: Counted) => each.method === 'GET' && objectOf(each) === objectOf(request);
    repeated.add(request).add(requests.slice(index).find(isReadAgain) ?? request);
  }
  return requests.filter((request) => !repeated.has(request));
}

/** The requests that a job sends, except for watches and what conflicts repeat. */
export async function requestsOf(under: KubernetesUnderTest, job: () => Promise<void>): Promise<Counted[]> {
  const { log } = under.server.cluster;
  const before = log.length;
  await job();
  return withoutConflicts(log.slice(before).filter((each) => !isWatch(each)));
}

export const within = (requests: readonly Counted[]) =>
  requests.map(({ method, path }) => `${method} ${path}`).join('\n');

/** Deploys and removes as many components in one job each. Returns the requests of both. */
export async function requestsOfMany(count: number): Promise<{ deploy: Counted[]; removal: Counted[] }> {
  const under = await kubernetesUnderTest({}, { stepMs: 1 });
  try {
    // The first job asks what the cluster serves.
    await carryOutJob(under, 'apply', [plainComponent()]);
    const components = Array.from({ length: count }, () => plainComponent());
    const deploy = await requestsOf(under, () => carryOutJob(under, 'apply', components));
    const removal = await requestsOf(under, () => carryOutJob(under, 'remove', components));
    return { deploy, removal };
  } finally {
    await under.close();
  }
}

/**
 * The lists of a job, which may be one of each kind for each of those who begin it at once, and now and then one because a watch
 * was late.
 */
export const mostLists = (count: number): number => 4 * atOnce + count / 50;
/** The most requests for a component. */
export const most = { deploy: 12, removal: 8 };
