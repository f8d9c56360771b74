import type { Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { expectAccessible, openConsole } from '../../support/console.ts';
import { dialog, edit, editor, panel, replace, shop, startShop } from '../../support/console-manifest.ts';
import { apply } from '../../support/manifests.ts';

const textOf = (page: Page) => editor(page).locator('.cm-line').allTextContents();
const compressed = (url: string) => fetch(url, { headers: { 'Accept-Encoding': 'gzip' } });

describe('a manifest in the console', inBrowser, () => {
  let demo: Awaited<ReturnType<typeof startShop>>;
  beforeAll(async () => {
    demo = await startShop();
  });
  afterEach(() => demo.closePages());
  afterAll(() => demo?.close());

  it('is shown, copied and downloaded', async () => {
    const { page, end } = await demo.open();
    await editor(page).getByText('postgres:18').waitFor();
    await page.getByText(/^Applied .* by admin$/).waitFor();
    const document = await demo.exported();
    expect((await textOf(page)).join('\n')).toBe(document);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(document);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('Shop.yaml');
    let downloaded = '';
    for await (const chunk of await file.createReadStream()) downloaded += chunk;
    expect(downloaded).toBe(document);
    await page.keyboard.press('Tab');
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    await editor(page).waitFor();
    const tab = await page.getByRole('link', { name: 'Manifest' }).boundingBox();
    expect(tab!.x + tab!.width).toBeLessThanOrEqual(390);
    await expectAccessible(page);
    await end();
  });

  it('is planned as it is typed, by the last text alone', async () => {
    const { page, end } = await demo.open();
    await edit(page);
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Manifest of Shop');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest(".cm-editor")')).toBeNull();

    // The first answer is held back until the plan of the second text is shown.
    let release = () => {};
    const isHeld = new Promise<Request>((resolve) => {
      void page.route(
        '**/graphql',
        async (route) => {
          resolve(route.request());
          await new Promise<void>((go) => {
            release = go;
          });
          await route.continue().catch(() => {});
        },
        { times: 1 },
      );
    });
    await demo.change(page, 'nginx:1.28', 'nginx:1.29');
    const held = await isHeld;
    const hasFailed = page.waitForEvent('requestfailed', (request) => request === held);
    await demo.change(page, 'nginx:1.28', 'nginx:1.30');
    await panel(page).getByText('nginx:1.30').waitFor();
    release();
    await hasFailed;
    await panel(page).getByText('1 change', { exact: true }).waitFor();
    const row = panel(page).getByRole('listitem').filter({ hasText: 'Change component web' });
    expect(await row.locator('del').first().textContent()).toBe('before nginx:1.28');
    expect(await row.locator('ins').first().textContent()).toBe('after nginx:1.30');
    await row.getByText('with the next deploy').waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    await page.setViewportSize({ width: 1440, height: 900 });

    // It is as it was after a reload, in this tab alone.
    await page.reload();
    await page.getByText('Your unapplied changes were restored.').waitFor();
    await panel(page).getByText('nginx:1.30').waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('nginx');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await dialog(page).getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    expect((await textOf(page)).join('\n')).toBe(await demo.exported());
    await end();
  });

  it('shows a mistake at its line, and keeps what was typed when a request fails', async () => {
    const { page, problems } = await demo.open();
    await edit(page);
    await demo.change(page, '    image: nginx:1.28', '    immage: nginx:1.28');
    await panel(page).getByText('The manifest has 1 error').waitFor();
    const document = (await demo.exported()).replace('    image: nginx', '    immage: nginx');
    const line = document.split('\n').findIndex((each) => each.includes('immage')) + 1;
    const mistake = panel(page).getByRole('button', { name: `Line ${line}, column 5` });
    await panel(page).getByText('components.web.immage').waitFor();
    expect(await editor(page).locator('.cm-lintRange-error').textContent()).toBe('immage');
    await expectAccessible(page);
    await mistake.click();
    expect(await page.evaluate('getSelection().focusNode.textContent')).toContain('immage');
    expect(await panel(page).getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
    expect(problems).toEqual([]);

    await page.context().setOffline(true);
    await page.keyboard.press('Delete');
    await panel(page).getByText("Can't reach the server.").waitFor();
    expect(await editor(page).getByText('mmage: nginx:1.28').count()).toBe(1);
    await page.context().setOffline(false);
    await panel(page).getByRole('button', { name: 'Plan again' }).click();
    await panel(page).getByText('components.web.mmage').waitFor();
  });

  it('says that it is for another application', async () => {
    const { page, end } = await demo.open();
    await edit(page);
    await replace(page, shop.replace('application: Shop', 'application: "Other shop" # not this one'));
    await panel(page).getByText('This manifest is for the application Other shop, not for Shop.').waitFor();
    await panel(page).getByText('Create application').waitFor();
    await end();
  });

  it('says what it cannot express', async () => {
    const { application } = await apply(
      demo.trellis,
      demo.place,
      'application: Mail\ncomponents:\n  smtp:\n    image: smtp:1\n    ports:\n      25: { protocol: tcp, isOuter: true }\n',
    );
    const by = `application(by: { appId: ${application.appId} })`;
    const { application: read } = await demo.trellis.data(
      `{ ${by} { gatewayRules { tcp { nodes { id } } } } }`,
    );
    const rule = { id: read.gatewayRules.tcp.nodes[0].id };
    await demo.trellis.succeed('updateTcpRule', { rule, mappedAddress: '192.0.2.7:25' }, '__typename');
    const { page, end } = await demo.open(`/applications/${application.appId}/manifest`);
    const row = page.getByRole('row', { name: /TCP route/ });
    await row.getByText('Its endpoint is assigned by the region').waitFor();
    await expectAccessible(page);
    await end();
  });

  it('loads the editor with its page alone', async () => {
    const files: string[] = [];
    demo.browser.context.on('request', (request) => {
      if (['document', 'script', 'stylesheet'].includes(request.resourceType())) files.push(request.url());
    });
    const path = `/applications/${demo.appId}`;
    const { page, problems } = await openConsole(demo.trellis, demo.browser.context, path);
    await page.getByRole('row', { name: /web/ }).waitFor();
    const first = [...files];
    await page.getByRole('link', { name: 'Manifest' }).click();
    await editor(page).waitFor();
    expect(files.length).toBeGreaterThan(first.length);
    let size = 0;
    for (const url of first) size += Number((await compressed(url)).headers.get('content-length'));
    expect(size).toBeLessThan(150_000);
    expect(problems).toEqual([]);
  });
});
