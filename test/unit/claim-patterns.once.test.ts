import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesClaims } from '../../src/domain/trust/claims-model.ts';
import { tokenNameOf } from '../../src/domain/trust/token-name-model.ts';

const matchesPattern = (pattern: string, text: string) =>
  matchesClaims([{ name: 'sub', pattern }], { sub: text });

/** The same by a regular expression, which can take exponential time. */
const expected = (pattern: string, text: string) =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[^\w]/g, '\\$&'))
      .join('[^]*')}$`,
  ).test(text);

/** Matching that backtracks takes exponential time. It is stopped, and the test fails; nothing else comes near the limit. */
const expectEnd = (work: () => void) =>
  expect(() => runInNewContext('work()', { work }, { timeout: 60_000 })).not.toThrow();

describe('a pattern', () => {
  it.each<[string, string, boolean]>([
    ['', '', true],
    ['*', '', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*a*', 'bab', true],
    ['a*b*c', 'abc', true],
    ['a*bc*c', 'abc', false],
    ['a', 'A', false],
    ['a.c', 'abc', false],
    ['a?', 'ab', false],
    ['*\n*', 'a\nb', true],
  ])('%j of %j', (pattern, text, isMatch) => {
    expect(matchesPattern(pattern, text)).toBe(isMatch);
  });

  it('matches as a regular expression does', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*', '/'), maxLength: 8 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 });
    fc.assert(
      fc.property(
        letters,
        text,
        (pattern, value) => matchesPattern(pattern, value) === expected(pattern, value),
      ),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ['many stars', '*a'.repeat(256), 'a'.repeat(4_095)],
    ['a part that nearly matches everywhere', `*b${'a'.repeat(500)}*`, 'a'.repeat(4_096)],
    ['a part that matches nowhere', `${'*'.repeat(250)}${'ab'.repeat(100)}c*`, 'ab'.repeat(2_048)],
  ])('takes no time: %s', (_, pattern, text) => {
    expectEnd(() => {
      for (let index = 0; index < 100; index++) matchesPattern(pattern, text);
    });
  });
});

describe('claims', () => {
  it('take no time, however many values and patterns there are', () => {
    const claims = { groups: [...Array(3_000).fill('b'), 'a'.repeat(300)] };
    const patterns = Array(20).fill({ name: 'groups', pattern: '*a'.repeat(256) });
    expectEnd(() => {
      for (let index = 0; index < 20; index++) matchesClaims(patterns, claims);
    });
  });

  it('match by one of the first 200 values of a list', () => {
    const matches = (others: number) =>
      matchesClaims([{ name: 'groups', pattern: 'a' }], { groups: [...Array(others).fill('b'), 'a'] });
    expect([matches(199), matches(200)]).toEqual([true, false]);
  });
});

describe('the name of an exchanged token', () => {
  it.each([
    [{ sub: 'repo:shop/web' }, 'repo:shop/web'],
    [{ sub: 'x'.repeat(100) }, `${'x'.repeat(63)}…`],
    [{ sub: 'a\nb' }, 'exchanged'],
    [{ sub: '' }, 'exchanged'],
    [{}, 'exchanged'],
    [{ sub: 7 }, 'exchanged'],
  ])('%j', (claims, name) => {
    expect(tokenNameOf(claims)).toBe(name);
  });
});
