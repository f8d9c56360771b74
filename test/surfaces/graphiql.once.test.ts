import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type OperationDefinitionNode, parse, print } from 'graphql';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inBrowser, launchBrowser, type TestBrowser } from '../support/browser.ts';
import { startTrellis } from '../support/trellis.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable';

let server: Awaited<ReturnType<typeof startTrellis>>;
beforeAll(async () => {
  server = await startTrellis();
});
afterAll(() => server?.close());

interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  body: Buffer;
}

// Not fetch: it decompresses what it gets and adds headers of its own.
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, server.url), { method, headers }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () =>
        resolve({
          status: res.statusCode ?? 0,
          headers: res.headers as Answer['headers'],
          body: Buffer.concat(chunks),
        }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

const getPage = (headers: Record<string, string> = {}, method = 'GET') =>
  get('/graphql', { accept: 'text/html', ...headers }, method);

/** Every asset that the page names, and every asset that those name. */
async function assetPaths(): Promise<string[]> {
  const named = (text: string) => text.match(/\/graphiql\/[\w.-]+\.(?:js|css|svg)/g) ?? [];
  const first = named((await getPage()).body.toString());
  const boot = first.find((path) => path.includes('/boot.')) ?? '';
  return [...new Set([...first, ...named((await get(boot)).body.toString())])];
}

describe('the GraphiQL page', () => {
  it('is small, needs no token and is revalidated on each visit', async () => {
    const page = await getPage();
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['cache-control']).toBe('no-cache');
    expect(page.body.byteLength).toBeLessThan(10_000);

    const again = await getPage({ 'if-none-match': page.headers.etag ?? '' });
    expect(again.status).toBe(304);
    expect(again.body.byteLength).toBe(0);
  });

  it('allows only its own scripts', async () => {
    const { headers, body } = await getPage();
    const policy = headers['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe-eval');
    expect(policy).not.toContain('http');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
    expect(body.toString()).not.toMatch(/<script(?![^>]* src="\/)/);
    expect(body.toString()).not.toMatch(/https?:\/\//);
  });

  it('answers HEAD with the headers alone', async () => {
    const head = await getPage({}, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.body.byteLength).toBe(0);
    expect(head.headers['content-length']).toBe(String((await getPage()).body.byteLength));
  });
});

describe('the assets of GraphiQL', () => {
  it('have a URL that changes with their content, and are cached without expiry', async () => {
    const paths = await assetPaths();
    expect(paths.length).toBe(7);
    const types = {
      js: 'text/javascript; charset=utf-8',
      css: 'text/css; charset=utf-8',
      svg: 'image/svg+xml',
    };
    for (const path of paths) {
      expect(path).toMatch(/^\/graphiql\/[a-z-]+\.[0-9a-f]{16}\.(js|css|svg)$/);
      const { status, headers } = await get(path);
      expect(status).toBe(200);
      expect(headers).toMatchObject({ 'cache-control': IMMUTABLE, 'x-content-type-options': 'nosniff' });
      expect(headers['content-type']).toBe(types[path.split('.').at(-1) as keyof typeof types]);
    }
  });

  it('are compressed as the browser asks', async () => {
    const path = (await assetPaths()).find((name) => /\/editor\.\w+\.js$/.test(name)) ?? '';
    const plain = await get(path);
    const br = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
    const gzip = await get(path, { 'accept-encoding': 'gzip, br;q=0' });

    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(br.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    expect(gzip.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(br.body.byteLength).toBeLessThan(plain.body.byteLength / 3);
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true);
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3);

    const again = await get(path, { 'accept-encoding': 'br', 'if-none-match': br.headers.etag ?? '' });
    expect(again.status).toBe(304);
  });

  it('return 404 when they do not exist', async () => {
    for (const path of ['/graphiql/', '/graphiql/editor.js', '/graphiql/editor.0000000000000000.js']) {
      expect((await get(path)).status, path).toBe(404);
    }
  });
});

describe('GraphiQL in a browser', { ...inBrowser, timeout: 180_000 }, () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  async function open(path: string, viewport?: { width: number; height: number }) {
    const page = await browser.context.newPage();
    if (viewport) await page.setViewportSize(viewport);
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(message.text());
    });
    await page.goto(`${server.url}${path}`);
    return { page, problems };
  }

  const accepted = (page: Page) => page.getByText('Token accepted').waitFor();

  async function write(page: Page, query: string): Promise<void> {
    // The middle of a long text is out of sight.
    await page.locator('.graphiql-query-editor .monaco-editor').first().click();
    await page.keyboard.press('ControlOrMeta+A');
    // Typing over a selection would put the braces around it.
    await page.keyboard.press('Delete');
    await page.keyboard.type(query);
  }

  it('asks before the token of a link replaces the one in use', async () => {
    const member = await server.createMember((await server.createTeam()).teamId, 'VIEWER');
    const { page, problems } = await open(`/graphql#token=${server.adminToken}`);
    await accepted(page);
    const ask = page.getByRole('dialog', { name: 'Switch to another token?' });
    const isUsed = (token: string) =>
      expect.poll(() => page.evaluate('sessionStorage.getItem("graphql-access-token")')).toBe(token);
    await page.goto('about:blank');
    await page.goto(`${server.url}/graphql#token=${member.token}`);
    await ask.waitFor();
    expect(page.url()).toBe(`${server.url}/graphql`);
    await page.keyboard.press('Enter');
    await ask.waitFor({ state: 'hidden' });
    await isUsed(server.adminToken);
    await accepted(page);

    await page.evaluate((token) => location.assign(`#token=${token}`), member.token);
    await ask.waitFor();
    await page.keyboard.press('Escape');
    await ask.waitFor({ state: 'hidden' });
    await isUsed(server.adminToken);

    await page.evaluate((token) => location.assign(`#token=${token}`), member.token);
    await ask.getByRole('button', { name: 'Switch token' }).click();
    await isUsed(member.token);
    await accepted(page);
    expect(problems).toEqual([]);
    await page.close();
  });

  it('takes the token from the fragment, runs a typed query, shows the docs, and keeps tabs over a reload', async () => {
    // A small page of the same origin, to begin with no tabs of another test.
    const { page, problems } = await open('/openapi/v1/openapi.json');
    await page.evaluate('localStorage.clear()');
    const tabs = page.locator('.graphiql-tab');
    const stored = () =>
      page.evaluate<{ tabs: unknown[]; activeTabIndex: number } | null>(
        'JSON.parse(localStorage.getItem("graphiql:tabState"))',
      );
    const settled = async () => {
      await accepted(page);
      await tabs.first().waitFor();
      const count = await tabs.count();
      await expect.poll(async () => (await stored())?.tabs.length).toBe(count);
      return count;
    };
    /** Waits until the tab is open, and stored as such: half a second later. */
    const isOpen = async (index: number) => {
      await expect.poll(() => tabs.nth(index).getAttribute('aria-selected')).toBe('true');
      await expect.poll(async () => (await stored())?.activeTabIndex).toBe(index);
    };
    await page.goto(`${server.url}/graphql#token=${server.adminToken}`);
    let count = await settled();
    expect(page.url()).toBe(`${server.url}/graphql`);
    expect(count).toBe(1);
    await page.getByRole('button', { name: 'New tab' }).click();
    count = await settled();
    expect(count).toBe(2);
    for (const index of [count - 1, 0, count - 1]) {
      await tabs.nth(index).locator('.graphiql-tab-button').click();
      await isOpen(index);
    }

    await write(page, '{ viewer { user { email } } }');
    // A tenth of a second after the last key the editor notes that the operation has no name any more.
    await page.locator('.graphiql-tab-active', { hasText: '<untitled>' }).waitFor();
    await page.keyboard.press('ControlOrMeta+Enter');
    const response = page.locator('.graphiql-response');
    await response.filter({ hasText: 'admin@trellis.example' }).waitFor();
    expect(page.url()).toBe(`${server.url}/graphql`);

    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    const docs = page.locator('.graphiql-doc-explorer');
    await docs.getByText('Query', { exact: true }).first().click();
    await docs.getByText('viewer', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();

    // What was run is remembered without its headers.
    await write(page, 'query Remembered { viewer { user { nickName } } }');
    await page.getByRole('button', { name: 'Headers' }).click();
    await page.locator('.graphiql-editor-tool .view-lines').last().click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('{ "X-Request-Id": "header-of-its-own" }');
    const sent = page.waitForRequest(
      (each) =>
        each.postData()?.includes('Remembered') === true && each.headers()['x-request-id'] !== undefined,
    );
    await page.locator('.graphiql-tab-active', { hasText: 'Remembered' }).waitFor();
    await page.getByRole('button', { name: 'Execute query' }).click();
    expect((await sent).headers()['x-request-id']).toBe('header-of-its-own');
    await response.filter({ hasText: 'nickName' }).waitFor();

    await page.reload();
    expect(await settled()).toBe(count);
    await isOpen(count - 1);
    const storage = await page.evaluate<string>('JSON.stringify(localStorage)');
    expect(storage).toContain('Remembered');
    expect(storage).not.toContain('header-of-its-own');
    expect(storage).not.toContain(server.adminToken);
    expect(problems).toEqual([]);
    expect(browser.foreignHosts).toEqual([]);
    await page.close();
  });

  it('begins with operations on what is there, which run as they stand', async () => {
    const operationsIn = async (token: string) => {
      const page = await browser.context.newPage();
      await page.goto(`${server.url}/openapi/v1/openapi.json`);
      await page.evaluate('localStorage.clear()');
      await page.goto(`${server.url}/graphql#token=${token}`);
      await accepted(page);
      await page.locator('.graphiql-tab').first().waitFor();
      const stored = () =>
        page.evaluate<string | null>('JSON.parse(localStorage.getItem("graphiql:tabState"))?.tabs[0].query');
      await expect.poll(stored).toBeTruthy();
      const query = (await stored())!;
      await page.close();
      const answers = parse(query).definitions.map(async (definition) => {
        const { name } = definition as OperationDefinitionNode;
        return [name!.value, await server.graphql(print(definition), {}, token)] as const;
      });
      return { query, answers: Object.fromEntries(await Promise.all(answers)) };
    };
    const place = await server.createPlace();
    const member = await server.createMember(place.team.teamId, 'OWNER');
    const empty = await operationsIn(member.token);
    expect(Object.keys(empty.answers)).toEqual(['Tree', 'Viewer', 'Regions', 'CreateTeam']);
    for (const { errors } of Object.values(empty.answers)) expect(errors).toBeUndefined();

    const { componentId } = await server.createComponent((await server.createApplication(place)).appId);
    await server.addPort(componentId, 8080);
    const { query, answers } = await operationsIn(member.token);
    expect(Object.keys(answers)).toEqual(['Tree', 'Application', 'Events', 'OpenPort']);
    for (const { errors } of Object.values(answers)) expect(errors).toBeUndefined();
    expect(query).toContain(componentId);
    expect(answers.OpenPort!.data.openOuterService.__typename).toBe('OpenOuterServicePayload');
  });

  it('asks for a token, reports a rejected one, is usable on a phone, and forgets the token', async () => {
    const { page, problems } = await open('/graphql', { width: 390, height: 844 });
    await page.getByText('Enter a token to run queries.').waitFor();
    expect(await page.locator('.graphiql-container').count()).toBe(0);

    await page.keyboard.type('trl_not-a-token');
    await page.keyboard.press('Enter');
    await page.getByText('The token is unknown, expired or revoked.').waitFor();

    await page.getByLabel('Access token').fill(server.adminToken);
    await page.getByRole('button', { name: 'Use token' }).click();
    await accepted(page);

    await write(page, '{ viewer { user { email } } }');
    await page.locator('.graphiql-tab-active', { hasText: '<untitled>' }).waitFor();
    await page.getByRole('button', { name: 'Execute query' }).click();
    const response = page.locator('.graphiql-response');
    // The address is broken over two lines.
    await response.filter({ hasText: 'admin@trellis' }).waitFor();
    const isLarge = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      expect(box!.width, selector).toBeGreaterThan(300);
      expect(box!.height, selector).toBeGreaterThan(200);
      expect(box!.x + box!.width, selector).toBeLessThanOrEqual(390);
      expect(box!.y + box!.height, selector).toBeLessThanOrEqual(844);
    };
    await isLarge('.graphiql-response');
    await isLarge('.graphiql-editors');
    // The panes cover the rest while they are open.
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await isLarge('.graphiql-plugin');
    await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
    await isLarge('.graphiql-response');
    const scrollWidth = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(scrollWidth).toBe(390);
    // The browser itself reports the request that was refused.
    expect(problems.filter((text) => !text.includes('401'))).toEqual([]);

    await page.getByRole('button', { name: 'Forget token' }).click();
    await page.getByText('Enter a token to run queries.').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await page.close();
  });

  it('adds what a request costs to its answer while "Explain" is pressed', async () => {
    const { page, problems } = await open(
      `/graphql?query=${encodeURIComponent('query Cost { viewer { user { email } } }')}`,
    );
    await page.getByLabel('Access token').fill(server.adminToken);
    await page.getByRole('button', { name: 'Use token' }).click();
    await accepted(page);
    await page.locator('.graphiql-tab-active', { hasText: 'Cost' }).waitFor();
    const explain = page.getByRole('button', { name: 'Explain' });
    const execute = async () => {
      const answer = page.waitForResponse(
        (each) => each.request().postData()?.includes('Cost') === true && each.status() === 200,
      );
      await page.getByRole('button', { name: 'Execute query' }).click();
      return (await answer).json();
    };
    expect(await explain.getAttribute('aria-pressed')).toBe('false');
    expect(await execute()).not.toHaveProperty('extensions');
    await explain.click();
    expect(await explain.getAttribute('aria-pressed')).toBe('true');
    expect((await execute()).extensions.explain).toMatchObject({
      objects: 3,
      statements: expect.any(Number),
    });
    await page.locator('.graphiql-response', { hasText: 'LIMIT_TOKENS' }).waitFor();
    await explain.click();
    expect(await explain.getAttribute('aria-pressed')).toBe('false');
    expect(await execute()).not.toHaveProperty('extensions');
    expect(problems).toEqual([]);
    await page.close();
  });

  it('opens the query of a link, removes it from the URL, and runs it as a subscription', async () => {
    const team = await server.createTeam();
    const query = `subscription FromLink { events(team: { name: "${team.name}" }) { action } }`;
    const { page, problems } = await open(
      `/graphql?query=${encodeURIComponent(query)}#token=${server.adminToken}`,
    );
    await accepted(page);
    await page.locator('.graphiql-tab-active', { hasText: 'FromLink' }).waitFor();
    await page.locator('.graphiql-query-editor', { hasText: 'FromLink' }).waitFor();
    expect(page.url()).toBe(`${server.url}/graphql`);

    await page.locator('.graphiql-query-editor .view-lines').click();
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect.poll(() => server.services.feeds.size).toBe(1);
    await server.succeed('updateTeam', { team: { teamId: team.teamId }, alias: 'Live' }, 'team { alias }');
    await page.locator('.graphiql-response', { hasText: 'team.update' }).waitFor();
    await page.close();
    await expect.poll(() => server.services.feeds.size).toBe(0);
    expect(problems).toEqual([]);
  });
});
