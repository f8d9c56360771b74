import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser, launchBrowser, type TestBrowser } from '../../support/browser.ts';
import { componentPath, expectAccessible, openConsole } from '../../support/console.ts';
import { simulatedSnapshot } from '../../support/instances.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

describe('the snapshots of a volume in the console', inBrowser, () => {
  let trellis: Trellis;
  let browser: TestBrowser;
  beforeAll(async () => {
    [trellis, browser] = await Promise.all([startTrellis({ jobs: {} }), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await trellis?.close();
  });

  it('are listed, made, restored and deleted, and made by schedule', async () => {
    const { teamId } = await trellis.createTeam();
    const { name, componentId } = await simulatedSnapshot(trellis, teamId);
    const [found] = await trellis.services.db.volume.findManyByKeys({
      ...{ by: 'componentId', keys: [componentId] },
    });
    const volumeId = found!.id;
    const { page, problems } = await openConsole(
      trellis,
      browser.context,
      componentPath(componentId, 'configuration'),
    );
    const main = page.locator('main');
    const dialog = page.getByRole('dialog');
    const row = (of: string) => main.getByRole('row', { name: of });
    const finish = async (button: string) => {
      await dialog.getByRole('button', { name: button }).click();
      await dialog.getByText('Done.').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
    };
    const { db } = trellis.services;
    const schedules = () => db.snapshotSchedule.findManyByKeys({ by: 'volumeId', keys: [volumeId] });
    await main.getByRole('button', { name: 'Snapshots' }).click();
    await row(name).getByText('Ready').waitFor();
    await main.getByText('No snapshot schedule.').waitFor();

    await main.getByRole('button', { name: 'Create snapshot' }).click();
    await dialog.getByLabel('Name of the snapshot').fill('before-upgrade');
    await finish('Create snapshot');
    await row('before-upgrade').getByText('Ready').waitFor();

    await row(name).getByRole('button', { name: 'Restore snapshot' }).click();
    await dialog.getByText('current data is lost.').waitFor();
    await dialog.locator('.plan-change', { hasText: 'data' }).waitFor();
    await finish('Restore snapshot');

    await main.getByRole('button', { name: 'Set snapshot schedule' }).click();
    await dialog.getByLabel('Schedule (cron expression)').fill('30 3 * * *');
    await dialog.getByLabel('Time zone').fill('Mars/Base');
    await dialog.getByLabel('Snapshots to keep').fill('3');
    await dialog.getByRole('button', { name: 'Set snapshot schedule' }).click();
    await dialog.getByText('Must be the name of a time zone').waitFor();
    await dialog.getByLabel('Time zone').fill('Europe/Berlin');
    await finish('Set snapshot schedule');
    await main.getByText('Keeps the last 3 scheduled snapshots.').waitFor();
    await expectAccessible(page);
    const [schedule] = await schedules();
    expect(schedule).toMatchObject({ cron: '30 3 * * *', timeZone: 'Europe/Berlin', keep: 3 });

    await main.getByRole('button', { name: 'Remove snapshot schedule' }).click();
    await finish('Remove snapshot schedule');
    await main.getByText('No snapshot schedule.').waitFor();
    expect(await schedules()).toEqual([]);

    await row('before-upgrade').getByRole('button', { name: 'Delete snapshot' }).click();
    await finish('Delete snapshot');
    await row('before-upgrade').waitFor({ state: 'detached' });
    await row(name).waitFor();
    expect(problems).toEqual([]);
  });
});
