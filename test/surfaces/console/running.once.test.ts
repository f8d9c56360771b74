import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { inBrowser, launchBrowser, type TestBrowser } from '../../support/browser.ts';
import { componentPath, expectAccessible, goTo, goToTab, openerOf } from '../../support/console.ts';
import type { Place } from '../../support/fixtures.ts';
import { deploy, ref, releasesOf, stateOf } from '../../support/releases.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

describe('releases and runs in the console', inBrowser, () => {
  let trellis: Trellis;
  let browser: TestBrowser;
  let pages: ReturnType<typeof openerOf>;
  let place: Place;
  beforeAll(async () => {
    const drivers = [createSimulatedRegion({ delayMs: 100 })];
    trellis = await startTrellis({ drivers, jobs: {}, runs: {} });
    browser = await launchBrowser();
    pages = openerOf(trellis, browser);
    const region = await trellis.createRegion({ driver: 'SIMULATED' });
    const team = await trellis.createTeam();
    const input = { team: { teamId: team.teamId }, region: { name: region.name } };
    await trellis.succeed('openTeamRegion', input, '__typename');
    place = { team, region };
  });
  afterEach(() => pages.closePages());
  afterAll(async () => {
    await browser?.close();
    await trellis?.close();
  });

  const named = async (app: string, name: string, more: object = {}) => {
    const { appId } = await trellis.createApplication(place, app);
    return trellis.createComponent(appId, { name, alias: `${name}-${appId}`, deploy: true, ...more });
  };
  const dialog = (page: Page) => page.getByRole('dialog');
  const button = (inside: Page | Locator, name: string) => inside.getByRole('button', { name, exact: true });
  const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text });
  /** Confirms a dialog whose plan is shown, and waits until the job has been carried out. */
  const carryOut = async (page: Page, name: string) => {
    await button(dialog(page), name).click();
    await dialog(page).locator('.progress > .row').getByText('Succeeded').waitFor();
    await button(dialog(page), 'Close').click();
    await dialog(page).waitFor({ state: 'detached' });
  };

  it('compares releases, rolls one back by its plan, and promotes one', async () => {
    const { componentId } = await named('Staging', 'shop', { image: 'shop:1' });
    const { componentId: live } = await named('Production', 'shop', { image: 'shop:0', replicas: 2 });
    const set = [
      { name: 'MODE', value: 'fast' },
      { name: 'API_PASSWORD', value: 'hunter2' },
    ];
    await trellis.succeed('setVariables', { ...ref(componentId), set }, '__typename');
    await trellis.succeed('updateComponent', { ...ref(componentId), image: 'shop:2' }, '__typename');
    await deploy(trellis, componentId);

    const { page, end } = await pages.open(componentPath(componentId));
    await goToTab(page, 'history');
    await row(page, 'shop:2').getByText('Latest').waitFor();
    await row(page, 'shop:2').getByRole('link', { name: 'Succeeded' }).waitFor();
    await expectAccessible(page);
    // Of the first release, there is none before it.
    expect(await button(row(page, 'shop:1'), 'Changes').count()).toBe(0);
    // The latest one runs, and nothing was changed since.
    expect(await button(row(page, 'shop:2'), 'Roll back').count()).toBe(0);
    await button(row(page, 'shop:2'), 'Changes').click();
    await dialog(page).getByText('shop:1').waitFor();
    await dialog(page).locator('.plan-add', { hasText: 'API_PASSWORD' }).waitFor();
    expect(await dialog(page).textContent()).not.toContain('hunter2');
    await expectAccessible(page);
    await button(dialog(page), 'Close').click();

    await button(row(page, 'shop:1'), 'Roll back').click();
    await dialog(page).locator('.plan-remove', { hasText: 'MODE' }).waitFor();
    await expectAccessible(page);
    await carryOut(page, 'Roll back component');
    await row(page, 'rollback to 1').getByText('Latest').waitFor();
    expect(await stateOf(trellis, componentId)).toMatchObject({
      image: 'shop:1',
      variables: { nodes: [] },
    });

    await button(row(page, 'shop:2'), 'More…').click();
    await button(row(page, 'shop:2'), 'Promote').click();
    await dialog(page).getByLabel('Application').selectOption({ index: 0 });
    await button(dialog(page), 'Preview changes').click();
    await dialog(page).getByText('shop:2').waitFor();
    await button(dialog(page), 'Back').click();
    await dialog(page).getByLabel('Also promote the number and size').check();
    await button(dialog(page), 'Preview changes').click();
    await dialog(page).locator('dt', { hasText: 'replicas' }).waitFor();
    await carryOut(page, 'Promote release');
    expect(await stateOf(trellis, live)).toMatchObject({ image: 'shop:2', replicas: 1 });
    expect((await releasesOf(trellis, live))[0].promotedFrom).not.toBeNull();
    await goTo(page, componentPath(live, 'history'));
    await page.getByRole('link', { name: 'promoted from Staging' }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    await end();

    // Nobody else has a component of the name of this one.
    const { componentId: only } = await named('Alone', 'hermit');
    const viewer = await trellis.createMember(place.team.teamId, 'VIEWER');
    const watched = await pages.open(componentPath(only, 'history'), viewer.token);
    await button(row(watched.page, 'nginx'), 'Promote').click();
    await dialog(watched.page).getByText('You cannot deploy a component with this name').waitFor();
    expect(await button(watched.page, 'Roll back').count()).toBe(0);
    await watched.end();
  });

  it('runs a command, shows its log and its exit code, and cancels another', async () => {
    const { componentId } = await named('Runs', 'worker');
    const { page, end } = await pages.open(componentPath(componentId, 'runs'));
    const start = async (words: string[]) => {
      await button(page, 'Run command').click();
      await dialog(page).getByLabel('Command').fill(words.join('\n'));
      await button(dialog(page), 'Run command').click();
      await dialog(page).getByText('Done.').waitFor();
      await button(dialog(page), 'Close').click();
    };
    await button(page, 'Run command').click();
    await dialog(page).getByLabel('Command').fill('sleep');
    await dialog(page).getByLabel('Timeout, in seconds').fill('86401');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await start(['sh', '-c', 'echo all migrated; exit 3']);
    const failed = row(page, 'echo all migrated');
    await failed.getByText('Failed: exit code 3').waitFor();
    await button(failed, 'Log').click();
    const log = page.getByRole('log');
    await log.getByText(/^[\d:]+ all migrated$/).waitFor();
    await log.getByText('exit code 3').waitFor();
    const search = page.getByLabel('Search the log');
    await search.fill('ALL MIG');
    const found = page.getByRole('region', { name: 'Matching log lines of Log of' });
    await found
      .locator('mark', { hasText: /^all mig$/ })
      .first()
      .waitFor();
    expect(await found.getByText('exit code 3').count()).toBe(0);
    await expectAccessible(page);
    await search.fill('nothing like it');
    await found.getByText('No matching lines.').waitFor();
    await search.fill('');
    await expectAccessible(page);
    await button(failed, 'Hide log').click();
    await log.waitFor({ state: 'detached' });

    await start(['sleep', '86000']);
    const slept = row(page, 'sleep 86000');
    await slept.getByText('Running').waitFor();
    await button(slept, 'Cancel run').click();
    await button(dialog(page), 'Cancel run').click();
    await dialog(page).getByText('Done.').waitFor();
    await button(dialog(page), 'Close').click();
    await slept.getByText('Cancelled').waitFor();
    expect(await button(slept, 'Cancel run').count()).toBe(0);
    // Its log was saved.
    await button(slept, 'Log').click();
    await log.getByText('$ sleep 86000').waitFor();
    await search.fill('sleep');
    await page.getByText('Searched only the last saved lines').waitFor();
    await search.fill('');
    await button(slept, 'Hide log').click();
    // Of the instances, the same.
    await goToTab(page, 'logs');
    await log.getByText('/health').first().waitFor();
    await search.fill('HEALTH');
    await page.getByRole('region', { name: 'Matching log lines' }).locator('mark').first().waitFor();
    await end();

    const viewer = await trellis.createMember(place.team.teamId, 'VIEWER');
    const watched = await pages.open(componentPath(componentId, 'runs'), viewer.token);
    await row(watched.page, 'sleep 86000').waitFor();
    for (const name of ['Run command', 'Log', 'New schedule']) {
      expect(await button(watched.page, name).count()).toBe(0);
    }
    await goToTab(watched.page, 'logs');
    await watched.page.getByText('Requires the developer role').waitFor();
    expect(await watched.page.getByRole('log').count()).toBe(0);
    await watched.end();
  });

  it('creates, changes, pauses and deletes a schedule', async () => {
    const { componentId } = await named('Schedules', 'cleaner');
    const { page, end } = await pages.open(componentPath(componentId, 'runs'));
    await button(page, 'New schedule').click();
    await dialog(page).getByLabel('Schedule (cron').fill('61 3 * * *');
    await dialog(page).getByLabel('Time zone').fill('Europe/Berlin');
    await dialog(page).getByLabel('Command').fill('bin/clean-up\n--all');
    await button(dialog(page), 'Create schedule').click();
    await dialog(page).locator('.field', { hasText: 'Schedule (cron' }).locator('.field-error').waitFor();
    await expectAccessible(page);
    await dialog(page).getByLabel('Schedule (cron').fill('30 3 1 1 *');
    await button(dialog(page), 'Create schedule').click();
    await dialog(page).getByText('Done.').waitFor();
    await button(dialog(page), 'Close').click();
    const created = row(page, 'bin/clean-up --all');
    await created.getByText('Europe/Berlin').waitFor();
    expect(await created.locator('time').count()).toBe(3);
    await expectAccessible(page);

    await button(created, 'Edit schedule').click();
    await dialog(page)
      .getByLabel('If the previous run is in progress')
      .selectOption('Cancel the previous run');
    await dialog(page).getByLabel('Command').fill('bin/clean-up');
    await button(dialog(page), 'Edit schedule').click();
    await dialog(page).getByText('Done.').waitFor();
    await button(dialog(page), 'Close').click();
    const changed = row(page, /bin\/clean-up(?! --all)/);
    await button(changed, 'Pause').click();
    await button(dialog(page), 'Pause schedule').click();
    await dialog(page).getByText('Done.').waitFor();
    await button(dialog(page), 'Close').click();
    await changed.getByText('Paused').waitFor();
    const query = `{ component(by: { componentId: "${componentId}" }) {
      schedules { nodes { isPaused concurrency command cron } } } }`;
    const schedules = async () => (await trellis.data(query)).component.schedules.nodes;
    expect(await schedules()).toEqual([
      { isPaused: true, concurrency: 'REPLACE', command: ['bin/clean-up'], cron: '30 3 1 1 *' },
    ]);
    await button(changed, 'More…').click();
    await button(page, 'Delete schedule').click();
    await dialog(page).locator('.plan-remove').first().waitFor();
    await button(dialog(page), 'Delete schedule').click();
    await dialog(page).getByText('Done.').waitFor();
    await button(dialog(page), 'Close').click();
    await page.getByText('No schedules.').waitFor();
    expect(await schedules()).toEqual([]);
    await end();
  });

  it('says why a component does not run, with the logs of that instance', async () => {
    const { componentId } = await named('Broken', 'cart', { image: 'cart:crash' });
    const component = { componentId };
    const { job } = await trellis.succeed('deployComponent', { component }, 'job { uid }');
    const { page, end } = await pages.open(`/jobs/${job.uid}`);
    await page.locator('.notice', { hasText: 'crashes when it starts' }).waitFor();
    await page.getByRole('link', { name: 'Instance logs' }).click();
    const log = page.getByRole('log', { name: /^Logs of .+-0$/ });
    await log.waitFor();
    expect(new URL(page.url()).pathname).toBe(componentPath(componentId, 'logs'));
    await goToTab(page, 'overview');
    await log.waitFor({ state: 'detached' });
    await page
      .locator('.notice')
      .getByRole('link', { name: /^Logs of .+-0$/ })
      .click();
    await log.waitFor();
    await expectAccessible(page);
    await end();
  });

  it('sets where instances run', async () => {
    const { componentId } = await named('Placed', 'store', { replicas: 2 });
    const { page, end } = await pages.open(componentPath(componentId, 'configuration'));
    const openForm = async () => {
      await button(page, 'Placement').click();
    };
    await openForm();
    await button(dialog(page), 'Add label').click();
    await dialog(page).getByLabel('Key').fill('not a label');
    await button(dialog(page), 'Preview changes').click();
    await dialog(page).locator('.field-error').first().waitFor();
    await dialog(page).getByLabel('Key').fill('disk');
    await dialog(page).getByLabel('Value').fill('ssd');
    await button(dialog(page), 'Add toleration').click();
    await dialog(page).getByLabel('Key').nth(1).fill('dedicated');
    await dialog(page).getByLabel('Operator').selectOption('Exists');
    await dialog(page).getByLabel('Spread instances over').selectOption('Zones');
    await expectAccessible(page);
    await button(dialog(page), 'Preview changes').click();
    await dialog(page).locator('.plan-change').first().waitFor();
    await button(dialog(page), 'Set placement').click();
    await dialog(page).getByText('Done.').waitFor();
    await button(dialog(page), 'Close').click();
    await page.getByText(/disk=ssd, 1 toleration, spread over zones/).waitFor();
    const { component } = await trellis.data(`{ component(by: { componentId: "${componentId}" }) {
      placement { nodeLabels { key value } tolerations { key operator value effect } spread minAvailable } } }`);
    expect(component.placement).toEqual({
      nodeLabels: [{ key: 'disk', value: 'ssd' }],
      tolerations: [{ key: 'dedicated', operator: 'EXISTS', value: null, effect: 'NO_SCHEDULE' }],
      spread: 'ZONE',
      minAvailable: 1,
    });
    // What was set is what the form shows, and a removed row is gone.
    await openForm();
    expect(await dialog(page).getByLabel('Key').first().inputValue()).toBe('disk');
    await button(dialog(page), 'Remove row 1').first().click();
    await button(dialog(page), 'Preview changes').click();
    await dialog(page).locator('.plan-change').first().waitFor();
    await button(dialog(page), 'Set placement').click();
    await dialog(page).getByText('Done.').waitFor();
    await button(dialog(page), 'Close').click();
    await page.getByText('disk=ssd').waitFor({ state: 'detached' });
    await end();
  });
});
