import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { componentPath, expectAccessible, startDemo } from '../../support/console.ts';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

describe('hooks in the console', inBrowser, () => {
  let demo: Awaited<ReturnType<typeof startDemo>>;
  let receiver: WebhookReceiver;
  let component: { id: string; uid: string };
  beforeAll(async () => {
    receiver = await startReceiver((_, response) => void response.end('Thank you'));
    demo = await startDemo({ webhooks: {} });
    const { team } = await demo.trellis.data(`{
      team(by: { name: "retail" }) {
        applications(search: "Online Boutique") {
          nodes { components(search: "adservice") { nodes { id uid } } }
        }
      }
    }`);
    component = team.applications.nodes[0].components.nodes[0];
  });
  afterEach(() => demo.closePages());
  afterAll(async () => {
    await demo?.close();
    await receiver?.close();
  });

  const dialog = (page: Page) => page.getByRole('dialog');
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

  /** Chooses an action, which can be in the menu of further ones. */
  async function choose(page: Page, name: string): Promise<void> {
    const more = button(page, 'More…').first();
    await page.getByRole('heading', { level: 1 }).waitFor();
    if ((await button(page, name).count()) === 0) await more.click();
    await button(page, name).first().click();
    await dialog(page).waitFor();
  }

  it('creates a webhook, tests it, shows its deliveries and sends one again', async () => {
    const { page, end } = await demo.open('/teams/retail/webhooks');
    await button(page, 'New webhook').click();
    const url = `${receiver.url}/console`;
    await dialog(page).getByLabel('URL').fill(url);
    await dialog(page).getByLabel('Events').fill('port.*\ncomponent.stop');
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Create webhook' }).click();
    await dialog(page).getByText('Copy the secret now').waitFor();
    const secret = await dialog(page).locator('.copied code').innerText();
    await dialog(page).getByRole('button', { name: 'Close' }).click();

    await row(page, url).getByText('port.*, component.stop').waitFor();
    await page.getByRole('link', { name: url }).click();
    await page.getByRole('heading', { level: 1, name: url }).waitFor();
    await choose(page, 'Send test');
    await dialog(page).getByRole('button', { name: 'Send test' }).click();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await row(page, 'webhook.test').getByText('Delivered').waitFor();
    await row(page, 'webhook.test').getByText('Payload').click();
    await row(page, 'webhook.test').getByText('"type": "webhook.test"').waitFor();
    await row(page, 'webhook.test').getByText('Body').click();
    await row(page, 'webhook.test').getByText('Thank you').waitFor();
    await expectAccessible(page);
    const [message] = receiver.to('/console');
    expect(
      new Webhook(secret).verify(message!.body, message!.headers as Record<string, string>),
    ).toMatchObject({ type: 'webhook.test' });

    await row(page, 'webhook.test').getByRole('button', { name: 'Redeliver' }).click();
    await dialog(page).getByRole('button', { name: 'Redeliver message' }).click();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => receiver.to('/console').length).toBe(2);
    const [first, again] = receiver.to('/console');
    expect(again!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    await page.getByLabel('Status of deliveries').selectOption('Failed');
    await page.getByText('No deliveries with this status.').waitFor();

    const port = { component: { id: component.id }, number: 7070, protocol: 'HTTP' };
    await demo.trellis.succeed('addPort', port, '__typename');
    await page.goto(page.url().replace(/[?#].*/, ''));
    await row(page, 'port.add').getByText('adservice: port 7070 (HTTP) is added').waitFor();
    await end();
  });

  it('shows what is wrong with a webhook at its field', async () => {
    const { page, end } = await demo.open('/teams/retail/webhooks');
    await button(page, 'New webhook').click();
    await dialog(page).getByLabel('URL').fill('https://receiver.example/');
    await dialog(page).getByLabel('Events').fill('nothing.like.this');
    await dialog(page).getByRole('button', { name: 'Create webhook' }).click();
    await dialog(page).getByText('Must be an action of events').waitFor();
    await end();
  });

  it('rotates the secret, switches a webhook off and deletes it', async () => {
    const { team } = await demo.trellis.data('{ team(by: { name: "retail" }) { id } }');
    const url = `${receiver.url}/rotated`;
    const input = { team: { id: team.id }, url, events: ['*'] };
    const { webhook, secret } = await demo.trellis.succeed('createWebhook', input, 'secret webhook { uid }');
    const { page, end } = await demo.open(`/webhooks/${webhook.uid}`);
    await choose(page, 'Rotate secret');
    await dialog(page).getByRole('button', { name: 'Rotate secret' }).click();
    await dialog(page).getByText('Copy the secret now').waitFor();
    expect(await dialog(page).locator('.copied code').innerText()).not.toBe(secret);
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await page.getByText('valid until').waitFor();

    await choose(page, 'Edit');
    await dialog(page).getByLabel('Send events').uncheck();
    await dialog(page).getByRole('button', { name: 'Save changes' }).click();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await page.getByText('Off', { exact: true }).waitFor();

    await choose(page, 'Delete');
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/teams/retail/webhooks');
    await page.getByRole('heading', { level: 1, name: 'Retail' }).waitFor();
    await row(page, url).waitFor({ state: 'detached' });
    await end();
  });

  it('creates a deploy hook, which deploys the component', async () => {
    await demo.trellis.succeed(
      'updateComponent',
      { component: { id: component.id }, opensWebhooks: true },
      '__typename',
    );
    const { page, end } = await demo.open(componentPath(component.uid, 'configuration'));
    await button(page, 'New deploy hook').click();
    await dialog(page).getByLabel('Name').fill('release');
    await dialog(page).getByRole('button', { name: 'Create deploy hook' }).click();
    await dialog(page).getByText('Copy the URL now').waitFor();
    const url = await dialog(page).locator('.copied code').innerText();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await row(page, 'release').getByText('Never').waitFor();
    const response = await fetch(url, { method: 'POST' });
    expect(response.status).toBe(202);
    await page.reload();
    await row(page, 'release').getByText('Never').waitFor({ state: 'detached' });

    await row(page, 'release').getByRole('button', { name: 'More…' }).click();
    await row(page, 'release').getByRole('button', { name: 'Delete deploy hook' }).click();
    await dialog(page).getByRole('button', { name: 'Delete deploy hook' }).click();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await row(page, 'release').waitFor({ state: 'detached' });
    expect((await fetch(url, { method: 'POST' })).status).toBe(404);
    await end();
  });
});
