import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { componentPath, openConsole, setHidden, untilSettled, useDemo } from '../../support/console.ts';
import { unique } from '../../support/fixtures.ts';

describe('tabs', inBrowser, () => {
  const demo = useDemo();
  let team: { uid: string; applications: { nodes: { appId: number }[] } };
  let components: { uid: string; name: string }[];
  beforeAll(async () => {
    const data = await demo.trellis.data(`{
      team(by: { name: "retail" }) {
        uid applications { nodes { appId: uid } } components(first: 100) { nodes { uid name } }
      }
    }`);
    team = data.team;
    components = data.team.components.nodes;
  });
  afterEach(async () => {
    for (const page of demo.browser.context.pages()) await page.close();
    await expectConnections(0);
  });

  // A tab that follows more opens a connection before the server notices that the one before is closed.
  const expectConnections = (count: number) =>
    expect.poll(() => demo.trellis.services.feeds.size).toBe(count);
  const live = (page: Page) => page.getByText('Live', { exact: true }).waitFor();
  const open = async (path: string, token?: string) => {
    const { page } = await openConsole(demo.trellis, demo.browser.context, path, token);
    return page;
  };
  const openLive = async (path: string, token?: string) => {
    const page = await open(path, token);
    await live(page);
    return page;
  };
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const rename = async ({ uid }: { uid: string }, name = unique('renamed')) => {
    await demo.trellis.succeed('updateComponent', { component: { componentId: uid }, name }, '__typename');
    return name;
  };
  const pathOf = ({ uid }: { uid: string }) => componentPath(uid);

  it('share one connection, and the seventh loads like the first', async () => {
    const [{ appId }] = team.applications.nodes as [{ appId: number }];
    const paths = [
      '/',
      '/teams/retail',
      `/applications/${appId}`,
      '/teams/media',
      ...components.slice(0, 3).map(pathOf),
    ];
    const pages: Page[] = [];
    for (const path of paths) pages.push(await openLive(path));
    await expectConnections(1);

    const names = await Promise.all(components.slice(0, 3).map((each) => rename(each)));
    await Promise.all(names.map((name, index) => heading(pages[4 + index]!, name)));
    await Promise.all(pages.map(live));
    await expectConnections(1);
  });

  it('have a connection for each token', async () => {
    const { token } = await demo.trellis.createMember(team.uid, 'VIEWER');
    const [one, other] = [
      await openLive(pathOf(components[0]!)),
      await openLive(pathOf(components[0]!), token),
    ];
    await expectConnections(2);
    const name = await rename(components[0]!);
    for (const page of [one, other]) await heading(page, name);
  });

  it('have none while they are hidden, and show what happened when they are shown again', async () => {
    const [first, second] = [await openLive(pathOf(components[0]!)), await openLive(pathOf(components[1]!))];
    const before = (await first.getByRole('heading', { level: 1 }).textContent())!;
    await setHidden(second, true);
    await expectConnections(1);
    await setHidden(first, true);
    await expectConnections(0);
    const reads: string[] = [];
    first.on('request', (request) => reads.push(request.url()));
    const name = await rename(components[0]!);
    const other = await rename(components[1]!);

    await setHidden(second, false);
    await heading(second, other);
    await expectConnections(1);
    expect(await first.getByRole('heading', { level: 1 }).textContent()).toBe(before);
    expect(reads).toEqual([]);
    await setHidden(first, false);
    await heading(first, name);
    await live(first);
    await expectConnections(1);
  });

  it('follow logs over a connection of their own, which a hidden tab does not have', async () => {
    const { uid } = components.find(({ name }) => name === 'front-end')!;
    const page = await openLive(pathOf({ uid }));
    await page.getByRole('link', { name: 'Logs of front-end-0' }).click();
    const lines = page.getByRole('log').locator('div');
    await lines.nth(1).waitFor();
    await expectConnections(2);
    await setHidden(page, true);
    await expectConnections(0);
    const before = await lines.allTextContents();
    await setHidden(page, false);
    await expectConnections(2);
    await lines.nth(before.length).waitFor();
    const after = await lines.allTextContents();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length).filter((line) => before.includes(line))).toEqual([]);
  });

  it('have connections of their own where the browser has no locks, as without HTTPS', async () => {
    const withoutLocks = async (hash: string) => {
      const page = await demo.browser.context.newPage();
      await page.addInitScript('delete Navigator.prototype.locks');
      await page.goto(demo.trellis.url + pathOf(components[0]!) + hash);
      await live(page);
      return page;
    };
    const pages = [await withoutLocks(`#token=${demo.trellis.adminToken}`), await withoutLocks('')];
    await expectConnections(2);
    const name = await rename(components[0]!);
    for (const page of pages) await heading(page, name);
  });

  it('take over from the one with the connection, and miss nothing', async () => {
    const requests: Page[] = [];
    demo.browser.context.on('request', (request) => {
      if (request.postData()?.includes('nodesChanged')) requests.push(request.frame().page());
    });
    const pages: Page[] = [];
    for (const component of components.slice(0, 3)) pages.push(await openLive(pathOf(component)));
    for (const gone of ['closed', 'hidden'] as const) {
      await expectConnections(1);
      const leader = requests.at(-1)!;
      const rest = pages.filter((page) => page !== leader && !page.isClosed());
      const isTaken = demo.browser.context.waitForEvent('request', (request) =>
        Boolean(request.postData()?.includes('nodesChanged')),
      );
      if (gone === 'closed') await leader.close();
      else await setHidden(leader, true);
      for (const page of rest) await heading(page, await rename(components[pages.indexOf(page)]!));
      await isTaken;
      expect(rest).toContain(requests.at(-1));
      for (const page of rest) await live(page);
    }
  });

  it.each(['another tab', 'the same tab'])('show what changes while %s reads it', async (which) => {
    const [{ appId }] = team.applications.nodes as [{ appId: number }];
    const path = `/applications/${appId}`;
    const { application } = await demo.trellis.data(
      `{ application(by: { appId: ${appId} }) { components(first: 2) { nodes { uid name } } } }`,
    );
    const [one, other] = application.components.nodes;
    // The application is followed already.
    await openLive(pathOf(other));
    const first = await openLive('/teams/media');
    // What it read again when the connection was opened is over.
    await untilSettled(first);
    const { context } = demo.browser;
    let name = '';
    let isHeld = false;
    await context.route('**/graphql', async (route) => {
      if (isHeld || !route.request().postData()?.includes('query Application(')) return route.continue();
      isHeld = true;
      const response = await route.fetch();
      name = await rename(one);
      await route.fulfill({ response });
    });
    if (which === 'the same tab') {
      await first.evaluate(
        `history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`,
      );
    }
    const page = which === 'the same tab' ? first : await open(path);
    await expect.poll(() => name).not.toBe('');
    await page.getByText(name).first().waitFor();
    await context.unroute('**/graphql');
    await expectConnections(1);
  });
});
