import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import {
  componentPath,
  componentTabs,
  expectAccessible,
  goTo,
  goToTab,
  openConsole,
  untilSettled,
  useDemo,
} from '../../support/console.ts';
import { createComponents } from '../../support/deploys.ts';
import { send } from '../../support/send.ts';

const html = { Accept: 'text/html' };

describe('the tree', inBrowser, () => {
  const demo = useDemo();
  let page: Page;
  let problems: string[];
  let end: () => Promise<void>;
  const open = async (path: string) => ({ page, problems, end } = await demo.open(path));
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^(Expand|Collapse)?\\s*${name}`) });

  afterEach(async () => {
    await end();
    await demo.closePages();
  });

  it('opens with the keys, leads to a port, and is as it was on the way back', async () => {
    await open('/');
    await row('Retail').focus();
    // The first application of the team, its first component, and the ports of that.
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowDown'])
      await page.keyboard.press(key);
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('9555');
    expect(await row('Online Boutique').getAttribute('aria-expanded')).toBe('true');
    expect(await row('9555').getAttribute('aria-level')).toBe('4');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Port 9555' }).waitFor();
    expect(page.url()).toMatch(/\/components\/\w+\/ports\/9555$/);

    await page.goBack();
    await row('9555').waitFor();
    await row('adservice').focus();
    await page.keyboard.press('ArrowLeft');
    expect(await row('9555').count()).toBe(0);
    await page.getByRole('link', { name: 'Retail' }).click();
    await page.getByRole('heading', { name: 'Retail' }).waitFor();
    expect(await page.title()).toBe('Retail · Trellis');

    await page.getByRole('button', { name: 'Switch team' }).click();
    await page.getByRole('link', { name: 'Retail retail' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('searchbox', { name: 'Find a team' }).fill('med');
    await page.getByRole('link', { name: 'Retail retail' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Media' }).click();
    await page.getByRole('heading', { name: 'Media' }).waitFor();
    expect(await page.getByRole('searchbox', { name: 'Find a team' }).count()).toBe(0);
  });

  it('is filtered and sorted, which a link keeps', async () => {
    await open('/?order=NAME');
    await row('Bookinfo').waitFor();
    await page.getByLabel('Filter applications').fill('sock');
    await row('Bookinfo').waitFor({ state: 'detached' });
    await row('Sock Shop').waitFor();
    expect(new URL(page.url()).search).toBe('?order=NAME&search=sock');
    await page.getByLabel('Status of applications').selectOption('Stopped');
    await page.getByText('Nothing matches').waitFor();
    await page.reload();
    await page.getByText('Nothing matches').waitFor();
    expect(await page.getByLabel('Filter applications').inputValue()).toBe('sock');
  });

  it('says why a component fails, two clicks from the home page', async () => {
    await open('/');
    await row('Bookinfo').waitFor();
    await page.getByLabel('With problems').check();
    await row('Bookinfo').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'shipping', exact: true }).click();
    const why = page.getByRole('status').filter({ hasText: 'crashes when it starts' });
    await why.getByRole('link', { name: /^Deploy #\d+$/ }).waitFor();
    await goToTab(page, 'history');
    await page.getByRole('heading', { name: 'Record' }).waitFor();
    await page.locator('.event').first().waitFor();
    await expectAccessible(page);
  });

  it('shows its one request if that is switched on, which GraphiQL opens with its variables', async () => {
    await open('/teams/retail?search=online');
    await row('Online Boutique').waitFor();
    const corner = page.getByRole('complementary', { name: 'One request' });
    expect(await corner.count()).toBe(0);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('link', { name: 'Open in GraphiQL' }).waitFor();
    await page.getByRole('switch', { name: 'Show request times' }).click();
    await expectAccessible(page);
    await page.reload();
    await corner.getByText(/^\d+ ms · \d+ objects$/).waitFor();
    const link = new URL(
      (await corner.getByRole('link', { name: 'Open in GraphiQL' }).getAttribute('href'))!,
      page.url(),
    );
    expect(link.pathname).toBe('/graphql');
    const [query, variables] = [
      link.searchParams.get('query')!,
      JSON.parse(link.searchParams.get('variables')!),
    ];
    const { data } = await demo.trellis.graphql(query, variables);
    expect(data.team.applications.nodes.map(({ name }: { name: string }) => name)).toEqual([
      'Online Boutique',
    ]);
    await corner.getByText(/^\d+ ms · \d+ objects$/).click();
    const statements = corner
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: 'Statements', exact: true }) });
    expect(Number(await statements.getByRole('cell').innerText())).toBeGreaterThan(1);
    const objects = corner.getByRole('row').filter({ hasText: 'LIMIT_OBJECTS' });
    expect(await objects.innerText()).toMatch(/[\d,]+ of [\d,]+/);
    await expectAccessible(page);
    await corner.getByText(/^\d+ ms · \d+ objects$/).click();
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('switch', { name: 'Show request times' }).click();
    await corner.waitFor({ state: 'detached' });
  });

  it('loads the next page as it is scrolled', async () => {
    const names = Array.from({ length: 45 }, (_, index) => `n${String(index).padStart(2, '0')}`);
    const { appId } = await demo.trellis.createApplication(await demo.trellis.createPlace());
    await createComponents(demo.trellis, appId, Object.fromEntries(names.map((name) => [name, {}])));
    await open('/');
    // In a higher window the end of the first page is close enough to load the next one.
    await page.setViewportSize({ width: 1440, height: 300 });
    await goTo(page, `/applications/${appId}`);
    await row('n00').waitFor();
    expect(await row('n44').count()).toBe(0);
    await row('n19').scrollIntoViewIfNeeded();
    const grid = page.getByRole('treegrid');
    // With the head of the grid.
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('46');
    await row('n19').focus();
    await page.keyboard.press('End');
    await expect.poll(() => row('n44').evaluate((last) => last.matches(':focus'))).toBe(true);
  });

  it('is a map of any size', async () => {
    const names = Array.from({ length: 105 }, (_, index) => `m${index}`);
    const { appId } = await demo.trellis.createApplication(await demo.trellis.createPlace());
    await createComponents(demo.trellis, appId, Object.fromEntries(names.map((name) => [name, {}])));
    await open(`/applications/${appId}/map`);
    await expect
      .poll(() => page.locator('.react-flow__node.component').count(), { timeout: 90_000 })
      .toBe(names.length);
  });

  it('says what cannot be found or loaded', async () => {
    const mistyped = await openConsole(demo.trellis, demo.browser.context, '/team/retail');
    await mistyped.page.getByRole('heading', { name: 'Not found' }).waitFor();
    await mistyped.page.close();
    await open('/applications/999999');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to teams' }).click();
    await row('Retail').waitFor();
    let isCut = true;
    let restore = () => {};
    const isRestored = new Promise<void>((resolve) => {
      restore = resolve;
    });
    await page.route('**/graphql', async (route) => {
      if (isCut) return route.abort();
      await isRestored;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Sock Shop', exact: true }).click();
    await page.getByText("Can't reach the server.").waitFor();
    // No other read of the page replaces the button before it is pressed.
    isCut = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    restore();
    await page.getByRole('heading', { name: 'Sock Shop' }).waitFor();
    // The browser itself reports each request that failed.
    problems.splice(0, problems.length, ...problems.filter((text) => !text.includes('ERR_FAILED')));
  });

  it('shows what there is when a cluster does not respond', async () => {
    await open('/');
    const path = ['application', 'components', 'nodes', 0, 'status'];
    await page.route('**/graphql', async (route) => {
      // A subscription does not end.
      if (!route.request().postData()?.includes('query Application(')) return route.continue();
      const answer = await (await route.fetch()).json();
      answer.data.application.components.nodes[0].status = null;
      const error = {
        message: 'The region does not respond.',
        path,
        extensions: { code: 'REGION_UNAVAILABLE' },
      };
      await route.fulfill({ json: { ...answer, errors: [error] } });
    });
    await page.getByRole('link', { name: 'Bookinfo' }).click();
    await page.getByText('The region does not respond.').waitFor();
    await row('details-v1').getByText('Running').waitFor();
  });

  it('has an address and a page for every object, which fits a phone', { timeout: 180_000 }, async () => {
    const { data } = await demo.trellis.graphql(`{ team(by: { name: "media" }) {
      applications(first: 1) { nodes { appId: uid jobs(first: 1) { nodes { uid } } } }
      components(first: 1, search: "wordpress") { nodes { uid } }
      httpRules(first: 1, search: "MEDIA") { nodes { id domain } }
    } }`);
    const { applications, components, httpRules } = data.team;
    const [{ appId, jobs }] = applications.nodes;
    const [{ uid }] = components.nodes;
    const pages: [path: string, heading: string][] = [
      ['/', 'Teams'],
      ['/teams/media', 'Media'],
      ['/teams/media/usage', 'Media'],
      ['/teams/media/record', 'Media'],
      [`/applications/${appId}`, 'WordPress with MySQL'],
      [`/applications/${appId}/map`, 'WordPress with MySQL'],
      [`/applications/${appId}/record`, 'WordPress with MySQL'],
      [`/applications/${appId}/rules`, 'WordPress with MySQL'],
      [`/applications/${appId}/upgrades`, 'WordPress with MySQL'],
      [`/applications/${appId}/jobs`, 'WordPress with MySQL'],
      ...componentTabs.map((tab): [string, string] => [componentPath(uid, tab), 'wordpress']),
      [`${componentPath(uid)}/ports/80`, 'Port 80'],
      [`/rules/${httpRules.nodes[0].id}`, httpRules.nodes[0].domain],
      [`/jobs/${jobs.nodes[0].uid}`, 'Deploy'],
      ['/regions/eu-central', 'Europe, Frankfurt'],
    ];
    await open('/');
    await page.setViewportSize({ width: 390, height: 844 });
    const { text: console } = await send(demo.trellis, { path: '/', headers: html, token: null });
    for (const [path, heading] of pages) {
      // Each address loads the same console, which then goes to the page of the address.
      const loaded = await send(demo.trellis, { path, headers: html, token: null });
      expect([loaded.status, loaded.text === console], path).toEqual([200, true]);
      await goTo(page, path);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await page.locator('.skeleton').waitFor({ state: 'detached' });
      await untilSettled(page);
      await expectAccessible(page);
    }
  });

  it('hides the value of a secret until it is asked for', async () => {
    const { data } = await demo.trellis.graphql(
      '{ team(by: { name: "media" }) { components(search: "wordpress") { nodes { uid } } } }',
    );
    await open(componentPath(data.team.components.nodes[0].uid, 'configuration'));
    const secret = page.getByRole('row', { name: 'WORDPRESS_DB_PASSWORD' });
    await secret.getByText('••••••••').waitFor();
    await secret.getByRole('button', { name: 'Show WORDPRESS_DB_PASSWORD' }).click();
    await secret.locator('code').waitFor();
    await secret.getByRole('button', { name: 'Hide WORDPRESS_DB_PASSWORD' }).click();
    await secret.getByText('••••••••').waitFor();
  });
});
