import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication, createComponent, createPlace } from '../../support/fixtures.ts';
import { simulatedInstance } from '../../support/instances.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
beforeAll(async () => {
  trellis = await startTrellis();
});
afterAll(() => trellis?.close());

const query =
  'query($by: ComponentRef!) { component(by: $by) { cpuMillicores memoryMiB usage { gap cpuMillicores memoryMiB restarts instances { name cpuMillicores memoryMiB measuredAt } } } }';

describe('Component.usage', () => {
  it('says that a declared region has no measurements', async () => {
    const { appId } = await createApplication(trellis, await createPlace(trellis));
    const { componentId } = await createComponent(trellis, appId, { isDeployed: true });
    const { component } = await trellis.data(query, { by: { componentId } });
    expect(component.usage).toEqual({
      ...{ gap: 'NO_CLUSTER', cpuMillicores: null, memoryMiB: null, restarts: 0, instances: [] },
    });
  });

  it('is a part of what an instance of a simulated region requests', async () => {
    const { team } = await createPlace(trellis);
    const { component: by, instance } = await simulatedInstance(trellis, team.teamId);
    const { component } = await trellis.data(query, { by });
    const { usage, cpuMillicores, memoryMiB } = component;
    expect([usage.gap, usage.restarts]).toEqual([null, 0]);
    expect(usage.instances.map(({ name }: { name: string }) => name)).toEqual([instance]);
    for (const [used, requested] of [
      [usage.cpuMillicores, cpuMillicores],
      [usage.memoryMiB, memoryMiB],
    ]) {
      expect(used).toBeGreaterThan(0);
      expect(used).toBeLessThan(requested);
    }
    expect(Date.parse(usage.instances[0].measuredAt)).toBeLessThanOrEqual(Date.now());
  });
});
