import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventDefaults } from '../../../../src/drivers/region/kubernetes/cluster/pod-events.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { type KubernetesUnderTest, kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

/** The controllers of the cluster take a step when the test says so. */
let under: KubernetesUnderTest;
beforeAll(async () => {
  under = await kubernetesUnderTest({}, { stepMs: 3_600_000 });
});
afterAll(() => under.close());

// Time passes for the driver when the test says so.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;
const image = 'registry.example/web:deaf';
const reason = 'Not ready: the readiness check of port 8080 failed: connection refused';
let works = 0;

describe('a check that fails', () => {
  it.each([
    ['has just begun', 0],
    ['has waited for long', 600_000],
  ])('is named within 30 s of its first failure by work that %s', async (_, waitedMs) => {
    const { driver, region, server } = under;
    const component = desiredComponent(image, { replicas: 1, volumes: [] });
    const { id } = component;
    const work = { id: ++works, job: works, attempt: 1 };
    const beganMs = performance.now() - waitedMs;
    const look = async () => {
      const elapsedMs = performance.now() - beganMs;
      const progress = await driver.apply(region, component, { ...work, elapsedMs }, never);
      if (progress.isDone) throw new Error('It must not become ready.');
      return progress;
    };
    const instances = () =>
      driver.instances!.list({ ...component, regionId: region.id, deployState: 'running' }, never);
    const { store } = server.cluster;
    const inNamespace = (kind: string) => store.list(kindNamed(kind), `trellis-${component.teamId}`);
    const runs = () =>
      inNamespace('Pod').some(
        ({ metadata, status }) =>
          metadata.labels['trellis.dev/component'] === id && status?.containerStatuses?.[0]?.state.running,
      );
    const failures = () => inNamespace('Event').filter((each) => each.reason === 'Unhealthy').length;
    const before = failures();

    await look();
    for (let steps = 0; steps < 100 && !runs(); steps++) server.cluster.step();
    // Read by somebody just before the check fails, which the driver remembers for a while: the worst that can happen.
    await expect.poll(async () => (await instances())[0]?.phase).toBe('Running');
    expect(failures()).toBe(before);
    server.cluster.step();
    expect(failures()).toBe(before + 1);

    const waits: number[] = [];
    for (let found = await look(); found.reason === undefined; found = await look()) {
      waits.push(found.checkAgainMs);
      vi.advanceTimersByTime(found.checkAgainMs);
      if (waits.length > 100) throw new Error('The check is not named.');
    }
    const longest = Math.max(...waits);
    const allowed = Math.max(eventDefaults.eventsAfterMs, eventDefaults.eventsForMs) + longest;
    expect(waits.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(allowed);
    expect(allowed + longest).toBeLessThanOrEqual(30_000);
    expect((await look()).reason).toBe(reason);
    expect((await instances()).map((instance) => instance.reason)).toEqual([reason]);
  });
});
