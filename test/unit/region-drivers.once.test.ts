import { describe, expect, it } from 'vitest';
import { declaredRegion } from '../../src/drivers/region/declared.ts';
import type { ComponentKnowledge } from '../../src/drivers/region/driver.ts';
import type { LogFilter } from '../../src/drivers/region/instances.ts';
import { noFilter } from '../../src/drivers/region/log-filter.ts';
import { createSimulatedRegion } from '../../src/drivers/region/simulated/simulated.ts';
import { anyRegion, describeRegionDriver, desiredComponent } from '../support/region-driver-contract.ts';

const images: [string, string] = ['registry.example:5000/web:1.0', 'registry.example:5000/web:2.0'];

describeRegionDriver('declared', async () => ({ driver: declaredRegion, region: anyRegion, images }));

describeRegionDriver('simulated', async () => ({
  driver: createSimulatedRegion({ delayMs: 10 }),
  region: anyRegion,
  images,
  brokenImage: 'registry.example:5000/web:1.0-crash',
}));

describe('the simulated driver', () => {
  const { signal } = new AbortController();
  const work = (id: number, elapsedMs = 0) => ({ id, job: id, attempt: 1, elapsedMs });

  it('takes as long as it is told', async () => {
    const driver = createSimulatedRegion({ delayMs: 1_000 });
    const apply = (elapsedMs: number) =>
      driver.apply(anyRegion, desiredComponent('web:1'), work(1, elapsedMs), signal);
    expect(await apply(0)).toEqual({ isDone: false, checkAgainMs: 1_000 });
    expect(await apply(900)).toEqual({ isDone: false, checkAgainMs: 100 });
    expect(await apply(1_000)).toEqual({ isDone: true });
    const slow = desiredComponent('web:1-slow');
    expect(await driver.apply(anyRegion, slow, work(1, 1_000), signal)).toEqual({
      isDone: false,
      checkAgainMs: 99_000,
    });
    // It stops as fast as others.
    const stopped = { ...slow, state: 'closed' as const };
    expect(await driver.apply(anyRegion, stopped, work(1, 1_000), signal)).toEqual({ isDone: true });
  });

  it('fails as often as it is told, and the same calls on every gateway', async () => {
    const failures = async () => {
      const driver = createSimulatedRegion({ delayMs: 0, failurePercent: 30 });
      const apply = (id: number) => driver.apply(anyRegion, desiredComponent('web:1'), work(id), signal);
      const results = await Promise.allSettled(Array.from({ length: 1_000 }, (_, id) => apply(id)));
      return results.flatMap(({ status }, id) => (status === 'rejected' ? id : []));
    };
    const failed = await failures();
    expect(failed.length).toBeGreaterThan(250);
    expect(failed.length).toBeLessThan(350);
    expect(await failures()).toEqual(failed);
  });

  it.each([
    ['web:1', false],
    ['web:1-crash', true],
    ['web:abnormal', true],
    ['web:ABNORMAL-2', true],
    ['crash/web:1', false],
    ['crash:5000/web', false],
    ['web:crash@sha256:00', true],
    ['web@sha256:00', false],
  ])('knows from the tag whether %s crashes', async (image, isBroken) => {
    const driver = createSimulatedRegion({ delayMs: 0 });
    const started = driver.apply(anyRegion, desiredComponent(image), work(1), signal);
    if (isBroken) await expect(started).rejects.toThrow('crashes');
    else expect(await started).toEqual({ isDone: true });
    const stopped = desiredComponent(image, { state: 'closed' });
    expect(await driver.apply(anyRegion, stopped, work(2), signal)).toEqual({ isDone: true });
  });

  it.each<[ComponentKnowledge['lastWork'], string]>([
    [undefined, 'running'],
    [{ outcome: 'succeeded', state: 'closed', previousStatus: 'running' }, 'closed'],
    [{ outcome: 'failed', state: 'running', previousStatus: 'undeploy' }, 'abnormal'],
    [{ outcome: 'cancelled', state: 'running', previousStatus: 'undeploy' }, 'undeploy'],
    [{ outcome: 'failed', state: 'closed', previousStatus: 'running' }, 'running'],
  ])('derives the status from %o', async (lastWork, status) => {
    const driver = createSimulatedRegion();
    const knowledge = { id: 'c', regionId: 'r', deployState: 'running', ...(lastWork && { lastWork }) };
    expect((await driver.observe([knowledge], signal)).get('c')).toBe(status);
  });

  it('has instances that write lines', async () => {
    const { instances } = createSimulatedRegion();
    const known = {
      ...{ id: 'c', teamId: 't', namespaceId: 0, regionId: 'r', clusterName: 'web', image: 'web:1' },
      deployState: 'running',
    };
    const component = { ...known, replicas: 2 };
    const reader = { callerId: 1, teamId: 't' };
    const all = await instances!.list(component, signal);
    expect(all.map(({ name }) => name)).toEqual(['web-0', 'web-1']);
    expect(await instances!.list({ ...component, deployState: 'closed' }, signal)).toEqual([]);
    const read = (tail: number, since: Date | null = null, filter: Partial<LogFilter> = {}) =>
      instances!.logs(
        component,
        all,
        { ...noFilter, reader, container: null, tail, since, ...filter },
        signal,
      );
    const { lines } = await read(5);
    expect(lines.length).toBe(5);
    expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).sort());
    expect((await read(5, new Date(Date.now() + 60_000))).lines).toEqual([]);
    const until = new Date('2026-01-01T00:00:10Z');
    const found = await read(2, null, { until, search: 'HEALTH 200 #1767225600' });
    expect(found.isTruncated).toBe(false);
    expect(found.lines.map(({ at, text }) => `${at} ${text}`)).toEqual(
      Array.from({ length: 2 }, () => '2026-01-01T00:00:00.000000000Z GET /health 200 #1767225600'),
    );
    expect(await read(3, new Date('2026-01-01T00:00:09Z'), { until })).toMatchObject({
      isTruncated: false,
      lines: [9, 10, 10].map((second) => ({ text: `GET /health 200 #${1767225600 + second}` })),
    });
    const crashing = await instances!.list({ ...component, image: 'web:1-crash' }, signal);
    const filter = { ...noFilter, reader, container: null, tail: 1, since: null };
    const { lines: last } = await instances!.logs(component, crashing, filter, signal);
    expect(last.map(({ text }) => text)).toEqual([expect.stringMatching(/^Fatal error: exit code 1 #\d+$/)]);
    const endless = await read(5, null, { search: 'no such line' });
    expect(endless).toEqual({ lines: [], isTruncated: true });
    const stored = { reader, instance: null, container: null, tail: 1, search: null, from: until, to: until };
    expect(await instances!.stored(component, stored, signal)).toEqual({ gap: 'no_logs_url' });
    const controller = new AbortController();
    const query = { reader, instance: all[1]!, container: null, tail: 1, after: new Map() };
    for await (const [line, ...others] of instances!.follow(component, query, controller.signal)) {
      expect([line!.instance, others]).toEqual(['web-1', []]);
      controller.abort();
    }
  });
});
