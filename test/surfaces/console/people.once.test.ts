import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { expectAccessible, goTo, useDemo } from '../../support/console.ts';

const membersQuery = `{
  team(by: { name: "retail" }) {
    uid
    members(first: 100) {
      nodes { role customRole { name } applications { name } user { email nickName uid } }
    }
    groupRoles { nodes { group role } }
  }
}`;

describe('people in the console', inBrowser, () => {
  const demo = useDemo();
  let teamId: string;
  beforeAll(async () => {
    teamId = (await demo.trellis.data(membersQuery)).team.uid;
  });
  afterEach(() => demo.closePages());

  const open = (path: string, token?: string) => demo.open(path, token);
  const dialog = (page: Page) => page.getByRole('dialog');
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
  const finish = async (page: Page) => {
    await dialog(page).getByText('Done.').waitFor();
    await button(page, 'Close').click();
  };
  const memberOf = async (email: string) =>
    (await demo.trellis.data(membersQuery)).team.members.nodes.find(
      (each: { user: { email: string } }) => each.user.email === email,
    );

  it('invites a colleague in four clicks, and makes the user of an address that nobody has', async () => {
    const { page, end } = await open('/');
    let clicks = 0;
    const click = async (target: ReturnType<Page['locator']>) => {
      await target.click();
      clicks++;
    };
    await click(page.getByRole('link', { name: 'Retail', exact: true }).first());
    await click(page.getByRole('link', { name: 'Members' }));
    await click(button(page, 'Add member'));
    const person = dialog(page).getByRole('combobox', { name: 'Person' });
    await person.fill('new.colleague@trellis.example');
    await dialog(page).getByText('No user has this address yet.').waitFor();
    await dialog(page).getByLabel('Name of the new user').fill('Nora New');
    await expectAccessible(page);
    await click(button(page, 'Add member').last());
    await finish(page);
    expect(clicks).toBeLessThanOrEqual(4);
    await row(page, 'Nora New').getByText('Developer').waitFor();
    expect(await memberOf('new.colleague@trellis.example')).toMatchObject({ role: 'DEVELOPER' });
    await end();
  });

  it('finds people by name, and gives them own roles in some applications', async () => {
    const actions = ['DEPLOY_COMPONENT', 'READ_LOGS'];
    await demo.trellis.succeed('createRole', { name: 'Operator', actions }, '__typename');
    const { page, end } = await open('/teams/retail/members');
    await button(page, 'Add member').click();
    const person = dialog(page).getByRole('combobox', { name: 'Person' });
    await person.fill('tomasz');
    const options = dialog(page).getByRole('listbox').getByRole('option');
    await options.filter({ hasText: 'Zieliński' }).waitFor();
    // Before the others are gone, the first one would be chosen.
    await expect.poll(() => options.count()).toBe(1);
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    expect(await person.inputValue()).toBe('tomasz.zielinski@trellis.example');
    await dialog(page).getByLabel('Role').selectOption('Operator');
    await dialog(page).getByText('Components: read logs, deploy').waitFor();
    await dialog(page).getByLabel('Only in some applications').check();
    const application = dialog(page).getByRole('combobox', { name: 'Application' });
    await application.fill('boutique');
    await dialog(page).getByRole('option', { name: 'Online Boutique' }).click();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Add member' }).click();
    await finish(page);
    const added = row(page, 'tomasz.zielinski@trellis.example');
    await added.getByText('Operator').waitFor();
    await added.getByText('Online Boutique').waitFor();

    await added.getByRole('button', { name: 'Change roles' }).click();
    expect(await dialog(page).getByRole('combobox', { name: 'Application' }).inputValue()).toBe(
      'Online Boutique',
    );
    await dialog(page).getByLabel('Role').selectOption('Viewer');
    await dialog(page).getByLabel('Only in some applications').uncheck();
    await button(page, 'Save role').click();
    await finish(page);
    expect(await memberOf('tomasz.zielinski@trellis.example')).toMatchObject({
      role: 'VIEWER',
      customRole: null,
      applications: null,
    });
    await added.getByRole('button', { name: 'Remove member' }).click();
    await dialog(page).getByText('and their tokens lose access to the team').waitFor();
    await dialog(page).getByRole('button', { name: 'Remove member' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await added.waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 390, height: 800 });
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await end();
  });

  it('sets the roles of groups', async () => {
    const { page, end } = await open('/teams/retail/members');
    await button(page, 'Set group role').click();
    await dialog(page).getByLabel('Group', { exact: true }).fill('web-developers');
    await dialog(page).getByLabel('Role').selectOption('Admin');
    await button(page, 'Save role').click();
    await finish(page);
    await row(page, 'web-developers').getByText('Admin').waitFor();
    await row(page, 'web-developers').getByRole('button', { name: 'Change' }).click();
    await dialog(page).getByLabel('Role').selectOption('No role');
    await expectAccessible(page);
    await button(page, 'Save role').click();
    await row(page, 'web-developers').waitFor({ state: 'detached' });
    expect((await demo.trellis.data(membersQuery)).team.groupRoles.nodes).toEqual([]);
    await end();
  });

  it('makes roles of the enterprise, in words', async () => {
    const { page, end } = await open('/roles');
    await button(page, 'New role').click();
    await dialog(page).getByLabel('Name').fill('Owner');
    const components = dialog(page).getByRole('group', { name: 'Components' });
    await components.getByLabel('deploy', { exact: true }).check();
    await dialog(page).getByRole('checkbox', { name: 'Certificates' }).check();
    await button(page, 'Create role').click();
    await dialog(page).locator('.field', { hasText: 'Name' }).locator('.field-error').first().waitFor();
    await expectAccessible(page);
    await dialog(page).getByLabel('Name').fill('Release manager');
    await button(page, 'Create role').click();
    await finish(page);
    const made = row(page, 'Release manager');
    await made.getByText('Components: deploy').waitFor();
    await made.getByText('Certificates: everything').waitFor();
    await expectAccessible(page);
    await made.getByRole('button', { name: 'Edit' }).click();
    await dialog(page).getByRole('checkbox', { name: 'Certificates' }).uncheck();
    await button(page, 'Save role').click();
    await finish(page);
    await made.getByText('Certificates').waitFor({ state: 'detached' });

    await made.getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await made.waitFor({ state: 'detached' });
    await end();
  });

  it('manages users, their tokens and sessions', async () => {
    const { page, end } = await open('/users');
    await button(page, 'New user').click();
    await dialog(page).getByLabel('Email address').fill('marco.ferri@trellis.example');
    await dialog(page).getByLabel('Name', { exact: true }).fill('Uma User');
    await button(page, 'Create user').click();
    await dialog(page).getByText('already exists').waitFor();
    await dialog(page).getByLabel('Email address').fill('uma@trellis.example');
    await expectAccessible(page);
    await button(page, 'Create user').click();
    await finish(page);
    await page.getByLabel('Find by name or email address').fill('uma');
    await row(page, 'Marco').waitFor({ state: 'detached' });
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Uma User' }).click();
    await page.getByRole('heading', { name: 'Uma User' }).waitFor();
    const uid = Number(new URL(page.url()).pathname.split('/').at(-1));
    await demo.trellis.createSession(uid);

    await button(page, 'New token').click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('first');
    await dialog(page).getByLabel('Permissions').selectOption('Everything the user can do');
    await dialog(page).getByText('Everything Uma User can do now').waitFor();
    await button(page, 'Create token').click();
    await dialog(page).getByText('Copy the token now').waitFor();
    const secret = await dialog(page).locator('.copied code').innerText();
    await button(page, 'Close').click();
    await row(page, 'first').waitFor();
    await row(page, '192.0.2.7').getByRole('button', { name: 'End session' }).click();
    await dialog(page).getByRole('button', { name: 'End session' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await row(page, '192.0.2.7').waitFor({ state: 'detached' });

    await button(page, 'Edit user').click();
    await dialog(page).getByLabel('Enterprise administrator').check();
    await expectAccessible(page);
    await button(page, 'Save user').click();
    await finish(page);
    await page.getByRole('main').getByText('Enterprise administrator').waitFor();
    await button(page, 'Deactivate').click();
    await dialog(page).getByText('stop working immediately').waitFor();
    await dialog(page).getByRole('button', { name: 'Deactivate' }).click();
    await finish(page);
    await page.getByText('Inactive').waitFor();
    const refused = await fetch(`${demo.trellis.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${secret}` },
      body: '{"query":"{ viewer { user { id } } }"}',
    });
    expect(await refused.text()).toContain('UNAUTHENTICATED');
    await button(page, 'Reactivate').click();
    await dialog(page).getByRole('button', { name: 'Reactivate' }).click();
    await finish(page);
    await button(page, 'Deactivate').waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await end();
  });

  it('offers no more than the caller may do', async () => {
    const viewer = await demo.trellis.createMember(teamId, 'VIEWER');
    const { page, end } = await open('/teams/retail/members', viewer.token);
    await row(page, 'Marco Ferri').waitFor();
    // Everyone can leave.
    const names = await page.getByRole('main').getByRole('button').allInnerTexts();
    expect(names).toEqual(['Leave team']);
    await page.getByRole('link', { name: 'Trellis' }).click();
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByText('Only enterprise administrators can see the users.').waitFor();
    await page.getByRole('link', { name: 'Roles' }).click();
    await page.getByRole('heading', { name: 'Predefined' }).waitFor();
    await expect.poll(() => button(page, 'New role').count()).toBe(0);
    await goTo(page, '/users/1');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.getByRole('main').getByRole('button').count()).toBe(0);
    await page.close();

    const admin = await demo.trellis.createMember(teamId, 'ADMIN');
    const { page: other, end: endOther } = await open('/teams/retail/members', admin.token);
    await button(other, 'Add member').click();
    await dialog(other).getByLabel('Role').waitFor();
    const roles = await dialog(other).getByLabel('Role').locator('option').allInnerTexts();
    expect(roles.slice(0, 3)).toEqual(['Viewer', 'Developer', 'Admin']);
    expect(roles).not.toContain('Owner');
    await dialog(other).getByLabel('Person').fill('nobody@trellis.example');
    await dialog(other).getByRole('button', { name: 'Add member' }).click();
    await dialog(other).getByRole('alert').waitFor();
    await expectAccessible(other);
    await dialog(other).getByLabel('Person').fill('priya.nair@trellis.example');
    await dialog(other).getByRole('button', { name: 'Add member' }).click();
    await finish(other);
    await row(other, 'Priya Nair').waitFor();
    expect(await row(other, 'Marco Ferri').getByRole('button').count()).toBe(0);
    await end();
    await endOther();
  });
});
