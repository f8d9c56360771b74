import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { places } from '../../../src/console/places.ts';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { inBrowser } from '../../support/browser.ts';
import { issue } from '../../support/certificates.ts';
import { componentPath, componentTabs, openConsole, startDemo } from '../../support/console.ts';

/** The mutations by the address of their page. */
const byPage = new Map<string, { mutation: string; control: string }[]>();
for (const [mutation, place] of Object.entries(places)) {
  if ('reason' in place) continue;
  byPage.set(place.page, [...(byPage.get(place.page) ?? []), { mutation, control: place.control }]);
}

describe('the places of mutations', inBrowser, () => {
  let demo: Awaited<ReturnType<typeof startDemo>>;
  /** Addresses of each page that together have what its controls need. */
  let addresses: Record<string, string | string[]>;

  beforeAll(async () => {
    // The slow job has to last until its page is opened, which is a hundred times this.
    demo = await startDemo({ drivers: [createSimulatedRegion({ delayMs: 2_000, hasLeftovers: true })] });
    const { trellis } = demo;
    const make = (mutation: string, input: object, selection = '__typename') =>
      trellis.succeed(mutation, input, selection);
    const { team, templates, viewer } = await trellis.data(`{
      viewer { user { uid } }
      templates { nodes { id uid versions { nodes { version } } } }
      team(by: { name: "retail" }) {
        id
        uid
        applications { nodes { id appId: uid name region { uid } components { nodes { id uid name ports { nodes { id number } } } } } }
      }
    }`);
    const shop = team.applications.nodes.find(({ name }: { name: string }) => name === 'Sock Shop');
    const { nodes } = shop.components;
    // Of those that the upgrade leaves as they are.
    const named = (name: string) => nodes.find((each: { name: string }) => each.name === name);
    const [component, stopped] = [named('catalogue'), named('queue-master')];
    const port =
      component.ports.nodes[0] ??
      (
        await make(
          'addPort',
          { component: { id: component.id }, number: 8080, protocol: 'HTTP' },
          'port { id number }',
        )
      ).port;
    const of = { team: { id: team.id } };
    await make('addVolume', {
      component: { id: component.id },
      name: 'places',
      path: '/places',
      type: 'local',
      accessMode: 'ReadWriteMany',
    });
    const volume = { at: { component: { id: component.id }, name: 'places' } };
    await make('createVolumeSnapshot', { volume });
    await make('setSnapshotSchedule', { volume, cron: '0 0 1 1 *', keep: 1 });
    await make('setAutoscaling', {
      component: { id: component.id },
      ...{ minReplicas: 1, maxReplicas: 2, memoryPercent: 80 },
    });
    await make('updateComponent', { component: { id: component.id }, opensWebhooks: true });
    await make('createDeployHook', { component: { id: component.id } });
    await make('createSchedule', {
      component: { id: component.id },
      ...{ cron: '0 0 1 1 *', command: ['true'] },
    });
    await make('runComponent', { component: { id: component.id }, command: ['sleep', '600'] });
    await make('addDependency', { component: { id: component.id }, dependency: { id: stopped.id } }).catch(
      () => {},
    );
    const { rule } = await make(
      'createHttpRule',
      {
        application: { id: shop.id },
        component: { id: component.id },
        portNumber: port.number,
        domain: 'places.shop.example',
        opensPort: true,
      },
      'rule { id }',
    );
    const { pem, key } = await issue({ names: ['places.shop.example'] });
    await make('addCertificate', { ...of, name: 'places', chain: pem, key });
    await make('createRegistryCredential', { ...of, host: 'registry.example', username: 'u', password: 'p' });
    const { serviceAccount } = await make(
      'createServiceAccount',
      { ...of, name: 'pipeline', role: 'DEVELOPER' },
      'serviceAccount { id }',
    );
    await make('addTrust', {
      serviceAccount: { id: serviceAccount.id },
      issuer: 'https://ci.example',
      audience: 'https://trellis.example',
      claims: [{ name: 'sub', pattern: 'repo:shop' }],
    });
    await make('createRole', { name: 'deployers', actions: ['DEPLOY_COMPONENT'] });
    const { webhook } = await make(
      'createWebhook',
      { ...of, url: 'https://hooks.example/trellis', events: ['*'] },
      'webhook { uid }',
    );
    await make('testWebhook', { webhook: { webhookId: webhook.uid } });
    const person = await trellis.createPerson();
    await trellis.createSession(viewer.user.uid);
    await make('upgradeApplication', {
      application: { id: shop.id },
      upgrades: await upgradesOf(shop.id),
    });
    await make('updateApplication', { application: { id: shop.id }, previews: {} });
    await make('openPreview', { application: { id: shop.id }, key: 'pr-1' });
    // The simulated region takes minutes to start this image.
    const { job } = await make(
      'updateComponent',
      { component: { id: named('orders').id }, image: 'shop/orders:1-slow', deploy: true },
      'job { uid }',
    );
    const [template] = templates.nodes;
    const [published] = template.versions.nodes;
    await make('disableTemplateVersion', { template: { id: template.id }, version: published.version });

    async function upgradesOf(id: string) {
      const { application } = await trellis.data(
        'query($by: ApplicationRef!) { application(by: $by) { upgrades { storeName templateId upgradeVersions } } }',
        { by: { id } },
      );
      return application.upgrades.map(({ storeName, templateId, upgradeVersions }: any) => ({
        storeName,
        templateId,
        version: upgradeVersions.at(-1),
      }));
    }

    addresses = {
      '/': '/',
      '/teams/:name': '/teams/retail',
      '/teams/:name/usage': '/teams/retail/usage',
      '/teams/:name/members': '/teams/retail/members',
      '/teams/:name/automation': '/teams/retail/automation',
      '/teams/:name/certificates': '/teams/retail/certificates',
      '/teams/:name/registries': '/teams/retail/registries',
      '/teams/:name/webhooks': '/teams/retail/webhooks',
      '/webhooks/:uid': `/webhooks/${webhook.uid}`,
      '/users': '/users',
      '/users/:uid': `/users/${person.userId}`,
      '/roles': '/roles',
      '/account': '/account',
      '/regions': '/regions',
      '/regions/:name': '/regions/us-east',
      '/templates': '/templates',
      '/templates/:id': `/templates/${template.uid}`,
      '/applications/:id': `/applications/${shop.appId}`,
      '/applications/:id/manifest': `/applications/${shop.appId}/manifest`,
      '/applications/:id/previews': `/applications/${shop.appId}/previews`,
      '/applications/:id/upgrades': `/applications/${shop.appId}/upgrades`,
      ...Object.fromEntries(
        componentTabs.map((tab) => [
          componentPath(':uid', tab),
          [component, stopped].map(({ uid }) => componentPath(uid, tab)),
        ]),
      ),
      '/components/:uid/ports/:number': `/components/${component.uid}/ports/${port.number}`,
      '/rules/:id': `/rules/${encodeURIComponent(rule.id)}`,
      '/jobs/:id': `/jobs/${job.uid}`,
    };
  });
  afterAll(() => demo?.close());

  it.each([...byPage])('%s', async (page, mutations) => {
    const missing = new Map(mutations.map(({ mutation, control }) => [mutation, control]));
    const opened: Awaited<ReturnType<typeof openConsole>>[] = [];
    for (const address of [addresses[page] ?? []].flat()) {
      const one = await openConsole(demo.trellis, demo.browser.context, address);
      await one.page.locator('main h1').waitFor();
      if (page === componentPath(':uid', 'configuration') && opened.length === 0) {
        await one.page.getByRole('button', { name: 'Snapshots' }).first().click();
      }
      opened.push(one);
    }
    const look = async () => {
      for (const one of opened) {
        const controls = await controlsOf(one.page);
        for (const [mutation, control] of missing) if (controls.has(control)) missing.delete(mutation);
      }
      return [...missing];
    };
    await expect.poll(look).toEqual([]);
    for (const { page, problems } of opened) {
      expect(problems).toEqual([]);
      await page.close();
    }
  });
});

/** The names of the controls of a page, with those in its menus. */
async function controlsOf(page: Page): Promise<Set<string>> {
  const names = new Set<string>();
  const note = async () => {
    const found = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main a, main button')].filter((each) => each.checkVisibility())
        .map((each) => (each.getAttribute('aria-label') ?? each.textContent).trim())`,
    );
    for (const name of found) names.add(name);
  };
  await note();
  const menus = page.locator('main').getByRole('button', { name: 'More…' });
  for (let index = 0; index < (await menus.count()); index++) {
    await menus.nth(index).click();
    await note();
    await page.keyboard.press('Escape');
  }
  return names;
}
