import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { inBrowser } from '../../support/browser.ts';
import { expectAccessible, goTo, startDemo, untilRead } from '../../support/console.ts';
import { platform } from '../../support/kubernetes/api/access.ts';
import { type FakeServer, startCluster } from '../../support/kubernetes/server.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('regions in the console', inBrowser, () => {
  let demo: Awaited<ReturnType<typeof startDemo>>;
  let server: FakeServer;
  let teamId: string;
  beforeAll(async () => {
    const drivers = [createSimulatedRegion({ delayMs: 300, hasLeftovers: true })];
    [demo, server] = await Promise.all([startDemo({ drivers }), startCluster({ hasMetrics: true })]);
    server.cluster.users.set('platform', platform());
    teamId = (await demo.trellis.data('{ team(by: { name: "media" }) { uid } }')).team.uid;
  });
  afterEach(() => demo.closePages());
  afterAll(async () => {
    await demo?.close();
    await server?.close();
  });

  const open = async (path: string, token?: string) => {
    const opened = await demo.open(path, token);
    const { page } = opened;
    return {
      ...opened,
      dialog: page.getByRole('dialog'),
    };
  };
  const choose = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'More…' }).click();
    await page.getByRole('button', { name, exact: true }).click();
  };
  /** Checks the cluster until it responds: on a busy machine, later than a cluster has time to. */
  const untilConnected = (page: Page) => {
    const again = page.getByRole('button', { name: 'Check again' });
    const look = async () => {
      if (await page.getByText(`Connected to Kubernetes v1.26.0 at ${server.url}.`).isVisible()) return true;
      if (await again.isEnabled()) await again.click();
      return false;
    };
    return expect.poll(look, { interval: 500 }).toBe(true);
  };
  const regionNamed = async (name: string) =>
    (
      await demo.trellis.data(
        `{ region(by: { name: "${name}" }) {
          alias driver url httpDomain tcpDomain description status scope cluster { gatewayClass namespacePrefix }
          usage { totalCpuCores } teams { edges { node { name } resources { totalCpuMillicores totalMemoryMiB } } }
        } }`,
      )
    ).region;

  /** A kubeconfig as clusters give it. */
  const kubeconfig = (user: object) =>
    JSON.stringify({
      clusters: [
        {
          name: 'c',
          cluster: { server: server.url, 'certificate-authority-data': base64(server.caCertificate) },
        },
      ],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    });

  it('lists them, and creates one that needs only a name', async () => {
    const { page, dialog, end } = await open('/');
    await page.getByRole('link', { name: 'Regions', exact: true }).click();
    const rows = page.getByRole('row');
    await page.getByRole('link', { name: 'Europe, Frankfurt' }).waitFor();
    expect(await rows.filter({ hasText: 'eu-central' }).textContent()).toMatch(
      /No cluster.*Enabled.*of 96 cores/,
    );
    expect(await rows.filter({ hasText: 'us-east' }).textContent()).toContain('Simulation');
    await page.getByRole('searchbox', { name: 'Find a region' }).fill('virgin');
    await rows.filter({ hasText: 'eu-central' }).waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(2);
    await page.getByRole('searchbox', { name: 'Find a region' }).fill('');
    await expectAccessible(page);

    await page.getByRole('button', { name: 'New region' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Atlantic, Açores');
    expect(await dialog.getByLabel('Short name').inputValue()).toBe('atlantic-acores');
    await expectAccessible(page);
    // What was typed is there after a reload.
    await page.reload();
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Atlantic, Açores');
    await dialog.getByText('More options').click();
    expect(await dialog.getByLabel('Domain of HTTP addresses').inputValue()).toBe('atlantic-acores.test');
    await dialog.getByLabel('Domain of HTTP addresses').fill('not a domain');
    await dialog.getByRole('button', { name: 'Create region' }).click();
    await dialog.locator('.field-error').first().waitFor();
    expect(await dialog.getByLabel('Domain of HTTP addresses').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Domain of HTTP addresses').fill('apps.acores.example');
    await dialog.getByLabel('Domain of TCP addresses').fill('tcp.acores.example');
    await dialog.getByLabel('CPU capacity, in cores').fill('12.5');
    await dialog.getByRole('button', { name: 'Create region' }).click();
    await page.getByRole('heading', { name: 'Atlantic, Açores' }).waitFor();
    await page.getByText("nothing runs, and addresses won't open").waitFor();
    expect(new URL(page.url()).pathname).toBe('/regions/atlantic-acores');
    expect(await regionNamed('atlantic-acores')).toMatchObject({
      driver: 'DECLARED',
      httpDomain: 'apps.acores.example',
      tcpDomain: 'tcp.acores.example',
      usage: { totalCpuCores: 12.5 },
    });
    await end();
  });

  it('checks a kubeconfig as it is pasted, and the cluster again later', async () => {
    const { page, dialog, end } = await open('/regions');
    await page.getByRole('button', { name: 'New region' }).click();
    await dialog.getByLabel('Driver').selectOption({ label: 'Kubernetes' });
    const field = dialog.getByLabel('Kubeconfig', { exact: true });
    await field.fill(kubeconfig({ exec: { command: 'sh' } }));
    await dialog.getByText('Must not have `users[].user.exec`').waitFor();
    await field.fill(kubeconfig({ token: 'wrong' }));
    await dialog.getByText(`The cluster at ${server.url} responds, but cannot be used.`).waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('File: Kubeconfig').setInputFiles({
      name: 'kubeconfig.yaml',
      mimeType: 'application/yaml',
      buffer: Buffer.from(kubeconfig({ token: 'platform' })),
    });
    await dialog.getByText(`Connected to Kubernetes v1.26.0 at ${server.url}.`).waitFor();
    await dialog.getByText('The account has all required permissions.').waitFor();
    // It is a secret, which no storage of the browser gets.
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('platform');
    await dialog.getByLabel('Name', { exact: true }).fill('Lab');
    await dialog.getByLabel('Domain of HTTP addresses').fill('apps.lab.example');
    await dialog.getByText('More options').click();
    await dialog.getByLabel('Gateway class').fill('test');
    await dialog.getByLabel('Prefix of namespaces').fill('lab-');
    await dialog.getByRole('button', { name: 'Create region' }).click();
    await page.getByRole('heading', { name: 'Lab', exact: true }).waitFor();
    await untilConnected(page);
    await expectAccessible(page);
    expect(await regionNamed('lab')).toMatchObject({
      driver: 'KUBERNETES',
      url: server.url,
      tcpDomain: 'apps.lab.example',
      cluster: { gatewayClass: 'test', namespacePrefix: 'lab-' },
    });

    server.cluster.users.set('platform', platform('secrets'));
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText(/The account is missing \d+ permissions:/).waitFor();
    server.cluster.users.set('platform', platform());
    await end();
  });

  it('edits a region, and sends only what differs', async () => {
    const { page, dialog, end } = await open('/regions/lab');
    await page.getByRole('button', { name: 'Edit region' }).click();
    await dialog.getByLabel('Description').fill('For tests.');
    await dialog.getByLabel('Scope').selectOption('PUBLIC');
    await dialog.getByText('More options').click();
    expect(await dialog.getByLabel('Gateway class').inputValue()).toBe('test');
    await dialog.getByLabel('Gateway class').fill('');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Done.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText('For tests.').waitFor();
    expect(await regionNamed('lab')).toMatchObject({
      description: 'For tests.',
      scope: 'PUBLIC',
      url: server.url,
      cluster: { gatewayClass: null, namespacePrefix: 'lab-' },
    });
    const { events } = await demo.trellis.data(
      '{ events(first: 1, action: "region.update") { nodes { changes { field } } } }',
    );
    expect(events.nodes[0].changes.map(({ field }: { field: string }) => field).sort()).toEqual([
      'cluster',
      'description',
      'scope',
    ]);
    await end();
  });

  it('opens a region for a team with a quota, changes it, and closes the region', async () => {
    const { page, dialog, end } = await open('/regions/atlantic-acores');
    await page.getByRole('button', { name: 'Open for a team' }).click();
    await dialog.getByLabel('Team').selectOption({ label: 'Media' });
    await dialog.getByLabel('CPU quota, in millicores').fill('4000');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Open region', exact: true }).click();
    await dialog.getByText('Done.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Set quota' }).click();
    await dialog.getByLabel('Memory, in MiB').fill('2048');
    await dialog.getByRole('button', { name: 'Save quota' }).click();
    await dialog.getByText('Done.').waitFor();
    const { edges } = (await regionNamed('atlantic-acores')).teams;
    expect(edges).toEqual([
      { node: { name: 'media' }, resources: { totalCpuMillicores: 4000, totalMemoryMiB: 2048 } },
    ]);
    // While it is open for a team, it is not deleted.
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await choose(page, 'Delete region');
    await dialog.getByText('Close it first.').waitFor();

    await goTo(page, '/teams/media/usage');
    // The plan in the dialog lists the region as well.
    const card = page.locator('li.use-card').filter({ hasText: 'Atlantic' });
    await card.getByRole('button', { name: 'Close region' }).click();
    await dialog.getByText('1 to remove').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Close region' }).click();
    await card.waitFor({ state: 'detached' });

    await goTo(page, '/regions/atlantic-acores');
    await choose(page, 'Delete region');
    await dialog.getByText('1 to remove').waitFor();
    await dialog.getByRole('button', { name: 'Delete region' }).click();
    await page.waitForURL('**/regions');
    await page.getByRole('link', { name: 'Europe, Frankfurt' }).waitFor();
    await page.getByRole('link', { name: 'Atlantic, Açores' }).waitFor({ state: 'detached' });
    await end();
  });

  it('imports what runs in a cluster, and removes what is left in it', async () => {
    const { page, dialog, end } = await open('/regions/us-east');
    await choose(page, 'Import');
    await dialog.getByLabel('Namespace').fill('legacy');
    await dialog.getByLabel('Team').selectOption({ label: 'Retail' });
    await dialog.getByRole('button', { name: 'Preview changes' }).click();
    await dialog.getByText('the data, because the new volume is empty').waitFor();
    await dialog.getByText('legacy-web').first().waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Import namespace', exact: true }).click();
    await dialog.getByRole('link', { name: 'Open legacy' }).click();
    await page.getByRole('heading', { name: 'legacy', exact: true }).waitFor();

    await goTo(page, '/regions/us-east');
    const leftovers = page.getByRole('region', { name: 'Leftovers in the cluster' });
    await leftovers.getByText('PersistentVolumeClaim left').waitFor();
    await choose(page, 'Remove leftovers');
    await dialog.getByText('1 object would be removed:').waitFor();
    await dialog.getByLabel('Also delete volumes and their data').check();
    await dialog.getByText('2 objects would be removed:').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Remove leftovers', exact: true }).click();
    await dialog.getByText('Done.').waitFor();
    await leftovers.waitFor({ state: 'detached' });
    await end();
  });

  it('offers nothing to those who may do nothing, and fits a phone', async () => {
    const viewer = await demo.trellis.createMember(teamId, 'VIEWER');
    const { page, end } = await open('/regions', viewer.token);
    await page.getByRole('link', { name: 'Europe, Frankfurt' }).waitFor();
    expect(await page.getByRole('button', { name: 'New region' }).count()).toBe(0);
    await untilRead(page, 'RegionActions', () =>
      page.getByRole('link', { name: 'Europe, Frankfurt' }).click(),
    );
    await page.getByRole('heading', { name: 'Europe, Frankfurt' }).waitFor();
    const main = page.getByRole('main');
    for (const name of ['Edit region', 'Open for a team', 'More…', 'Set quota'])
      expect(await main.getByRole('button', { name }).count(), name).toBe(0);
    await end();

    const { page: phone, dialog, end: endPhone } = await open('/regions');
    await phone.setViewportSize({ width: 390, height: 844 });
    await phone.getByRole('link', { name: 'Lab' }).waitFor();
    await expectAccessible(phone);
    await phone.getByRole('button', { name: 'New region' }).click();
    await dialog.getByLabel('Driver').selectOption({ label: 'Kubernetes' });
    await expectAccessible(phone);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await phone.getByRole('link', { name: 'Lab' }).click();
    await untilConnected(phone);
    await expectAccessible(phone);
    await endPhone();
  });
});
