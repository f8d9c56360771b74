import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser, launchBrowser, type TestBrowser } from '../support/browser.ts';
import { executeOnDemo, openDocs } from '../support/docs-on-demo.ts';
import { operations } from '../support/operations.ts';
import { startTrellis } from '../support/trellis.ts';

describe('the docs in a browser', { ...inBrowser, timeout: 600_000 }, () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it('run every operation of the contract on a fresh demo with its documented example', async () => {
    expect(await executeOnDemo(browser, () => true)).toBeGreaterThanOrEqual(14);
  });

  it('list all operations', async () => {
    const trellis = await startTrellis();
    const { tab, problems } = await openDocs(browser, `${trellis.url}/openapi/v1/docs`);
    await tab.getByRole('link', { name: 'All operations' }).click();
    await tab.getByRole('heading', { name: 'Trellis operations' }).waitFor();
    const headings = await tab.locator('.opblock-tag').all();
    let listed = 0;
    for (const heading of headings) {
      await heading.click();
      listed += await tab.locator('.opblock').count();
      await heading.click();
    }
    // The export of events is no GraphQL document.
    expect(listed).toBe(operations.length + 1);
    expect(problems).toEqual([]);
    await tab.close();
    await trellis.close();
  });
});
