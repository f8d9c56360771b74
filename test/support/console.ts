import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Sqlite from 'better-sqlite3';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { makeDemoData } from '../../src/commands/demo-data.ts';
import { places } from '../../src/console/strings/places.ts';
import { createSimulatedRegion } from '../../src/drivers/region/simulated/simulated.ts';
import { launchBrowser, type TestBrowser, viewport } from './browser.ts';
import { once } from './built.ts';
import { administratorContext } from './jobs.ts';
import { madeOnce } from './made-once.ts';
import { sqlitePath, startTrellis, type Trellis, type TrellisOptions } from './trellis.ts';

const drivers = () => [createSimulatedRegion({ delayMs: 300 })];

/**
 * The database of the demo when its jobs are done, but for the one that takes minutes. It is made once in each run, which
 * takes five CPU seconds: a copy takes a tenth of one.
 */
const demoDatabase = once(async () => {
  const { content, secretKey, ...demo } = await madeOnce('demo', makeDemoDatabase);
  return {
    ...demo,
    content: Buffer.from(content, 'base64'),
    secretKey: Buffer.from(secretKey, 'base64'),
  };
});

async function makeDemoDatabase() {
  const secretKey = randomBytes(32);
  const maker = await startTrellis({ drivers: drivers(), jobs: {}, secretKey });
  const context = await administratorContext(maker);
  await makeDemoData(context, { url: maker.url, domain: 'demo', accessKey: maker.adminToken });
  const isDone = async () => {
    const unfinished = `SELECT id FROM job_component WHERE ended_at IS NULL AND component_name <> 'login'`;
    return (await maker.services.db.query(unfinished, [])).length === 0;
  };
  await vi.waitUntil(isDone, { timeout: 200_000 });
  // What is not finished is handed back.
  await maker.services.jobs!.stop(0);
  const database = new Sqlite(sqlitePath({ url: maker.databaseUrl }), { readonly: true });
  const content = database.serialize();
  database.close();
  await maker.close();
  return {
    content: content.toString('base64'),
    secretKey: secretKey.toString('base64'),
    adminToken: maker.adminToken,
    storeUrl: maker.url,
  };
}

/** A server with a copy of the demo's data, and a browser. */
export async function startDemo(options: TrellisOptions = {}) {
  const { storeUrl, ...demo } = await demoDatabase();
  const trellis = await startTrellis({ drivers: drivers(), jobs: {}, ...demo, ...options });
  // The demo is its own app store.
  await trellis.services.db.transaction((tx) =>
    tx.storeConnection.updateMany({ where: { url: storeUrl }, data: { url: trellis.url } }),
  );
  const browser = await launchBrowser();
  return {
    trellis,
    browser,
    ...openerOf(trellis, browser),
    async close() {
      await browser.close();
      await trellis.close();
    },
  };
}

/**
 * Opens pages of a console. What is opened after the end of another page of the same person goes on in that one, because
 * loading the console takes ten times as long as going to another of its pages.
 */
export function openerOf(trellis: Trellis, browser: TestBrowser) {
  let ended: { opened: ConsolePage; token: string | null } | undefined;
  return {
    /** Opens an address. Its end is when nothing was wrong with the page. */
    async open(path = '/', token: string | null = trellis.adminToken) {
      const last = ended;
      ended = undefined;
      const goesOn = last?.token === token && token !== null && !last.opened.page.isClosed();
      if (last && !goesOn) await last.opened.page.close();
      if (goesOn) await beginAgain(last.opened.page, path);
      const opened = goesOn ? last.opened : await openConsole(trellis, browser.context, path, token);
      return {
        ...opened,
        async end() {
          expect(opened.problems).toEqual([]);
          expect(browser.foreignHosts).toEqual([]);
          if (ended) await opened.page.close();
          else ended = { opened, token };
        },
      };
    },
    /** Closes all pages that have not ended: the streams of pages that stay open would keep others from loading. */
    async closePages() {
      for (const page of browser.context.pages()) if (page !== ended?.opened.page) await page.close();
    },
  };
}

/** Leaves a page with what was typed into it, and goes to an address of the console. */
async function beginAgain(page: Page, path: string): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const { width, height } = page.viewportSize()!;
  if (width !== viewport.width || height !== viewport.height) await page.setViewportSize(viewport);
  // The page of an address that does not exist shows and reads nothing.
  await goTo(page, '/left');
  await untilSettled(page);
  await page.evaluate(`for (const key of Object.keys(sessionStorage)) {
    if (/^(draft|manifest|tree)\\//.test(key)) sessionStorage.removeItem(key);
  }`);
  await goTo(page, path);
}

/** Goes to an address of the console without loading it again. */
export const goTo = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);

type Demo = Awaited<ReturnType<typeof startDemo>>;

/** The demo for the tests of a `describe`: started before them, and closed after them. */
export function useDemo(): Demo {
  const demo = {} as Demo;
  beforeAll(async () => {
    Object.assign(demo, await startDemo());
  });
  afterAll(() => demo.close?.());
  return demo;
}

export interface ConsolePage {
  page: Page;
  /** What the browser complained of. */
  problems: string[];
}

/** Opens an address of the console, signed in as the first administrator unless told otherwise. */
export async function openConsole(
  { url, adminToken }: Trellis,
  context: BrowserContext,
  path = '/',
  token: string | null = adminToken,
): Promise<ConsolePage> {
  const page = await context.newPage();
  await page.addInitScript(trackWork);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  await page.goto(`${url}${path}${token === null ? '' : `#token=${token}`}`);
  // A page that is left before it has begun its session loses the token of its address.
  await page.locator('#root > *').first().waitFor({ state: 'attached' });
  return { page, problems };
}

const { pages, tabs } = places.component;
export type ComponentTab = keyof typeof tabs;
export const componentTabs = Object.keys(tabs) as ComponentTab[];

/** The address of a page of a component. */
export const componentPath = (uid: string, tab: ComponentTab = 'overview') =>
  tab === 'overview' ? `/components/${uid}` : `/components/${uid}/${tab}`;

/** Goes to another page of the component that is shown, as a person does. */
export const goToTab = (page: Page, tab: ComponentTab) =>
  page.getByRole('navigation', { name: pages }).getByRole('link', { name: tabs[tab], exact: true }).click();

/** Hides or shows a page as a browser does with tabs. Without a window, all pages are visible. */
export const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    Object.defineProperty(document, 'visibilityState', { value: '${isHidden ? 'hidden' : 'visible'}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));`);

/** Timers that are longer wait for something that may never come, such as the end of a connection. */
const longestPauseMs = 1_000;

/** Notes what a page waits for: requests, their responses, and timers before it goes on. */
const trackWork = `(() => {
  const pending = new Set();
  const waiting = [];
  const end = (work) => {
    pending.delete(work);
    if (pending.size === 0) for (const go of waiting.splice(0)) go();
  };
  const track = (promise) => {
    pending.add(promise);
    const ended = () => end(promise);
    promise.then(ended, ended);
    return promise;
  };
  const { setTimeout: start, clearTimeout: clear, fetch: send } = window;
  window.setTimeout = (work, ms = 0, ...rest) => {
    if (ms >= ${longestPauseMs}) return start.call(window, work, ms, ...rest);
    const id = start.call(window, () => { try { work(...rest); } finally { end(id); } }, ms);
    pending.add(id);
    return id;
  };
  window.clearTimeout = (id) => { clear.call(window, id); end(id); };
  window.fetch = (...request) => track(send.call(window, ...request));
  for (const name of ['text', 'json']) {
    const read = Response.prototype[name];
    Response.prototype[name] = function () { return track(read.call(this)); };
  }
  window.whenSettled = () => new Promise((done) => {
    const look = () => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => pending.size === 0 ? done() : waiting.push(look);
      port2.postMessage(null);
    });
    look();
  });
})()`;

/** Waits until the page has sent, read and drawn all that it was about to. */
export const untilSettled = (page: Page) => page.evaluate('whenSettled()');

/** Waits until the page has read what a query asks for, and shows it: for what must not be there. */
export async function untilRead(page: Page, operation: string, begin: () => Promise<unknown>): Promise<void> {
  // The response to an earlier request would be taken for this one. If the page is left, it never ends.
  await untilSettled(page);
  const isRead = page.waitForResponse((response) =>
    Boolean(response.request().postData()?.includes(`query ${operation}`)),
  );
  await Promise.all([isRead.then((response) => response.finished()), begin()]);
  await untilSettled(page);
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds on the page, in both color schemes, and whether all of it fits the width of the window. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  const width = page.viewportSize()!.width;
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Dark is what was light but for its colors.
    const rules =
      colorScheme === 'light'
        ? 'tags'
        : `axe.getRules(tags).filter(({ tags }) => tags.includes('cat.color')).map(({ ruleId }) => ruleId)`;
    const found = await page.evaluate<string[]>(
      `(async (tags) => {
        // Only rules about audio and video read what is loaded, of which there is none. It takes a fifth of the time.
        const options = { runOnly: ${rules}, resultTypes: ['violations'], preload: false };
        const { violations } = await axe.run(options);
        return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ' ' + html.slice(0, 200) + ' ' + failureSummary));
      })(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])`,
    );
    expect(found, colorScheme).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
