import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupBy } from '../../src/kernel/group.ts';
import { tagOf } from '../../src/operations/openapi/tags.ts';
import { inBrowser, launchBrowser, type TestBrowser } from '../support/browser.ts';
import { executeAll, notInDemo } from '../support/docs-page.ts';
import { everyChange } from '../support/every-change.ts';
import { everyRead } from '../support/every-read.ts';
import { createAll } from '../support/fixtures.ts';
import { operations, rootOf } from '../support/operations.ts';
import { type RegistryServer, startRegistry } from '../support/registry-server.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

const changes = groupBy(
  operations.filter(({ isChange }) => isChange),
  ({ path }) => tagOf(path),
);
const lacking = operations.filter(({ path }) => notInDemo.includes(path));

// Each operation takes the browser a second of work, which takes several times as long beside other tests.
describe('the page of all operations', { ...inBrowser, timeout: 300_000 }, () => {
  let trellis: Trellis;
  let registry: RegistryServer;
  let browser: TestBrowser;
  let tab: Page;
  let cases: Awaited<ReturnType<typeof everyChange>>;
  let reads: Awaited<ReturnType<typeof everyRead>>;
  beforeAll(async () => {
    trellis = await startTrellis();
    registry = await startRegistry();
    const all = await createAll(trellis);
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
    await trellis?.close();
  });

  it('reads what the demo does not have', async () => {
    const read = await executeAll(tab, lacking, ({ path }) => reads[path.replaceAll('-', '_')]!.given);
    expect(read.map(([path]) => path).sort()).toEqual([...notInDemo].sort());
    expect(read.filter(([, status]) => status !== '200')).toEqual([]);
  });

  it.each([...changes])('makes every change of %s', async (_, tagged) => {
    const made = await executeAll(tab, tagged, (operation) => cases[rootOf(operation)]!.input());
    expect(made.map(([path]) => path)).toEqual(tagged.map(({ path }) => path));
    expect(made.filter(([, status]) => status !== '200')).toEqual([]);
  });
});
