import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, launchBrowser } from '../support/browser.ts';
import { send } from '../support/send.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

let trellis: Trellis;
beforeAll(async () => {
  trellis = await startTrellis();
});
afterAll(() => trellis.close());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(trellis, { path, headers, method, token: null });
const html = { Accept: 'text/html,application/xhtml+xml' };

describe('/', () => {
  it('returns a page to browsers, and all its links work', async () => {
    const { status, headers, text } = await get('/', html);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.vary).toContain('Accept');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).not.toMatch(/<script|https?:\/\//);
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, path]) => path!);
    for (const path of ['/graphql', '/openapi/v1/docs', '/healthz', '/favicon.svg'])
      expect(links).toContain(path);
    for (const path of links) expect((await get(path, html)).status, path).toBe(200);
  });

  it('returns JSON to other clients', async () => {
    for (const Accept of ['', '*/*', 'application/json']) {
      const answer = await get('/', { Accept });
      expect([answer.status, answer.headers['content-type']]).toEqual([
        200,
        'application/json; charset=utf-8',
      ]);
      expect(answer.body).toEqual({
        name: 'Trellis',
        description: 'The management API of a cloud application platform.',
        links: {
          restDocs: '/openapi/v1/docs',
          graphql: '/graphql',
          rest: '/openapi/v1',
          openapi: '/openapi/v1/openapi.json',
          health: '/healthz',
          readiness: '/readyz',
        },
      });
    }
  });

  it('accepts GET and HEAD', async () => {
    const head = await get('/', html, 'HEAD');
    expect([head.status, head.text]).toEqual([200, '']);
    const post = await get('/', html, 'POST');
    expect([post.status, post.headers.allow, post.body.code]).toEqual([
      405,
      'GET, HEAD',
      'METHOD_NOT_ALLOWED',
    ]);
  });

  it('does not link to GraphiQL when it is disabled', async () => {
    const without = await startTrellis({ graphiql: false });
    const { text } = await send(without, { path: '/', headers: html, token: null });
    await without.close();
    expect(text).not.toContain('GraphiQL');
    expect(text).toContain('/openapi/v1/docs');
  });
});

describe('every page', () => {
  it('has the icon', async () => {
    for (const path of ['/', '/graphql', '/openapi/v1/docs']) {
      const icon = /<link rel="icon" href="([^"]+)">/.exec((await get(path, html)).text)![1]!;
      const { status, headers, text } = await get(icon);
      expect([status, headers['content-type']], path).toEqual([200, 'image/svg+xml']);
      expect(text).toMatch(/^<svg /);
    }
    // Browsers ask for it where a page names none.
    expect((await get('/favicon.ico')).headers['content-type']).toBe('image/svg+xml');
  });

  it.skipIf(!findChromium())('shows it without asking another host', { timeout: 60_000 }, async () => {
    const browser = await launchBrowser();
    const tab = await browser.context.newPage();
    const problems: string[] = [];
    tab.on('console', (message) => problems.push(message.text()));
    await tab.goto(trellis.url);
    const width = await tab
      .locator('h1 img')
      .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
    expect(width).toBeGreaterThan(0);
    await tab.setViewportSize({ width: 390, height: 844 });
    expect(await tab.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
    await tab.getByText('REST docs').click();
    await tab.getByText('List teams').waitFor();
    expect(problems).toEqual([]);
    expect(browser.foreignHosts).toEqual([]);
    await browser.close();
  });
});
