import { describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { componentPath, expectAccessible, openConsole, useDemo } from '../../support/console.ts';

describe('health checks in the console', inBrowser, () => {
  const demo = useDemo();

  it('says what running means, and sets and removes a health check', async () => {
    const { data } = await demo.trellis.graphql(
      '{ team(by: { name: "retail" }) { components(search: "adservice") { nodes { uid } } } }',
    );
    const { uid } = data.team.components.nodes[0];
    const readinessOf = async () => {
      const { component } = await demo.trellis.data(`{ component(by: { componentId: "${uid}" }) {
        probes { readiness { http { port path headers { name value } } periodSeconds } } } }`);
      return component.probes.readiness;
    };
    await demo.trellis.succeed(
      'setProbes',
      { component: { componentId: uid }, startup: null, readiness: null, liveness: null },
      '__typename',
    );
    const { page, problems } = await openConsole(
      demo.trellis,
      demo.browser.context,
      componentPath(uid, 'configuration'),
    );
    const dialog = page.getByRole('dialog');
    await page.getByText('No readiness check. An instance counts as running').waitFor();
    const openForm = async () => {
      await page.getByRole('button', { name: 'Set health checks' }).click();
    };
    await openForm();
    await expectAccessible(page);
    await dialog.getByLabel('Path', { exact: true }).fill('no-path');
    await dialog.getByRole('button', { name: 'Preview changes' }).click();
    await dialog.locator('.field-error').first().waitFor();
    await dialog.getByLabel('Path', { exact: true }).fill('/ready');
    await dialog.getByLabel('Interval, in seconds').fill('7');
    await dialog.getByRole('button', { name: 'Preview changes' }).click();
    await dialog.locator('.plan-change').first().waitFor();
    await dialog.getByRole('button', { name: 'Set health checks' }).click();
    await dialog.getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('cell', { name: 'HTTP :9555/ready' }).waitFor();
    expect(await page.getByText('No readiness check').count()).toBe(0);
    await expectAccessible(page);
    expect(await readinessOf()).toEqual({
      http: { port: 9555, path: '/ready', headers: [] },
      periodSeconds: 7,
    });

    // What the form has no field for stays.
    const headers = [{ name: 'X-Probe', value: '1' }];
    await demo.trellis.succeed(
      'setProbes',
      { component: { componentId: uid }, readiness: { http: { port: 9555, path: '/ready', headers } } },
      '__typename',
    );
    await page.getByText('Every 10 s, fails after 3 failures').waitFor();
    await openForm();
    await dialog.getByLabel('Path', { exact: true }).fill('/healthy');
    await dialog.getByRole('button', { name: 'Preview changes' }).click();
    await dialog.getByRole('button', { name: 'Set health checks' }).click();
    await dialog.getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    expect(await readinessOf()).toEqual({
      http: { port: 9555, path: '/healthy', headers },
      periodSeconds: 10,
    });

    await openForm();
    await dialog.getByLabel('Method', { exact: true }).selectOption('No check');
    await dialog.getByRole('button', { name: 'Preview changes' }).click();
    await dialog.getByRole('button', { name: 'Set health checks' }).click();
    await dialog.getByText('Done.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('No readiness check. An instance counts as running').waitFor();
    expect(await readinessOf()).toBeNull();
    expect(problems).toEqual([]);
    await page.close();
  });
});
