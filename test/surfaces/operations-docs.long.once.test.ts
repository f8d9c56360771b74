import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inBrowser, launchBrowser } from '../support/browser.ts';
import { built } from '../support/built.ts';
import { executeAll, inDemo } from '../support/docs-page.ts';
import { describeOperationsPage } from '../support/operations-page.ts';
import { root, start, temporaryFolder } from '../support/production.ts';

describeOperationsPage(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);

describe('the page of all operations on a fresh demo', { ...inBrowser, timeout: 600_000 }, () => {
  it('executes every read with its documented example', async () => {
    const folder = temporaryFolder('docs');
    const demo = start(root, [process.execPath, join(built(), 'commands/demo.js')], {
      PORT: '0',
      DATABASE_URL: `file:${folder.path}/demo.db`,
    });
    const [, address] = await demo.printed(/^ +REST +(\S+)$/m);
    const browser = await launchBrowser();
    const tab = await browser.context.newPage();
    await tab.goto(address!.replace('#', '?document=operations#'));
    await tab.getByRole('heading', { name: 'Trellis operations' }).waitFor();
    const called = await executeAll(tab, inDemo);
    expect(called.length).toBeGreaterThan(40);
    expect(called.filter(([, status]) => status !== '200')).toEqual([]);
    await browser.close();
    await demo.stop();
    folder.remove();
  });
});
