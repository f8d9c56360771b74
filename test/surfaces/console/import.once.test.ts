import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { expectAccessible } from '../../support/console.ts';
import { dialog, panel, startShop } from '../../support/console-manifest.ts';

const compose = `services:
  web:
    image: nginx:1.28
    networks: { front: { mac_address: "02:42:ac:11:00:02" } }
    ports: ["8080:80"]
    volumes: ["./nginx.conf:/etc/nginx/nginx.conf:ro"]
    env_file: [web.env]
  db:
    image: postgres:18
    pid: host
    volumes: ["data:/var/lib/postgresql/data"]
networks: { front: {} }
volumes: { data: {} }
`;
const objects = `apiVersion: apps/v1
kind: Deployment
metadata: { name: cart }
spec:
  template:
    spec:
      hostNetwork: true
      containers:
        - name: cart
          image: cart:1
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec: { template: { spec: { containers: [{ name: agent, image: agent:1 }] } } }
`;

const source = (page: Page, name: string) => page.getByRole('textbox', { name: `Content of ${name}` });
const result = (page: Page) => page.getByRole('region', { name: 'Conversion' });
const lineOf = (text: string, part: string) => text.split('\n').findIndex((line) => line.includes(part)) + 1;

async function type(page: Page, name: string, text: string): Promise<void> {
  await source(page, name).focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

const files = (texts: Record<string, string>) =>
  Object.entries(texts).map(([name, text]) => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.from(text),
  }));

describe('an import in the console', inBrowser, () => {
  let demo: Awaited<ReturnType<typeof startShop>>;
  beforeAll(async () => {
    demo = await startShop();
  });
  afterEach(() => demo.closePages());
  afterAll(() => demo?.close());

  it('goes from a pasted file to a running application', async () => {
    const { page, end } = await demo.open('/teams/retail');
    await page.getByRole('link', { name: 'From a Compose file' }).click();
    await result(page).getByText('Nothing to convert yet.').waitFor();
    await type(page, 'pasted.yaml', compose.replace('    env_file: [web.env]\n', ''));
    await result(page).getByText('2 services, 2 need a decision: db, web').waitFor();
    const note = result(page).getByRole('listitem').filter({ hasText: 'pid' });
    await note.getByRole('button', { name: `Line ${lineOf(compose, 'pid:') - 1}` }).click();
    expect(await page.evaluate('getSelection().focusNode.textContent')).toContain('pid');
    expect(await source(page, 'pasted.yaml').locator('.cm-lintRange').count()).toBeGreaterThan(1);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    await page.setViewportSize({ width: 1440, height: 900 });

    await page.reload();
    await result(page).getByRole('button', { name: 'Edit and plan the manifest' }).click();
    await panel(page).getByText('Create application').waitFor();
    await panel(page).getByText('postgres:18').first().waitFor();
    await panel(page).getByRole('button', { name: 'Apply' }).click();
    await dialog(page).getByRole('button', { name: 'Apply' }).click();
    await dialog(page).getByText('Succeeded').first().waitFor();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'new-application' }).waitFor();
    await end();
  });

  it('reads what is beside a Compose file, and merges what is chosen', async () => {
    const { page, end } = await demo.open('/teams/retail/import');
    const choose = (texts: Record<string, string>) =>
      page.getByLabel('Choose files to import').setInputFiles(files(texts));
    await choose({ 'web.env': 'MODE=live', 'nginx.conf': 'events {}', 'compose.yaml': compose });
    await result(page).getByText('2 services, 1 needs a decision: db').waitFor();
    await choose({ 'more.yaml': 'services: { cache: { image: "redis:8" } }' });
    await page.getByRole('button', { name: 'Remove more.yaml' }).waitFor();
    const more = page.getByRole('listitem').filter({ hasText: 'more.yaml' });
    expect(await more.getByRole('checkbox').isChecked()).toBe(false);
    await more.getByRole('checkbox').check();
    await result(page).getByText('3 services, 1 needs a decision: db').waitFor();
    await page.getByRole('button', { name: 'nginx.conf', exact: true }).click();
    await source(page, 'nginx.conf').getByText('events {}').waitFor();
    const note = result(page).getByRole('listitem').filter({ hasText: 'pid' });
    await note.getByRole('button', { name: `compose.yaml, line ${lineOf(compose, 'pid:')}` }).click();
    await source(page, 'compose.yaml').waitFor();
    await expect.poll(() => page.evaluate('getSelection().focusNode?.textContent')).toContain('pid');
    await expectAccessible(page);
    await result(page).getByRole('button', { name: 'Edit and plan the manifest' }).click();
    const manifest = page.getByRole('textbox', { name: 'Manifest of a new application' });
    await manifest.getByText('MODE: live').waitFor();
    await manifest.getByText('events {}').waitFor();
    await panel(page).getByText('redis:8').waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await dialog(page).getByRole('button', { name: 'Discard changes' }).click();
    await end();
  });

  it('takes files that are dropped, and says what cannot be converted', async () => {
    const { page, end } = await demo.open('/teams/retail/import');
    const dropped = await page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], 'rendered.yaml'));
      return transfer;
    }, objects);
    await source(page, 'pasted.yaml').dispatchEvent('drop', { dataTransfer: dropped });
    await result(page).getByText('2 objects, 2 need a decision').waitFor();
    const note = result(page).getByRole('listitem').filter({ hasText: 'DaemonSet' });
    await note.getByRole('button', { name: `Line ${lineOf(objects, 'DaemonSet') - 1}` }).waitFor();
    const network = result(page).getByRole('listitem').filter({ hasText: 'hostNetwork' });
    await network.getByRole('button', { name: `Line ${lineOf(objects, 'hostNetwork')}` }).waitFor();
    await type(page, 'rendered.yaml', 'services: [');
    await result(page).getByText('rendered.yaml is not YAML').waitFor();
    await type(page, 'rendered.yaml', 'a: 1');
    await result(page).getByText('rendered.yaml is not a Compose file: it has no services.').waitFor();
    await page
      .getByLabel('Choose files to import')
      .setInputFiles(
        files(
          Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`${index}.yaml`, 'a'.repeat(900_000)])),
        ),
      );
    await page.getByText('The limit is 500 files and 2 million characters.').waitFor();
    await end();
  });
});
