import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Holder, Limiter, type LimiterOptions } from '../../src/kernel/limiter.ts';

function create(options: LimiterOptions) {
  const limiter = new Limiter(options);
  const entered: string[] = [];
  const refused: unknown[] = [];
  const enter = (name: string, holder: Holder = {}, signal?: AbortSignal): Holder => {
    Promise.resolve(limiter.enter(holder, signal)).then(
      () => entered.push(name),
      (error) => refused.push(error),
    );
    return holder;
  };
  return { limiter, entered, refused, enter };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

describe('a limiter', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('admits as many as are allowed, and the others in their order', async () => {
    const { limiter, entered, enter } = create({ most: 2 });
    const [first, second] = ['a', 'b', 'c', 'd'].map((name) => enter(name));
    await settle();
    expect(entered).toEqual(['a', 'b']);
    expect(limiter.waiting).toBe(2);
    limiter.leave(second!);
    await settle();
    expect(entered).toEqual(['a', 'b', 'c']);
    limiter.leave(first!);
    await settle();
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  it('passes over groups that are at their limit', async () => {
    const { limiter, entered, enter } = create({ most: 2, mostOfGroup: 1 });
    const first = enter('a1', { group: 'a' });
    enter('a2', { group: 'a' });
    const other = enter('b1', { group: 'b' });
    enter('c1', { group: 'c' });
    await settle();
    expect(entered).toEqual(['a1', 'b1']);
    limiter.leave(other);
    await settle();
    expect(entered).toEqual(['a1', 'b1', 'c1']);
    limiter.leave(first);
    await settle();
    expect(entered).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  it('lets groups take turns, however much each has in the queue', async () => {
    const { limiter, entered, enter } = create({ most: 1, inTurns: true });
    let holder = enter('a0', { group: 'a' });
    const rest = ['a1', 'a2', 'a3', 'b1', 'none', 'b2'].map((name) => {
      const group = name === 'none' ? {} : { group: name[0]! };
      return [name, enter(name, group)] as const;
    });
    await settle();
    for (let turn = 0; turn < rest.length; turn++) {
      limiter.leave(holder);
      await settle();
      holder = rest.find(([name]) => name === entered.at(-1))![1];
    }
    expect(entered).toEqual(['a0', 'a1', 'b1', 'none', 'a2', 'b2', 'a3']);
  });

  it('gives the place back when work fails', async () => {
    const limiter = new Limiter({ most: 1 });
    await expect(limiter.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(limiter.run('a', async () => 'yes')).resolves.toBe('yes');
  });

  it('leaves nothing of a holder that is aborted while it waits', async () => {
    const { limiter, entered, refused, enter } = create({ most: 1, maxWaitMs: 1_000 });
    const first = enter('first');
    const aborting = new AbortController();
    const second = enter('second', {}, aborting.signal);
    enter('third');
    aborting.abort('gone');
    await settle();
    expect(refused).toEqual(['gone']);
    expect(limiter.waiting).toBe(1);
    limiter.leave(second);
    await settle();
    expect(entered).toEqual(['first']);
    limiter.leave(first);
    await settle();
    expect(entered).toEqual(['first', 'third']);
    enter('late', {}, aborting.signal);
    await settle();
    expect(refused).toEqual(['gone', 'gone']);
  });

  it('refuses a holder that has waited too long', async () => {
    const { limiter, refused, enter } = create({ most: 1, maxWaitMs: 500, refused: () => 'busy' });
    enter('first');
    enter('second');
    await vi.advanceTimersByTimeAsync(499);
    expect(refused).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(refused).toEqual(['busy']);
    expect(limiter.waiting).toBe(0);
  });

  it('does not count long work while others wait, and aborts what is beyond that', async () => {
    const { limiter, entered, enter } = create({
      most: 1,
      longAfterMs: 250,
      mostLong: 1,
      abortAfterMs: 1_000,
      aborted: () => 'too long',
    });
    const aborted: unknown[] = [];
    const working = (): Holder => ({ since: performance.now(), abort: (reason) => aborted.push(reason) });
    const first = enter('first', working());
    await vi.advanceTimersByTimeAsync(2_000);
    const second = enter('second', working());
    await vi.advanceTimersByTimeAsync(50);
    expect(entered).toEqual(['first', 'second']);
    enter('third');
    await vi.advanceTimersByTimeAsync(900);
    expect(aborted).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(aborted.at(-1)).toBe('too long');
    expect(entered).toEqual(['first', 'second']);
    limiter.leave(second);
    await settle();
    expect(entered).toEqual(['first', 'second', 'third']);
    limiter.leave(first);
    expect(limiter.waiting).toBe(0);
  });

  it('counts work that is between two statements', async () => {
    const { entered, enter } = create({ most: 1, longAfterMs: 250 });
    const first = enter('first', { since: undefined });
    enter('second');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(entered).toEqual(['first']);
    first.since = performance.now();
    await vi.advanceTimersByTimeAsync(300);
    expect(entered).toEqual(['first', 'second']);
  });
});
