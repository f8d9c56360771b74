import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { expectAccessible, useDemo } from '../../support/console.ts';

const found = `{
  viewer { user { id uid } }
  team(by: { name: "retail" }) {
    uid
    applications(search: "Online Boutique") {
      nodes { id appId: uid name components(search: "adservice") { nodes { id uid name } } }
    }
  }
}`;
const grants = 'grants { actions team { id } application { id } component { id } }';

describe('access tokens in the console', inBrowser, () => {
  const demo = useDemo();
  let adminId: number;
  let team: { uid: string };
  let application: { id: string; appId: number };
  let component: { id: string; uid: string };
  beforeAll(async () => {
    await demo.browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const data = await demo.trellis.data(found);
    adminId = data.viewer.user.uid;
    team = data.team;
    [application] = data.team.applications.nodes;
    [component] = data.team.applications.nodes[0].components.nodes;
  });
  afterEach(() => demo.closePages());

  const open = (path: string, token?: string) => demo.open(path, token);
  const dialog = (page: Page) => page.getByRole('dialog');
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

  /** What the token that is shown says of itself. */
  async function shownToken(page: Page) {
    await dialog(page).getByText('Copy the token now').waitFor();
    const secret = await dialog(page).locator('.copied code').innerText();
    const query = `{ viewer {
      user { id } serviceAccount { name role }
      accessToken { name expiresAt isReadOnly ${grants} }
    } }`;
    return { secret, viewer: (await demo.trellis.data(query, {}, secret)).viewer };
  }

  it('makes a token for a pipeline in four clicks from the home page', async () => {
    const { page, end } = await open('/');
    let clicks = 0;
    const click = async (target: ReturnType<Page['locator']>) => {
      await target.click();
      clicks++;
    };
    await click(page.getByRole('link', { name: 'Online Boutique' }).first());
    await click(page.getByRole('link', { name: 'adservice', exact: true }));
    await click(button(page, 'Token for a pipeline'));
    const summary = dialog(page).getByRole('status').filter({ hasText: 'Permissions of the token' });
    await summary.getByText('In the component adservice of Online Boutique').waitFor();
    await summary.getByText('Components: read logs, change image and settings, deploy').waitFor();
    await expectAccessible(page);
    await click(button(page, 'Create token'));
    expect(clicks).toBe(4);

    const { secret, viewer } = await shownToken(page);
    expect(viewer.serviceAccount).toEqual({ name: 'pipeline-of-adservice', role: 'DEVELOPER' });
    const [grant] = viewer.accessToken.grants;
    expect([...grant.actions].sort()).toEqual(['DEPLOY_COMPONENT', 'READ', 'READ_LOGS', 'UPDATE_COMPONENT']);
    expect(grant.component.id).toBe(component.id);
    expect(Date.parse(viewer.accessToken.expiresAt) - Date.now()).toBeGreaterThan(89 * 86_400_000);
    await dialog(page).getByText("./trellis deploy 'Online Boutique/adservice'").waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Copy' }).first().click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await button(page, 'Close').click();
    await end();
  });

  it('says what presets mean, needs their place, and lets grants be chosen one by one', async () => {
    const { page, end } = await open('/account');
    await button(page, 'New token').click();
    const form = dialog(page);
    await form.getByLabel('Name', { exact: true }).fill('night shift');
    await form.getByText('see everything except logs and secret values').waitFor();
    await form.getByLabel('Permissions').selectOption('Everything I can do');
    await form.getByText('Everything you can do now').waitFor();
    await form.getByLabel('Permissions').selectOption('Everything in one application');
    await form.getByText('Choose a place to see the permissions of the token.').waitFor();
    const place = form.getByRole('combobox', { name: 'Application' });
    await place.fill('boutique');
    // What is typed is not chosen yet.
    await button(page, 'Create token').click();
    expect(await place.evaluate((input: HTMLInputElement) => input.validationMessage)).toBe(
      'Choose one from the list.',
    );
    await place.focus();
    await form.getByRole('option', { name: /^Online Boutique/ }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await form.getByText('In the application Online Boutique of Retail').waitFor();
    await form.getByText('do everything').waitFor();

    await form.getByLabel('Choose actions and places one by one').check();
    expect(await form.getByRole('combobox', { name: 'Where' }).inputValue()).toContain('Online Boutique');
    const actions = form.getByRole('group', { name: 'Actions' });
    for (const group of ['Gateway rules', 'Team', 'Certificates', 'Registry credentials', 'Enterprise'])
      await actions.getByRole('checkbox', { name: group, exact: true }).uncheck();
    await actions.getByRole('group', { name: 'Components' }).getByLabel('delete', { exact: true }).uncheck();
    await form.getByText('Ports: everything').waitFor();
    await expectAccessible(page);
    await form.getByLabel('Expires').selectOption('Never');
    await button(page, 'Create token').click();

    const { viewer } = await shownToken(page);
    expect(viewer.accessToken).toMatchObject({ name: 'night shift', expiresAt: null });
    const [grant] = viewer.accessToken.grants;
    expect(grant.application.id).toBe(application.id);
    expect(grant.actions).toContain('OPEN_OUTER_SERVICE');
    expect(grant.actions).not.toContain('DELETE_COMPONENT');
    expect(grant.actions).not.toContain('CREATE_HTTP_RULE');
    await button(page, 'Close').click();

    await row(page, 'night shift')
      .getByText(/actions in Online Boutique$/)
      .click();
    await row(page, 'night shift').getByText('Ports: everything').waitFor();
    await page.reload();
    await row(page, 'night shift').locator('time').first().waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await expectAccessible(page);
    await row(page, 'night shift').getByRole('button', { name: 'Revoke' }).click();
    await dialog(page).getByText('A revoked token cannot be restored.').waitFor();
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await row(page, 'night shift').waitFor({ state: 'detached' });
    await button(page, 'Show 1 inactive').click();
    await row(page, 'night shift').getByText('Revoked').waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await end();
  });

  it('edits the own profile, and ends sessions', async () => {
    await demo.trellis.createSession(adminId);
    const { page, end } = await open('/');
    await button(page, 'Account').click();
    await page.getByRole('link', { name: 'Your account' }).click();
    await row(page, '192.0.2.7').getByRole('button', { name: 'End session' }).click();
    await dialog(page).getByText('Firefox is signed out.').waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'End session' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await row(page, '192.0.2.7').waitFor({ state: 'detached' });
    await button(page, 'Edit profile').click();
    await dialog(page).getByLabel('Name').fill('Ada');
    await dialog(page).getByLabel('Phone').fill('+49 30 1234');
    await button(page, 'Save profile').click();
    await dialog(page).getByText('Done.').waitFor();
    await button(page, 'Close').click();
    await page.getByRole('main').getByText('+49 30 1234').waitFor();
    await end();
  });

  it('makes service accounts, their tokens and trusts', async () => {
    const { page, end } = await open('/teams/retail/automation');
    await button(page, 'New service account').click();
    await dialog(page).getByLabel('Name').fill('nightly');
    await button(page, 'Create service account').click();
    await dialog(page).getByText('Done.').waitFor();
    await button(page, 'Close').click();
    const section = page.locator('section.section').filter({ has: page.getByText('nightly') });
    await section.getByRole('button', { name: 'New token' }).click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('reads');
    await dialog(page).getByLabel('Permissions').selectOption('Everything its role allows');
    await dialog(page).getByText('Everything the role developer allows in Retail').waitFor();
    await button(page, 'Create token').click();
    const { viewer } = await shownToken(page);
    expect(viewer).toMatchObject({ serviceAccount: { name: 'nightly' }, accessToken: { grants: null } });
    await button(page, 'Close').click();
    await section.getByRole('row').filter({ hasText: 'reads' }).waitFor();

    await section.getByRole('button', { name: 'Trust a pipeline' }).click();
    const form = dialog(page);
    await form.getByLabel('Issuer').fill('ci.example');
    await form.getByLabel('Value').fill('repo:shop/web:ref:refs/heads/main');
    await form.getByRole('button', { name: 'Trust a pipeline' }).click();
    await form.locator('.field', { hasText: 'Issuer' }).locator('.field-error').waitFor();
    await expectAccessible(page);
    await form.getByLabel('Issuer').fill('https://ci.example');
    await form.getByRole('button', { name: 'Trust a pipeline' }).click();
    await form.getByText('grant_type=urn:ietf:params:oauth:grant-type:token-exchange').waitFor();
    await button(page, 'Close').click();
    const trust = section.getByRole('row').filter({ hasText: 'https://ci.example' });
    await trust.getByText('repo:shop/web:ref:refs/heads/main').waitFor();
    await section.getByText('What the pipeline sends').click();
    await expectAccessible(page);
    await trust.getByRole('button', { name: 'Remove trust' }).click();
    await dialog(page).getByRole('button', { name: 'Remove trust' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await trust.waitFor({ state: 'detached' });

    await section.getByRole('button', { name: 'Edit' }).click();
    await dialog(page).getByLabel('Role').selectOption('Viewer');
    await button(page, 'Save service account').click();
    await dialog(page).getByText('Done.').waitFor();
    await button(page, 'Close').click();
    await section.getByText('Viewer', { exact: true }).waitFor();
    await section.getByRole('button', { name: 'More…' }).click();
    await section.getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByText('reads').waitFor();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await section.waitFor({ state: 'detached' });
    await end();
  });

  it('offers no more than the caller may do', async () => {
    await demo.trellis.succeed(
      'createServiceAccount',
      { team: { name: 'retail' }, name: 'seen', role: 'VIEWER' },
      '__typename',
    );
    const viewer = await demo.trellis.createMember(team.uid, 'VIEWER');
    const { page, end } = await open('/teams/retail/automation', viewer.token);
    await page.getByText('Only admins of the team can see the tokens.').first().waitFor();
    const names = await page.getByRole('main').getByRole('button').allInnerTexts();
    expect(names).toEqual([]);
    // Their own tokens last no longer than the one they use.
    const { secret } = await demo.trellis.succeed(
      'createAccessToken',
      { name: 'short', expiresAt: new Date(Date.now() + 20 * 86_400_000).toISOString() },
      'secret',
      viewer.token,
    );
    await page.close();
    const { page: other, end: endOther } = await open('/account', secret);
    await button(other, 'New token').click();
    await dialog(other).getByLabel('Expires').waitFor();
    const lifetimes = await dialog(other).getByLabel('Expires').locator('option').allInnerTexts();
    expect(lifetimes).toEqual(['In 7 days', 'With the token you are using']);
    await end();
    await endOther();
  });
});
