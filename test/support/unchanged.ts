import { afterEach, beforeEach, expect } from 'vitest';
import type { Trellis } from './trellis.ts';

/**
 * Every test of the file leaves as many rows as there were, and no error in the log. A test that has to write first
 * counts again with what this answers.
 */
export function expectUnchanged(running: () => Trellis): () => Promise<void> {
  let before: Record<string, number>;
  const count = async () => {
    before = await running().counts();
  };
  beforeEach(async () => {
    await count();
    running().logged.length = 0;
  });
  afterEach(async () => {
    expect(await running().counts()).toEqual(before);
    expect(running().logged.filter(({ level }) => level >= 50)).toEqual([]);
  });
  return count;
}
