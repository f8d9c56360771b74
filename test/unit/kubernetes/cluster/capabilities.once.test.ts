import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RegionSource } from '../../../../src/drivers/region/clusters.ts';
import { Capability } from '../../../../src/drivers/region/kubernetes/cluster/capabilities.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { carryOut } from '../../../support/kubernetes/carry-out.ts';
import { kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

const { signal } = new AbortController();
afterEach(() => void vi.restoreAllMocks());

describe('what a cluster serves', () => {
  it('is asked for until it is there: again after a minute, and not any more then', async () => {
    const answers = [false, false, true];
    const ask = vi.fn(async () => answers.shift()!);
    const capability = new Capability(ask);
    for (const [nowMs, has, times] of [
      [1, false, 1],
      [60_000, false, 1],
      [60_001, false, 2],
      [120_000, false, 2],
      [120_001, true, 3],
      [500_000, true, 3],
    ] as const) {
      expect(await capability.isThere(signal, nowMs)).toBe(has);
      expect(ask).toHaveBeenCalledTimes(times);
    }
  });

  it('is used a minute after it was installed, without a restart', async () => {
    const under = await kubernetesUnderTest({}, { stepMs: 1 });
    try {
      const { cluster } = under.server;
      cluster.fault = ({ path }) =>
        path === '/apis/gateway.networking.k8s.io/v1' ? { status: 200, body: { resources: [] } } : undefined;
      const component = desiredComponent('registry.example:5000/web:1.0', { replicas: 1 });
      const routes = () => cluster.store.list(kindNamed('TCPRoute')).length;
      await carryOut(under, 'apply', component);
      expect(routes()).toBe(0);
      cluster.fault = undefined;
      const now = performance.now.bind(performance);
      vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
      await carryOut(under, 'apply', component);
      expect(routes()).toBe(1);
    } finally {
      await under.close();
    }
  });
});

it('a cluster that goes away is one line of the log, and so is its return', async () => {
  const lines: string[] = [];
  const note = (_: unknown, text?: string) => void lines.push(text ?? '');
  const log = { info: note, warn: note } as RegionSource['log'];
  const under = await kubernetesUnderTest({}, { stepMs: 1, log });
  const watching = new AbortController();
  try {
    const { driver, region, server } = under;
    const component = desiredComponent('registry.example:5000/web:1.0', { replicas: 1 });
    await carryOut(under, 'apply', component);
    let watched!: Promise<void>;
    await new Promise<void>((begun) => {
      const observer = { changed: () => begun(), crashed: () => {} };
      watched = driver.watchChanges(region.id, observer, watching.signal);
    });
    const status = async () =>
      (await driver.observe([{ id: component.id, regionId: region.id, deployState: 'running' }], signal)).get(
        component.id,
      );
    for (let times = 0; times < 2; times++) {
      lines.length = 0;
      server.setDown(true);
      await expect.poll(status).toBe('unknown');
      // Every watch has tried again.
      await expect.poll(() => lines).toEqual(['a cluster cannot be reached']);
      server.setDown(false);
      await expect.poll(status).toBe('running');
      expect(lines).toEqual(['a cluster cannot be reached', 'a cluster is reachable again']);
    }
    watching.abort();
    await watched;
  } finally {
    await under.close();
  }
});
