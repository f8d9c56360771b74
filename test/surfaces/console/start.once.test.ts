import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { inBrowser, launchBrowser, type TestBrowser } from '../../support/browser.ts';
import { expectAccessible, goTo, openConsole, openerOf, untilRead } from '../../support/console.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

describe('an empty installation in the console', inBrowser, () => {
  let trellis: Trellis;
  let browser: TestBrowser;
  let pages: ReturnType<typeof openerOf>;
  beforeAll(async () => {
    [trellis, browser] = await Promise.all([
      startTrellis({ drivers: [createSimulatedRegion({ delayMs: 50 })], jobs: {} }),
      launchBrowser(),
    ]);
    pages = openerOf(trellis, browser);
  });
  afterEach(() => pages.closePages());
  afterAll(async () => {
    await browser?.close();
    await trellis?.close();
  });

  const open = async (path = '/', token?: string) => {
    const { page, end } = await pages.open(path, token);
    const steps = page.getByRole('list', { name: 'Steps' });
    return {
      page,
      steps,
      dialog: page.getByRole('dialog'),
      current: steps.locator('[aria-current="step"]'),
      end,
    };
  };

  it('tells people without a team whom to ask', async () => {
    const person = await trellis.createPerson();
    const { viewer } = await trellis.data('{ viewer { user { nickName } } }');
    for (const path of ['/', '/start']) {
      const { page, end } = await open(path, person.token);
      await page.getByText('Ask an administrator to add you to a team').waitFor();
      await page.getByRole('listitem').filter({ hasText: viewer.user.nickName }).waitFor();
      expect(await page.getByRole('button', { name: 'New team' }).count()).toBe(0);
      expect(await page.getByRole('list', { name: 'Steps' }).count()).toBe(0);
      await expectAccessible(page);
      await end();
    }
  });

  it('leads to the first component, from the keyboard', async () => {
    const { page, steps, current, end } = await open();
    await current.getByLabel('Name', { exact: true }).fill('Web Shop');
    expect(await current.getByLabel('Short name').inputValue()).toBe('web-shop');
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    // What the server rejects is said at the field.
    await current.getByLabel('Short name').fill('Web Shop');
    await page.keyboard.press('Enter');
    await current.locator('.field-error').waitFor();
    await current.getByLabel('Short name').fill('web-shop');
    await page.keyboard.press('Enter');

    await current.getByText('The region is opened for the team Web Shop.').waitFor();
    const driver = current.getByLabel('Driver');
    await expect
      .poll(() => driver.evaluate((field) => field === field.ownerDocument.activeElement))
      .toBe(true);
    await driver.selectOption({ label: 'Simulation' });
    await current.getByLabel('Name', { exact: true }).fill('Playground');
    await expectAccessible(page);
    await page.keyboard.press('Enter');

    await current.getByText('An application of the team Web Shop').waitFor();
    await page.keyboard.type('Storefront');
    await page.keyboard.press('Enter');

    await current.getByText('A component of Storefront runs a container image.').waitFor();
    await page.keyboard.type('registry.example/shop/web:1.0');
    expect(await current.getByLabel('Name', { exact: true }).inputValue()).toBe('web');
    await current.getByRole('button', { name: 'Install from the catalogue…' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Install into Storefront' }).waitFor();
    await page.keyboard.press('Escape');
    await current.getByLabel('Image').press('Enter');
    await page.getByText('Everything is set up.').waitFor();
    expect(await steps.getByText('Done').count()).toBe(4);
    await expectAccessible(page);

    const { team } = await trellis.data(
      `{ team(by: { name: "web-shop" }) {
        alias regions { nodes { name driver } }
        applications { nodes { name components { nodes { name image deployState: desiredState } } } }
      } }`,
    );
    expect(team).toEqual({
      alias: 'Web Shop',
      regions: { nodes: [{ name: 'playground', driver: 'SIMULATED' }] },
      applications: {
        nodes: [
          {
            name: 'Storefront',
            components: {
              nodes: [{ name: 'web', image: 'registry.example/shop/web:1.0', deployState: 'RUNNING' }],
            },
          },
        ],
      },
    });
    await page.getByRole('link', { name: 'Open Storefront' }).click();
    await page.getByRole('heading', { name: 'Storefront' }).waitFor();
    await end();
  });

  it('shows no list of what is missing when nothing is', async () => {
    const { page, end } = await open();
    await page.getByRole('link', { name: 'Storefront' }).waitFor();
    await untilRead(page, 'Start ', () => page.reload());
    await page.getByRole('link', { name: 'Storefront' }).waitFor();
    expect(await page.getByRole('region', { name: 'Getting started' }).count()).toBe(0);
    await end();
  });

  it('makes, renames and deletes teams', async () => {
    const { page, dialog, end } = await open();
    await page.getByRole('button', { name: 'New team' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Back Office');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create team' }).click();
    await page.getByRole('heading', { name: 'Back Office' }).waitFor();
    const choose = async (name: string) => {
      await page.getByRole('main').getByRole('button', { name: 'More…' }).click();
      await page.getByRole('button', { name, exact: true }).click();
    };
    await choose('Edit team');
    await dialog.getByLabel('Name', { exact: true }).fill('Office');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Done.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'Office', exact: true }).waitFor();

    await choose('Delete team');
    await dialog.getByText('to remove').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Delete team' }).click();
    await page.getByRole('row', { name: /Web Shop/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    expect(await page.getByRole('row', { name: /Office/ }).count()).toBe(0);

    await goTo(page, '/teams/web-shop');
    await choose('Delete team');
    await dialog
      .getByRole('alert')
      .getByText(/applications?/)
      .waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await end();
  });

  it('offers members only what they may do', async () => {
    const { team } = await trellis.data('{ team(by: { name: "web-shop" }) { uid } }');
    const viewer = await trellis.createMember(team.uid, 'VIEWER');
    const { page, end } = await open('/', viewer.token);
    await page.getByRole('row', { name: /Web Shop/ }).waitFor();
    expect(await page.getByRole('button', { name: 'New team' }).count()).toBe(0);
    await untilRead(page, 'TeamActions', () => goTo(page, '/teams/web-shop'));
    await page.getByRole('link', { name: 'Storefront' }).waitFor();
    expect(await page.getByRole('main').getByRole('button', { name: 'More…' }).count()).toBe(0);
    await end();
  });
});

describe('the first steps in the console', inBrowser, () => {
  let trellis: Trellis;
  let browser: TestBrowser;
  beforeAll(async () => {
    [trellis, browser] = await Promise.all([startTrellis({ jobs: {} }), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await trellis?.close();
  });

  it('can be skipped and taken later', async () => {
    const { page, problems } = await openConsole(trellis, browser.context);
    const current = page.locator('[aria-current="step"]');
    await page.getByRole('button', { name: 'Skip: Team' }).click();
    await current.getByLabel('Name', { exact: true }).fill('Nowhere');
    await current.getByRole('button', { name: 'Create region' }).click();
    await current.getByText('Create a team first, then open one of the existing regions for it.').waitFor();
    await page.getByRole('button', { name: 'Skip: Region' }).click();
    await current.getByText('An application needs a team').waitFor();
    await page.getByRole('button', { name: 'Skip: Application' }).click();
    await current.getByText('A component needs an application.').waitFor();
    await page.getByRole('button', { name: 'Skip: First component' }).click();
    expect(await current.count()).toBe(0);
    await page.getByRole('button', { name: 'Open: Team' }).click();
    await current.getByLabel('Name', { exact: true }).fill('Crew');
    await current.getByRole('button', { name: 'Create team' }).click();
    await page.getByRole('listitem').filter({ hasText: '1. Team' }).getByText('Done').waitFor();

    // Elsewhere, the home page has what is missing, until that is dismissed.
    await page.reload();
    const checklist = page.getByRole('region', { name: 'Getting started' });
    await checklist.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Set up Trellis' }).waitFor();
    await current.getByText('Opens the region for the team Crew.').waitFor();
    await expectAccessible(page);
    await current.getByRole('button', { name: 'Open region' }).click();
    await current.getByText('An application of the team Crew').waitFor();
    await goTo(page, '/');
    await checklist.getByText('Region Done').waitFor();
    await expectAccessible(page);
    await checklist.getByRole('button', { name: 'Dismiss' }).click();
    await checklist.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('row', { name: /Crew/ }).waitFor();
    expect(await checklist.count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
