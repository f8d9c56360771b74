import { describe, expect, it } from 'vitest';
import { send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(trellis, { path, headers, method, token: null });
const html = { Accept: 'text/html,application/xhtml+xml' };

describe('/', () => {
  it('returns the console to browsers, and all that its page names', async () => {
    const { status, headers, text } = await get('/', html);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.vary).toContain('Accept');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).not.toMatch(/<script(?![^>]* src="\/)|https?:\/\//);
    const links = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => path!);
    expect(links).toContain('/favicon.svg');
    expect(links.length).toBeGreaterThan(2);
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
          mcp: '/mcp',
          documents: '/llms.txt',
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
});
