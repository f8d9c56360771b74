import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser, launchBrowser, type TestBrowser } from '../support/browser.ts';
import { executeOnDemo } from '../support/docs-on-demo.ts';
import { document } from '../support/openapi.ts';
import { operationsOpenapi } from '../support/operations-rest.ts';
import { send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';

const page = '/openapi/v1/docs';
const openapi = '/openapi/v1/openapi.json';

const trellis = useTrellis();

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(trellis, { path, headers, method, token: null });

describe('the OpenAPI document and its page', () => {
  it('need no token', async () => {
    const { status, body, headers } = await get(openapi);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toEqual(document);
    expect((await get('/api/v1/openapi.json')).body).toEqual(operationsOpenapi);
    expect((await get(page)).headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it('are revalidated on each visit, and their assets are cached', async () => {
    const { text } = await get(page);
    const assets = text.match(/\/openapi\/v1\/docs\/[\w.-]+\.(js|css|svg)/g)!;
    expect(assets).toHaveLength(4);
    for (const path of [openapi, '/api/v1/openapi.json', page, ...assets]) {
      const first = await get(path);
      expect(first.status).toBe(200);
      expect(first.headers['cache-control']).toBe(
        assets.includes(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
      const again = await get(path, { 'If-None-Match': first.headers.etag! });
      expect([again.status, again.text]).toEqual([304, '']);
      expect((await get(path, { 'If-None-Match': '*' })).status).toBe(304);
      const head = await get(path, {}, 'HEAD');
      expect([head.status, head.text, head.headers['content-length']]).toEqual([
        200,
        '',
        String(Buffer.byteLength(first.text)),
      ]);
      const packed = await get(path, { 'Accept-Encoding': 'gzip' });
      expect(packed.headers['content-encoding']).toBe('gzip');
    }
  });

  it('allow only their own scripts', async () => {
    const { headers, text } = await get(page);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("script-src 'self';");
    expect(text).not.toMatch(/<script(?![^>]* src="\/)/);
    expect(text).not.toMatch(/https?:\/\//);
  });

  it('accept GET and HEAD', async () => {
    for (const path of [openapi, '/api/v1/openapi.json', page]) {
      const options = await get(path, {}, 'OPTIONS');
      expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
      const post = await get(path, {}, 'POST');
      expect([post.status, post.headers.allow, post.body.code]).toEqual([
        405,
        'GET, HEAD, OPTIONS',
        'METHOD_NOT_ALLOWED',
      ]);
    }
    for (const path of [
      `${page}/`,
      `${page}/swagger-ui.js`,
      `${openapi}/`,
      `${page}/..%2f..%2fpackage.json`,
    ]) {
      expect((await get(path)).body.code).toBe('NOT_FOUND');
    }
  });
});

describe('the docs in a browser', inBrowser, () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it('take the token of the fragment, show every operation, and run some on a fresh demo with their documented examples', {
    timeout: 600_000,
  }, async () => {
    // All of them are executed with the tests that take minutes.
    const some = ['listTeams', 'installApplication'];
    expect(await executeOnDemo(browser, (id) => some.includes(id))).toBe(some.length);
  });

  describe('without a token', () => {
    let tab: Page;
    beforeAll(async () => {
      tab = await browser.context.newPage();
    });
    afterAll(() => tab?.close());

    it('begin with the document that the address asks for', async () => {
      await tab.goto(`${trellis.url}${page}?document=operations`);
      await tab.getByRole('heading', { name: 'Trellis operations' }).waitFor();
      const links = tab.getByRole('navigation', { name: 'Documents' }).getByRole('link');
      const current = () =>
        links.evaluateAll((all) =>
          all.filter((each) => each.ariaCurrent === 'true').map((each) => each.textContent),
        );
      expect(await current()).toEqual(['All operations']);
      await links.first().click();
      await tab.getByRole('heading', { name: 'Trellis REST API' }).waitFor();
      expect([await current(), new URL(tab.url()).search]).toEqual([['The contract'], '?document=contract']);
      await tab.getByText('List teams').waitFor();
    });

    it('accept a token entered by hand', async () => {
      const listTeams = tab.locator('#operations-Teams-listTeams');
      const tryIt = async () => {
        await listTeams.locator('.execute').click();
        return listTeams.locator('.live-responses-table .response-col_status').last();
      };
      await listTeams.click();
      await (await tryIt()).getByText('401').waitFor();
      await tab.getByRole('button', { name: 'Authorize' }).click();
      await tab.locator('.auth-container input').first().fill(trellis.adminToken);
      await tab.locator('.auth-container button.authorize').first().click();
      await tab.locator('.auth-container button.btn-done').first().click();
      await (await tryIt()).getByText('200').waitFor();
      expect(browser.foreignHosts).toEqual([]);
    });

    it('follow the color scheme and say Trellis', async () => {
      expect(await tab.title()).toBe('Trellis REST API');
      await tab.getByRole('heading', { name: 'Trellis REST API' }).waitFor();
      const colors = () =>
        tab.evaluate<string[]>(
          "[getComputedStyle(document.querySelector('.swagger-ui')).color, getComputedStyle(document.documentElement).backgroundColor]",
        );
      const dark = ['rgb(228, 230, 230)', 'rgb(28, 32, 34)'];
      expect(await colors()).not.toEqual(dark);
      const light = await colors();
      await tab.emulateMedia({ colorScheme: 'dark' });
      await expect.poll(colors).toEqual(dark);
      await tab.emulateMedia({ colorScheme: 'light' });
      await expect.poll(colors).toEqual(light);
    });
  });
});
