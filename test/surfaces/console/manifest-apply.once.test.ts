import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { expectAccessible, goTo } from '../../support/console.ts';
import { dialog, edit, editor, panel, replace, shop, startShop } from '../../support/console-manifest.ts';
import { apply, plan } from '../../support/manifests.ts';

describe('applying a manifest in the console', inBrowser, () => {
  let demo: Awaited<ReturnType<typeof startShop>>;
  beforeAll(async () => {
    demo = await startShop();
  });
  afterEach(() => demo.closePages());
  afterAll(() => demo?.close());

  it('is applied as it was planned, and its job is followed', async () => {
    const { page, end } = await demo.open();
    await edit(page);
    const applies = panel(page).getByRole('button', { name: 'Apply' });
    expect(await applies.isDisabled()).toBe(true);
    // Everything can be deployed again without a change.
    await panel(page).getByLabel('Deploy').selectOption({ label: 'All components' });
    await expect.poll(() => applies.isEnabled()).toBe(true);
    await panel(page).getByLabel('Deploy').selectOption({ label: 'Changed components' });
    await demo.change(page, 'replicas: 1', 'replicas: 2');
    await panel(page).getByText('replicas').first().waitFor();
    await panel(page).getByRole('button', { name: 'Apply' }).click();
    await dialog(page).getByRole('heading', { name: 'Apply the manifest of Shop' }).waitFor();
    await dialog(page).getByText('replicas').waitFor();
    await expectAccessible(page);
    // The focus goes back to the button that opened it.
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Apply');
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('button', { name: 'Apply' }).click();
    await dialog(page).getByText('Succeeded').first().waitFor();
    const job = await dialog(page).getByRole('link', { name: 'Open the job' }).getAttribute('href');
    expect(job).toMatch(/^\/jobs\/\d+$/);
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await editor(page).getByText('replicas: 2').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Edit');
    await page.reload();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    await end();
  });

  it('deletes what it no longer has once that is allowed', async () => {
    const extra = '  extra:\n    image: busybox:1\n    volumes:\n      data: { path: /data, type: local }\n';
    await apply(demo.trellis, demo.place, `application: Shop\ncomponents:\n${extra}`);
    const { page, end } = await demo.open();
    await edit(page);
    await replace(page, shop);
    await panel(page).getByText('no longer in the manifest and will not be deleted').waitFor();
    await panel(page).getByLabel('Delete objects that are not in the manifest').check();
    await panel(page).getByText('Destroys data or an address').first().waitFor();
    await panel(page).getByRole('button', { name: 'Apply' }).click();
    const confirm = dialog(page).getByRole('button', { name: 'Apply' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog(page).getByLabel('Allow changes that destroy data or an address').check();
    await expectAccessible(page);
    await confirm.click();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await editor(page).getByText('nginx:1.28').waitFor();
    expect(await demo.exported()).not.toContain('extra');
    await end();
  });

  it('is planned again if somebody else changes the application before the apply', async () => {
    const { page, end } = await demo.open();
    await edit(page);
    await demo.change(page, 'nginx:1.28', 'nginx:1.29');
    await panel(page).getByText('nginx:1.29').waitFor();
    await panel(page).getByRole('button', { name: 'Apply' }).click();
    await dialog(page).getByText('nginx:1.29').waitFor();
    await demo.trellis.succeed(
      'setVariables',
      {
        component: { componentId: demo.components.database },
        set: [{ name: 'POSTGRES_USER', value: 'clerk' }],
      },
      '__typename',
    );
    await dialog(page).getByRole('button', { name: 'Apply' }).click();
    await dialog(page)
      .getByRole('alert')
      .getByText(/^The application has changed since this plan was created/)
      .waitFor();
    // The manifest would change it back, which the new plan says.
    await dialog(page).getByText('clerk').waitFor();
    await expectAccessible(page);
    expect(await demo.exported()).toContain('clerk');
    await dialog(page).getByRole('button', { name: 'Apply' }).click();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await editor(page).getByText('nginx:1.29').waitFor();
    expect(await demo.exported()).not.toContain('clerk');
    // Before it is confirmed, a change of somebody else is shown by itself, also beside what was typed.
    await edit(page);
    await demo.trellis.succeed(
      'setVariables',
      { component: { componentId: demo.components.web }, set: [{ name: 'SEEN', value: 'live' }] },
      '__typename',
    );
    await editor(page).getByText('SEEN').waitFor();
    await demo.change(page, 'SEEN: live', 'SEEN: typed');
    await panel(page).getByText('typed').waitFor();
    await demo.trellis.succeed(
      'setVariables',
      { component: { componentId: demo.components.web }, set: [{ name: 'SEEN', value: 'later' }] },
      '__typename',
    );
    await panel(page).getByText('later').waitFor();
    expect(await editor(page).getByText('SEEN: typed').count()).toBe(1);
    await end();
  });

  it('is planned by a viewer, who cannot apply it', async () => {
    const viewer = await demo.trellis.createMember(demo.place.team.teamId, 'VIEWER');
    const { page, end } = await demo.open(undefined, viewer.token);
    await edit(page);
    await replace(page, shop.replace('nginx', 'caddy'));
    await panel(page).getByText('caddy').first().waitFor();
    const button = panel(page).getByRole('button', { name: 'Apply' });
    expect(await button.isDisabled()).toBe(true);
    const reason = await button.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${reason}"]`).textContent()).toContain('developer role');
    await goTo(page, '/teams/retail');
    await page.getByRole('row', { name: /Sock Shop/ }).waitFor();
    expect(await page.getByRole('link', { name: 'From a manifest' }).count()).toBe(0);
    await end();
  });

  it('makes a new application', async () => {
    const { page, end } = await demo.open('/teams/retail');
    await page.getByRole('link', { name: 'From a manifest' }).click();
    await panel(page).getByText('Create application').waitFor();
    await page.getByLabel('Region').selectOption({ label: 'United States, Virginia' });
    await expectAccessible(page);
    await replace(page, shop);
    await panel(page).getByText('The application Shop exists.').waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await dialog(page).getByRole('button', { name: 'Discard changes' }).click();
    await editor(page).getByText('My application').waitFor();
    await expect
      .poll(() => page.evaluate('document.activeElement.ariaLabel'))
      .toBe('Manifest of a new application');
    await replace(page, shop.replace('Shop', 'Second shop'));
    await panel(page).getByText('Second shop').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    await panel(page).getByRole('button', { name: 'Apply' }).click();
    await dialog(page).getByRole('heading', { name: 'Apply the manifest of Second shop' }).waitFor();
    await dialog(page).getByRole('button', { name: 'Apply' }).click();
    await dialog(page).getByText('Succeeded').first().waitFor();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'Second shop' }).waitFor();
    expect((await plan(demo.trellis, demo.place, shop.replace('Shop', 'Second shop'))).changes).toEqual([]);
    await end();
  });
});
