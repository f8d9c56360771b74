import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser, launchBrowser } from '../../support/browser.ts';
import { componentPath, componentTabs, goTo, openConsole, untilSettled } from '../../support/console.ts';
import type { All } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

describe('the console of a gateway that executes trusted documents only', inBrowser, () => {
  let all: All;
  let browser: Awaited<ReturnType<typeof launchBrowser>>;
  let member: string;
  const trellis = useTrellis({ allowedDocuments: 'trusted' });
  beforeAll(async () => {
    all = await trellis.createAll();
    member = (await trellis.createMember(all.team.teamId, 'DEVELOPER')).token;
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it('sends nothing that is refused, on its pages and in its subscription', async () => {
    const refused: string[] = [];
    const answers: Promise<void>[] = [];
    // Reads each response before the page has it, which may be about to be left.
    await browser.context.route('**/graphql', (route) => {
      const request = route.request();
      if (request.postData()?.includes('subscription ')) return route.continue();
      const answer = route.fetch().then(async (response) => {
        if ((await response.text()).includes('FORBIDDEN')) refused.push(request.postData()!);
        // The page does not wait for it any more if it was left.
        await route.fulfill({ response }).catch(() => {});
      });
      answers.push(answer);
      return answer;
    });
    const stream = browser.context.waitForEvent('response', (response) =>
      Boolean(response.headers()['content-type']?.includes('event-stream')),
    );
    const { page, problems } = await openConsole(trellis, browser.context, '/', member);
    const { component } = await trellis.data(
      'query($id: ID!) { component: node(id: $id) { ... on Component { name uid } } }',
      {
        id: all.component.id,
      },
    );
    await page.getByRole('row').first().waitFor();
    expect((await stream).status()).toBe(200);
    const tabs = componentTabs.map((tab) => componentPath(component.uid, tab));
    for (const path of [...tabs, '/account', '/exposed', '/templates']) {
      await goTo(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await untilSettled(page);
    }
    expect(answers.length).toBeGreaterThan(0);
    await Promise.all(answers);
    expect(refused).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });
});
