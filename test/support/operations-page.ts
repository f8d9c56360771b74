import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, type SuiteCollector } from 'vitest';
import { groupBy } from '../../src/kernel/group.ts';
import { tagOf } from '../../src/operations/openapi/tags.ts';
import { inBrowser, launchBrowser, type TestBrowser } from './browser.ts';
import { executeAll, notInDemo } from './docs-page.ts';
import { everyChange } from './every-change.ts';
import { everyRead } from './every-read.ts';
import { operations, rootOf } from './operations.ts';
import { type RegistryServer, startRegistry } from './registry-server.ts';
import { useTrellis } from './trellis.ts';

/**
 * The page of all operations executes some of those that the demo has nothing for: `most` changes of each tag and `most`
 * reads. Each takes the browser a second of work, which takes several times as long beside other tests.
 */
export const describeOperationsPage = (mostTags: number, most: number): SuiteCollector<object> =>
  describe('the page of all operations', { ...inBrowser, timeout: 300_000 }, () => {
    const changes = groupBy(
      operations.filter(({ isChange }) => isChange),
      ({ path }) => tagOf(path),
    );
    const tags = [...changes]
      .slice(0, mostTags)
      .map(([tag, tagged]) => [tag, tagged.slice(0, most)] as const);
    const lacking = operations.filter(({ path }) => notInDemo.includes(path)).slice(0, most);
    let registry: RegistryServer;
    let browser: TestBrowser;
    let tab: Page;
    let cases: Awaited<ReturnType<typeof everyChange>>;
    let reads: Awaited<ReturnType<typeof everyRead>>;
    const trellis = useTrellis();
    beforeAll(async () => {
      registry = await startRegistry();
      const all = await trellis.createAll();
      cases = await everyChange(trellis, all);
      reads = await everyRead(trellis, all, registry, cases);
      browser = await launchBrowser();
      tab = await browser.context.newPage();
      const fragment = `#token=${encodeURIComponent(trellis.adminToken)}`;
      await tab.goto(`${trellis.url}/openapi/v1/docs?document=operations${fragment}`);
      await tab.getByRole('heading', { name: 'Trellis operations' }).waitFor();
    });
    afterAll(async () => {
      await browser?.close();
      await registry?.close();
    });

    it('reads what the demo does not have', async () => {
      const read = await executeAll(tab, lacking, ({ path }) => reads[path.replaceAll('-', '_')]!.given);
      expect(read).toHaveLength(Math.min(most, notInDemo.length));
      expect(read.filter(([, status]) => status !== '200')).toEqual([]);
    });

    it.each(tags)('makes changes of %s', async (_, tagged) => {
      const made = await executeAll(tab, tagged, (operation) => cases[rootOf(operation)]!.input());
      expect(made.map(([path]) => path)).toEqual(tagged.map(({ path }) => path));
      expect(made.filter(([, status]) => status !== '200')).toEqual([]);
    });
  });
