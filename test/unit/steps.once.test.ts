import { describe, expect, it } from 'vitest';
import { stepsOf } from '../../src/kernel/steps.ts';
import { randomOf } from '../support/random.ts';

const steps = (needs: { [item: string]: string[] }) =>
  Object.fromEntries(stepsOf(Object.keys(needs), (item) => needs[item]!));

describe('the steps', () => {
  it('is higher than that of the dependencies', () => {
    expect(steps({ web: ['api', 'cache'], api: ['db', 'cache'], cache: [], db: [], alone: [] })).toEqual({
      db: 0,
      cache: 0,
      alone: 0,
      api: 1,
      web: 2,
    });
  });

  it('is equal for items that depend on each other', () => {
    expect(steps({ a: ['b'], b: ['c'], c: ['a', 'd'], d: ['d'], e: ['b'] })).toEqual({
      d: 0,
      a: 1,
      b: 1,
      c: 1,
      e: 2,
    });
  });

  it('do not recurse along a long chain', () => {
    const found = stepsOf([0], (item) => (item < 20_000 ? [item + 1] : []));
    expect([found.size, found.get(0), found.get(20_000)]).toEqual([20_001, 20_000, 0]);
  });

  it('of random graphs are lower for what is needed, and equal only in a cycle', () => {
    const random = randomOf(7);
    for (let round = 0; round < 50; round++) {
      const items = Array.from({ length: 2 + random.below(12) }, (_, index) => index);
      const needs = items.map(() => items.filter(() => random.chance(0.15)));
      const found = stepsOf(items, (item) => needs[item]!);
      const reach = (from: number, seen = new Set<number>()): Set<number> => {
        for (const to of needs[from]!) if (!seen.has(to)) reach(to, seen.add(to));
        return seen;
      };
      for (const item of items) {
        for (const need of reach(item)) {
          const isCycle = reach(need).has(item);
          expect(found.get(need)! - found.get(item)!, `${JSON.stringify(needs)}`)[
            isCycle ? 'toBe' : 'toBeLessThan'
          ](0);
        }
      }
    }
  });
});
