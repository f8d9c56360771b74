import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DesiredComponent } from '../../../../src/drivers/region/desired.ts';
import { platform } from '../../../support/kubernetes/api/access.ts';
import { type KubernetesUnderTest, kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { beforeNextCall } from '../../../support/kubernetes/next-call.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

let under: KubernetesUnderTest;
beforeAll(async () => {
  under = await kubernetesUnderTest({ gatewayClass: null });
  under.server.cluster.users.set('admin', platform());
});
afterAll(() => under.close());

const { signal } = new AbortController();
let works = 0;

async function apply(component: DesiredComponent): Promise<void> {
  under.components.set(component.id, component);
  const id = ++works;
  for (let attempt = 1; ; attempt++) {
    const work = { id, job: id, attempt, elapsedMs: 0 };
    if ((await under.driver.apply(under.region, component, work, signal)).isDone) return;
    await beforeNextCall();
  }
}

// The database gives a port away again before the cluster has removed the Service of the rule that had it.
it('a port that a Service still has is not refused for good', async () => {
  const create = () => desiredComponent('nginx:1.29', { replicas: 1, volumes: [] });
  const [before, after] = [create(), create()];
  const [rule] = before.tcpRules;
  const next = { ...after, tcpRules: [{ ...after.tcpRules[0]!, outerPort: rule!.outerPort }] };
  await apply(before);
  const refusal = { isPermanent: false, message: expect.stringContaining('is already allocated') };
  await expect(apply(next)).rejects.toMatchObject(refusal);
  await apply({ ...before, tcpRules: [], generation: before.generation + 1 });
  await apply(next);
});
