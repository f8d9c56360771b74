import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { expectAccessible, startDemo, untilSettled } from '../../support/console.ts';
import { makeDue, rarely } from '../../support/schedules.ts';

const patience = { timeout: 60_000, interval: 100 };

describe('the record in the console', inBrowser, () => {
  let demo: Awaited<ReturnType<typeof startDemo>>;
  let component: { uid: string; application: { uid: number; team: { uid: string } } };
  beforeAll(async () => {
    demo = await startDemo({ runs: {} });
    const { team } = await demo.trellis.data(
      '{ team(by: { name: "retail" }) { components(first: 1, search: "catalogue") { nodes { uid application { uid team { uid } } } } } }',
    );
    [component] = team.components.nodes;
  });
  afterAll(() => demo?.close());
  afterEach(() => demo.closePages());

  const ofComponent = () => ({ componentId: component.uid });
  const event = (page: Page, text: string | RegExp) => page.locator('.event-what', { hasText: text });
  const choose = (page: Page, label: string, option: string) =>
    page.getByLabel(label, { exact: true }).selectOption(option);
  const exported = async (page: Page) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('record.csv');
    return readFile(await download.path(), 'utf8');
  };

  it('puts together what a schedule did on a day', async () => {
    const { schedule } = await demo.trellis.succeed(
      'createSchedule',
      { component: ofComponent(), name: 'nightly', cron: rarely, command: ['true'] },
      'schedule { uid }',
    );
    const ended = async () => {
      const { component: found } = await demo.trellis.data(
        `{ component(by: { componentId: "${component.uid}" }) { runs(first: 10) { nodes { status } } } }`,
      );
      return found.runs.nodes.filter(({ status }: { status: string }) => status === 'SUCCEEDED').length;
    };
    for (const count of [1, 2, 3]) {
      await makeDue(demo.trellis, schedule.uid);
      await expect.poll(ended, patience).toBe(count);
    }
    const { page, end } = await demo.open('/teams/retail/record');
    await event(page, 'catalogue: nightly ran 3 times, all succeeded').waitFor();
    expect(await event(page, 'run of `true`').filter({ visible: true }).count()).toBe(0);
    await page.getByText('3 runs', { exact: true }).click();
    expect(
      await event(page, 'run of `true` by the schedule nightly succeeds').count(),
    ).toBeGreaterThanOrEqual(3);
    await expectAccessible(page);
    await end();
  });

  it('is filtered by application, action and person, and exported as it is filtered', async () => {
    await demo.trellis.succeed(
      'setVariables',
      { component: ofComponent(), set: [{ name: 'MODE', value: '=1+1' }] },
      '__typename',
    );
    const { page, end } = await demo.open('/teams/retail/record');
    await choose(page, 'Application', 'Sock Shop');
    await choose(page, 'Action', 'component: set variables');
    await untilSettled(page);
    expect(new URL(page.url()).search).toBe(
      `?application=${component.application.uid}&action=component.set_variables`,
    );
    await event(page, 'catalogue: variable MODE').waitFor();
    const [head, ...lines] = (await exported(page)).trimEnd().split('\r\n');
    expect(head).toBe(
      '"Time","Who","Action","What changed","Object type","Object","Values before and after","Request"',
    );
    expect(lines.length).toBeGreaterThanOrEqual(1);
    for (const line of lines) expect(line).toContain('"component.set_variables"');
    expect(lines[0]).toContain('"catalogue: variable MODE set to =1+1"');
    await page.reload();
    await event(page, 'catalogue: variable MODE').waitFor();
    await end();
  });

  it('names who has left the team', async () => {
    const { team } = component.application;
    const left = await demo.trellis.createMember(team.uid, 'DEVELOPER');
    const set = [{ name: 'LEFT', value: 'yes' }];
    await demo.trellis.succeed('setVariables', { component: ofComponent(), set }, '__typename', left.token);
    const member = { team: { teamId: team.uid }, user: { email: left.email } };
    await demo.trellis.succeed('removeTeamMember', member, '__typename');
    const stays = await demo.trellis.createMember(team.uid, 'VIEWER');
    const { page, end } = await demo.open('/teams/retail/record', stays.token);
    const name = left.email.split('@')[0]!;
    await event(page, `${name} is no longer a member`).waitFor();
    await event(page, 'catalogue: variable LEFT')
      .filter({ hasText: `${name} ·` })
      .waitFor();
    await end();
  });

  it('of the enterprise is for administrators', async () => {
    await demo.trellis.succeed(
      'createRole',
      { name: 'releaser', actions: ['DEPLOY_COMPONENT'] },
      '__typename',
    );
    const { page, end } = await demo.open('/');
    await page.getByRole('link', { name: 'Record', exact: true }).click();
    await page.getByRole('heading', { name: 'Record', level: 1 }).waitFor();
    await choose(page, 'Object type', 'Roles');
    await event(page, 'Role releaser is created').waitFor();
    expect(await exported(page)).toContain('"role.create"');
    await expectAccessible(page);
    await end();

    const member = await demo.trellis.createMember(component.application.team.uid, 'ADMIN');
    const others = await demo.open('/', member.token);
    await others.page.getByRole('link', { name: 'Users', exact: true }).waitFor();
    await untilSettled(others.page);
    expect(await others.page.getByRole('link', { name: 'Record', exact: true }).count()).toBe(0);
    await others.end();
    const refused = await demo.open('/record', member.token);
    await refused.page.getByText('Only enterprise administrators can read all events.').waitFor();
  });
});
