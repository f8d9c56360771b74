import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import {
  componentPath,
  componentTabs,
  expectAccessible,
  goTo,
  goToTab,
  untilSettled,
  useDemo,
} from '../../support/console.ts';

describe('changing components in the console', inBrowser, () => {
  const demo = useDemo();
  afterEach(() => demo.closePages());

  const open = (path: string, token?: string) => demo.open(path, token);
  const dialog = (page: Page) => page.getByRole('dialog');
  const componentOf = async (name: string) => {
    const { components } =
      await demo.trellis.data(`{ components(search: "${name}") { nodes { uid name image version
      replicas command deployState: desiredState ports { nodes { number protocol isInner } } variables { nodes { name value isSecret } }
      volumes { nodes { name path type } } dependencies { nodes { name } }
      probes { readiness { http { port path } } } application { appId: uid } } } }`);
    return components.nodes.find((each: { name: string }) => each.name === name);
  };

  it('edits variables as text, with secrets masked', async () => {
    const wordpress = await componentOf('wordpress');
    const { page, end } = await open(componentPath(wordpress.uid, 'configuration'));
    await page.getByRole('button', { name: 'Edit variables', exact: true }).click();
    await dialog(page).getByLabel('.env text').check();
    const text = dialog(page).getByLabel('Variables as .env text');
    const masked = await text.inputValue();
    expect(masked).toMatch(/^WORDPRESS_DB_PASSWORD=••••••••$/m);
    await dialog(page).getByLabel('Show secrets').check();
    const { value } = wordpress.variables.nodes.find((each: { isSecret: boolean }) => each.isSecret);
    expect(await text.inputValue()).toContain(`WORDPRESS_DB_PASSWORD=${value}`);
    await dialog(page).getByLabel('Show secrets').uncheck();
    expect(await text.inputValue()).toBe(masked);
    await expectAccessible(page);

    const picker = dialog(page).locator('input[type=file]');
    await picker.setInputFiles({
      name: 'prod.env',
      mimeType: 'text/plain',
      buffer: Buffer.from('export WORDPRESS_DB_NAME="news"\nGREETING=\'two\nlines\' # new\n'),
    });
    await dialog(page).getByText('Adds GREETING. Changes WORDPRESS_DB_NAME.').waitFor();
    await text.fill((await text.inputValue()).replace(/^WORDPRESS_DB_USER=.*\n/m, ''));
    await dialog(page).getByText('Removes WORDPRESS_DB_USER.').waitFor();
    await dialog(page).getByLabel('Table').check();
    await dialog(page).getByRole('button', { name: 'Keep WORDPRESS_DB_USER' }).click();
    await dialog(page).getByRole('button', { name: 'Save 2 changes' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    const { nodes } = (await componentOf('wordpress')).variables;
    const byName = new Map(nodes.map((each: { name: string; value: string }) => [each.name, each.value]));
    expect([
      byName.get('GREETING'),
      byName.get('WORDPRESS_DB_NAME'),
      byName.get('WORDPRESS_DB_PASSWORD'),
    ]).toEqual(['two\nlines', 'news', value]);
    expect(byName.has('WORDPRESS_DB_USER')).toBe(true);
    await end();
  });

  it('adds, edits and deletes volumes and dependencies', async () => {
    const { uid } = await componentOf('emailservice');
    const { page, end } = await open(componentPath(uid, 'configuration'));
    await page.getByRole('button', { name: 'Add volume' }).click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('mail');
    await dialog(page).getByLabel('Mount path').fill('/etc/mail.conf');
    await dialog(page).getByLabel('Type').selectOption('config-file');
    await dialog(page).getByLabel('Content of the file').fill('a = 1');
    await dialog(page).getByRole('button', { name: 'Add volume' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    const row = page.getByRole('row', { name: /mail\.conf/ });
    await row.getByRole('button', { name: 'Edit' }).click();
    expect(await dialog(page).getByLabel('Content of the file').inputValue()).toBe('a = 1');
    await dialog(page).getByLabel('Mount path').fill('/etc/post.conf');
    await dialog(page).getByRole('button', { name: 'Save changes' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    const renamed = page.getByRole('row', { name: /post\.conf/ });
    await renamed.getByRole('button', { name: 'Delete' }).click();
    await dialog(page).locator('.plan-remove', { hasText: 'mail' }).waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await renamed.waitFor({ state: 'detached' });

    await goToTab(page, 'network');
    await page.getByRole('button', { name: 'Add dependency' }).click();
    await expectAccessible(page);
    await dialog(page).getByLabel('Component').selectOption({ label: 'redis-cart' });
    await dialog(page).getByRole('button', { name: 'Add dependency' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    expect((await componentOf('emailservice')).dependencies.nodes).toEqual([{ name: 'redis-cart' }]);
    await page
      .getByRole('row', { name: /redis-cart/ })
      .getByRole('button', { name: 'Remove' })
      .click();
    await dialog(page)
      .getByText('The connection variables of redis-cart are removed from emailservice')
      .waitFor();
    await dialog(page).getByRole('button', { name: 'Remove' }).click();
    await dialog(page).getByText('Done.').waitFor();
    expect((await componentOf('emailservice')).dependencies.nodes).toEqual([]);
    await end();
  });

  it('adds a dependency by a line on the map', async () => {
    const { application } = await componentOf('adservice');
    const { page, end } = await open(`/applications/${application.appId}/map`);
    const node = (name: string) =>
      page.locator('.react-flow__node').filter({ has: page.getByText(name, { exact: true }) });
    await node('adservice').waitFor();
    await node('adservice').hover();
    const from = (await node('adservice').locator('.react-flow__handle.source').boundingBox())!;
    const to = (await node('redis-cart').boundingBox())!;
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + 30, to.y + to.height / 2, { steps: 8 });
    await page.mouse.move(to.x + 4, to.y + to.height / 2, { steps: 4 });
    await page.mouse.up();
    await dialog(page).getByText('adservice gets the connection variables of redis-cart').waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Add dependency' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect((await componentOf('adservice')).dependencies.nodes).toEqual([{ name: 'redis-cart' }]);
    await end();
  });

  it('offers a viewer nothing', async () => {
    const { team } = await demo.trellis.data('{ team(by: { name: "retail" }) { uid } }');
    const viewer = await demo.trellis.createMember(team.uid, 'VIEWER');
    const { page, end } = await open('/teams/retail', viewer.token);
    await page.getByRole('treegrid').waitFor();
    expect(await page.locator('.page-head').getByRole('button').count()).toBe(0);
    const { uid } = await componentOf('frontend');
    for (const tab of componentTabs) {
      await goTo(page, componentPath(uid, tab));
      await page.getByRole('heading', { level: 1, name: 'frontend' }).waitFor();
      await untilSettled(page);
      expect(
        await page
          .getByRole('button', { name: /^(Add|Allow|Change|Delete|Edit|New|Remove|Roll|Run|Set)/ })
          .count(),
        tab,
      ).toBe(0);
    }
    await end();
  });
});
