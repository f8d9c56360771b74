import { expect, it } from 'vitest';
import { boundedLook } from '../../../../src/drivers/region/driver.ts';
import { kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { carryOutJob, plainComponent } from '../../../support/kubernetes/request-counts.ts';

it('gives each caller a part of the connections to a cluster, and most of them to jobs', async () => {
  const under = await kubernetesUnderTest({}, { stepMs: 1, hasMetrics: true });
  try {
    const { driver, region, server } = under;
    await carryOutJob(under, 'apply', [plainComponent()]);
    let waiting = 0;
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    server.late = ({ path }) => {
      // What the figures of a region are read from.
      if (!/^\/api(s\/metrics\.k8s\.io\/v1beta1|\/v1)\/(nodes|persistentvolumeclaims)/.test(path))
        return undefined;
      waiting++;
      return held;
    };
    const known = { id: region.id, name: region.name, cpuCores: 1, memoryMiB: 1, diskGiB: 1 };
    const look = (userId: number) =>
      boundedLook(
        (signal) => driver.figures([{ ...known, requestedCpuMillicores: 0, requestedMemoryMiB: 0 }], signal),
        { actor: { userId, serviceAccountId: null } },
        60_000,
      );
    const many = Array.from({ length: 20 }, () => look(1));
    await expect.poll(() => waiting).toBe(3);
    const others = look(2);
    await expect.poll(() => waiting).toBe(6);
    await carryOutJob(under, 'apply', [plainComponent()]);
    expect(waiting).toBe(6);
    answer();
    expect(await Promise.all([...many, others])).toHaveLength(21);
  } finally {
    await under.close();
  }
});
