import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, openConsole, startDemo } from '../../support/console.ts';
import { succeed } from '../../support/fixtures.ts';

/** The longest time between a change and what a window shows, on a machine that does nothing else. */
const liveMs = 1_000;

describe.skipIf(!hasChromium)('live', { timeout: 60_000 }, () => {
  let demo: Awaited<ReturnType<typeof startDemo>>;
  let components: Record<string, string>;
  beforeAll(async () => {
    demo = await startDemo();
    const { data } = await demo.trellis.graphql(
      '{ team(by: { name: "retail" }) { components(first: 100) { nodes { uid name } } } }',
    );
    components = Object.fromEntries(
      data.team.components.nodes.map(({ uid, name }: { uid: string; name: string }) => [name, uid]),
    );
  }, 60_000);
  afterAll(() => demo?.close());

  const open = (path: string) => openConsole(demo.trellis, demo.browser.context, path);
  const portOf = (name: string, number: number) => ({
    at: { component: { componentId: components[name] }, number },
  });
  const change = (mutation: string, input: object, selection = '__typename') =>
    succeed(demo.trellis, mutation, input, selection);

  it('moves two windows at once', async () => {
    const [one, other] = [
      await open(`/components/${components.frontend}`),
      await open(`/components/${components.frontend}/ports/8080`),
    ];
    for (const { page } of [one, other]) {
      await page.getByText('Open to the outside').first().waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
    }
    await change('closeOuterService', { port: portOf('frontend', 8080) });
    const began = performance.now();
    await Promise.all(
      [one, other].map(({ page }) =>
        page.getByText('Open to the outside').first().waitFor({ state: 'detached' }),
      ),
    );
    // With room for a machine that runs other tests.
    expect(performance.now() - began).toBeLessThan(3 * liveMs);
    await change('openOuterService', { port: portOf('frontend', 8080) });
    for (const { page, problems } of [one, other]) {
      await page.getByText('Open to the outside').first().waitFor();
      expect(problems).toEqual([]);
      await page.close();
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
    for (const { page, problems } of [tree, watched]) {
      expect(problems).toEqual([]);
      await page.close();
    }
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
