import { noteSeed } from './failure-log.ts';

/** The same numbers for the same seed. @see https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
export function randomOf(seed: number) {
  noteSeed(seed);
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (odds: number) => next() < odds,
    pick: <T>(items: readonly T[]): T => items[below(items.length)]!,
  };
}

export type Random = ReturnType<typeof randomOf>;
