import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { expectAccessible, goToTab, startDemo } from '../../support/console.ts';
import { startRegistry } from '../../support/registry-server.ts';

describe('creating in the console', inBrowser, () => {
  let demo: Awaited<ReturnType<typeof startDemo>>;
  let registry: Awaited<ReturnType<typeof startRegistry>>;
  beforeAll(async () => {
    [demo, registry] = await Promise.all([startDemo(), startRegistry()]);
  });
  afterEach(() => demo.closePages());
  afterAll(() => Promise.all([demo?.close(), registry?.close()]));

  const open = (path: string, token?: string) => demo.open(path, token);
  const dialog = (page: Page) => page.getByRole('dialog');
  const within = async (page: Page, work: () => Promise<void>) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await work();
    await page.setViewportSize({ width: 1440, height: 900 });
  };
  const componentOf = async (name: string) => {
    const { components } =
      await demo.trellis.data(`{ components(search: "${name}") { nodes { uid name image version
      replicas command deployState: desiredState ports { nodes { number protocol isInner } } variables { nodes { name value isSecret } }
      volumes { nodes { name path type } } dependencies { nodes { name } }
      probes { readiness { http { port path } } } application { appId: uid } } } }`);
    return components.nodes.find((each: { name: string }) => each.name === name);
  };

  it('makes an application and a component with all that it needs from an image', async () => {
    const { page, end } = await open('/teams/retail');
    await page.getByRole('button', { name: 'New application', exact: true }).click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('Online Boutique');
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Create application' }).click();
    await dialog(page)
      .getByText(/already/)
      .first()
      .waitFor();
    await dialog(page).getByLabel('Name', { exact: true }).fill('Web shop');
    await dialog(page).getByRole('button', { name: 'Create application' }).click();
    await page.getByRole('heading', { name: 'Web shop' }).waitFor();

    await page.getByRole('button', { name: 'New component' }).click();
    const image = dialog(page).getByLabel('Image', { exact: true });
    await image.fill('127.0.0.1:9/shop/web:1.0');
    await dialog(page)
      .getByText('The registry cannot be reached (connection refused). The image was not checked.')
      .waitFor();
    await image.fill(`${registry.host}/shop/web:2.0`);
    await dialog(page).getByText('Image not found in the registry.').waitFor();
    await image.fill(`${registry.host}/shop/web:1.0`);
    await dialog(page).getByText('Image found in the registry.').waitFor();
    // The name and the ports follow from the image.
    expect(await dialog(page).getByLabel('Name', { exact: true }).first().inputValue()).toBe('web');
    expect(await dialog(page).getByLabel('Port', { exact: true }).count()).toBe(3);
    const rows = dialog(page).getByRole('button', { name: /^Remove row/ });
    await rows.nth(2).click();
    await rows.nth(0).click();
    await dialog(page).getByLabel('Port', { exact: true }).fill('0');

    await dialog(page).getByLabel('.env text').check();
    await dialog(page).getByLabel('Variables as .env text').fill('LOG_LEVEL=info\nAPI_TOKEN="a b"\nnonsense');
    await dialog(page).getByText('Line 3: Expected NAME=value.').waitFor();
    await dialog(page).getByLabel('Variables as .env text').fill('LOG_LEVEL=info\nAPI_TOKEN="a b"\n');
    expect(await dialog(page).getByLabel('API_TOKEN').isChecked()).toBe(true);
    expect(await dialog(page).getByLabel('LOG_LEVEL').isChecked()).toBe(false);
    await dialog(page).locator('summary', { hasText: 'Volumes' }).click();
    await dialog(page).getByRole('button', { name: 'Add volume' }).click();
    await dialog(page).getByLabel('Name', { exact: true }).nth(1).fill('data');
    await dialog(page).getByLabel('Mount path').fill('data');
    await dialog(page).locator('summary', { hasText: 'Health check' }).click();
    await dialog(page).getByLabel('Readiness check', { exact: true }).selectOption({ label: 'HTTP request' });
    await dialog(page).getByLabel('Path', { exact: true }).fill('/ready');
    await expectAccessible(page);
    await within(page, () => expectAccessible(page));

    // What is typed survives a reload, but for secrets.
    await page.reload();
    await dialog(page).getByText('Your unsaved changes were restored').waitFor();
    expect(await image.inputValue()).toBe(`${registry.host}/shop/web:1.0`);
    expect(await dialog(page).getByLabel('Value', { exact: true }).nth(0).inputValue()).toBe('info');
    expect(await dialog(page).getByLabel('Value', { exact: true }).nth(1).inputValue()).toBe('');
    await dialog(page).getByLabel('Value', { exact: true }).nth(1).fill('a b');

    // Errors are at their fields, also in what is folded away.
    await dialog(page).getByLabel('Port', { exact: true }).first().fill('8080');
    await dialog(page).locator('summary', { hasText: 'Health check' }).click();
    await dialog(page).getByLabel('Port', { exact: true }).nth(1).fill('8080');
    await dialog(page).getByText('Creates web with 1 port, 2 variables, 1 volume and deploys it.').waitFor();
    await dialog(page).getByRole('button', { name: 'Create component' }).click();
    await dialog(page).locator('.field-error').waitFor();
    await dialog(page).getByLabel('Mount path').fill('/data');
    await dialog(page).getByRole('button', { name: 'Create component' }).click();
    await dialog(page).getByText('Succeeded').first().waitFor();
    await dialog(page).getByRole('link', { name: 'Open component' }).click();
    await page.getByRole('heading', { name: 'web', exact: true }).waitFor();
    expect(await componentOf('web')).toMatchObject({
      image: `${registry.host}/shop/web:1.0`,
      deployState: 'RUNNING',
      ports: { nodes: [{ number: 8080, protocol: 'HTTP', isInner: true }] },
      variables: {
        nodes: expect.arrayContaining([
          { name: 'API_TOKEN', value: 'a b', isSecret: true },
          { name: 'LOG_LEVEL', value: 'info', isSecret: false },
        ]),
      },
      volumes: { nodes: [{ name: 'data', path: '/data', type: 'share-file' }] },
      probes: { readiness: { http: { port: 8080, path: '/ready' } } },
    });
    await end();
  });

  it('goes on after a port was refused, without making the component again', async () => {
    const { application } = await componentOf('adservice');
    const { page, end } = await open(`/applications/${application.appId}`);
    await page.getByRole('button', { name: 'New component' }).click();
    await dialog(page).getByLabel('Image', { exact: true }).fill('redis:7');
    for (const number of ['6379', '6379']) {
      await dialog(page).getByRole('button', { name: 'Add port' }).click();
      await dialog(page).getByLabel('Port', { exact: true }).last().fill(number);
    }
    await dialog(page).getByLabel('Name', { exact: true }).fill('cache');
    await dialog(page).getByLabel('Port', { exact: true }).last().fill('0');
    await page.evaluate('document.querySelector("dialog form").noValidate = true');
    await dialog(page).getByLabel('Deploy now').uncheck();
    await dialog(page).getByRole('button', { name: 'Create component' }).click();
    await dialog(page).getByText('cache was created, but some steps failed.').waitFor();
    await dialog(page).locator('.rows-row').nth(1).locator('.field-error').waitFor();
    await expectAccessible(page);
    await dialog(page).getByLabel('Port', { exact: true }).last().fill('6380');
    await dialog(page).getByRole('button', { name: 'Finish component' }).click();
    await dialog(page).getByText('Created.').waitFor();
    expect(await componentOf('cache')).toMatchObject({
      deployState: 'NOT_DEPLOYED',
      ports: { nodes: [{ number: 6379 }, { number: 6380 }] },
    });
    await end();
  });

  it('deploys another image in four clicks, and edits the rest', async () => {
    const { page, end } = await open('/');
    const row = page.getByRole('row', { name: /Online Boutique/ });
    await row.getByRole('button', { name: 'Expand' }).click();
    await page.getByRole('link', { name: 'adservice' }).click();
    await page.getByRole('button', { name: 'New image…' }).click();
    const image = dialog(page).getByLabel('Image', { exact: true });
    await image.fill(`${registry.host}/shop/web:1.0`);
    await dialog(page).getByText('Image found in the registry.').waitFor();
    await dialog(page).locator('.plan-change', { hasText: 'adservice is deployed' }).waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Change image' }).click();
    await dialog(page).getByText('Succeeded').first().waitFor();
    await page.keyboard.press('Escape');
    expect(await componentOf('adservice')).toMatchObject({
      image: `${registry.host}/shop/web:1.0`,
      version: '1.0',
    });

    await goToTab(page, 'configuration');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await dialog(page).getByLabel('Command', { exact: true }).fill('--verbose');
    await dialog(page).getByLabel('Replicas').fill('-1');
    await page.evaluate('document.querySelector("dialog form").noValidate = true');
    await dialog(page).getByRole('button', { name: 'Save changes' }).click();
    await dialog(page).locator('.field', { hasText: 'Replicas' }).locator('.field-error').waitFor();
    await dialog(page).getByLabel('Replicas').fill('2');
    await dialog(page).getByText('More options').click();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Save changes' }).click();
    await dialog(page).getByText('Done.').waitFor();
    expect(await componentOf('adservice')).toMatchObject({ command: '--verbose', replicas: 2 });
    await end();
  });

  it('copies an application after its plan', async () => {
    const { application } = await demo.trellis.data('{ application(by: { appId: 3 }) { name } }');
    const { page, end } = await open('/applications/3');
    await page.locator('.page-head').getByRole('button', { name: 'More…' }).click();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await dialog(page)
      .getByRole('heading', { name: `Copy ${application.name}` })
      .waitFor();
    await dialog(page).getByLabel('Name', { exact: true }).fill('Second');
    await dialog(page).getByLabel('Secret variables').selectOption({ label: 'Left out' });
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Preview changes' }).click();
    const omitted = dialog(page).getByRole('region', { name: 'Left out or different' });
    await omitted.getByText('Secrets are left out.').first().waitFor();
    await within(page, () => expectAccessible(page));
    await dialog(page).getByRole('button', { name: 'Copy application', exact: true }).click();
    await dialog(page).getByText('The application was copied.').waitFor();
    await dialog(page).getByRole('link', { name: 'Open Second' }).click();
    await page.getByRole('heading', { name: 'Second', exact: true }).waitFor();
    await end();
  });
});
