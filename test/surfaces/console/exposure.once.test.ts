import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { daysFromNow, issue } from '../../support/certificates.ts';
import { expectAccessible, goTo, untilRead, useDemo } from '../../support/console.ts';

describe('what is exposed, in the console', inBrowser, () => {
  const demo = useDemo();
  let teamId: string;
  const components = new Map<string, { uid: string; appId: number }>();
  beforeAll(async () => {
    const { teams } = await demo.trellis.data(
      '{ teams { nodes { uid name components(first: 100) { nodes { uid name application { appId: uid } } } } } }',
    );
    for (const team of teams.nodes) {
      if (team.name === 'media') teamId = team.uid;
      for (const { uid, name, application } of team.components.nodes)
        components.set(name, { uid, appId: application.appId });
    }
  });
  afterEach(() => demo.closePages());

  const open = async (path: string, token?: string) => {
    const opened = await demo.open(path, token);
    const { page } = opened;
    return {
      ...opened,
      dialog: page.getByRole('dialog'),
      row: (address: string) => page.getByRole('row').filter({ hasText: address }),
    };
  };
  const isOuter = async (name: string) =>
    (
      await demo.trellis.data(
        `{ component(by: { componentId: "${components.get(name)!.uid}" }) { ports { nodes { isOuter } } } }`,
      )
    ).component.ports.nodes[0].isOuter;

  it('opens a port and has its link within five clicks', async () => {
    const { page, dialog, end } = await open('/');
    await page.getByRole('link', { name: 'Online Boutique' }).click();
    await page.getByRole('link', { name: 'adservice' }).click();
    await page.getByRole('switch', { name: 'Outside' }).click();
    // Nothing is opened before it is confirmed.
    await dialog.getByText(/^http:\/\/9555\..*\.retail\./).waitFor();
    await dialog.locator('.plan-add', { hasText: 'opens to the outside' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await isOuter('adservice')).toBe(false);
    await page.getByRole('switch', { name: 'Outside' }).click();
    await dialog.getByRole('button', { name: 'Open port to the outside' }).click();
    const address = dialog.getByRole('link', { name: /^http:\/\/9555\./ });
    await address.waitFor();
    expect(await address.getAttribute('target')).toBe('_blank');
    expect(await address.getAttribute('rel')).toContain('noopener');
    const href = await address.getAttribute('href');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('switch', { name: 'Outside' }).getAttribute('aria-checked')).toBe('true');
    // Its other addresses are links as well, with a button that copies.
    await demo.browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page
      .getByRole('button', { name: /^Copy http:\/\/9555\./ })
      .first()
      .click();
    await page.getByText('Copied').first().waitFor({ state: 'attached' });
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(href);
    await end();
  });

  it('warns before it opens a database, inside as well as by a rule', async () => {
    const { page, dialog, end } = await open(`/components/${components.get('db')!.uid}/ports/3306`);
    await page.getByRole('switch', { name: 'Outside' }).click();
    await dialog.getByText('tcp.eu-central.trellis.example:30000').waitFor();
    await dialog.getByText('This looks like a database (MariaDB).').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add TCP rule' }).click();
    await dialog.getByText('This looks like a database (MariaDB).').waitFor();
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('switch', { name: 'Outside' }).click();
    await dialog.getByRole('button', { name: 'Open port to the outside' }).click();
    await dialog.getByText('tcp.eu-central.trellis.example:30000').waitFor();
    await end();
  });

  it('lists every address with its certificate, component and who opened it, and filters them', async () => {
    const { trellis } = demo;
    const wordpress = components.get('wordpress')!;
    const until = async (name: string, days: number) => {
      const { pem, key } = await issue({ names: [name], until: daysFromNow(400) });
      const { certificate } = await trellis.succeed(
        'addCertificate',
        { team: { teamId }, chain: pem, key },
        'certificate { id uid }',
      );
      // Certificates that have ended cannot be added, but they end.
      await trellis.services.db.transaction((tx) =>
        tx.certificate.update({ where: { id: certificate.uid }, data: { expiresAt: daysFromNow(days) } }),
      );
      const rule = {
        application: { appId: wordpress.appId },
        component: { componentId: wordpress.uid },
        portNumber: 80,
        domain: name,
        certificate: { id: certificate.id },
      };
      await trellis.succeed('createHttpRule', rule, 'rule { id }');
    };
    await until('valid.example', 90.5);
    await until('soon.example', 12.5);
    await until('ended.example', -3.5);

    const { page, row, end } = await open('/');
    await page.getByRole('link', { name: 'Exposed' }).click();
    const valid = row('https://valid.example');
    await valid.getByText('expires in 3 months').waitFor();
    await valid.getByRole('link', { name: 'wordpress', exact: true }).waitFor();
    await valid.getByRole('link', { name: 'Media' }).waitFor();
    await valid.getByText(/^admin, /).waitFor();
    await valid.getByText("Won't open: declared region").waitFor();
    await row('https://soon.example').getByText('expires in 12 days').waitFor();
    await row('https://ended.example').getByText('expired 3 days ago').waitFor();
    await row('http://8080.').getByText('Not encrypted').waitFor();
    await row('http://8079.').getByText("Won't open: simulated region").waitFor();
    const database = row('tcp.eu-central.trellis.example:30000');
    await database.getByText('Database: MariaDB').waitFor();
    // A browser cannot open it.
    expect(await database.getByRole('link', { name: /trellis\.example/ }).count()).toBe(0);
    await expectAccessible(page);

    await page.getByLabel('Only addresses with warnings').check();
    await valid.waitFor({ state: 'detached' });
    for (const each of ['https://soon.example', 'https://ended.example', 'http://8080.', ':30000'])
      await row(each).first().waitFor();
    await page.getByLabel('Protocol').selectOption('https');
    await row('http://8080.').waitFor({ state: 'detached' });
    expect(await page.getByRole('row').count()).toBe(3);
    // The filter is in the address.
    await page.reload();
    await row('https://ended.example').waitFor();
    expect(await page.getByRole('row').count()).toBe(3);
    await page.getByLabel('Protocol').selectOption('mysql');
    await database.waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByLabel('Protocol').selectOption('');
    await page.getByLabel('Only addresses with warnings').uncheck();
    await page.getByRole('searchbox', { name: 'Filter by address' }).fill('valid');
    await row('http://8080.').waitFor({ state: 'detached' });
    await valid.waitFor();
    await page.getByRole('searchbox', { name: 'Filter by address' }).fill('nobody');
    await page.getByText('No matching addresses.').waitFor();
    await end();
  });

  it('has the addresses of a team for its members, on a phone', async () => {
    const { token } = await demo.trellis.createMember(teamId, 'VIEWER');
    const { page, row, end } = await open('/teams/media/exposed', token);
    await page.setViewportSize({ width: 390, height: 844 });
    await row('https://valid.example').waitFor();
    expect(await row('http://8080.').count()).toBe(0);
    expect(await row('https://valid.example').getByRole('link', { name: 'Media' }).count()).toBe(0);
    await expectAccessible(page);
    await row('https://valid.example').getByRole('link', { name: 'Details of valid.example/' }).click();
    await page.getByRole('heading', { name: 'valid.example' }).waitFor();
    await end();
  });

  it('loads the rest of many addresses, and finds the warnings among all of them', async () => {
    const { trellis } = demo;
    const { uid, appId } = components.get('frontend')!;
    await trellis.addPort(uid, 6379, { protocol: 'TCP' });
    for (let index = 0; index < 60; index++) {
      await trellis.succeed(
        'createTcpRule',
        {
          application: { appId },
          component: { componentId: uid },
          portNumber: index === 59 ? 6379 : 8080,
          endpoint: `0.0.0.0:${40_000 + index}`,
        },
        'rule { id }',
      );
    }
    const { page, row, end } = await open('/teams/retail/exposed');
    await row(':40000').waitFor();
    expect(await row(':40059').count()).toBe(0);
    await page.getByRole('button', { name: /more$/ }).scrollIntoViewIfNeeded();
    await row(':40059').waitFor();
    expect(await page.getByRole('button', { name: /more$/ }).count()).toBe(0);
    await goTo(page, '/teams/retail/exposed?protocol=tcp&warnings=only');
    await row(':40059').getByText('Database: Redis').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await untilRead(page, 'TeamExposed', () => page.reload());
    await row(':40059').waitFor();
    await end();
  });
});
