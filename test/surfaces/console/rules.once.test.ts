import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { daysFromNow, type Issued, issue, issueChain } from '../../support/certificates.ts';
import { expectAccessible, startDemo } from '../../support/console.ts';

describe('rules and certificates in the console', inBrowser, () => {
  let demo: Awaited<ReturnType<typeof startDemo>>;
  let team: { uid: string };
  let uid: string;
  let real: Awaited<ReturnType<typeof issueChain>>;
  let soon: Issued;
  beforeAll(async () => {
    [demo, real, soon] = await Promise.all([
      startDemo(),
      issueChain(['Shop.Example', '*.shop.example']),
      issue({ names: ['soon.example'], until: daysFromNow(10) }),
    ]);
    ({ team } = await demo.trellis.data(
      '{ team(by: { name: "media" }) { uid components(search: "wordpress") { nodes { uid name } } } }',
    ));
    uid = (team as any).components.nodes.find(({ name }: { name: string }) => name === 'wordpress').uid;
  });
  afterEach(() => demo.closePages());
  afterAll(() => demo?.close());

  const open = async (path: string, token?: string) => {
    const opened = await demo.open(path, token);
    const { page } = opened;
    let clicks = 0;
    return {
      ...opened,
      dialog: page.getByRole('dialog'),
      /** Clicks, and counts it. */
      async click(control: Locator) {
        clicks++;
        await control.click();
      },
      clicks: () => clicks,
    };
  };
  const port = () => `/components/${uid}/ports/80`;
  const rulesOf = async () => {
    const { component } = await demo.trellis.data(
      `{ component(by: { componentId: "${uid}" }) { gatewayRules {
        http { nodes {
          id domain path scheme weight certificate { name } configuration { bodySizeMB setHeaders { key value } }
        } }
        tcp { nodes { id endpoint mappedAddress } }
      } } }`,
    );
    return { http: component.gatewayRules.http.nodes, tcp: component.gatewayRules.tcp.nodes };
  };
  const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

  it('adds a certificate to a rule in six clicks, from files in any order', async () => {
    const { page, dialog, click, clicks, end } = await open('/');
    await click(page.getByRole('link', { name: 'Exposed' }));
    await click(page.getByRole('link', { name: /^Details of 80\./ }));
    await click(page.getByRole('button', { name: 'Edit rule' }));
    await dialog.getByLabel('Domain').fill('www.shop.example');
    await dialog.getByText('No certificate of the team covers www.shop.example.').waitFor();
    await click(dialog.getByRole('button', { name: 'New certificate' }));
    const adding = page.getByRole('dialog', { name: 'Add a certificate' });
    await adding
      .getByLabel('File: Certificate')
      .setInputFiles([
        file('server.key', real.key),
        file('issuers.pem', real.intermediate.pem),
        file('www.crt', real.leaf.pem),
      ]);
    await adding.getByText('The private key is included above.').waitFor();
    expect(await adding.getByLabel('Private key', { exact: true }).count()).toBe(0);
    await expectAccessible(page);
    await click(adding.getByRole('button', { name: 'Add certificate' }));
    await adding.waitFor({ state: 'detached' });
    // It is chosen, and what was typed before is still there.
    const certificate = dialog.getByLabel('Certificate', { exact: true });
    await dialog.getByText('Covers shop.example, *.shop.example').waitFor();
    expect(await certificate.locator('option:checked').textContent()).toBe(
      'shop.example (shop.example, *.shop.example)',
    );
    await dialog.locator('.plan-change', { hasText: 'www.shop.example' }).waitFor();
    await click(dialog.getByRole('button', { name: 'Save rule' }));
    expect(clicks()).toBeLessThanOrEqual(6);
    const address = dialog.getByRole('link', { name: 'https://www.shop.example' });
    await address.waitFor();
    expect(await address.getAttribute('href')).toBe('https://www.shop.example/');
    expect(await address.getAttribute('target')).toBe('_blank');
    expect(await address.getAttribute('rel')).toContain('noopener');
    await dialog.getByText('This region is declared').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('expires in 29 days').waitFor();
    expect((await rulesOf()).http).toMatchObject([
      { domain: 'www.shop.example', scheme: 'HTTPS', certificate: { name: 'shop.example' } },
    ]);
    await end();
  });

  it('adds an HTTP rule with all of its fields, and shows errors at them', async () => {
    await demo.trellis.succeed(
      'addCertificate',
      { team: { teamId: team.uid }, chain: soon.pem, key: soon.key, name: 'Old magazine' },
      'certificate { id }',
    );
    const { page, dialog, end } = await open(port());
    await page.getByRole('button', { name: 'Add HTTP rule' }).click();
    await dialog.getByText('Enter the domain').waitFor();
    await dialog.getByLabel('Domain').fill('blog.shop.example');
    await dialog.getByText('Not covering blog.shop.example: Old magazine (soon.example)').waitFor();
    expect(await dialog.getByLabel('Certificate', { exact: true }).locator('option').count()).toBe(2);
    await dialog.getByText('More options').click();
    await dialog.getByLabel('Only with these headers').fill('no pair');
    await dialog.getByLabel('Maximum body size, in MB').fill('64');
    await dialog.getByRole('button', { name: 'Add header' }).click();
    await dialog.getByLabel('Key').fill('X-Blog');
    await dialog.getByLabel('Value').fill('yes');
    await dialog.getByRole('button', { name: 'Add HTTP rule' }).click();
    const headers = dialog.getByLabel('Only with these headers');
    await expect.poll(() => headers.getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    // A reload loses nothing.
    await page.reload();
    await expect.poll(() => dialog.getByLabel('Domain').inputValue()).toBe('blog.shop.example');
    await dialog.getByText('More options').click();
    await headers.fill('x-blog=yes');
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Add HTTP rule' }).click();
    await dialog.getByRole('link', { name: 'http://blog.shop.example' }).waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press('Escape');
    const rule = (await rulesOf()).http.find(
      ({ domain }: { domain: string }) => domain === 'blog.shop.example',
    );
    expect(rule).toMatchObject({
      scheme: 'HTTP',
      configuration: { bodySizeMB: 64, setHeaders: [{ key: 'X-Blog', value: 'yes' }] },
    });

    // Changing one of the proxy settings keeps the others, and the conflict with another change is said.
    await page.getByRole('link', { name: 'Details of blog.shop.example/' }).click();
    await page.getByRole('button', { name: 'Edit rule' }).click();
    await dialog.getByText('More options').click();
    await dialog.getByLabel('Maximum body size, in MB').fill('32');
    await dialog.getByLabel('Weight').fill('50');
    await dialog.getByRole('button', { name: 'Save rule' }).click();
    await dialog.getByRole('link', { name: 'http://blog.shop.example' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('32 MB').waitFor();
    expect((await rulesOf()).http.find(({ id }: { id: string }) => id === rule.id)).toMatchObject({
      weight: 50,
      configuration: { bodySizeMB: 32, setHeaders: [{ key: 'X-Blog', value: 'yes' }] },
    });

    await page.getByRole('button', { name: 'Delete rule' }).click();
    await dialog.locator('.plan-remove', { hasText: 'blog.shop.example' }).first().waitFor();
    await dialog.getByRole('button', { name: 'Delete rule' }).click();
    await page.getByRole('heading', { name: 'Port 80' }).waitFor();
    await page.getByText('blog.shop.example').waitFor({ state: 'detached' });
    await end();
  });

  it('adds, changes and deletes a TCP rule', async () => {
    const { page, dialog, end } = await open(port());
    await page.getByRole('button', { name: 'More…' }).click();
    await page.getByRole('button', { name: 'Add TCP rule' }).click();
    await dialog.getByLabel('Address and port').fill('0.0.0.0:80');
    await dialog.getByRole('button', { name: 'Add TCP rule' }).click();
    await dialog.locator('.field-error').waitFor();
    await dialog.getByLabel('Address and port').fill('0.0.0.0:30700');
    await dialog.getByLabel('Mapped address').fill('203.0.113.7:8443');
    await dialog.locator('.plan-add', { hasText: '0.0.0.0:30700' }).waitFor();
    await dialog.getByRole('button', { name: 'Add TCP rule' }).click();
    // The host that clients use, which is no link.
    await dialog.getByText('tcp.eu-central.trellis.example:30700').waitFor();
    expect(await dialog.getByRole('link').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Details of 0.0.0.0:30700' }).click();
    await page.getByText('203.0.113.7:8443').waitFor();
    await page.getByRole('button', { name: 'Edit rule' }).click();
    await dialog.getByLabel('Mapped address').fill('');
    await dialog.getByRole('button', { name: 'Save rule' }).click();
    await dialog.getByText('tcp.eu-central.trellis.example:30700').waitFor();
    await page.keyboard.press('Escape');
    expect((await rulesOf()).tcp).toMatchObject([{ endpoint: '0.0.0.0:30700', mappedAddress: null }]);
    await page.getByRole('button', { name: 'Delete rule' }).click();
    await dialog.locator('.plan-remove', { hasText: '0.0.0.0:30700' }).waitFor();
    await dialog.getByRole('button', { name: 'Delete rule' }).click();
    await page.getByRole('heading', { name: 'Port 80' }).waitFor();
    expect((await rulesOf()).tcp).toEqual([]);
    await end();
  });

  it('changes the alias and the protocol of a port by a plan', async () => {
    const { page, dialog, end } = await open(port());
    const choose = async (name: string) => {
      await page.getByRole('button', { name: 'More…' }).click();
      await page.getByRole('button', { name }).click();
    };
    await choose('Change alias');
    await dialog.getByLabel('Alias').fill('lower');
    await dialog.getByRole('button', { name: 'Change alias' }).click();
    await dialog.locator('.field-error').waitFor();
    await dialog.getByLabel('Alias').fill('BLOG');
    await dialog.getByRole('button', { name: 'Change alias' }).click();
    await dialog.getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dd', { hasText: 'BLOG' }).waitFor();

    await choose('Change protocol');
    await dialog.getByLabel('Protocol').selectOption('TCP');
    await dialog.getByRole('button', { name: 'Change protocol' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/Close it before changing its protocol/)
      .waitFor();
    await dialog.getByLabel('Protocol').selectOption('GRPC');
    await dialog.locator('.plan-change', { hasText: 'BLOG' }).waitFor();
    await dialog.getByRole('button', { name: 'Change protocol' }).click();
    await dialog.getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dd', { hasText: 'grpc' }).waitFor();
    await end();
  });

  it('lists certificates with what uses them, and adds, replaces and deletes them', async () => {
    const { page, dialog, end } = await open('/teams/media/certificates');
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('Old magazine').getByText('expires in 9 days').waitFor();
    await row('*.shop.example').getByRole('link', { name: 'www.shop.example' }).waitFor();
    await expectAccessible(page);

    // What is dropped is sorted; what is wrong is said at the field.
    await page.getByRole('button', { name: 'Add certificate' }).click();
    await dialog.getByLabel('Certificate', { exact: true }).fill('nothing');
    await dialog.getByLabel('Private key', { exact: true }).fill(soon.key);
    await dialog.getByLabel('Name').fill('Dropped');
    await dialog.getByRole('button', { name: 'Add certificate' }).click();
    await dialog.getByText('Must contain only PEM certificates').waitFor();
    await dialog.getByLabel('Certificate', { exact: true }).fill('');
    const dropped = await page.evaluateHandle<DataTransfer>(
      `(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([${JSON.stringify(soon.pem)}], 'soon.crt'));
        transfer.items.add(new File([${JSON.stringify(soon.key)}], 'soon.key'));
        return transfer;
      })()`,
    );
    await dialog.getByLabel('Certificate', { exact: true }).dispatchEvent('drop', { dataTransfer: dropped });
    await dialog.getByText('The private key is included above.').waitFor();
    await dialog.getByRole('button', { name: 'Add certificate' }).click();
    await dialog.getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await row('Dropped').getByText('No rule').waitFor();

    await row('*.shop.example').getByRole('button', { name: 'Replace' }).click();
    await dialog.getByLabel('Certificate', { exact: true }).fill(soon.pem + soon.key);
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await dialog.getByText(/Must cover the domains .* www\.shop\.example/).waitFor();
    const renewed = await issue({ names: ['*.shop.example'], until: daysFromNow(400) });
    await dialog.getByLabel('Certificate', { exact: true }).fill(renewed.pem + renewed.key);
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await dialog.getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await row('*.shop.example').getByText('expires next year').waitFor();

    await row('*.shop.example').getByRole('button', { name: 'Delete' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/is in use by the rules of www\.shop\.example/)
      .waitFor();
    await page.keyboard.press('Escape');
    await row('Dropped').getByRole('button', { name: 'Delete' }).click();
    await dialog.locator('.plan-remove', { hasText: 'Dropped' }).waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 390, height: 844 });
    await row('Dropped').waitFor({ state: 'detached' });
    await expectAccessible(page);
    await end();
  });

  it('offers a viewer nothing', async () => {
    const { token } = await demo.trellis.createMember(team.uid, 'VIEWER');
    const { page, end } = await open('/teams/media/certificates', token);
    await page.getByRole('row').filter({ hasText: 'Old magazine' }).waitFor();
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
    await page.getByRole('link', { name: 'www.shop.example' }).click();
    await page.getByRole('heading', { name: 'www.shop.example' }).waitFor();
    expect(await page.locator('.page-head').getByRole('button').count()).toBe(0);
    await end();
  });
});
