import { afterEach, describe, expect, it } from 'vitest';
import { inBrowser, launchBrowser } from '../../support/browser.ts';
import { expectAccessible, openConsole, untilRead, useDemo } from '../../support/console.ts';
import { startTrellis } from '../../support/trellis.ts';

describe('the errands of the demo', inBrowser, () => {
  const demo = useDemo();
  afterEach(() => demo.closePages());

  const found = `{ team(by: { name: "retail" }) { applications(search: "Sock Shop") { nodes {
    id
    shipping: components(search: "shipping") { nodes { id } }
    catalogue: components(first: 1, search: "catalogue") { nodes { id ports { nodes { id } } } }
    upgrades { storeName templateId }
  } } } }`;

  it('are ticked off as they are done, and dismissed with one click', async () => {
    const { trellis } = demo;
    const [shop] = (await trellis.data(found)).team.applications.nodes;
    const { page, end } = await demo.open('/');
    const errands = page.getByRole('region', { name: 'Try this' });
    const done = errands.getByRole('listitem').filter({ hasText: 'Done' });
    await errands.waitFor();
    expect(await errands.getByRole('listitem').allInnerTexts()).toEqual([
      'Find out why shipping keeps failing',
      'Upgrade Sock Shop to 0.3.0',
      'Open catalogue to the outside',
    ]);
    expect(await done.count()).toBe(0);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    await page.setViewportSize({ width: 1440, height: 900 });

    await errands.getByRole('link', { name: /^Upgrade/ }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Upgrade Sock Shop' }).waitFor();
    await page.goBack();
    await errands.getByRole('link', { name: /^Open catalogue/ }).click();
    await page.waitForURL('**/network');
    await page.goBack();
    await errands.getByRole('link', { name: /^Find out/ }).click();
    await page.getByRole('status').filter({ hasText: 'crashes when it starts' }).waitFor();
    await page.goBack();
    await errands.waitFor();

    await trellis.succeed(
      'openOuterService',
      { port: { id: shop.catalogue.nodes[0].ports.nodes[0].id } },
      '__typename',
    );
    await done.filter({ hasText: 'catalogue' }).waitFor();
    await trellis.succeed(
      'rollbackComponent',
      { component: { id: shop.shipping.nodes[0].id }, release: 1 },
      '__typename',
    );
    await done.filter({ hasText: 'shipping' }).waitFor();
    const [{ storeName, templateId }] = shop.upgrades;
    await trellis.succeed(
      'upgradeApplication',
      { application: { id: shop.id }, upgrades: [{ storeName, templateId, version: '0.3.0' }] },
      '__typename',
    );
    await done.filter({ hasText: '0.3.0' }).waitFor();
    expect(await done.count()).toBe(3);

    await errands.getByRole('button', { name: 'Dismiss' }).click();
    await errands.waitFor({ state: 'detached' });
    await untilRead(page, 'Start ', () => page.reload());
    expect(await errands.count()).toBe(0);
    await end();
  });

  it('are in the demo alone', async () => {
    const trellis = await startTrellis();
    const browser = await launchBrowser();
    try {
      const { teamId } = await trellis.createTeam('retail');
      const region = await trellis.createRegion();
      const refs = { team: { teamId }, region: { regionId: region.regionId } };
      await trellis.succeed('openTeamRegion', refs, '__typename');
      const place = { team: { teamId, name: 'retail', id: '' }, region };
      const { appId } = await trellis.createApplication(place, 'Sock Shop');
      for (const name of ['catalogue', 'shipping']) await trellis.createComponent(appId, { name });
      const { page } = await openConsole(trellis, browser.context);
      await untilRead(page, 'Errands', () => page.reload());
      expect(await page.getByRole('link', { name: 'Sock Shop' }).count()).toBe(1);
      expect(await page.getByRole('region', { name: 'Try this' }).count()).toBe(0);
    } finally {
      await browser.close();
      await trellis.close();
    }
  });
});
