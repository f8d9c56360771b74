import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { expectAccessible, goTo, useDemo } from '../../support/console.ts';
import { ringTemplate } from '../../support/templates.ts';

describe('templates and jobs in the console', inBrowser, () => {
  const demo = useDemo();
  const appIds = new Map<string, number>();
  beforeAll(async () => {
    const { applications } = await demo.trellis.data('{ applications { nodes { appId: uid name } } }');
    for (const { name, appId } of applications.nodes) appIds.set(name, appId);
  });
  afterEach(() => demo.closePages());

  const open = (path: string, token?: string) => demo.open(path, token);
  const dialog = (page: Page) => page.getByRole('dialog');
  const onPhone = async (page: Page) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    await page.setViewportSize({ width: 1440, height: 900 });
  };

  it('says once that there is an upgrade, and offers it where it is listed', async () => {
    const { page, end } = await open(`/applications/${appIds.get('Sock Shop')}`);
    const row = page.getByRole('row', { name: /front-end/ });
    await row.getByText('Open to the outside').waitFor();
    expect(await page.getByText(/upgrade is available/i).count()).toBe(1);
    // Nothing in a row is cut.
    const isCut = () =>
      page
        .locator('.tree-extra')
        .evaluateAll((cells) => cells.some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth));
    expect(await isCut()).toBe(false);
    await page.getByRole('link', { name: 'See upgrades' }).click();
    const installed = page.getByRole('row').filter({ hasText: '0.3.0' });
    await installed.getByRole('button', { name: 'Upgrade' }).click();
    await dialog(page)
      .getByRole('heading', { name: /^Upgrade/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await end();
  });

  it('publishes, disables, enables and deletes versions, newest first', async () => {
    const ring = ringTemplate(2, { version: '1.9.0' });
    const next = ringTemplate(2, { key: ring.key, version: '1.10.0' });
    await demo.trellis.succeed('publishTemplate', { template: next.text }, '__typename');
    const { page, end } = await open('/templates');
    await page.getByRole('link', { name: 'Sock Shop' }).waitFor();
    await expectAccessible(page);
    await onPhone(page);
    await page.getByRole('button', { name: 'Publish template' }).click();
    await dialog(page).getByLabel('Template document').fill('{}');
    await dialog(page).getByRole('button', { name: 'Publish template', exact: true }).click();
    await dialog(page).locator('.field-error').first().waitFor();
    await expectAccessible(page);
    await dialog(page)
      .locator('input[type=file]')
      .setInputFiles({
        name: 'ring.json',
        mimeType: 'application/json',
        buffer: Buffer.from(ring.text),
      });
    await expect.poll(() => dialog(page).getByLabel('Template document').inputValue()).toBe(ring.text);
    await dialog(page).getByRole('button', { name: 'Publish template', exact: true }).click();
    await dialog(page).getByRole('link', { name: 'Open the template' }).click();

    const versions = page.getByRole('table').first().getByRole('row');
    await versions.nth(2).waitFor();
    expect(await versions.nth(1).textContent()).toMatch(/^1\.10\.0 ?Newest/);
    expect(await versions.nth(2).textContent()).toMatch(/^1\.9\.0/);
    await page.getByRole('heading', { name: /Components of the newest version 2/ }).waitFor();
    await expectAccessible(page);
    await onPhone(page);
    await versions.nth(1).getByRole('button', { name: 'Disable' }).click();
    await dialog(page).getByText('Installed applications are unchanged.').waitFor();
    await dialog(page).getByRole('button', { name: 'Disable' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await versions.nth(2).getByText('Newest').waitFor();
    await versions.nth(1).getByRole('button', { name: 'Enable' }).click();
    await dialog(page).getByRole('button', { name: 'Enable' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await versions.nth(2).getByRole('button', { name: 'Delete' }).click();
    await dialog(page).locator('.plan-remove').first().waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await versions.nth(2).waitFor({ state: 'detached' });
    await end();
  });

  it('publishes an application, and installs the newest version into another one', async () => {
    const { page, end } = await open(`/applications/${appIds.get('WordPress with MySQL')}`);
    for (const version of ['1.9.0', '1.10.0']) {
      await page.locator('.page-head').getByRole('button', { name: 'More…' }).click();
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await dialog(page).getByLabel('Name of the template').waitFor();
      if (version === '1.10.0') {
        await dialog(page).getByLabel('Template', { exact: true }).selectOption({ label: 'Blog' });
        expect(await dialog(page).getByLabel('Version', { exact: true }).inputValue()).toBe('1.9.1');
      } else {
        await dialog(page).getByLabel('Name of the template').fill('Blog');
        await expectAccessible(page);
      }
      await dialog(page).getByLabel('Version', { exact: true }).fill(version);
      await dialog(page).getByRole('button', { name: 'Publish application', exact: true }).click();
      await dialog(page).getByText(`Published Blog ${version}.`).waitFor();
      await dialog(page).getByText('wordpress: the value of WORDPRESS_DB_PASSWORD').waitFor();
      if (version === '1.9.0') await dialog(page).getByRole('button', { name: 'Close' }).click();
    }
    await dialog(page).getByRole('link', { name: 'Open the template' }).click();
    // A new version of a second application of the same team.
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await dialog(page).getByLabel('Find an application').fill('word');
    await dialog(page)
      .getByRole('list', { name: 'Application' })
      .getByRole('button', { name: /WordPress with MySQL/ })
      .click();
    expect(await dialog(page).getByLabel('Version', { exact: true }).inputValue()).toBe('1.10.0');
    expect(
      await dialog(page).getByLabel('Template', { exact: true }).locator('option:checked').textContent(),
    ).toBe('Blog');
    await expectAccessible(page);
    await end();
  });

  it('rolls back an upgrade in four clicks, and uninstalls', async () => {
    const { page, end } = await open(`/applications/${appIds.get('Sock Shop')}`);
    await page.getByRole('button', { name: 'Upgrade', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Preview changes' }).click();
    await dialog(page).getByRole('button', { name: 'Upgrade application', exact: true }).click();
    await dialog(page).getByRole('progressbar').waitFor();
    await goTo(page, '/');
    const row = page.getByRole('row', { name: /Sock Shop/ });
    await row.getByRole('link', { name: 'Sock Shop' }).click();
    await page.getByRole('link', { name: 'Upgrades' }).click();
    const record = page
      .getByRole('table', { name: 'Upgrade history' })
      .or(page.getByRole('region', { name: 'Upgrade history' }));
    await record.first().getByRole('button', { name: 'Roll back' }).click();
    await dialog(page).locator('.plan-row').first().waitFor();
    await dialog(page).getByLabel('Also start changed components that are stopped').waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Roll back' }).click();
    await dialog(page).getByRole('progressbar').first().waitFor();
    await page.keyboard.press('Escape');
    await record.first().getByText('Rollback').waitFor();
    await onPhone(page);

    const installed = page.getByRole('region', { name: 'Installed templates' });
    await installed.getByRole('button', { name: 'Uninstall' }).click();
    await dialog(page)
      .locator('.plan-remove', { hasText: 'front-end' })
      .first()
      .waitFor({ state: 'attached' });
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Uninstall' }).click();
    await dialog(page).getByRole('button', { name: 'Close' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('No templates installed.').waitFor();
    await end();
  });

  it('cancels a job in three clicks', async () => {
    const appId = appIds.get('Sock Shop');
    const { page, end } = await open('/');
    const name = page.getByRole('link', { name: 'Sock Shop', exact: true });
    await name.waitFor();
    // The simulated cluster takes long to start such an image.
    const { job } = await demo.trellis.succeed(
      'createComponent',
      { application: { appId }, name: 'slow', image: 'shop/batch:slow', deploy: true },
      'job { uid }',
    );
    await name.click();
    const running = page
      .getByRole('list', { name: 'Jobs in progress' })
      .getByRole('listitem')
      .filter({ hasText: `#${job.uid}` });
    await running.getByRole('button', { name: 'Cancel job' }).click();
    await dialog(page).getByText('The next deploy completes the rest.').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel job' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await running.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Jobs', exact: true }).click();
    await page.getByText('Cancelled').first().waitFor();
    const found = await demo.trellis.data(`{ job(by: { jobId: ${job.uid} }) { status } }`);
    expect(found.job.status).toBe('CANCELLED');
    await goTo(page, `/jobs/${job.uid}`);
    await page.getByText('Cancelled').first().waitFor();
    expect(await page.getByRole('button', { name: 'Cancel job' }).count()).toBe(0);
    await end();
  });

  it('keeps registry credentials of a team and of all teams', async () => {
    const { page, end } = await open('/teams/retail/registries');
    await page.locator('.page-head').getByRole('button', { name: 'Add credential' }).click();
    await dialog(page).getByLabel('Registry', { exact: true }).fill('no host');
    await dialog(page).getByLabel('Username').fill('puller');
    await dialog(page).getByLabel('Password or access token').fill('secret');
    await dialog(page).getByRole('button', { name: 'Add credential' }).click();
    await dialog(page).locator('.field', { hasText: 'Registry' }).locator('.field-error').waitFor();
    await expectAccessible(page);
    await dialog(page).getByLabel('Registry', { exact: true }).fill('registry.example:5000');
    await dialog(page).getByRole('button', { name: 'Add credential' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    const row = page.getByRole('row', { name: /registry\.example:5000/ });
    await row.getByRole('button', { name: 'Edit' }).click();
    await dialog(page).getByLabel('Username').fill('robot');
    await dialog(page).getByRole('button', { name: 'Save changes' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await row.getByText('robot').waitFor();
    await onPhone(page);
    await row.getByRole('button', { name: 'Delete' }).click();
    await dialog(page).locator('.plan-remove').first().waitFor();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await row.waitFor({ state: 'detached' });
    await page.locator('.section').getByRole('button', { name: 'Add credential' }).click();
    await dialog(page).getByText('Add a registry credential for all teams').waitFor();
    await end();
  });

  it('offers a viewer nothing', async () => {
    const { team } = await demo.trellis.data('{ team(by: { name: "retail" }) { uid } }');
    const viewer = await demo.trellis.createMember(team.uid, 'VIEWER');
    const { page, end } = await open('/teams/retail/registries', viewer.token);
    await page.getByRole('heading', { name: 'Registry credentials' }).waitFor();
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
    await goTo(page, '/templates');
    await page.getByRole('link', { name: 'Bookinfo' }).click();
    await page.getByRole('heading', { name: /Components of the newest version/ }).waitFor();
    expect(await page.locator('main').getByRole('button').allTextContents()).toEqual(['Install']);
    await page.getByRole('button', { name: 'Install' }).click();
    await dialog(page)
      .getByText('You do not have permission to install templates into any application.')
      .waitFor();
    await end();
  });
});
