import { beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { openConsole, untilSettled, useDemo } from '../../support/console.ts';

/**
 * The longest time that a window may wait by itself before it shows what another one shows. With a look, a pause and two
 * requests, it stays under a second.
 */
const maxWaitMs = 500;
/** A connection that is silent for longer is given up. */
const silenceMs = 40_000;

/** Notes how long the scripts of a page wait, by any timer. How long requests take is up to the machine. */
const noteWaits = `
  window.waits = [];
  for (const name of ['setTimeout', 'setInterval']) {
    const start = window[name];
    window[name] = (work, ms, ...rest) => (window.waits.push(ms ?? 0), start.call(window, work, ms, ...rest));
  }`;

describe('live', inBrowser, () => {
  const demo = useDemo();
  let components: Record<string, string>;
  beforeAll(async () => {
    await demo.browser.context.addInitScript(noteWaits);
    const { data } = await demo.trellis.graphql(
      '{ team(by: { name: "retail" }) { components(first: 100) { nodes { uid name } } } }',
    );
    components = Object.fromEntries(
      data.team.components.nodes.map(({ uid, name }: { uid: string; name: string }) => [name, uid]),
    );
  });

  const open = (path: string) => openConsole(demo.trellis, demo.browser.context, path);
  const leave = async ({ page, problems }: Awaited<ReturnType<typeof open>>) => {
    const waits = (await page.evaluate<number[]>('waits')).filter((ms) => ms !== silenceMs);
    expect(waits.length).toBeGreaterThan(0);
    expect(Math.max(...waits)).toBeLessThanOrEqual(maxWaitMs);
    expect(problems).toEqual([]);
    await page.close();
  };
  const portOf = (name: string, number: number) => ({
    at: { component: { componentId: components[name] }, number },
  });
  const change = (mutation: string, input: object, selection = '__typename') =>
    demo.trellis.succeed(mutation, input, selection);

  it('moves two windows at once', async () => {
    const [one, other] = [
      await open(`/components/${components.frontend}`),
      await open(`/components/${components.frontend}/ports/8080`),
    ];
    const areOpen = (isOpen: boolean) =>
      Promise.all(
        [one, other].map(({ page }) =>
          page.getByRole('switch', { name: 'Outside', checked: isOpen }).first().waitFor(),
        ),
      );
    await areOpen(true);
    for (const { page } of [one, other]) await page.getByText('Live', { exact: true }).waitFor();
    await change('closeOuterService', { port: portOf('frontend', 8080) });
    await areOpen(false);
    await change('openOuterService', { port: portOf('frontend', 8080) });
    await areOpen(true);
    for (const window of [one, other]) await leave(window);
  });

  it('moves what is used of quotas, of a team and of a region', async () => {
    const windows = [await open('/teams/media/usage'), await open('/regions/eu-central')];
    const cores = (count: number) => new RegExp(`of ${count} cores`);
    for (const { page } of windows) await page.getByText('Live', { exact: true }).waitFor();
    const place = { team: { name: 'media' }, region: { name: 'eu-central' } };
    await change('setTeamQuota', { ...place, cpuQuotaMillicores: 123_000, memoryQuotaMiB: 0 });
    for (const window of windows) {
      await window.page.getByText(cores(123)).first().waitFor();
      await leave(window);
    }
  });

  it('shows the tree and a job while it is carried out', async () => {
    const tree = await open('/');
    const row = tree.page.getByRole('row', { name: /queue-master/ });
    await tree.page
      .getByRole('row', { name: /Sock Shop/ })
      .getByRole('button', { name: 'Expand' })
      .click();
    await row.getByText('Stopped').waitFor();
    const { job } = await change(
      'startComponent',
      { component: { componentId: components['queue-master'] } },
      'job { uid }',
    );
    const watched = await open(`/jobs/${job.uid}`);
    await watched.page.getByRole('heading', { name: 'Start' }).waitFor();
    await row.getByText('Running').waitFor();
    await watched.page.getByText('Succeeded').first().waitFor();
    for (const window of [tree, watched]) await leave(window);
  });

  it('shows what happened before its subscription began', async () => {
    const { page } = await open(`/components/${components.shippingservice}`);
    await page.getByText('Live', { exact: true }).waitFor();
    const isHeld = new Promise<() => void>((resolve) => {
      page.route('**/graphql', async (route) => {
        const isSubscription = route.request().postData()?.includes('subscription ');
        if (isSubscription) await new Promise<void>((begin) => resolve(begin));
        await route.continue();
      });
    });
    const isRead = ['query Component(', 'query ComponentActions('].map((query) =>
      page.waitForResponse((response) => response.request().postData()?.includes(query) ?? false),
    );
    await page.reload();
    const [begin] = await Promise.all([isHeld, ...isRead]);
    const component = { componentId: components.shippingservice };
    await change('updateComponent', { component, name: 'Renamed meanwhile' });
    begin();
    await page.getByRole('heading', { name: 'Renamed meanwhile' }).waitFor();
    await page.close();
  });

  it('shows the last change when the response of an earlier read is late', async () => {
    const window = await open(`/components/${components.cartservice}/ports/7070`);
    const { page } = window;
    await page.getByText('Live', { exact: true }).waitFor();
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reads = 0;
    const isRead = new Promise<void>((resolve) => {
      page.route('**/graphql', async (route) => {
        if (!route.request().postData()?.includes('query Port(')) return route.continue();
        const response = await route.fetch();
        if ((await response.text()).includes('"isOuter":true') && reads++ === 0) {
          resolve();
          await isReleased;
        }
        await route.fulfill({ response });
      });
    });
    await change('openOuterService', { port: portOf('cartservice', 7070) });
    await isRead;
    // What else the page shows is read again, so that the page has noticed the change.
    const isNoticed = page.waitForResponse((response) =>
      Boolean(response.request().postData()?.includes('query PortActions(')),
    );
    await change('closeOuterService', { port: portOf('cartservice', 7070) });
    await isNoticed;
    release();
    await untilSettled(page);
    await page.getByText('Open to the outside').first().waitFor({ state: 'detached' });
    await leave(window);
  });

  it('keeps what it shows while it cannot be read again, and goes on by itself', async () => {
    const { page } = await open(`/components/${components.adservice}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await untilSettled(page);
    const component = { componentId: components.adservice };
    // Any read of the page can have the name.
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('query ') ? route.abort() : route.continue(),
    );
    await change('updateComponent', { component, name: 'Renamed unseen' });
    await page.getByText('Connection lost').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('adservice');
    await page.unroute('**/graphql');
    await page.getByRole('heading', { name: 'Renamed unseen' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.close();
  });

  it('says that the connection was lost, and shows what happened meanwhile when it is back', async () => {
    const { page } = await open(`/components/${components.adservice}/ports/9555`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('Connection lost').waitFor();
    await change('openOuterService', { port: portOf('adservice', 9555) });
    await page.context().setOffline(false);
    await page.getByText('Open to the outside').first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.getByText('Connection lost').count()).toBe(0);
    await page.close();
  });
});
