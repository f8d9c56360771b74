import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DesiredComponent } from '../../../../src/drivers/region/desired.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { type KubernetesUnderTest, kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { beforeNextCall } from '../../../support/kubernetes/next-call.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

let under: KubernetesUnderTest;
beforeAll(async () => {
  under = await kubernetesUnderTest();
});
afterAll(() => under.close());

const { signal } = new AbortController();
let works = 0;
async function apply(component: DesiredComponent, calls = 500): Promise<boolean> {
  const id = ++works;
  for (let attempt = 1; attempt <= calls; attempt++) {
    const work = { id, job: id, attempt, elapsedMs: 0 };
    const progress = await under.driver.apply(under.region, component, work, signal);
    if (progress.isDone) return true;
    await beforeNextCall();
  }
  return false;
}

const isMatching = async (component: DesiredComponent) =>
  (await under.driver.matching!(under.region, [component], signal)).has(component.id);

describe('a component that the cluster has as it is desired', () => {
  it('matches while its instances are ready, and nothing of what is desired differs', async () => {
    const component = desiredComponent('nginx:1');
    expect(await isMatching(component)).toBe(false);
    expect(await apply(component)).toBe(true);
    await expect.poll(() => isMatching(component)).toBe(true);
    for (const changed of [
      { image: 'nginx:2' },
      { replicas: 3 },
      { pullsAlways: true },
      { variables: [{ name: 'A', value: 'b', isSecret: true }] },
      { state: 'closed' },
    ] satisfies Partial<DesiredComponent>[]) {
      expect(await isMatching({ ...component, ...changed }), JSON.stringify(changed)).toBe(false);
    }
  });

  it('does not match while it fails', async () => {
    const component = desiredComponent('nginx:crash');
    expect(await apply(component, 5).catch(() => false)).toBe(false);
    expect(await isMatching(component)).toBe(false);
  });

  it('is pulled at each start if its tag moves and its digest is not known', async () => {
    const component = desiredComponent('nginx:main', { pullsAlways: true });
    await apply(component);
    const { object } = under.server.cluster.store.get(
      kindNamed('Deployment'),
      'trellis-team',
      component.clusterName,
    ) as any;
    expect(object.spec.template.spec.containers[0].imagePullPolicy).toBe('Always');
  });
});
