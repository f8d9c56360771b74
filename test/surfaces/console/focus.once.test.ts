import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { componentPath, expectAccessible, useDemo } from '../../support/console.ts';

/** The names of the element with the focus and what it is in, as far as a test needs them. */
const focused = (page: Page) =>
  page.evaluate<string>(`(() => {
    const { tagName, id, textContent, ariaLabel } = document.activeElement;
    return tagName.toLowerCase() + ' ' + (ariaLabel ?? textContent.trim().slice(0, 60) ?? id);
  })()`);

describe('the focus', inBrowser, () => {
  const demo = useDemo();

  describe.each([
    ['a wide window', { width: 1440, height: 900 }],
    ['a phone', { width: 390, height: 844 }],
  ])('in %s', (_name, size) => {
    let uid: string;
    let component: string;
    let page: Page;
    let end: () => Promise<void>;
    beforeAll(async () => {
      const { data } = await demo.trellis.graphql(
        '{ team(by: { name: "retail" }) { components(search: "adservice") { nodes { uid } } } }',
      );
      uid = data.team.components.nodes[0].uid;
      component = componentPath(uid);
    });
    afterEach(async () => {
      await end();
      await demo.closePages();
    });
    const open = async (path: string) => {
      ({ page, end } = await demo.open(path));
      await page.setViewportSize(size);
      await page.getByRole('heading', { level: 1 }).waitFor();
    };
    const expectFocus = (wanted: string) => expect.poll(() => focused(page)).toBe(wanted);
    const press = (...keys: string[]) =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());

    it('returns to the button that opened a dialog', async () => {
      await open(component);
      const button = page.getByRole('button', { name: 'Scale', exact: true });
      await button.focus();
      await press('Enter');
      await page.getByRole('dialog').waitFor();
      await expectAccessible(page);
      await press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expectFocus('button Scale');
    });

    it('returns to the menu that a dialog was opened from', async () => {
      await open(component);
      await page.getByRole('button', { name: 'More…' }).focus();
      await press('Enter');
      const item = page.locator('.menu-panel').getByRole('button', { name: 'Delete' });
      await item.focus();
      await press('Enter');
      await page.getByRole('dialog').waitFor();
      await item.waitFor({ state: 'detached' });
      await press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expectFocus('button More…');
    });

    it('goes to the first wrong field of a form that failed', async () => {
      await open(`${component}/ports/9555`);
      await page.getByRole('button', { name: 'Add HTTP rule' }).focus();
      await press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Domain').fill('localhost');
      await dialog.getByRole('button', { name: 'Add HTTP rule' }).focus();
      await press('Enter');
      await expect
        .poll(() =>
          dialog.getByLabel('Domain').evaluate((field) => field.matches('[aria-invalid="true"]:focus')),
        )
        .toBe(true);
      await expectAccessible(page);
      await press('Escape');
    });

    it('goes to the error of a form that belongs to no field', async () => {
      await open(componentPath(uid, 'network'));
      await page.getByRole('button', { name: 'Add port' }).click();
      // Which there is already.
      await page.getByRole('dialog').getByRole('spinbutton').fill('9555');
      await page.getByRole('dialog').getByRole('button', { name: 'Add port' }).focus();
      await press('Enter');
      const error = page.getByRole('alert');
      await error.waitFor();
      await expect.poll(() => error.evaluate((alert) => alert.matches(':focus'))).toBe(true);
      await press('Escape');
    });

    it('goes to the heading after each navigation, and not when the page is loaded', async () => {
      await open('/');
      await page.reload();
      await page.getByRole('row', { name: /Online Boutique/ }).waitFor();
      expect(await focused(page)).toMatch(/^body/);
      const link = page.getByRole('link', { name: 'Online Boutique' });
      await link.focus();
      await press('Enter');
      await expectFocus('h1 Online Boutique');
      await expectAccessible(page);
      // From page to page of the same object.
      await page.getByRole('link', { name: 'Jobs' }).focus();
      await press('Enter');
      await page.waitForURL('**/jobs');
      await page.getByText('Deploy').first().waitFor();
      await expectFocus('h1 Online Boutique');
      await page.goBack();
      await page.getByRole('link', { name: 'adservice' }).waitFor();
      await expectFocus('h1 Online Boutique');
      await page.goBack();
      await page.getByRole('row', { name: /Online Boutique/ }).waitFor();
      await expectFocus('h1 Teams');
      await page.goForward();
      await expectFocus('h1 Online Boutique');
    });

    it('goes to the heading of what was searched, and back to the search button otherwise', async () => {
      await open('/');
      const button = page.locator('.search-button');
      await button.focus();
      await press('Enter');
      await page.getByRole('combobox', { name: 'addresses' }).waitFor();
      await press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      expect(await page.evaluate('document.activeElement.className')).toContain('search-button');
      await press('Enter');
      await page.getByRole('combobox', { name: 'addresses' }).fill('sock shop');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
      await press('Enter');
      await expectFocus('h1 Sock Shop');
    });

    it('goes to the heading of another team that was chosen from the menu', async () => {
      await open('/teams/retail');
      await page.getByRole('button', { name: 'Switch team' }).focus();
      await press('Enter');
      const media = page.getByRole('link', { name: 'Media' });
      await media.waitFor();
      await media.focus();
      await press('Enter');
      await expectFocus('h1 Media');
    });
  });
});
