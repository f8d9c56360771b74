import { describe, expect, it } from 'vitest';
import { simulatedInstance } from '../../support/instances.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const query =
  'query($by: ComponentRef!) { component(by: $by) { cpuMillicores memoryMiB usage { gap cpuMillicores memoryMiB restarts instances { name cpuMillicores memoryMiB measuredAt } } } }';

describe('Component.usage', () => {
  it('says that a declared region has no measurements', async () => {
    const { appId } = await trellis.createApplication(await trellis.createPlace());
    const { componentId } = await trellis.createComponent(appId, { deploy: true });
    const { component } = await trellis.data(query, { by: { componentId } });
    expect(component.usage).toEqual({
      ...{ gap: 'NO_CLUSTER', cpuMillicores: null, memoryMiB: null, restarts: 0, instances: [] },
    });
  });

  it('is a part of what an instance of a simulated region requests', async () => {
    const { team } = await trellis.createPlace();
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
