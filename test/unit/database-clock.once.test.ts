import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DatabaseClock } from '../../src/db/work/clock.ts';

describe('the clock of the database', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }));
  afterEach(() => void vi.useRealTimers());

  const leaseMs = 60_000;
  const start = Date.UTC(2026, 0, 1);
  /** An answer that a statement took half-way between the question and now. */
  const answer = (clock: DatabaseClock, timeMs: () => number, tookMs: number) => {
    const askedAtMs = performance.now();
    vi.advanceTimersByTime(tookMs / 2);
    const nowMs = timeMs();
    vi.advanceTimersByTime(tookMs / 2);
    clock.set(nowMs, askedAtMs);
  };
  const timeOf = (offsetMs: number) => () => start + performance.now() + offsetMs;

  it('is not set back by an answer that was slow', () => {
    const clock = new DatabaseClock(leaseMs);
    answer(clock, timeOf(0), 2);
    expect(clock.read().now.getTime() - timeOf(0)()).toBe(-1);
    const before = clock.read();
    for (const tookMs of [900, 10_000, 40]) answer(clock, timeOf(0), tookMs);
    expect(clock.read().now.getTime() - timeOf(0)()).toBe(-1);
    expect(clock.read().heldFromMs - before.heldFromMs).toBe(900 + 10_000 + 40 - 19);
  });

  it('becomes more exact with each answer', () => {
    const clock = new DatabaseClock(leaseMs);
    answer(clock, timeOf(0), 800);
    expect(clock.read().now.getTime() - timeOf(0)()).toBe(-400);
    answer(clock, timeOf(0), 200);
    expect(clock.read().now.getTime() - timeOf(0)()).toBe(-100);
    answer(clock, timeOf(0), 800);
    expect(clock.read().now.getTime() - timeOf(0)()).toBe(-100);
  });

  it('follows a database whose clock was set, also by a slow answer', () => {
    const clock = new DatabaseClock(leaseMs);
    answer(clock, timeOf(0), 2);
    answer(clock, timeOf(3_600_000), 10_000);
    expect(clock.read().now.getTime() - timeOf(3_600_000)()).toBe(-5_000);
    answer(clock, timeOf(-3_600_000), 10_000);
    expect(clock.read().now.getTime() - timeOf(-3_600_000)()).toBe(5_000);
  });

  it('holds a lease from before the question that it was answered by', () => {
    const clock = new DatabaseClock(leaseMs);
    answer(clock, timeOf(0), 800);
    const { now, heldFromMs } = clock.read();
    // The database may have counted the lease from as early as this.
    expect(now.getTime() - timeOf(0)()).toBe(-400);
    expect(performance.now() - heldFromMs).toBe(800);
  });
});
