import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, type SuiteCollector } from 'vitest';
import { seed } from '../../src/commands/seed-data.ts';
import { inBrowser, launchBrowser } from './browser.ts';
import { expectAccessible, openConsole, untilSettled } from './console.ts';
import { startTrellis } from './trellis.ts';

/** What a window of 900 pixels has, and what is beyond it on both sides. */
const mostRows = 90;

/** A tree in a window that has few of its rows: of one application with as many components, from 2,000, and of many teams. */
export const describeLongTree = (components: number): SuiteCollector<object> =>
  describe('a long tree', { ...inBrowser, timeout: 180_000 }, () => {
    let trellis: Awaited<ReturnType<typeof startTrellis>>;
    let browser: Awaited<ReturnType<typeof launchBrowser>>;
    let page: Page;
    let problems: string[];
    const open = async (path: string) => {
      ({ page, problems } = await openConsole(trellis, browser.context, path));
      await page.getByRole('treegrid').waitFor();
    };
    const rows = () => page.locator('.tree-body > [role="row"]');
    const grid = () => page.getByRole('treegrid');
    const focused = () => page.evaluate<string>('document.activeElement.getAttribute("aria-rowindex") ?? ""');
    /** The number of a row in the middle of those in the page, of which the first or last can be the one with the focus. */
    const middle = () => rows().nth(20).getAttribute('aria-rowindex').then(Number);
    /** Scrolls to a share of the rows of the application, each about 40 pixels high. */
    const scrollTo = (share: number) => page.evaluate(`scrollTo(0, ${Math.round(share * components * 40)})`);

    describe('of one application', () => {
      let path: string;
      beforeAll(async () => {
        trellis = await startTrellis();
        browser = await launchBrowser();
        await seed(trellis.services.db, { teams: 1, applications: 1, components, ports: 1 });
        const { teams } = await trellis.data('{ teams { nodes { applications { nodes { appId: uid } } } } }');
        path = `/applications/${teams.nodes[0].applications.nodes[0].appId}`;
      });
      afterAll(async () => {
        await browser?.close();
        await trellis?.close();
      });
      afterEach(async () => {
        expect(problems).toEqual([]);
        await page.close();
      });

      it('has only the rows in sight in the page, and leads to its end and back with the keys', async () => {
        await open(path);
        await rows().first().focus();
        await page.keyboard.press('End');
        await expect
          .poll(() => grid().getAttribute('aria-rowcount'), { timeout: 150_000, interval: 500 })
          .toBe(String(components + 1));
        await expect.poll(focused).toBe(String(components + 1));
        expect(await rows().count()).toBeLessThan(mostRows);
        expect(await rows().last().getAttribute('aria-posinset')).toBe(String(components));
        expect(await rows().last().getAttribute('aria-setsize')).toBe(String(components));
        await page.keyboard.press('ArrowUp');
        await expect.poll(focused).toBe(String(components));
        await expectAccessible(page);

        // The row with the focus stays when it is out of sight, so that the keys go on from it.
        await scrollTo(0.25);
        await expect.poll(middle).toBeLessThan(0.5 * components);
        expect(await focused()).toBe(String(components));
        expect(await rows().count()).toBeLessThan(mostRows);
        await page.keyboard.press('ArrowUp');
        await expect.poll(focused).toBe(String(components - 1));
        await page.keyboard.press('Home');
        await expect.poll(focused).toBe('2');
        expect(await page.evaluate('scrollY')).toBeLessThan(400);
        expect(await rows().count()).toBeLessThan(mostRows);

        // A change is read for the pages in sight, and for the others when they come into sight.
        await scrollTo(0.375);
        await expect.poll(middle).toBeGreaterThan(0.3 * components);
        await untilSettled(page);
        const index = await rows().nth(40).getAttribute('aria-rowindex');
        const changed = page.locator(`[aria-rowindex="${index}"]`);
        const name = (await changed.getByRole('link').textContent())!;
        const id = (await changed.getByRole('link').getAttribute('href'))!.split('/').pop()!;
        await scrollTo(0.75);
        await expect.poll(middle).toBeGreaterThan(0.7 * components);
        await untilSettled(page);
        let reads = 0;
        page.on('request', (request) => {
          if (request.postData()?.includes('query ApplicationComponents(')) reads++;
        });
        await trellis.succeed(
          'updateComponent',
          { component: { componentId: id }, image: 'changed:9' },
          '__typename',
        );
        await expect.poll(() => reads).toBeGreaterThan(0);
        await untilSettled(page);
        expect(reads).toBeLessThan(8);
        await scrollTo(0.375);
        const again = page.locator(`[aria-rowindex="${index}"]`);
        await again.getByText('changed:9').waitFor();
        expect(await again.getByRole('link').textContent()).toBe(name);

        // The way back finds what was loaded, and where it was scrolled to.
        const before = await page.evaluate('scrollY');
        await again.getByRole('link').click();
        await page.waitForURL('**/components/*');
        await page.getByRole('heading', { name, level: 1 }).waitFor();
        await page.goBack();
        await again.waitFor();
        expect(await page.evaluate('scrollY')).toBe(before);
      });

      it('reads no further pages twice while it is loaded', async () => {
        await open(path);
        // What is in sight is read again when changes begin to be followed.
        await page.getByText('Live', { exact: true }).waitFor();
        await untilSettled(page);
        const cursors: string[] = [];
        page.on('request', (request) => {
          const body = request.postDataJSON();
          if (body?.query.includes('query ApplicationComponents(')) cursors.push(body.variables.after);
        });
        for (let index = 0; index < 5; index++) {
          const count = await grid().getAttribute('aria-rowcount');
          await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
          await expect.poll(() => grid().getAttribute('aria-rowcount')).not.toBe(count);
        }
        expect(cursors.length).toBeGreaterThanOrEqual(5);
        expect(new Set(cursors).size).toBe(cursors.length);
      });
    });

    describe('of many teams', () => {
      beforeAll(async () => {
        trellis = await startTrellis();
        browser = await launchBrowser();
        await seed(trellis.services.db, { teams: 25, applications: 2, components: 2, ports: 1 });
      });
      afterAll(async () => {
        await browser?.close();
        await trellis?.close();
      });
      afterEach(async () => {
        expect(problems).toEqual([]);
        await page.close();
      });
      const open25 = async () => {
        await open('/');
        await expect.poll(() => grid().getAttribute('aria-rowcount')).toBe('26');
      };
      const state = () =>
        rows().evaluateAll((all) => all.filter((row) => row.getAttribute('aria-expanded') === 'true').length);

      it('is folded at first', async () => {
        await open25();
        expect(await state()).toBe(0);
        for (const size of [
          { width: 1440, height: 900 },
          { width: 390, height: 844 },
        ]) {
          await page.setViewportSize(size);
          await expectAccessible(page);
        }
      });

      it('is opened and closed as a whole, and stays so after a reload', async () => {
        await open25();
        await page.getByRole('button', { name: 'Expand all' }).click();
        // Teams, applications, components and ports.
        await expect
          .poll(() => grid().getAttribute('aria-rowcount'))
          .toBe(String(1 + 25 * (1 + 2 * (1 + 2 * 2))));
        expect(await rows().count()).toBeLessThan(mostRows);
        await page.reload();
        await expect
          .poll(() => grid().getAttribute('aria-rowcount').then(Number))
          .toBeGreaterThanOrEqual(1 + 10 * 11);
        await page.getByRole('button', { name: 'Collapse all' }).click();
        await expect.poll(state).toBe(0);
        await rows().nth(1).getByRole('button', { name: 'Expand' }).click();
        await expect.poll(state).toBe(1);
        await page.reload();
        await rows().nth(2).waitFor();
        await expect.poll(state).toBe(1);
      });

      it('keeps its filter after a reload, which finds what is in teams that are not loaded yet', async () => {
        const { teams } = await trellis.data(
          '{ teams(first: 100) { nodes { alias applications { nodes { appId: uid } } } } }',
        );
        const last = teams.nodes.at(-1);
        await trellis.succeed(
          'updateApplication',
          {
            application: { appId: last.applications.nodes[0].appId },
            name: 'Needle',
          },
          '__typename',
        );
        await open('/?search=needle');
        const needle = page.getByRole('link', { name: 'Needle' });
        await needle.waitFor();
        await page.reload();
        await needle.waitFor();
        expect(await page.getByLabel('Filter applications').inputValue()).toBe('needle');
      });
    });
  });
