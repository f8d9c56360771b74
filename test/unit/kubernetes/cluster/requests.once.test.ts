import { describe, expect, it } from 'vitest';
import { kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import {
  carryOutJob,
  isList,
  most,
  mostLists,
  plainComponent,
  requestsOf,
  requestsOfMany,
  within,
} from '../../../support/kubernetes/request-counts.ts';

describe('the requests of the Kubernetes driver', () => {
  it('are few for a component that stands alone, and one more for each further object', async () => {
    const under = await kubernetesUnderTest({}, { stepMs: 1 });
    try {
      // The first job asks what the cluster serves.
      await carryOutJob(under, 'apply', [plainComponent()]);
      const component = plainComponent();
      const deploy = await requestsOf(under, () => carryOutJob(under, 'apply', [component]));
      expect(deploy.length, within(deploy)).toBeLessThanOrEqual(most.deploy);
      const again = await requestsOf(under, () => carryOutJob(under, 'apply', [component]));
      expect(again.length, within(again)).toBeLessThanOrEqual(most.deploy);
      const larger = plainComponent();
      const ports = [1, 2, 3].map((number) => ({
        ...larger.ports[0]!,
        ...{ number, alias: `P${number}`, additionalName: `${larger.alias}-${number}` },
      }));
      const given = { ...larger, ports: [...larger.ports, ...ports] };
      const more = await requestsOf(under, () => carryOutJob(under, 'apply', [given]));
      expect(more.length, within(more)).toBeLessThanOrEqual(deploy.length + ports.length);
      const removal = await requestsOf(under, () => carryOutJob(under, 'remove', [component]));
      expect(removal.length, within(removal)).toBeLessThanOrEqual(most.removal);
    } finally {
      await under.close();
    }
  });

  it('are as many for each of ten components as for each of fifty', async () => {
    for (const count of [10, 50]) {
      const { deploy, removal } = await requestsOfMany(count);
      expect(deploy.length, within(deploy)).toBeLessThanOrEqual(most.deploy * count);
      expect(removal.length, within(removal)).toBeLessThanOrEqual(most.removal * count);
      expect(deploy.filter(isList).length).toBeLessThanOrEqual(mostLists(count));
      expect(removal.filter(isList).length).toBeLessThanOrEqual(mostLists(count));
    }
  });
});
