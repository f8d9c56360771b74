import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TeamQuota } from '../../../../src/drivers/region/clusters.ts';
import type { DesiredComponent } from '../../../../src/drivers/region/desired.ts';
import { unique } from '../../../support/fixtures.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { type KubernetesUnderTest, kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { beforeNextCall } from '../../../support/kubernetes/next-call.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

const quotaOf = (cpus: number): TeamQuota => ({ cpuMillicores: cpus * 1_000, memoryMiB: 0 });
/** What the database says. */
const database = { quota: quotaOf(4) };
let under: KubernetesUnderTest;
beforeAll(async () => {
  under = await kubernetesUnderTest({}, database);
});
afterAll(() => under.close());

const image = 'registry.example/web:1';
const never = new AbortController().signal;
let jobs = 0;

/** Carries out a job, as the worker does. */
async function carryOut(
  component: DesiredComponent,
  { driver = under.driver, signal = never } = {},
): Promise<void> {
  const job = ++jobs;
  for (let attempt = 1; ; attempt++) {
    const work = { id: job, job, attempt, elapsedMs: 0 };
    if ((await driver.apply(under.region, component, work, signal)).isDone) return;
    await beforeNextCall();
  }
}

/** A component of a team of its own, as the database has it from now on. */
function desire(given: Partial<DesiredComponent> = {}): DesiredComponent {
  const plain = { replicas: 1, volumes: [], httpRules: [], tcpRules: [], teamId: unique('team') };
  return change(desiredComponent(image, { ...plain, ...given }), {});
}

function change(component: DesiredComponent, changes: Partial<DesiredComponent>): DesiredComponent {
  const changed = { ...component, ...changes, generation: component.generation + 1 };
  under.components.set(changed.id, changed);
  return changed;
}

const { httpRules } = desiredComponent(image);
const read = (kind: string, namespace: string | undefined, name: string) =>
  under.server.cluster.store.get(kindNamed(kind), namespace, name)?.object;
const cpusOf = ({ teamId }: DesiredComponent) =>
  read('ResourceQuota', `trellis-${teamId}`, 'trellis')?.spec.hard['requests.cpu'];
const levelOf = ({ teamId }: DesiredComponent) =>
  read('Namespace', undefined, `trellis-${teamId}`).metadata.labels['pod-security.kubernetes.io/enforce'];
const namesOf = (kind: string, { teamId }: DesiredComponent) =>
  under.server.cluster.store.list(kindNamed(kind), `trellis-${teamId}`).map(({ metadata }) => metadata.name);
const driftOf = async (component: DesiredComponent) =>
  (await under.driver.drift(under.region, component, never, jobs)).changed;

/** Holds back the first write of a path until it is released, while the gateway that has sent it waits. */
function holdWrite(matches: (path: string) => boolean) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = false;
  const held = new Promise<void>((resolve) => {
    under.server.late = ({ method, path }) => {
      if (isHeld || method === 'GET' || path.includes('dryRun') || !matches(path)) return undefined;
      isHeld = true;
      resolve();
      return released;
    };
  });
  return { held, release };
}

/** The number of writes that the cluster has refused or carried out. */
const writes = () => under.server.cluster.log.filter(({ method }) => method !== 'GET').length;

/** A job whose write is held back when its gateway gives up. Returns what lets the write arrive. */
async function givenUp(component: DesiredComponent, part: string): Promise<() => Promise<void>> {
  const late = holdWrite((path) => path.includes(part));
  const cut = new AbortController();
  const old = carryOut(component, { driver: under.another(), signal: cut.signal });
  await late.held;
  cut.abort(new Error('cut off'));
  await expect(old).rejects.toThrow();
  return async () => {
    const before = writes();
    late.release();
    await expect.poll(writes).toBe(before + 1);
  };
}

describe('what the components of a team share', () => {
  const setQuota = (cpus: number) => {
    database.quota = quotaOf(cpus);
  };
  beforeEach(() => setQuota(4));

  it('has never what the database said before, however late a request arrives', async () => {
    const component = desire();
    await carryOut(component);
    setQuota(8);
    const arrive = await givenUp(component, '/resourcequotas/');
    setQuota(2);
    await carryOut(component);
    await arrive();
    expect(cpusOf(component)).toBe('2');
  });

  it('is computed again by a gateway that another was faster than', async () => {
    const component = desire();
    await carryOut(component);
    setQuota(8);
    const late = holdWrite((path) => path.includes('/resourcequotas/'));
    const old = carryOut(component, { driver: under.another() });
    await late.held;
    setQuota(2);
    await carryOut(desire({ teamId: component.teamId }));
    late.release();
    await old;
    expect(cpusOf(component)).toBe('2');
  });

  it('keeps a quota that was set again when the request to remove it arrives', async () => {
    const component = desire();
    await carryOut(component);
    setQuota(0);
    const arrive = await givenUp(component, '/resourcequotas/');
    setQuota(2);
    await carryOut(component);
    await arrive();
    expect(cpusOf(component)).toBe('2');
  });

  it('is put back where nothing has changed before an old request arrives: the quota', async () => {
    const component = desire();
    await carryOut(component);
    setQuota(8);
    const arrive = await givenUp(component, '/resourcequotas/');
    setQuota(4);
    await carryOut(component);
    expect(await driftOf(component)).toEqual([]);
    await arrive();
    expect(await driftOf(component)).toEqual(['ResourceQuota trellis']);
    await carryOut(component);
    expect([cpusOf(component), await driftOf(component)]).toEqual(['4', []]);
  });

  it('is put back where nothing has changed before an old request arrives: the level of the namespace', async () => {
    const component = desire();
    await carryOut(component);
    const root = change(component, { needsRoot: true });
    const arrive = await givenUp(root, `/namespaces/trellis-${component.teamId}?`);
    const next = change(component, { needsRoot: false });
    await carryOut(next);
    expect([levelOf(next), await driftOf(next)]).toEqual(['restricted', []]);
    await arrive();
    expect(levelOf(next)).toBe('baseline');
    expect(await driftOf(next)).toEqual([`Namespace trellis-${next.teamId}`]);
    await carryOut(next);
    expect([levelOf(next), await driftOf(next)]).toEqual(['restricted', []]);
  });
});

describe('what a late request creates although nothing wants it any more', () => {
  const autoscaling = { minReplicas: 2, maxReplicas: 3, cpuPercent: 50, memoryPercent: null };

  it.each<[string, string, Partial<DesiredComponent>, Partial<DesiredComponent>]>([
    ['HTTPRoute', '/httproutes/', { httpRules }, { httpRules: [] }],
    ['HTTPRoute', '/httproutes/', { httpRules }, { state: 'closed' }],
    [
      'HorizontalPodAutoscaler',
      '/horizontalpodautoscalers/',
      { autoscaling, replicas: 2 },
      { autoscaling: null },
    ],
  ])('is removed: %s', async (kind, part, given, changes) => {
    const component = desire(given);
    const arrive = await givenUp(component, part);
    const next = change(component, changes);
    await carryOut(next);
    expect([namesOf(kind, next), await driftOf(next)]).toEqual([[], []]);
    await arrive();
    const [name] = namesOf(kind, next);
    // The watch says it.
    await expect.poll(() => driftOf(next)).toEqual([`${kind} ${name}`]);
    await carryOut(next);
    expect(namesOf(kind, next)).toEqual([]);
    await expect.poll(() => driftOf(next)).toEqual([]);
  });
});
