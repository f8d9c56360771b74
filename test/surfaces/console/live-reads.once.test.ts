import type { Page, Route } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { componentPath, openConsole, untilSettled, useDemo } from '../../support/console.ts';
import { unique } from '../../support/fixtures.ts';

/** The next response to a query of a page, and those after it. */
type Change = (body: any) => { status?: number; body: string } | object;

describe('what is read again', inBrowser, () => {
  const demo = useDemo();
  let team: { uid: string };
  let component: { uid: string };
  let applicationPath: string;
  beforeAll(async () => {
    ({ team } = await demo.trellis.data('{ team(by: { name: "retail" }) { uid } }'));
    const { application } = await demo.trellis.data(
      '{ application(by: { appId: 1 }) { appId: uid components(first: 10) { nodes { uid variables { totalCount } } } } }',
    );
    component = application.components.nodes.find(
      ({ variables }: { variables: { totalCount: number } }) => variables.totalCount > 0,
    );
    applicationPath = `/applications/${application.appId}`;
  });
  afterEach(() => demo.closePages());

  const openLive = async (path: string, token?: string) => {
    const window = await openConsole(demo.trellis, demo.browser.context, path, token);
    await window.page.getByText('Live', { exact: true }).waitFor();
    return window;
  };
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const rename = async (name = unique('renamed')) => {
    const input = { component: { componentId: component.uid }, name };
    await demo.trellis.succeed('updateComponent', input, '__typename');
    return name;
  };
  /** Changes the responses to a query until it is stopped. */
  const answer = async (page: Page, query: string, change: Change) => {
    let isOver = false;
    let sent = () => {};
    const isSent = new Promise<void>((resolve) => {
      sent = resolve;
    });
    await page.route('**/graphql', async (route: Route) => {
      if (isOver || !route.request().postData()?.includes(`query ${query}(`)) return route.continue();
      const response = await route.fetch();
      const changed = change(await response.json());
      await route.fulfill('body' in changed ? (changed as { body: string }) : { response, json: changed });
      sent();
    });
    return {
      isSent,
      stop: () => {
        isOver = true;
      },
    };
  };
  const failed = (code: string, path?: (string | number)[]) => ({
    message: `It failed with ${code}.`,
    path,
    extensions: { code },
  });
  const missing = (page: Page) => page.getByRole('heading', { name: 'Not found' }).waitFor();

  it.each<[string, Change]>([
    ['the server fails', () => ({ data: null, errors: [failed('INTERNAL')] })],
    ['its object fails', () => ({ data: { component: null }, errors: [failed('TIMEOUT', ['component'])] })],
    ['the server has no time', () => ({ errors: [failed('RATE_LIMITED')] })],
    ['a proxy answers', () => ({ status: 502, body: '<h1>Bad gateway</h1>' })],
  ])('does not replace what is shown if %s', async (_, change) => {
    const { page } = await openLive(componentPath(component.uid));
    const before = (await page.getByRole('heading', { level: 1 }).textContent())!;
    const { isSent, stop } = await answer(page, 'Component', change);
    // Others of the page can be read, and must not bring back what the failed one has left out.
    const isRead = page.waitForResponse((response) =>
      Boolean(response.request().postData()?.includes('query Instances(')),
    );
    await demo.trellis.succeed(
      'updateComponent',
      { component: { componentId: component.uid }, description: unique('text') },
      '__typename',
    );
    await Promise.all([isSent, isRead]);
    await page
      .getByText(/could not be loaded|Connection lost/)
      .first()
      .waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(before);
    stop();
    await heading(page, await rename());
    await page.getByText('could not be loaded').waitFor({ state: 'detached' });
  });

  it('keeps the parts that could not be loaded, and shows the others', async () => {
    const { page, problems } = await openLive(componentPath(component.uid, 'configuration'));
    const variables = page.locator('section', { has: page.getByRole('heading', { name: /^Variables/ }) });
    const shown = await variables.textContent();
    await answer(page, 'ComponentConfiguration', ({ data }) => ({
      data: { component: { ...data.component, variables: null } },
      errors: [failed('REGION_UNAVAILABLE', ['component', 'variables', 'nodes', 0, 'value'])],
    }));
    // What the page reads besides arrives later, and does not know of the failure.
    const notice = page.getByText('It failed with REGION_UNAVAILABLE.');
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('query ComponentActions(')) await notice.waitFor();
      await route.fallback();
    });
    const isRead = page.waitForResponse((response) =>
      Boolean(response.request().postData()?.includes('query ComponentActions(')),
    );
    await heading(page, await rename());
    await isRead;
    await untilSettled(page);
    expect(await notice.count()).toBe(1);
    expect(await variables.textContent()).toBe(shown);
    expect(problems).toEqual([]);
  });

  it('keeps the parts of the same object when a list has another order', async () => {
    const { page, problems } = await openLive(applicationPath);
    const rows = page.getByRole('row');
    const names = async () => (await rows.getByRole('link').allTextContents()).filter(Boolean);
    const before = await names();
    await answer(page, 'Application', ({ data: { application } }) => {
      const [first, ...rest] = application.components.nodes;
      const nodes = [...rest, { ...first, ports: null }];
      return {
        data: { application: { ...application, components: { ...application.components, nodes } } },
        errors: [failed('INTERNAL', ['application', 'components', 'nodes', rest.length, 'ports'])],
      };
    });
    const text = await rows.nth(1).textContent();
    await demo.trellis.succeed(
      'updateApplication',
      { application: { appId: 1 }, note: unique('note') },
      '__typename',
    );
    await page.getByText('It failed with INTERNAL.').waitFor();
    expect(await names()).not.toEqual(before);
    expect(await rows.last().textContent()).toBe(text);
    expect(problems).toEqual([]);
  });

  it('says that an object is gone, or may not be seen any more', async () => {
    const member = await demo.trellis.createMember(team.uid, 'VIEWER');
    const { page } = await openLive(componentPath(component.uid), member.token);
    const { page: other } = await openLive('/teams/retail', member.token);
    await demo.trellis.succeed(
      'removeTeamMember',
      { team: { teamId: team.uid }, user: { userId: member.userId } },
      '__typename',
    );
    await missing(page);
    await missing(other);
  });

  const createOwn = () =>
    demo.trellis.succeed(
      'createApplication',
      { team: { teamId: team.uid }, region: { name: 'eu-central' }, name: unique('app') },
      'application { appId: uid }',
    );

  it('says that an application was deleted', async () => {
    const { application } = await createOwn();
    const { page } = await openLive(`/applications/${application.appId}`);
    await demo.trellis.succeed('deleteApplication', { application }, '__typename');
    await missing(page);
  });

  it('says so if parts of the page have noticed it before', async () => {
    const { application } = await createOwn();
    const { page } = await openLive(`/applications/${application.appId}`);
    const button = page.getByRole('button', { name: 'New component' });
    await button.waitFor();
    await untilSettled(page);
    const parts = ['ApplicationActions', 'RunningJobs'];
    const isRead = page.waitForResponse((response) =>
      Boolean(response.request().postData()?.includes('query Application(')),
    );
    await page.route('**/graphql', async (route) => {
      if (!parts.some((part) => route.request().postData()?.includes(`query ${part}(`)))
        return route.fallback();
      await (await isRead).finished();
      await route.fulfill({
        json: { data: { application: null }, errors: [failed('NOT_FOUND', ['application'])] },
      });
    });
    await demo.trellis.succeed('updateApplication', { application, note: unique('note') }, '__typename');
    await button.waitFor({ state: 'detached' });
    await demo.trellis.succeed('deleteApplication', { application }, '__typename');
    await missing(page);
  });
});
