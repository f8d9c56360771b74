import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/api.ts';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { inBrowser } from '../../support/browser.ts';
import { issue } from '../../support/certificates.ts';
import { type ConsolePage, componentPath, goTo, openConsole, startDemo } from '../../support/console.ts';
import { createTemplate } from '../../support/installs.ts';
import { notInConsole } from '../../support/not-in-console.ts';
import { openDialogs } from '../../support/open-dialogs.ts';

/** The mutations whose dialogs need more than a click. */
const openedElsewhere: Record<string, string> = { applyManifest: 'manifest-apply.once.test.ts opens it' };

/** The pages that have actions. */
const pages = [
  '/',
  ...['', '/usage', '/members', '/automation', '/certificates', '/registries', '/webhooks'].map(
    (part) => `/teams/:name${part}`,
  ),
  ...['/webhooks/:uid', '/users', '/users/:uid', '/roles', '/account', '/regions', '/regions/:name'],
  ...['/templates', '/templates/:id', '/applications/:id'],
  ...['/applications/:id/previews', '/applications/:id/upgrades'],
  ...(['overview', 'network', 'configuration', 'runs', 'history'] as const).map((tab) =>
    componentPath(':uid', tab),
  ),
  ...['/components/:uid/ports/:number', '/rules/:http', '/rules/:tcp', '/jobs/:id'],
];

/** The verbs of mutations, and others that the console has for them, in the imperative. */
const mutations = Object.keys(schema.getMutationType()!.getFields());
const verbs = [
  ...mutations.map((mutation) => mutation.replace(/[A-Z].*/, '').replace('rollback', 'roll back')),
  ...['allow', 'deactivate', 'edit', 'leave', 'make', 'pause', 'preview', 'save', 'send', 'trust'],
];
const sentence = new RegExp(`^(?:${verbs.join('|')}) \\S`, 'i');

describe('the places of mutations', inBrowser, () => {
  let demo: Awaited<ReturnType<typeof startDemo>>;
  let opened: ConsolePage;
  /** What addresses begin with. Several together have what the controls of a page need. */
  let starts: Record<string, readonly string[]>;
  const found = new Set<string>();

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
    const newPort = async (number: number, isOpen: boolean) => {
      const input = { component: { id: component.id }, number, protocol: 'HTTP', isInner: isOpen };
      const { port } = await make('addPort', input, 'port { id }');
      if (isOpen) await make('openOuterService', { port: { id: port.id } });
      return number;
    };
    const numbers = [await newPort(9001, true), await newPort(9002, false)];
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
        portNumber: 9001,
        domain: 'places.shop.example',
      },
      'rule { id }',
    );
    const { rule: tcpRule } = await make(
      'createTcpRule',
      {
        application: { id: shop.id },
        component: { id: component.id },
        portNumber: 9001,
        endpoint: '0.0.0.0:31999',
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
    const { install } = await createTemplate(trellis, shop.appId);
    await make('installApplication', install);
    // What a release can be promoted to.
    const other = team.applications.nodes.find(({ id }: { id: string }) => id !== shop.id);
    await make('createComponent', { application: { id: other.id }, name: component.name, image: 'x:1' });
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

    starts = {
      '/teams/:name': ['/teams/retail'],
      '/regions/:name': ['/regions/us-east'],
      '/webhooks/:uid': [`/webhooks/${webhook.uid}`],
      '/users/:uid': [`/users/${person.userId}`],
      '/templates/:id': [`/templates/${template.uid}`],
      '/applications/:id': [`/applications/${shop.appId}`],
      '/components/:uid': [component, stopped].map(({ uid }) => componentPath(uid)),
      '/components/:uid/ports/:number': numbers.map(
        (number) => `/components/${component.uid}/ports/${number}`,
      ),
      '/rules/:http': [`/rules/${encodeURIComponent(rule.id)}`],
      '/rules/:tcp': [`/rules/${encodeURIComponent(tcpRule.id)}`],
      '/jobs/:id': [`/jobs/${job.uid}`],
    };
    opened = await openConsole(trellis, demo.browser.context);
  });
  afterAll(() => demo?.close());

  const addressesOf = (page: string): string[] => {
    const [start] = Object.keys(starts)
      .filter((each) => page.startsWith(each))
      .sort((one, other) => other.length - one.length);
    return start ? starts[start]!.map((each) => each + page.slice(start.length)) : [page];
  };

  it.each(pages)('%s', async (path) => {
    const { page, problems } = opened;
    const seen = new Set<string>();
    for (const address of addressesOf(path)) {
      // Loading the console for each would take most of the time.
      await goTo(page, address);
      for (const { label, mutation, confirm } of await openDialogs(page, seen)) {
        found.add(mutation);
        expect(confirm, `${label} of ${address}`).toMatch(sentence);
      }
      expect(problems).toEqual([]);
    }
  });

  it('are found for all but those that the console does not have', () => {
    expect([...found, ...Object.keys({ ...openedElsewhere, ...notInConsole })].sort()).toEqual(
      mutations.sort(),
    );
  });
});
