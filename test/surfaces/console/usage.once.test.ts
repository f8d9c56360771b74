import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../../../src/console/usage/strings.ts';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { simulatedUsageAt } from '../../../src/drivers/region/simulated/usage.ts';
import { type TrafficHistory, trafficGaps } from '../../../src/drivers/region/traffic.ts';
import { type ComponentUsage, type UsageGap, usageGaps } from '../../../src/drivers/region/usage.ts';
import { historyGaps, type UsageHistory } from '../../../src/drivers/region/usage-history.ts';
import { inBrowser, launchBrowser, type TestBrowser } from '../../support/browser.ts';
import { componentPath, expectAccessible, goToTab, openerOf } from '../../support/console.ts';
import { useDriver } from '../../support/deploys.ts';
import { ended } from '../../support/jobs.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

const requests = { cpuMillicores: 400, memoryMiB: 512 };

describe('the usage of a component in the console', inBrowser, () => {
  let trellis: Trellis;
  let browser: TestBrowser;
  let pages: ReturnType<typeof openerOf>;
  /** What the driver `measuring` answers. */
  let measured: { now: ComponentUsage; history: UsageHistory; traffic: TrafficHistory };

  beforeAll(async () => {
    const simulated = createSimulatedRegion({ delayMs: 0 });
    const measuring = {
      ...simulated,
      name: 'measuring',
      usage: {
        now: async (_: string, components: readonly { id: string }[]) =>
          new Map(components.map(({ id }) => [id, measured.now])),
        history: async () => measured.history,
        traffic: async () => measured.traffic,
      },
    };
    [trellis, browser] = await Promise.all([
      startTrellis({ jobs: {}, drivers: [measuring] }),
      launchBrowser(),
    ]);
    pages = openerOf(trellis, browser);
  });
  afterEach(() => pages.closePages());
  afterAll(async () => {
    await browser?.close();
    await trellis?.close();
  });

  /** A deployed component with two instances, in a region with this driver. */
  async function deployed(driver: string): Promise<string> {
    const place = await trellis.createPlace();
    await useDriver(trellis, place.region.regionId, driver);
    const { appId } = await trellis.createApplication(place);
    const { componentId } = await trellis.createComponent(appId, { ...requests, replicas: 2 });
    const { job } = await trellis.succeed('deployComponent', { component: { componentId } }, 'job { uid }');
    if (job) await ended(trellis, { id: job.uid }, 60_000);
    return componentId;
  }

  /** Waits until the lines of this many charts have this color. */
  const untilDrawn = (page: Page, color: readonly number[], count: number) =>
    page.evaluate(`new Promise((done) => {
      const hasColor = (canvas) => {
        // A copy, because what is read again and again is drawn without graphics hardware.
        const copy = new OffscreenCanvas(canvas.width, canvas.height);
        const context = copy.getContext('2d', { willReadFrequently: true });
        context.drawImage(canvas, 0, 0);
        const { data } = context.getImageData(0, 0, copy.width, copy.height);
        for (let at = 0; at < data.length; at += 4)
          if (data[at] === ${color[0]} && data[at + 1] === ${color[1]} && data[at + 2] === ${color[2]}) return true;
        return false;
      };
      const look = () =>
        [...document.querySelectorAll('.chart canvas')].filter(hasColor).length === ${count}
          ? done()
          : requestAnimationFrame(look);
      look();
    })`);

  it('shows what each instance uses, and draws what all of them used', async () => {
    const uid = await deployed('simulated');
    const { page, end } = await pages.open(componentPath(uid));
    const scripts: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'script') scripts.push(request.url());
    });
    await goToTab(page, 'usage');
    const table = page.getByRole('region', { name: text.present });
    const rows = table.locator('tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(2);
    const shown = await rows.evaluateAll((all: any[]) =>
      all.map((row) => ({
        cells: [...row.cells].slice(0, 4).map((cell: any) => cell.textContent),
        at: row.querySelector('time').dateTime,
      })),
    );
    for (const { cells, at } of shown) {
      const used = simulatedUsageAt(requests, cells[0], Date.parse(at));
      expect(cells.slice(1)).toEqual([`${used.cpuMillicores} m`, `${used.memoryMiB} MiB`, '0']);
    }
    expect(shown[0]!.cells[0]).not.toBe(shown[1]!.cells[0]);

    await untilDrawn(page, [0x0b, 0x68, 0xcb], 5);
    expect(scripts.filter((url) => /\/chart-/.test(url)).length).toBe(1);
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await untilDrawn(page, [0x58, 0xa6, 0xff], 5);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('.chart').first().hover();
    await page
      .locator('.chart-readout')
      .first()
      .getByText(/: [\d,]+ m$/)
      .waitFor();

    // The same as a table, of the period that is chosen.
    await page.getByLabel(text.period).selectOption(text.periods.DAY);
    await page.getByText(text.figures(text.series.memoryMiB.title)).click();
    const figures = page.getByRole('region', { name: text.series.memoryMiB.title }).locator('tbody tr');
    await figures.nth(288).waitFor();
    expect(await figures.count()).toBe(289);
    const [at, value] = await figures
      .nth(7)
      .evaluate((row: any) => [row.querySelector('time').dateTime, row.cells[1].textContent]);
    const names = shown.map(({ cells }) => cells[0]);
    const sum = names.reduce(
      (all, name) => all + simulatedUsageAt(requests, name, Date.parse(at)).memoryMiB,
      0,
    );
    expect(value).toBe(text.memory(sum));
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    await end();
  });

  it('says why nothing is measured, and why there is no history', async () => {
    const uid = await deployed('measuring');
    const path = componentPath(uid, 'usage');
    const instance = { name: 'web-0', cpuMillicores: null, memoryMiB: null, restarts: 3, measuredAt: null };
    const gaps = (Object.keys(usageGaps) as UsageGap[]).filter((gap) => gap !== 'no_cluster');
    for (const gap of gaps) {
      const unknown = { gap: 'no_metrics_url' } as const;
      measured = { now: { gap, instances: [instance] }, history: unknown, traffic: unknown };
      const { page, end } = await pages.open(path);
      await page.getByText(text.gaps[gap.toUpperCase() as Uppercase<UsageGap>]).waitFor();
      await page.getByText(text.historyGaps.NO_METRICS_URL).waitFor();
      const cells = page.getByRole('row', { name: /web-0/ }).getByRole('cell');
      expect(await cells.allTextContents()).toEqual(['web-0', '–', '–', '3', '–']);
      expect(await page.locator('canvas').count()).toBe(0);
      expect(await page.getByText(text.trafficGaps.NO_METRICS_URL).count()).toBe(0);
      if (gap === gaps[0]) await expectAccessible(page);
      await end();
    }
    expect(Object.keys(text.gaps).map((gap) => gap.toLowerCase())).toEqual(Object.keys(usageGaps));
    expect(Object.keys(text.historyGaps).map((gap) => gap.toLowerCase())).toEqual(Object.keys(historyGaps));
    expect(Object.keys(text.trafficGaps).map((gap) => gap.toLowerCase())).toEqual(Object.keys(trafficGaps));

    const nothing = { gap: null, cpuMillicores: [], memoryMiB: [], restarts: [] };
    const present = { gap: null, instances: [] };
    measured = { now: present, history: nothing, traffic: { gap: 'no_gateway_queries' } };
    const { page, end } = await pages.open(path);
    await page.getByText(text.none).waitFor();
    await page.getByText(text.nothingRecorded).waitFor();
    await page.getByText(text.trafficGaps.NO_GATEWAY_QUERIES).waitFor();
    const at = new Date(Math.floor(Date.now() / 60_000) * 60_000);
    const requestsPerSecond = [{ at, value: 2.5 }];
    const traffic = { gap: null, requestsPerSecond, errorsPerSecond: [], latencyP95Ms: null };
    measured = { now: present, history: nothing, traffic };
    await page.reload();
    await page.getByText(text.series.requestsPerSecond.title, { exact: true }).waitFor();
    await page.getByText(text.range('2.5/s', '2.5/s', '2.5/s')).waitFor();
    expect(await page.locator('figure').count()).toBe(1);
    await end();
  });

  it('says that a region without a cluster measures nothing', async () => {
    const uid = await deployed('declared');
    const { page, end } = await pages.open(componentPath(uid, 'usage'));
    await page.getByText(text.gaps.NO_CLUSTER).waitFor();
    await page.getByText(text.historyGaps.NO_CLUSTER).waitFor();
    expect(await page.getByRole('region', { name: text.present }).count()).toBe(0);
    await end();
  });
});
