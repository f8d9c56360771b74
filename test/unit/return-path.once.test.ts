import { describe, expect, it } from 'vitest';
import { returnPath } from '../../src/http/auth/return-path.ts';

describe('the path to return to after a sign-in', () => {
  it.each([
    '/',
    '/teams/web',
    '/teams/web?tab=members&page=2#row-3',
    '/search?q=a%20b',
    '/a:b@c',
    '/auth/cli?port=4001',
    '/graphql',
  ])('can be %s', (to) => expect(returnPath(to)).toBe(to));

  it('is encoded where it has letters of other alphabets', () => {
    expect(returnPath('/teams/größe')).toBe('/teams/gr%C3%B6%C3%9Fe');
  });

  it.each([
    null,
    '',
    'teams',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '\\/evil.example',
    '/teams\\..\\..\\evil.example',
    'https://evil.example',
    'https:evil.example',
    'https:/evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    ' /teams',
    '\t//evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r\nSet-Cookie: a=b',
    '/teams\u0000',
    '/teams\u007f',
    '/\u2028/evil.example',
    '/\u00a0/evil.example',
    '/%2F/evil.example',
    '/%2fevil.example',
    '/%5Cevil.example',
    '/%09/evil.example',
    '/%0d%0aSet-Cookie:%20a=b',
    '/%00',
    '/%',
    '/%zz',
    '/%e0%80%af',
    '/..//evil.example',
    '/.//evil.example',
    '/teams/..//evil.example',
    '/%2e%2e//evil.example',
    '/%2e/%2e%2e//evil.example',
    '/@evil.example\\',
    '@evil.example',
    '.evil.example',
    ':80/x',
    '/auth/sign-in?to=/',
    '/auth/callback?code=1',
    '/teams/../auth/sign-in',
    '/auth/cli/../sign-in',
    `/${'a'.repeat(400)}`,
  ])('is / instead of %j', (to) => expect(returnPath(to)).toBe('/'));

  it('never leads to another origin, whatever is encoded how often', () => {
    const parts = ['/', '\\', '%2f', '%5c', '.', '%2e', '\t', '%09', '@', ':', 'evil.example', '?', '#'];
    for (const a of parts)
      for (const b of parts)
        for (const c of parts)
          for (const d of parts) {
            const path = returnPath(`/${a}${b}${c}${d}`);
            const { origin, pathname } = new URL(path, 'https://trellis.example/auth/callback');
            expect(origin).toBe('https://trellis.example');
            expect(pathname.startsWith('//'), path).toBe(false);
          }
  });
});
