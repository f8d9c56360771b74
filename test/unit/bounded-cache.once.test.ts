import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createBoundedCache } from '../../src/kernel/memo.ts';

/** A cache with entries of these sizes, by their index, and which of them were removed, in order. */
function cacheOf(...sizes: number[]) {
  const removed: number[] = [];
  const cache = createBoundedCache<number, number>({ size: 20, entrySize: 10 }, (key) => removed.push(key));
  for (const [key, size] of sizes.entries()) cache.set(key, size, size);
  return { cache, removed };
}

describe('a bounded cache', () => {
  it('keeps entries up to the limit', () => {
    expect(cacheOf(10, 5, 5).removed).toEqual([]);
  });

  it('removes the oldest entries first', () => {
    expect(cacheOf(8, 8, 8, 8).removed).toEqual([0, 1]);
  });

  it('removes the least recently used entry', () => {
    const { cache, removed } = cacheOf(8, 8);
    expect(cache.get(0)).toBe(8);
    expect(cache.has(1)).toBe(true);
    cache.set(2, 8, 8);
    expect(removed).toEqual([1]);
  });

  it('removes the oldest entry when there are too many', () => {
    const removed: string[] = [];
    const cache = createBoundedCache<string, string>({ entries: 2, size: 20 }, (key) => removed.push(key));
    for (const key of ['a', 'b', 'c']) cache.set(key, key, 1);
    expect(removed).toEqual(['a']);
    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual([undefined, 'b', 'c', 2]);
  });

  it('rejects an entry that exceeds the limit by itself', () => {
    const { cache, removed } = cacheOf(10, 11, 10);
    expect(removed).toEqual([1]);
    expect(cache.size).toBe(20);
  });

  it('replaces an entry and counts it once', () => {
    const { cache, removed } = cacheOf(6, 6);
    cache.set(0, 1, 1);
    expect(removed).toEqual([0]);
    expect([cache.get(0), cache.size]).toEqual([1, 7]);
  });

  it('returns no entry that was set too long ago, however often it was read', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const cache = createBoundedCache<string, number>({ size: 10, lifeMs: 100 });
    cache.set('a', 1, 1);
    vi.advanceTimersByTime(60);
    expect(cache.get('a')).toBe(1);
    vi.advanceTimersByTime(40);
    expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
  });

  it('removes the entries whose values are meant', () => {
    const removed: string[] = [];
    const cache = createBoundedCache<string, number>({ size: 10 }, (key) => removed.push(key));
    for (const [key, value] of Object.entries({ a: 1, b: 2, c: 1 })) cache.set(key, value, 1);
    cache.deleteWhere((value) => value === 1);
    expect([removed, cache.get('b'), cache.size]).toEqual([['a', 'c'], 2, 1]);
    cache.clear();
    expect(cache.size).toBe(0);
  });

  it('evicts entries when an entry grows', () => {
    const { cache, removed } = cacheOf(6, 6, 6);
    cache.grow(2, 2);
    expect(removed).toEqual([]);
    cache.grow(2, 1);
    expect(removed).toEqual([0]);
    expect(cache.size).toBe(6 + 9);
  });

  it('removes an entry that grows too large, and frees its size', () => {
    const { cache, removed } = cacheOf(6, 6, 6);
    cache.grow(0, 5);
    cache.grow(0, 5);
    expect(removed).toEqual([0]);
    cache.set(3, 8, 8);
    expect(removed).toEqual([0]);
    expect(cache.size).toBe(20);
  });
});
