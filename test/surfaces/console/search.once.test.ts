import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { expectAccessible, untilSettled, useDemo } from '../../support/console.ts';
import { createComponents } from '../../support/deploys.ts';

describe('the search of the console', inBrowser, () => {
  const demo = useDemo();
  let page: Page;
  let end: () => Promise<void>;
  afterEach(() => demo.closePages());

  const open = async (token?: string) => {
    ({ page, end } = await demo.open('/', token));
    await page.getByRole('row', { name: /Retail/ }).waitFor();
  };
  const dialog = () => page.locator('dialog.search');
  const options = () => dialog().getByRole('option');
  const search = async (text: string) => {
    if ((await dialog().count()) === 0) await page.keyboard.press('Control+K');
    await dialog().getByRole('combobox', { name: 'addresses' }).fill(text);
    await untilSettled(page);
  };
  const texts = async (text: string) => {
    await search(text);
    return (await options().allInnerTexts()).map((each) => each.replace(/\s*\n\s*/g, ' | '));
  };

  it('opens with Ctrl K, and finds teams, applications, components and domains', async () => {
    await open();
    await search('media');
    await page.getByRole('option', { name: 'Media Team' }).waitFor();
    await page
      .getByRole('option', { name: /media.*Domain$/ })
      .first()
      .waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    // It is hidden before it is gone, and until then cannot be opened again.
    await dialog().waitFor({ state: 'detached' });
    await search('boutique');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Online Boutique' }).waitFor();
    await search('80.gr');
    // What is reached at the addresses is found as well.
    await options().first().getByText('Component').waitFor();
    await options().filter({ hasText: 'Domain' }).first().click();
    await page.waitForURL('**/rules/*');
    await page.getByText('Published').waitFor();
    await end();
  });

  it('takes words in any order, images and ports', async () => {
    await open();
    for (const text of ['sock rabbit', 'rabbitmq shop', 'RETAIL rabbitmq'])
      expect((await texts(text))[0], text).toBe('rabbitmq | Retail · Sock Shop | Component');
    // With the image, if it was found by that.
    expect((await texts('weaveworksdemos front-end sock'))[0]).toMatch(
      /^front-end \| Retail · Sock Shop · weaveworksdemos\/front-end\S* \| Component$/,
    );
    expect(await texts('boutique 9555')).toEqual(['adservice | Retail · Online Boutique | Component']);
    expect(await texts('nothing like this')).toEqual([]);
    await dialog().getByText('Nothing found').waitFor();
    await end();
  });

  it('leads to the dialogs and pages of what is found', async () => {
    await open();
    expect((await texts('deploy cart'))[0]).toBe('Deploy cart | Retail · Sock Shop | Action');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('heading', { name: 'Deploy cart' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Deploy component' }).waitFor();
    // Once: the way back, or a reload, does not open it again.
    expect(new URL(page.url()).search).toBe('');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    expect((await texts('shipping logs')).slice(0, 1)).toEqual([
      'Logs of shipping | Retail · Sock Shop | Page',
    ]);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/components/*/logs');
    await page.getByRole('heading', { level: 1, name: 'shipping' }).waitFor();
    for (const [text, title] of [
      ['image front-end', 'Change the image of front-end'],
      ['scale front-end', 'Scale front-end'],
      ['restart bookinfo', 'Restart Bookinfo'],
      ['upgrade sock', 'Upgrade Sock Shop'],
    ] as const) {
      await search(text);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByRole('heading', { name: title }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await end();
  });

  it('counts what it does not show', async () => {
    const place = await demo.trellis.createPlace();
    const { appId } = await demo.trellis.createApplication(place, 'Crowd');
    for (const hundred of [0, 1]) {
      const names = Array.from({ length: 100 }, (_, index) => `crowd-${100 * hundred + index}`);
      await createComponents(demo.trellis, appId, Object.fromEntries(names.map((name) => [name, {}])));
    }
    await open();
    await search('crowd');
    await dialog().getByText('190 more components.').waitFor();
    expect(await options().count()).toBe(11);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    await search('crowd-150');
    await expect.poll(() => dialog().getByText('more components').count()).toBe(0);
    await end();
  });

  it('offers and counts no more than the caller may see and do', async () => {
    const { team } = await demo.trellis.data(
      '{ team(by: { name: "retail" }) { uid applications(search: "Boutique") { nodes { id } } } }',
    );
    const person = await demo.trellis.createPerson();
    const input = { team: { teamId: team.uid }, user: { userId: person.userId }, role: 'VIEWER' };
    const applications = [{ id: team.applications.nodes[0].id }];
    await demo.trellis.succeed('addTeamMember', { ...input, applications }, '__typename');
    await open(person.token);
    expect(await texts('deploy adservice')).toEqual([]);
    expect(await texts('logs adservice')).toEqual(['Logs of adservice | Retail · Online Boutique | Page']);
    expect(await texts('rabbitmq')).toEqual([]);
    expect(await texts('wordpress')).toEqual([]);
    await end();
  });
});
