import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { places } from '../../../src/console/strings/places.ts';
import { inBrowser } from '../../support/browser.ts';
import {
  type ComponentTab,
  componentPath,
  expectAccessible,
  goTo,
  goToTab,
  untilSettled,
  useDemo,
} from '../../support/console.ts';

const text = places.component;
const phone = { width: 390, height: 844 };
const laptop = { width: 1440, height: 900 };

describe('the tabs of a component', inBrowser, () => {
  const demo = useDemo();
  let components: { uid: string; name: string }[];
  beforeAll(async () => {
    const { teams } = await demo.trellis.data(
      '{ teams { nodes { applications { nodes { components(first: 100) { nodes { uid name } } } } } } }',
    );
    components = teams.nodes.flatMap((team: any) =>
      team.applications.nodes.flatMap((application: any) => application.components.nodes),
    );
  });
  afterEach(() => demo.closePages());

  const uidOf = (name: string) => components.find((each) => each.name === name)!.uid;
  const tabs = (page: Page) => page.getByRole('navigation', { name: text.pages });
  const current = (page: Page) => tabs(page).locator('[aria-current=page]').textContent();
  const section = (page: Page, name: string | RegExp) =>
    page.locator('section.section', { has: page.getByRole('heading', { level: 2, name }) });

  it('have an address each, which survives a reload and the way back, and read only what they show', async () => {
    const uid = uidOf('shipping');
    const { page, end } = await demo.open(componentPath(uid));
    const asked = new Set<string>();
    page.on('request', (request) => {
      const [, name] = /query (\w+)/.exec(request.postData() ?? '') ?? [];
      if (name) asked.add(name);
    });
    const expectTab = async (tab: ComponentTab) => {
      await tabs(page).locator('[aria-current=page]', { hasText: text.tabs[tab] }).waitFor();
      expect(new URL(page.url()).pathname).toBe(componentPath(uid, tab));
      await page.getByRole('heading', { level: 1, name: 'shipping' }).waitFor();
    };
    const shared = ['ComponentActions', 'Viewer'];
    for (const [tab, queries] of Object.entries({
      logs: ['ComponentHead', 'Instances', 'ClusterEvents'],
      network: ['ComponentNetwork'],
      configuration: ['ComponentConfiguration'],
      runs: ['ComponentRuns'],
      usage: ['ComponentUsage'],
      history: ['ComponentHistory', 'ComponentRecord'],
      overview: ['Component', 'Instances'],
    } satisfies Record<ComponentTab, string[]>) as [ComponentTab, string[]][]) {
      await goToTab(page, tab);
      await expectTab(tab);
      await untilSettled(page);
      asked.clear();
      await page.reload();
      await expectTab(tab);
      await untilSettled(page);
      expect([...asked].sort(), tab).toEqual([...shared, ...queries].sort());
    }
    await page.goBack();
    await expectTab('history');
    await end();
  });

  it('are where the addresses of parts lead that were on one page before', async () => {
    const uid = uidOf('shipping');
    const { page, end } = await demo.open('/');
    for (const [old, path] of [
      ['/record?type=Port', '/history?type=Port'],
      ['/releases', '/history'],
      ['?logs=all', '/logs'],
      ['?logs=shipping-0', '/logs?instance=shipping-0'],
      ['?logs=failing', '/logs?instance=failing'],
      ['?run=1', '/runs?run=1'],
    ]) {
      await goTo(page, componentPath(uid) + old);
      await page.waitForURL(demo.trellis.url + componentPath(uid) + path);
      await page.getByRole('heading', { level: 1, name: 'shipping' }).waitFor();
    }
    await end();
  });

  it('show the whole overview of every component of the demo at once, in light and dark', async () => {
    const { page, end } = await demo.open('/');
    await page.setViewportSize(laptop);
    expect(components.length).toBeGreaterThan(30);
    for (const { uid, name } of components) {
      // Loading the console for each would take most of the time.
      await goTo(page, componentPath(uid));
      await tabs(page)
        .locator(`a[href="${componentPath(uid, 'logs')}"]`)
        .waitFor();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      await page.getByRole('heading', { level: 2, name: /^Releases/ }).waitFor();
      await untilSettled(page);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const height = await page.evaluate<number>('document.documentElement.scrollHeight');
        expect(height, `${name} in ${colorScheme}`).toBeLessThanOrEqual(laptop.height);
      }
    }
    await end();
  });

  it('show first what is wrong, with what helps', async () => {
    const { page, end } = await demo.open(componentPath(uidOf('shipping')));
    const notice = page.locator('main .notice').first();
    await notice.getByText('crashes when it starts').waitFor();
    await notice.getByRole('link', { name: /^Deploy #/ }).waitFor();
    await notice.getByRole('link', { name: 'Logs of shipping-0' }).waitFor();
    const top = async (what: ReturnType<Page['locator']>) => (await what.boundingBox())!.y;
    expect(await top(notice)).toBeLessThan(await top(page.locator('main .fields')));
    await expectAccessible(page);
    await notice.getByRole('button', { name: 'Roll back to release 1' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Roll shipping back to release 1').waitFor();
    await dialog.locator('.plan-change').first().waitFor();
    await page.keyboard.press('Escape');
    await notice.getByRole('link', { name: 'Logs of shipping-0' }).click();
    await page.getByRole('log', { name: 'Logs of shipping-0' }).waitFor();
    expect(await current(page)).toBe(text.tabs.logs);
    await end();
  });

  it('have a line with a button for each section without content', async () => {
    const { page, end } = await demo.open(componentPath(uidOf('shipping'), 'configuration'));
    const expectLines = async (lines: Record<string, string>) => {
      for (const [name, button] of Object.entries(lines)) {
        const line = section(page, name);
        await line.getByRole('button', { name: button }).waitFor();
        expect(await line.getByRole('button').count(), name).toBe(1);
        expect((await line.locator('p').textContent())!.length, name).toBeGreaterThan(0);
        expect((await line.boundingBox())!.height, name).toBeLessThanOrEqual(40);
      }
    };
    await expectLines({
      [text.volumes]: 'Add volume',
      'Health checks': 'Set health checks',
      'Deploy hooks': 'Allow deploy hooks',
    });
    await goToTab(page, 'network');
    await expectLines({ [text.rules]: 'Add rule for port 80' });
    await goToTab(page, 'runs');
    await expectLines({ Runs: 'Run command', Schedules: 'New schedule' });
    await expectAccessible(page);

    // The button of the last one works, and the line becomes a list.
    await goToTab(page, 'configuration');
    await page.getByRole('button', { name: 'Allow deploy hooks' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Allow deploy hooks' }).click();
    await page.getByRole('dialog').getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await expectLines({ 'Deploy hooks': 'New deploy hook' });
    await goToTab(page, 'network');
    await page.getByRole('button', { name: 'Add rule for port 80' }).click();
    await page.getByRole('dialog').getByText('Add a rule for port 80 of shipping').waitFor();
    await page.keyboard.press('Escape');
    await end();
  });

  it('have only what interrupts or deletes the component in the menu', async () => {
    const { page, end } = await demo.open(componentPath(uidOf('catalogue')));
    const head = page.locator('.page-head');
    await head.getByRole('button', { name: 'More…' }).click();
    const items = head.locator('.menu-panel').getByRole('button');
    await items.first().waitFor();
    expect(await items.allTextContents()).toEqual(['Stop', 'Delete']);
    await end();
  });

  it('roll back, and change the image, in at most four clicks from the home page', async () => {
    const { page, end } = await demo.open('/');
    const dialog = page.getByRole('dialog');
    let clicks = 0;
    const click = async (what: ReturnType<Page['locator']>) => {
      clicks++;
      // What is read later moves what is clicked.
      await untilSettled(page);
      await what.click();
    };
    await click(page.getByRole('link', { name: 'Sock Shop', exact: true }));
    await click(page.getByRole('link', { name: 'shipping', exact: true }));
    await click(page.getByRole('button', { name: 'New image…' }));
    await dialog.getByRole('button', { name: 'Change image' }).waitFor();
    expect(clicks + 1).toBeLessThanOrEqual(4);
    await page.keyboard.press('Escape');
    clicks = 2;
    await click(page.getByRole('row', { name: /^1/ }).getByRole('button', { name: 'Roll back' }));
    await dialog.getByRole('button', { name: 'Roll back' }).waitFor();
    expect(clicks + 1).toBeLessThanOrEqual(4);
    await end();
  });

  it('scroll on a phone, and are followed with the keyboard', async () => {
    const { page, end } = await demo.open(componentPath(uidOf('shipping'), 'history'));
    await tabs(page).waitFor();
    await page.setViewportSize(phone);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(phone.width);
    const link = tabs(page).getByRole('link', { name: text.tabs.usage });
    await link.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/usage');
    await expect.poll(() => page.evaluate<string>('document.activeElement.tagName')).toBe('H1');
    // The current one is in sight.
    await expect
      .poll(async () => {
        const { x, width } = (await link.boundingBox())!;
        return x >= 0 && x + width <= phone.width;
      })
      .toBe(true);
    await end();
  });
});
