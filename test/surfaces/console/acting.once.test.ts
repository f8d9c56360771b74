import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { componentPath, expectAccessible, useDemo } from '../../support/console.ts';

const apps = '{ teams { nodes { uid name applications { nodes { appId: uid name } } } } }';

describe('acting in the console', inBrowser, () => {
  const demo = useDemo();
  let teamId: string;
  const appIds = new Map<string, number>();
  beforeAll(async () => {
    const { teams } = await demo.trellis.data(apps);
    for (const team of teams.nodes) {
      if (team.name === 'retail') teamId = team.uid;
      for (const { name, appId } of team.applications.nodes) appIds.set(name, appId);
    }
  });
  afterEach(() => demo.closePages());

  const open = (path: string, token?: string) => demo.open(path, token);
  const openMap = async (name: string, token?: string) => {
    const opened = await open(`/applications/${appIds.get(name)}/map`, token);
    await opened.page.locator('.react-flow__node.component').first().waitFor();
    return opened;
  };
  const node = (page: Page, name: string) =>
    page.locator('.react-flow__node').filter({ has: page.getByText(name, { exact: true }) });
  const dialog = (page: Page) => page.getByRole('dialog');

  it('opens a port to the outside, and shows how it is reached on the map', async () => {
    const { page, end } = await openMap('Online Boutique');
    await node(page, 'Internet').waitFor();
    expect(await page.locator('.map-edge.rule').count()).toBe(1);
    await node(page, 'adservice').click();
    const inspector = page.getByRole('complementary', { name: 'adservice' });
    // Opening gives an address to everybody, so its plan is shown first, and then the address.
    await inspector.getByRole('switch', { name: 'Outside' }).click();
    await dialog(page).getByText('http://9555.').waitFor();
    await dialog(page).getByRole('button', { name: 'Open port to the outside' }).click();
    await dialog(page).getByRole('link', { name: 'http://9555.' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.map-label title', { hasText: 'http://9555.' }).waitFor({ state: 'attached' });
    expect(await page.locator('.map-edge.rule').count()).toBe(2);

    await inspector.getByRole('button', { name: 'Add HTTP rule' }).click();
    await dialog(page).getByLabel('Domain').fill('localhost');
    await dialog(page).getByRole('button', { name: 'Add HTTP rule' }).click();
    const domain = dialog(page).getByLabel('Domain');
    await dialog(page).locator('.field', { hasText: 'Domain' }).locator('.field-error').waitFor();
    expect(await domain.getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    await domain.fill('ads.shop.example');
    await dialog(page).getByRole('button', { name: 'Add HTTP rule' }).click();
    await dialog(page).getByRole('link', { name: 'http://ads.shop.example' }).waitFor();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await page.locator('.map-label', { hasText: 'http://ads.shop.example' }).waitFor();
    await expectAccessible(page);

    // Closing takes addresses away, so the plan of it is shown first.
    await inspector.getByRole('switch', { name: 'Outside' }).click();
    await dialog(page).getByText('ads.shop.example').waitFor();
    await dialog(page).getByRole('button', { name: 'Close port to the outside' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.map-edge.rule.unpublished').count()).toBe(2);
    await end();
  });

  it('names what a deploy leaves stopped, and deploys it if asked', async () => {
    const { page, end } = await openMap('Sock Shop');
    await page.locator('.page-head').getByRole('button', { name: 'Deploy', exact: true }).click();
    await dialog(page).getByText('1 component stays stopped: queue-master').waitFor();
    const changes = async () =>
      Number.parseInt((await dialog(page).locator('.count').first().textContent())!, 10);
    const before = await changes();
    await expectAccessible(page);
    await dialog(page).getByLabel('Also start the stopped component').check();
    await dialog(page).getByText('stays stopped').waitFor({ state: 'detached' });
    expect(await changes()).toBe(before + 1);
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await end();
  });

  it('upgrades Sock Shop by a plan, runs the job live, and records it', async () => {
    const { page, end } = await openMap('Sock Shop');
    const other = await open('/teams/retail/record');
    await page.getByRole('button', { name: 'Upgrade', exact: true }).click();
    await dialog(page).getByLabel('Also start changed components that are stopped').waitFor();
    await dialog(page).getByRole('button', { name: 'Preview changes' }).click();
    await dialog(page).getByText('catalogue depends on catalogue-db').waitFor();
    const stops = dialog(page).locator('.plan-change', { hasText: 'accounts stops and keeps its data' });
    await stops.waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Upgrade application', exact: true }).click();
    await dialog(page).getByRole('progressbar').waitFor();
    await node(page, 'user').waitFor({ state: 'attached' });
    // Another window tells of it without being loaded again.
    const event = other.page.locator('.event', {
      hasText: /^\s*[\d:]+admin \(token .+\) · Sock Shop is upgraded from 0\.0\.12/,
    });
    await event.waitFor();
    await event.getByText('0.0.12').first().waitFor();
    await other.page
      .getByText(/more changes in the same request/)
      .first()
      .click();
    await expectAccessible(other.page);
    await other.end();
    await expect.poll(() => dialog(page).locator('.progress > .row').textContent()).toMatch(/18 of 18 done/);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await end();
  });

  it('shows what an install and a restart change, and does both', async () => {
    const { page, end } = await openMap('Bookinfo');
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await dialog(page).getByLabel('Template').selectOption({ label: 'WordPress with MySQL' });
    await dialog(page).getByRole('button', { name: 'Preview changes' }).click();
    await dialog(page).getByText('to add').waitFor();
    await dialog(page).getByRole('button', { name: 'Back' }).click();
    await dialog(page).getByRole('button', { name: 'Preview changes' }).click();
    await dialog(page).getByRole('button', { name: 'Install template', exact: true }).click();
    await dialog(page).getByText('Succeeded').or(dialog(page).getByText('Done.')).first().waitFor();
    await page.keyboard.press('Escape');
    await node(page, 'wordpress').first().waitFor();

    const head = page.locator('.page-head');
    await head.getByRole('button', { name: 'More…' }).click();
    await head.getByRole('button', { name: 'Restart' }).click();
    await dialog(page).locator('.plan-change', { hasText: 'wordpress restarts' }).waitFor();
    await dialog(page).getByRole('button', { name: 'Restart' }).click();
    await dialog(page).getByRole('progressbar').waitFor();
    await page.keyboard.press('Escape');
    await end();
  });

  it('masks secrets, scales, and deletes what it has named', async () => {
    const { page, end } = await openMap('WordPress with MySQL');
    await node(page, 'wordpress').first().click();
    const inspector = page.getByRole('complementary', { name: 'wordpress' });
    await inspector.getByRole('button', { name: 'Variables' }).click();
    const secret = dialog(page).locator('input[type=password]').first();
    await secret.waitFor();
    await dialog(page)
      .getByRole('button', { name: /^Show the value of/ })
      .first()
      .click();
    await dialog(page).getByRole('button', { name: 'Add variable' }).click();
    await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill('1 wrong');
    await dialog(page).getByRole('textbox', { name: 'Value', exact: true }).fill('x');
    await dialog(page).getByRole('button', { name: 'Save 1 change' }).click();
    await dialog(page).locator('.field-error').waitFor();
    await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill('GREETING');
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Save 1 change' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await inspector.getByText('Has undeployed changes').waitFor();

    await inspector.getByRole('button', { name: 'Scale' }).click();
    await dialog(page).getByLabel('Replicas', { exact: true }).fill('9999');
    await dialog(page).getByRole('button', { name: 'Scale' }).click();
    await dialog(page).getByRole('alert').getByText(/quota/).waitFor();
    await dialog(page).getByLabel('Replicas', { exact: true }).fill('2');
    await dialog(page).getByRole('button', { name: 'Scale' }).click();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await node(page, 'wordpress').first().getByText('× 2').waitFor();

    await inspector.getByRole('button', { name: 'More…' }).first().click();
    await inspector.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog(page).locator('.plan-remove', { hasText: 'wordpress' }).first().waitFor();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await node(page, 'wordpress').first().waitFor({ state: 'detached' });
    await end();
  });

  it('follows what instances write, and deletes one by a plan', async () => {
    const { data } = await demo.trellis.graphql(
      '{ team(by: { name: "retail" }) { components(search: "front-end") { nodes { uid } } } }',
    );
    const { page, end } = await open(componentPath(data.team.components.nodes[0].uid));
    await page.getByRole('link', { name: 'Logs of front-end-0' }).click();
    await page.getByRole('log').getByText('/health').nth(1).waitFor();
    await expectAccessible(page);
    await page.goBack();
    await page.getByRole('button', { name: 'Delete', exact: true }).first().click();
    await dialog(page).locator('.plan-remove', { hasText: 'front-end-0' }).waitFor();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.keyboard.press('Escape');
    await expectAccessible(page);
    await end();
  });

  it('offers a viewer nothing', async () => {
    const viewer = await demo.trellis.createMember(teamId, 'VIEWER');
    const { page, end } = await openMap('Online Boutique', viewer.token);
    await node(page, 'frontend').click();
    const inspector = page.getByRole('complementary', { name: 'frontend' });
    await inspector.getByRole('switch', { name: 'Outside' }).waitFor();
    expect(await inspector.getByRole('switch', { name: 'Outside' }).isDisabled()).toBe(true);
    expect(await inspector.getByRole('button', { name: /^(?!Copy )/ }).allTextContents()).toEqual(['Close']);
    expect(await page.locator('.page-head').getByRole('button').count()).toBe(0);
    await end();
  });

  it('is used with the keyboard, on a phone, and exports the map', async () => {
    const { page, end } = await openMap('Online Boutique');
    await node(page, 'loadgenerator').focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('frontend');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'frontend' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export SVG' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Online Boutique.svg');
    let svg = '';
    for await (const chunk of await download.createReadStream()) svg += chunk;
    expect(svg).toMatch(/^<svg .*frontend.*<\/svg>$/s);
    expect(
      await page.evaluate(
        (text) =>
          new DOMParser().parseFromString(text, 'image/svg+xml').querySelectorAll('parsererror').length,
        svg,
      ),
    ).toBe(0);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Export SVG' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    const isWhole = () =>
      page.locator('.react-flow__node').evaluateAll((nodes) =>
        nodes.every((each) => {
          const { left, right } = each.getBoundingClientRect();
          return left >= 0 && right <= 390;
        }),
      );
    await page.reload();
    await node(page, 'frontend').waitFor();
    await expect.poll(isWhole, { timeout: 20_000 }).toBe(true);
    await end();
  });

  it('shows what a team uses of its quotas, and sets them', async () => {
    const { page, end } = await open('/teams/media/usage');
    const region = page.getByRole('listitem').filter({ hasText: 'Europe, Frankfurt' });
    await region.getByRole('progressbar', { name: 'CPU' }).waitFor();
    await region.getByRole('button', { name: 'Set quota' }).click();
    await dialog(page).getByLabel('CPU, in millicores').fill('20000');
    await dialog(page).getByRole('button', { name: 'Save quota' }).click();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await region.getByText(/of 20 cores/).waitFor();
    await expectAccessible(page);
    await end();
  });

  it('keeps 64 components as they are while the map is moved', async () => {
    const { trellis } = demo;
    const { application } = await trellis.succeed(
      'createApplication',
      { team: { teamId }, region: { name: 'eu-central' }, name: 'Large' },
      'application { appId: uid }',
    );
    const ids: string[] = [];
    for (let index = 0; index < 64; index++) {
      const dependencies = [ids[Math.floor((index - 1) / 2)], ids[index - 5]].filter(Boolean);
      const { component } = await trellis.succeed(
        'createComponent',
        {
          application: { appId: application.appId },
          name: `part ${index}`,
          image: 'x:1',
          dependencies: dependencies.map((componentId) => ({ componentId })),
        },
        'component { uid }',
      );
      ids.push(component.uid);
    }
    appIds.set('Large', application.appId);
    const { page, end } = await openMap('Large');
    expect(await page.locator('.react-flow__node.component').count()).toBe(64);
    const counted = await page.evaluate(async () => {
      let changes = 0;
      const observer = new MutationObserver((list) => {
        changes += list.length;
      });
      observer.observe(document.querySelector('.react-flow__nodes')!, {
        subtree: true,
        childList: true,
        attributes: true,
      });
      const pane = document.querySelector('.react-flow__pane')!;
      const at = (x: number) => ({
        bubbles: true,
        clientX: x,
        clientY: 400,
        button: 0,
        buttons: 1,
        view: window,
      });
      const viewport = document.querySelector<HTMLElement>('.react-flow__viewport')!;
      const before = viewport.style.transform;
      pane.dispatchEvent(new MouseEvent('mousedown', at(400)));
      for (let x = 400; x < 640; x += 8) {
        window.dispatchEvent(new MouseEvent('mousemove', at(x)));
        await new Promise(requestAnimationFrame);
      }
      window.dispatchEvent(new MouseEvent('mouseup', at(640)));
      observer.disconnect();
      return { changes, hasMoved: viewport.style.transform !== before };
    });
    expect(counted).toEqual({ changes: 0, hasMoved: true });
    await end();
  });
});
