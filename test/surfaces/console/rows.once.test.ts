import type { Locator, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { componentPath, expectAccessible, useDemo } from '../../support/console.ts';

const phone = { width: 390, height: 844 };
/** Longer than a line. */
const error = `The image cannot be pulled: ${'the registry does not respond, '.repeat(12)}`;

describe('rows', inBrowser, () => {
  const demo = useDemo();
  let application: string;
  let component: string;
  let page: Page;
  let end: () => Promise<void>;
  beforeAll(async () => {
    const { data } = await demo.trellis.graphql(`{ team(by: { name: "media" }) {
      applications(first: 1) { nodes { appId: uid } } components(search: "wordpress") { nodes { uid } } } }`);
    const { appId } = data.team.applications.nodes[0];
    application = `/applications/${appId}`;
    component = componentPath(data.team.components.nodes[0].uid, 'network');
    await demo.trellis.services.db.transaction((tx) =>
      tx.job.updateMany({ where: { applicationId: appId }, data: { status: 'failed', error } }),
    );
  });
  afterEach(async () => {
    await end();
    await demo.closePages();
  });
  const open = async (path: string) => {
    ({ page, end } = await demo.open(path));
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  /** A place in a row where nothing is written. The row is clicked there once it no longer moves. */
  const endOf = async (row: Locator) => {
    const { width, height } = (await row.boundingBox())!;
    return { x: width - 12, y: height / 2 };
  };

  it('of tables are links as a whole, but for the controls in them', async () => {
    await open(component);
    const row = page.getByRole('region', { name: 'Ports' }).getByRole('row', { name: /^80/ });
    await row.click({ position: await endOf(row) });
    await page.getByRole('heading', { name: 'Port 80' }).waitFor();
    await page.goBack();
    // A link in the row that is not its own.
    const rule = page.getByRole('row', { name: /media\.eu-central/ });
    await rule.getByRole('link', { name: 'wordpress' }).waitFor();
    await rule.getByRole('link', { name: '80', exact: true }).click();
    await page.waitForURL('**/ports/80');
    await page.goBack();
    const at = (await rule.getByText('Published').boundingBox())!;
    const { x } = (await rule.boundingBox())!;
    await rule.click({ position: { x: at.x - x + at.width / 2, y: at.height / 2 } });
    await page.waitForURL('**/rules/*');
  });

  it('open in a window of their own with Ctrl or the middle button', async () => {
    await open(component);
    const row = page.getByRole('region', { name: 'Ports' }).getByRole('row', { name: /^80/ });
    const position = await endOf(row);
    const { context } = demo.browser;
    const [byKey] = await Promise.all([
      context.waitForEvent('page'),
      row.click({ position, modifiers: ['Control'] }),
    ]);
    const [byButton] = await Promise.all([
      context.waitForEvent('page'),
      row.click({ position, button: 'middle' }),
    ]);
    for (const opened of [byKey, byButton]) {
      expect(opened.url() === 'about:blank' || opened.url().endsWith('/ports/80')).toBe(true);
      await opened.close();
    }
    expect(page.url()).toContain(component);
  });

  it('of the tree are links as a whole, but for their buttons', async () => {
    await open('/teams/media');
    const row = page.getByRole('row', { name: /WordPress with MySQL/ });
    await row.getByRole('button', { name: 'Expand' }).click();
    await row.getByRole('button', { name: 'Collapse' }).waitFor();
    await row.click({ position: await endOf(row) });
    await page.waitForURL(`**${application}`);
  });

  it('of jobs show why they failed, in one line, and the page of the job in full', async () => {
    await open(`${application}/jobs`);
    const shown = page.getByText('The image cannot be pulled').first();
    await shown.waitFor();
    expect((await shown.boundingBox())!.height).toBeLessThan(30);
    await expectAccessible(page);
    // It lies above the link of the row, so that it has a tooltip.
    await shown.click();
    await page.waitForURL('**/jobs/*');
    const whole = page.locator('.notice', { hasText: 'The image cannot be pulled' });
    await whole.waitFor();
    expect(await whole.innerText()).toContain(error.trim());
  });

  it('of tables are blocks with the names of their columns on a phone', async () => {
    await open(`${application}/jobs`);
    await page.setViewportSize(phone);
    const row = page.getByRole('row').filter({ hasText: 'Deploy' }).first();
    const cells = await row.getByRole('cell').all();
    expect(cells.length).toBe(5);
    const boxes = await Promise.all(cells.map((cell) => cell.boundingBox()));
    for (const [index, box] of boxes.entries()) {
      if (index > 0) expect(box!.y).toBeGreaterThan(boxes[index - 1]!.y);
      expect(box!.x + box!.width).toBeLessThanOrEqual(phone.width);
    }
    const labels = await Promise.all(
      cells.map((cell) => cell.evaluate((each) => getComputedStyle(each, '::before').content)),
    );
    expect(labels).toEqual([
      'none',
      ...['Status', 'By', 'Started', 'Duration'].map((label) => expect.stringContaining(label)),
    ]);
    await expectAccessible(page);
  });

  it('of tabs show on which sides there are more', async () => {
    await open(`${application}/jobs`);
    const tabs = page.getByRole('navigation', { name: 'Pages of the application' });
    expect(await tabs.getAttribute('data-more')).toBe('');
    await page.setViewportSize(phone);
    await tabs.evaluate((list) => list.scrollTo({ left: 0 }));
    await expect.poll(() => tabs.getAttribute('data-more')).toBe('end');
    await tabs.evaluate((list) => list.scrollTo({ left: 60 }));
    await expect.poll(() => tabs.getAttribute('data-more')).toBe('start end');
    await tabs.evaluate((list) => list.scrollTo({ left: 9_999 }));
    await expect.poll(() => tabs.getAttribute('data-more')).toBe('start');
  });
});
