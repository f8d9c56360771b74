import type { Locator, Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { inBrowser, launchBrowser } from '../../support/browser.ts';
import { openConsole, useDemo } from '../../support/console.ts';
import { startTrellis } from '../../support/trellis.ts';

/** Counts what a person clicks on a page, wherever it leads. Inviting, certificates and tokens are counted where they are tested. */
function countClicks(page: Page): Promise<Clicks> {
  const counted = counters.get(page) ?? startCounting(page);
  counters.set(page, counted);
  return counted;
}
const counters = new WeakMap<Page, Promise<Clicks>>();
type Clicks = Awaited<ReturnType<typeof startCounting>>;

async function startCounting(page: Page) {
  let clicks = 0;
  await page.exposeFunction('clicked', () => {
    clicks++;
  });
  // The keyboard presses buttons as well, with a detail of 0.
  const listen = `addEventListener('click', ({ isTrusted, detail }) => isTrusted && detail > 0 && clicked(), true)`;
  await page.addInitScript(listen);
  await page.evaluate(listen);
  return {
    /** Checks how many clicks it took to see something. */
    async took(most: number, what: Locator) {
      await what.first().waitFor();
      expect(clicks).toBeGreaterThan(0);
      expect(clicks).toBeLessThanOrEqual(most);
      clicks = 0;
    },
  };
}

const button = (inside: Page | Locator, name: string | RegExp) =>
  inside.getByRole('button', { name, exact: true });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first();

describe('from the home page', inBrowser, () => {
  const demo = useDemo();
  afterEach(() => demo.closePages());

  const open = async (token?: string | null) => {
    const { page, end } = await demo.open('/', token);
    return { page, dialog: page.getByRole('dialog'), clicks: await countClicks(page), end };
  };

  it('signing in takes 1 click', async () => {
    const { page, clicks, end } = await open(null);
    await page.getByLabel('Access token').fill(demo.trellis.adminToken);
    await button(page, 'Sign in').click();
    await clicks.took(1, page.getByRole('row', { name: /Retail/ }));
    await end();
  });

  it('what is exposed takes 1 click', async () => {
    const { page, clicks, end } = await open();
    await link(page, 'Exposed').click();
    await clicks.took(1, page.getByRole('link', { name: /^http:\/\/8080\..*\.retail\./ }));
    await end();
  });

  it('why a component fails takes 2 clicks', async () => {
    const { page, clicks, end } = await open();
    await page.getByLabel('With problems').check();
    await link(page, 'shipping').click();
    await clicks.took(2, page.getByText('crashes when it starts'));
    await end();
  });

  it('opening a port and visiting its address takes 5 clicks', async () => {
    const { page, dialog, clicks, end } = await open();
    await link(page, 'Online Boutique').click();
    await link(page, 'adservice').click();
    await page.getByRole('switch', { name: 'Outside' }).click();
    await button(dialog, 'Open port to the outside').click();
    const address = dialog.getByRole('link', { name: /^http:\/\/9555\./ });
    // Its host exists in no name server.
    await address.evaluate((visited) =>
      visited.addEventListener('click', (event: { preventDefault(): void }) => event.preventDefault()),
    );
    await address.click();
    await clicks.took(5, address);
    await end();
  });

  it('another image takes 4 clicks', async () => {
    const { page, dialog, clicks, end } = await open();
    await link(page, 'Online Boutique').click();
    await link(page, 'cartservice').click();
    await button(page, 'New image…').click();
    await dialog.getByLabel('Image', { exact: true }).fill('127.0.0.1:1/shop/cart:2.0');
    await button(dialog, 'Change image').click();
    await clicks.took(4, dialog.getByRole('progressbar').or(dialog.getByText('Done.')));
    await end();
  });

  it('rolling back takes 4 clicks', async () => {
    const { page, dialog, clicks, end } = await open();
    await link(page, 'Sock Shop').click();
    await link(page, 'shipping').click();
    await button(page, 'Roll back to release 1').click();
    await button(dialog, 'Roll back component').click();
    await clicks.took(4, dialog.getByRole('progressbar'));
    await end();
  });

  it('the newest version takes 4 clicks', async () => {
    const { page, dialog, clicks, end } = await open();
    await link(page, 'Sock Shop').click();
    await button(page, 'Upgrade').click();
    await button(dialog, 'Preview changes').click();
    await button(dialog, 'Upgrade application').click();
    await clicks.took(4, dialog.getByRole('progressbar'));
    await end();
  });

  it('canceling a job takes 3 clicks', async () => {
    const { page, dialog, clicks, end } = await open();
    const { team } = await demo.trellis.data(
      '{ team(by: { name: "retail" }) { applications(search: "Sock") { nodes { id name } } } }',
    );
    const [{ id, name }] = team.applications.nodes;
    // The simulated cluster takes long to start such an image.
    const slow = { application: { id }, name: 'slow', image: 'shop/batch:slow', deploy: true };
    const { job } = await demo.trellis.succeed('createComponent', slow, 'job { uid }');
    await link(page, name).click();
    // Others may be about to end.
    const running = page.getByRole('list', { name: 'Jobs in progress' }).getByRole('listitem');
    const own = running.filter({ has: page.locator(`a[href="/jobs/${job.uid}"]`) });
    await own.getByRole('button', { name: 'Cancel job' }).click();
    await button(dialog, 'Cancel job').click();
    await clicks.took(3, dialog.getByText('Done.'));
    await end();
  });
});

describe('in an empty installation', inBrowser, () => {
  it('a team, region, application and component take 4 clicks', async () => {
    const trellis = await startTrellis({ drivers: [createSimulatedRegion({ delayMs: 50 })], jobs: {} });
    const browser = await launchBrowser();
    try {
      const { page } = await openConsole(trellis, browser.context);
      const clicks = await countClicks(page);
      const current = page.getByRole('list', { name: 'Steps' }).locator('[aria-current="step"]');
      await current.getByLabel('Name', { exact: true }).fill('Web Shop');
      await button(current, 'Create team').click();
      await current.getByLabel('Driver').selectOption({ label: 'Simulation' });
      await current.getByLabel('Name', { exact: true }).fill('Playground');
      await button(current, 'Create region').click();
      await current.getByText('An application of the team').waitFor();
      await current.getByLabel('Name', { exact: true }).fill('Storefront');
      await button(current, 'Create application').click();
      await current.getByLabel('Image').fill('registry.example/shop/web:1.0');
      await button(current, 'Create component').click();
      await clicks.took(4, page.getByText('Everything is set up.'));
    } finally {
      await browser.close();
      await trellis.close();
    }
  });
});
