import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { componentPath, expectAccessible, goTo, untilSettled, useDemo } from '../../support/console.ts';

const teamQuery = `{
  team(by: { name: "retail" }) {
    members(first: 1) { nodes { user { email nickName } } }
    applications(search: "Sock Shop") {
      nodes { uid components(first: 2) { nodes { uid name } } }
    }
  }
}`;

describe('dialogs in the console', inBrowser, () => {
  const demo = useDemo();
  afterEach(() => demo.closePages());

  const dialog = (page: Page) => page.getByRole('dialog');
  const button = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true });
  const person = (page: Page) => dialog(page).getByRole('combobox', { name: 'Person' });
  const openAddMember = async () => {
    const opened = await demo.open('/teams/retail/members');
    await opened.page.getByRole('button', { name: 'Add member' }).click();
    return opened;
  };

  it('take the first click beside an open list of suggestions', async () => {
    const { page, end } = await openAddMember();
    const placeOf = () => button(page, 'Cancel').boundingBox();
    await dialog(page).getByLabel('Role').focus();
    const before = await placeOf();
    await person(page).fill('tomasz');
    const option = dialog(page).getByRole('option', { name: /Zieliński/ });
    await option.waitFor();
    expect(await placeOf()).toEqual(before);
    const [field, list] = await Promise.all([person(page).boundingBox(), option.boundingBox()]);
    expect(list!.y).toBeGreaterThan(field!.y + field!.height);
    await button(page, 'Cancel').click();
    await dialog(page).waitFor({ state: 'detached' });
    await end();
  });

  it('show all suggestions of a field at the bottom of a small window', async () => {
    const { page, end } = await openAddMember();
    await page.setViewportSize({ width: 390, height: 300 });
    await person(page).fill('e');
    const option = dialog(page).getByRole('option').first();
    await option.waitFor();
    const list = await dialog(page).getByRole('listbox').boundingBox();
    expect(list!.y).toBeGreaterThanOrEqual(0);
    expect(list!.y + list!.height).toBeLessThanOrEqual(300);
    await expectAccessible(page);
    await end();
  });

  it('suggest no person who is a member already', async () => {
    const { team } = await demo.trellis.data(teamQuery);
    const { email } = team.members.nodes[0].user;
    const { page, end } = await openAddMember();
    await person(page).fill(email);
    const wrong = () =>
      person(page).evaluate((field) => (field as unknown as { validationMessage: string }).validationMessage);
    await expect.poll(wrong).toBe('This user is already a member of the team.');
    await dialog(page).getByRole('listbox').waitFor({ state: 'hidden' });
    await end();
  });

  it('close when another page is opened, and stay closed on the way back', async () => {
    const { team } = await demo.trellis.data(teamQuery);
    const [one, other] = team.applications.nodes[0].components.nodes;
    const { page, end } = await demo.open(componentPath(one.uid));
    const isShown = async ({ name }: { name: string }) => {
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      await untilSettled(page);
      expect(await dialog(page).count()).toBe(0);
    };
    await goTo(page, componentPath(other.uid));
    await isShown(other);
    await page.getByRole('button', { name: 'Scale', exact: true }).click();
    await dialog(page).waitFor();
    // To another object of the same kind.
    await page.goBack();
    await isShown(one);
    await page.goForward();
    await isShown(other);
    await page.getByRole('button', { name: 'Scale', exact: true }).click();
    await dialog(page).waitFor();
    // To a page of another kind.
    await goTo(page, '/teams/retail');
    await isShown({ name: 'Retail' });
    await page.goBack();
    await isShown(other);
    await end();
  });

  it('have one scrollbar for a long plan', async () => {
    const { team } = await demo.trellis.data(teamQuery);
    const { page, end } = await demo.open(`/applications/${team.applications.nodes[0].uid}`);
    await page.setViewportSize({ width: 1280, height: 480 });
    await page.getByRole('button', { name: 'Upgrade', exact: true }).click();
    await button(page, 'Preview changes').click();
    await dialog(page).getByText('catalogue depends on catalogue-db').waitFor();
    const scrolled = () =>
      dialog(page).evaluate((root) =>
        [root, ...root.querySelectorAll('*')]
          .filter((each) => /auto|scroll/.test(getComputedStyle(each).overflowY))
          .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)
          .map(({ tagName }) => tagName),
      );
    expect(await scrolled()).toEqual(['DIALOG']);
    // Hidden words do not stretch it: its end is that of the buttons.
    const spaceBelow = await dialog(page).evaluate((root) => {
      root.scrollTo(0, root.scrollHeight);
      return (
        root.getBoundingClientRect().bottom - root.querySelector('footer')!.getBoundingClientRect().bottom
      );
    });
    expect(spaceBelow).toBeLessThan(24);
    expect(spaceBelow).toBeGreaterThan(0);
    await expectAccessible(page);
    await end();
  });

  it('say that a command on one line is one argument', async () => {
    const { team } = await demo.trellis.data(teamQuery);
    const [component] = team.applications.nodes[0].components.nodes;
    const { page, end } = await demo.open(componentPath(component.uid, 'runs'));
    await page.getByRole('button', { name: 'Run command' }).click();
    const note = dialog(page).getByText('This line is passed as one argument.');
    await dialog(page).getByLabel('Command').fill('echo hello');
    await note.waitFor();
    await dialog(page).getByLabel('Command').fill('sh\n-c\necho hello');
    await note.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New schedule' }).click();
    await dialog(page).getByLabel('Command').fill('echo hello');
    await note.waitFor();
    await expectAccessible(page);
    await end();
  });
});
