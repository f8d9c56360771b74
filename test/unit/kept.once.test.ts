import { describe, expect, it } from 'vitest';
import { createKept, type Sized } from '../../src/graphql/execute/kept.ts';

/** Keeps things of these sizes and tells which of them were dropped, in order. */
function keeping(...sizes: number[]) {
  const kept = createKept({ ofOne: 10, ofAll: 20 });
  const dropped: number[] = [];
  const things: Sized[] = sizes.map((size) => ({ size }));
  for (const [index, thing] of things.entries()) kept.keep(thing, () => dropped.push(index));
  return { kept, dropped, things };
}

describe('what is kept', () => {
  it('stays while there is room', () => {
    expect(keeping(10, 5, 5).dropped).toEqual([]);
  });

  it('makes room in the order in which it came', () => {
    expect(keeping(8, 8, 8, 8).dropped).toEqual([0, 1]);
  });

  it('is dropped at once when it alone is too large, and takes no room', () => {
    expect(keeping(10, 11, 10).dropped).toEqual([1]);
  });

  it('makes room when another one grows', () => {
    const { kept, dropped, things } = keeping(6, 6, 6);
    kept.grow(things[2]!, 2);
    expect(dropped).toEqual([]);
    kept.grow(things[2]!, 1);
    expect(dropped).toEqual([0]);
    expect(things[2]!.size).toBe(9);
  });

  it('is dropped once when it grows too large, and gives its room back', () => {
    const { kept, dropped, things } = keeping(6, 6, 6);
    kept.grow(things[0]!, 5);
    kept.grow(things[0]!, 5);
    expect(dropped).toEqual([0]);
    kept.keep({ size: 8 }, () => dropped.push(3));
    expect(dropped).toEqual([0]);
    expect(things[0]!.size).toBe(16);
  });
});
