import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser, launchBrowser, type TestBrowser } from '../../support/browser.ts';
import { cliFor } from '../../support/cli.ts';
import { componentPath, expectAccessible, goToTab, openConsole } from '../../support/console.ts';
import { createWeb } from '../../support/deployed-images.ts';
import { type ClusterPlace, createClusterPlace } from '../../support/kubernetes/place.ts';
import { type FakeServer, startCluster } from '../../support/kubernetes/server.ts';
import { type RegistryServer, startRegistry } from '../../support/registry-server.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

describe('the images of a component in the console and on the command line', inBrowser, () => {
  let trellis: Trellis;
  let server: FakeServer;
  let registry: RegistryServer;
  let place: ClusterPlace;
  let browser: TestBrowser;
  beforeAll(async () => {
    [trellis, server, registry, browser] = await Promise.all([
      startTrellis({ jobs: { backoffMaxMs: 100 } }),
      startCluster(),
      startRegistry(),
      launchBrowser(),
    ]);
    place = await createClusterPlace(trellis, server);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([trellis?.close(), server?.close(), registry?.close()]);
  });

  it('are two in the releases after a push, and one deploy has nothing to change', async () => {
    const short = (digest: string) => digest.slice('sha256:'.length, 'sha256:'.length + 12);
    const first = registry.push('main');
    const web = await createWeb(trellis, place, registry);
    const { application } = await trellis.data(
      `{ application(by: { appId: ${place.appId} }) { name team { name } } }`,
    );
    const cli = cliFor(trellis, { TRELLIS_TEAM: application.team.name });
    const path = `${application.name}/${web.name}`;

    const deployed = await cli(['deploy', path]);
    expect([deployed.status, deployed.stderr]).toEqual([0, expect.stringContaining(`(${short(first)})`)]);
    const again = await cli(['deploy', path]);
    expect(again.stderr).toMatch(
      new RegExp(`${web.name}: Nothing to change: \`main\` is still ${short(first)}\\.`),
    );
    expect(again.stderr).toMatch(/Job \d+ had nothing to change\./);

    const second = registry.push('main');
    const { page, problems } = await openConsole(trellis, browser.context, componentPath(web.componentId));
    const main = page.locator('main');
    const dialog = page.getByRole('dialog');
    await main.getByText(short(first)).first().waitFor();
    const moved = main
      .getByRole('status')
      .filter({ hasText: 'The tag main now points to a different image' });
    await moved.waitFor();
    await expectAccessible(page);
    await moved.getByRole('button', { name: 'Deploy', exact: true }).click();
    await dialog.getByText(short(second)).waitFor();
    await dialog.getByRole('button', { name: 'Deploy component', exact: true }).click();
    await dialog.getByText('Succeeded').first().waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await main.getByText(short(second)).first().waitFor();
    await moved.waitFor({ state: 'detached' });
    await goToTab(page, 'history');
    const releases = main.getByRole('region', { name: 'Releases' });
    await releases.getByText(short(second)).first().waitFor();
    await releases.getByText(short(first)).first().waitFor();
    expect(await releases.getByRole('row').count()).toBe(3);
    await expectAccessible(page);
    expect(problems).toEqual([]);

    const listed = await cli(['call', 'list-releases', '--component.componentId', web.componentId]);
    const { nodes } = JSON.parse(listed.stdout).releases;
    expect(nodes.map(({ number, digest }: any) => ({ number, digest }))).toEqual([
      { number: 2, digest: second },
      { number: 1, digest: first },
    ]);
  });
});
