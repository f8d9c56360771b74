import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DesiredComponent } from '../../../../src/drivers/region/desired.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { carryOut } from '../../../support/kubernetes/carry-out.ts';
import { type KubernetesUnderTest, kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

/** A gateway that ends while it deploys so many components, and another that carries the work out. */
export function takesOver(count: number): void {
  let under: KubernetesUnderTest;
  beforeAll(async () => {
    under = await kubernetesUnderTest();
  });
  afterAll(() => under.close());

  it(`goes on with what another gateway began, in the middle of ${count} components`, async () => {
    const components = Array.from({ length: count }, () =>
      desiredComponent('registry.example/web:1', { replicas: 1, volumes: [] }),
    );
    const killed = new AbortController();
    const first = under.another();
    const begun = components.map((component, index) =>
      first
        .apply(under.region, component, { id: 1e6 + index, job: 0, attempt: 1, elapsedMs: 0 }, killed.signal)
        .catch(() => {}),
    );
    const read = ({ clusterName }: DesiredComponent) =>
      under.server.cluster.store.get(kindNamed('Deployment'), 'trellis-team', clusterName)?.object;
    await expect.poll(() => components.filter(read).length, { timeout: 60_000 }).toBeGreaterThan(count / 8);
    killed.abort(new Error('killed'));
    await Promise.all(begun);
    const second = under.another();
    const { region } = under;
    await Promise.all(
      components.map((component) => carryOut({ driver: second, region }, 'apply', component)),
    );
    const statusOf = async ({ id }: DesiredComponent, driver = under.driver) => {
      const knowledge = { id, regionId: region.id, deployState: 'running' };
      return (await driver.observe([knowledge], new AbortController().signal)).get(id);
    };
    const statuses = await Promise.all(components.map((component) => statusOf(component)));
    expect(new Set(statuses)).toEqual(new Set(['running']));
    // Both see the same.
    await expect.poll(() => statusOf(components.at(-1)!, second)).toBe('running');
  });
}
