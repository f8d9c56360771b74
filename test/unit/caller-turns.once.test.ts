import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CallerTurns } from '../../src/http/caller-turns.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Requests of which the first has used up its turn. Returns how many of the others have gone on. */
function requestsAfterASlowOne(turns: CallerTurns, count: number) {
  let gone = 0;
  expect(turns.next('one')).toBeUndefined();
  vi.advanceTimersByTime(9);
  for (let index = 0; index < count; index++) void turns.next('one')!.then(() => gone++);
  return () => gone;
}

it('requests go on one in each turn after one that takes long', async () => {
  const gone = requestsAfterASlowOne(new CallerTurns(), 3);
  for (const expected of [1, 2, 3]) {
    await nextTurn();
    expect(gone()).toBe(expected);
  }
});

it('requests wait while connections are accepted, for 40 ms', async () => {
  const turns = new CallerTurns();
  const gone = requestsAfterASlowOne(turns, 2);
  for (let turn = 0; turn < 20; turn++) {
    turns.accepted();
    await nextTurn();
    expect(gone()).toBe(0);
  }
  vi.advanceTimersByTime(40);
  turns.accepted();
  await nextTurn();
  expect(gone()).toBe(1);
});

it('requests go on when no further connection is accepted', async () => {
  const turns = new CallerTurns();
  const gone = requestsAfterASlowOne(turns, 1);
  turns.accepted();
  await nextTurn();
  expect(gone()).toBe(0);
  await nextTurn();
  expect(gone()).toBe(1);
});
