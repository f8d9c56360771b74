import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { inBrowser } from '../../support/browser.ts';
import { expectAccessible, openConsole, setHidden, useDemo } from '../../support/console.ts';
import { send } from '../../support/send.ts';
import { startTrellis, useTrellis } from '../../support/trellis.ts';

const html = { Accept: 'text/html,application/xhtml+xml' };
const immutable = 'public, max-age=31536000, immutable';

describe('the page of the console', () => {
  const trellis = useTrellis();
  const get = (path: string, headers: Record<string, string> = html) =>
    send(trellis, { path, headers, token: null });
  const assetsOf = (text: string) =>
    [...text.matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)].map(([, path]) => path!);

  it('is the same for every address of an object, and only for browsers', async () => {
    const { text } = await get('/');
    for (const path of [
      '/teams/retail',
      '/applications/3/map',
      '/components/x/ports/80',
      '/rules/a',
      '/jobs/1',
      '/regions/a',
    ])
      expect((await get(path)).text, path).toBe(text);
    for (const path of ['/teams', '/team/retail', '/nothing']) {
      expect(await get(path), path).toMatchObject({ status: 404, text });
      const other = await get(path, { Accept: 'application/json' });
      expect([other.status, other.body.code], path).toEqual([404, 'NOT_FOUND']);
    }
    const answer = await get('/teams/retail', { Accept: 'application/json' });
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('has no inline script, and links to GraphiQL only if it is served', async () => {
    const { text, headers } = await get('/');
    expect(text).not.toMatch(/<script(?![^>]* src="\/)/);
    expect(text).toContain('data-graphiql="/graphql"');
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' });
    const without = await startTrellis({ graphiql: false });
    const page = await send(without, { path: '/', headers: html, token: null });
    await without.close();
    expect(page.text).not.toContain('graphiql');
  });

  it('loads less than 250 KB of compressed script, whose names change with their content', async () => {
    const paths = assetsOf((await get('/')).text);
    let size = 0;
    for (const path of paths) {
      expect(path).toMatch(/^\/console\/[\w-]+-[\w-]{8}\.(js|css)$/);
      const { status, headers } = await get(path, { 'Accept-Encoding': 'br' });
      expect(status).toBe(200);
      expect(headers).toMatchObject({ 'cache-control': immutable, 'x-content-type-options': 'nosniff' });
      if (path.endsWith('.js')) size += Number(headers['content-length']);
    }
    expect(size).toBeGreaterThan(50_000);
    expect(size).toBeLessThan(250_000);
    expect((await get('/console/index-00000000.js')).status).toBe(404);
    expect((await get('/console/index.html')).status).toBe(404);
  });
});

describe('signing in', inBrowser, () => {
  const demo = useDemo();

  it('takes the token of a link, and removes it from the address', async () => {
    const { page, problems } = await openConsole(demo.trellis, demo.browser.context);
    await page.getByText('Retail').first().waitFor();
    expect(page.url()).toBe(`${demo.trellis.url}/`);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByText('admin@trellis.example').waitFor();
    expect(problems).toEqual([]);
    expect(demo.browser.foreignHosts).toEqual([]);
    await expectAccessible(page);
    // The browser asks for less motion.
    const motion = await page.evaluate(() => {
      const busy = document.body.appendChild(document.createElement('i'));
      busy.className = 'status busy';
      const { animationName } = getComputedStyle(busy, '::before');
      busy.remove();
      return animationName;
    });
    expect(motion).toBe('none');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Trellis' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await expectAccessible(page);
    await page.close();
  });

  it('asks before the token of a link replaces the one in use', async () => {
    const { trellis, browser } = demo;
    const member = await trellis.createMember((await trellis.createTeam()).teamId, 'VIEWER');
    const { page, problems } = await openConsole(trellis, browser.context);
    const isUsed = (token: string) =>
      expect.poll(() => page.evaluate('sessionStorage.getItem("graphql-access-token")')).toBe(token);
    const ask = page.getByRole('dialog', { name: 'Switch to another token?' });
    await isUsed(trellis.adminToken);
    const follow = async (token: string) => {
      await page.goto('about:blank');
      await page.goto(`${trellis.url}/teams/retail#token=${token}`);
      await page.getByRole('button', { name: 'Account' }).waitFor();
      expect(page.url()).toBe(`${trellis.url}/teams/retail`);
    };
    await follow(member.token);
    await ask.waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await ask.waitFor({ state: 'detached' });
    await isUsed(trellis.adminToken);
    await page.getByRole('heading', { name: 'Retail' }).waitFor();

    // In the page that is open, and given up with Escape.
    await page.evaluate((token) => location.assign(`#token=${token}`), member.token);
    await ask.waitFor();
    await page.keyboard.press('Escape');
    await ask.waitFor({ state: 'detached' });
    await isUsed(trellis.adminToken);

    // The same token is nothing to ask about.
    await follow(trellis.adminToken);
    expect(await ask.count()).toBe(0);

    await follow(member.token);
    await ask.getByRole('button', { name: 'Switch token' }).click();
    await isUsed(member.token);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  it('asks for a token, and says when it is not accepted', async () => {
    const { page } = await openConsole(demo.trellis, demo.browser.context, '/teams/retail', null);
    await page.keyboard.type('trl_not-a-token');
    await page.keyboard.press('Enter');
    await page.getByText('The token is unknown, expired or revoked').waitFor();
    await page.getByLabel('Access token').fill(demo.trellis.adminToken);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Account' }).waitFor();
    expect(page.url()).toBe(`${demo.trellis.url}/teams/retail`);
    await page.close();
  });

  describe('in several tabs', () => {
    const open = async (token: string | null = null) =>
      (await openConsole(demo.trellis, demo.browser.context, '/', token)).page;
    const tokenOf = (page: Page) => page.evaluate('sessionStorage.getItem("graphql-access-token")');
    const isSignedIn = (page: Page) => page.getByRole('button', { name: 'Account' }).waitFor();
    const isAsked = (page: Page) => page.getByRole('heading', { name: 'Sign in to Trellis' }).waitFor();
    const paste = async (page: Page, token: string) => {
      await page.getByLabel('Access token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await isSignedIn(page);
    };
    const createViewer = async () =>
      (await demo.trellis.createMember((await demo.trellis.createTeam()).teamId, 'VIEWER')).token;
    afterEach(async () => {
      for (const page of demo.browser.context.pages()) await page.close();
    });

    it('passes a token that was pasted to a new tab, and stores it nowhere else', async () => {
      const first = await open();
      await paste(first, demo.trellis.adminToken);
      const second = await demo.browser.context.newPage();
      await second.addInitScript(`
        new MutationObserver(() => { window.wasAsked ||= document.querySelector('.sign-in') !== null; })
          .observe(document, { childList: true, subtree: true });`);
      await second.goto(demo.trellis.url);
      await isSignedIn(second);
      expect(await second.evaluate('window.wasAsked')).toBe(false);
      expect(await second.evaluate('localStorage.length')).toBe(0);
      expect(await demo.browser.context.cookies()).toEqual([]);
      const { origins } = await demo.browser.context.storageState({ indexedDB: true });
      expect(JSON.stringify(origins)).not.toContain(demo.trellis.adminToken);
      // Each tab has it for itself now.
      await first.close();
      await second.reload();
      await isSignedIn(second);
    });

    it('signs out all tabs with the token, and leaves others alone', async () => {
      const viewer = await createViewer();
      const other = await open(viewer);
      await isSignedIn(other);
      const pages = [await open(demo.trellis.adminToken), await open(demo.trellis.adminToken)];
      for (const page of pages) await isSignedIn(page);
      await pages[0]!.getByRole('button', { name: 'Account' }).click();
      await pages[0]!.getByRole('button', { name: 'Sign out' }).click();
      for (const page of pages) {
        await isAsked(page);
        expect(await page.evaluate('sessionStorage.length')).toBe(0);
      }
      expect(await tokenOf(other)).toBe(viewer);
      await isSignedIn(other);
    });

    it('takes the token of the tab that was shown last', async () => {
      const viewer = await createViewer();
      const [one, other] = [await open(demo.trellis.adminToken), await open(viewer)];
      for (const page of [one, other]) await isSignedIn(page);
      for (const [page, token] of [
        [one, demo.trellis.adminToken],
        [other, viewer],
      ] as const) {
        await setHidden(page, true);
        await setHidden(page, false);
        const next = await open();
        await isSignedIn(next);
        expect(await tokenOf(next)).toBe(token);
        await next.close();
      }
      // The token of a link comes before those of other tabs.
      const linked = await open(demo.trellis.adminToken);
      await isSignedIn(linked);
      expect(await tokenOf(linked)).toBe(demo.trellis.adminToken);
    });

    it('asks at once if no tab has a token, and soon if one does not answer', async () => {
      await isAsked(await open());
      const silent = await open(await createViewer());
      await isSignedIn(silent);
      await silent.evaluate('window.BroadcastChannel.prototype.postMessage = () => {}');
      await isAsked(await open());
    });
  });
});
