import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallerTurns } from '../../src/http/caller-turns.ts';
import { WorkQueue } from '../../src/http/work-queue.ts';

/** Work that ends when it is told to. */
function create(maxActive: number) {
  const queue = new WorkQueue(maxActive);
  const begun: number[] = [];
  const ends = new Map<number, () => void>();
  const run = (each: number) =>
    queue.run(() => {
      begun.push(each);
      return new Promise<void>((resolve) => ends.set(each, resolve));
    });
  const end = async (each: number) => {
    ends.get(each)!();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { queue, begun, run, end };
}

describe('work', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('begin in the order of their arrival, as many at once as are allowed', async () => {
    const { begun, run, end } = create(2);
    for (const each of [1, 2, 3, 4, 5]) run(each);
    expect(begun).toEqual([1, 2]);
    await end(2);
    expect(begun).toEqual([1, 2, 3]);
    await end(1);
    await end(3);
    expect(begun).toEqual([1, 2, 3, 4, 5]);
  });

  it('do not wait long for those that wait for something else', async () => {
    const { begun, run } = create(2);
    for (const each of [1, 2, 3, 4, 5]) run(each);
    await vi.advanceTimersByTimeAsync(200);
    expect(begun).toEqual([1, 2]);
    await vi.advanceTimersByTimeAsync(200);
    expect(begun).toEqual([1, 2, 3, 4]);
    await vi.advanceTimersByTimeAsync(400);
    expect(begun).toEqual([1, 2, 3, 4, 5]);
  });

  it('are settled when all have ended, those that waited as well', async () => {
    const { queue, run, end } = create(1);
    run(1);
    run(2);
    let isSettled = false;
    void queue.settled().then(() => {
      isSettled = true;
    });
    await end(1);
    expect(isSettled).toBe(false);
    await end(2);
    expect(isSettled).toBe(true);
  });
});

describe('work of callers', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** Lets work enter that goes on for ever, and returns the callers in the order in which theirs did. */
  function enterAll(callers: readonly string[]): string[] {
    const queue = new WorkQueue(4);
    const entered: string[] = [];
    for (const caller of callers) {
      queue.begin(async (own) => {
        await queue.enter(own, caller);
        entered.push(caller);
        await new Promise<void>(() => {});
      });
    }
    return entered;
  }

  it('takes half of the places, so that others do not wait for it', async () => {
    const entered = enterAll(['a', 'a', 'a', 'a', 'a', 'b', 'c', 'd', 'e']);
    await vi.advanceTimersByTimeAsync(0);
    expect(entered).toEqual(['a', 'a', 'b', 'c', 'd', 'e']);
    // What takes long has no place any more.
    await vi.advanceTimersByTimeAsync(400);
    expect(entered.filter((caller) => caller === 'a')).toHaveLength(4);
  });

  it('does not wait any more when its client has left', async () => {
    const gone = new Error('gone');
    const left = new AbortController();
    const queue = new WorkQueue(4);
    const entered: string[] = [];
    for (const name of ['a', 'a', 'left', 'left', 'last']) {
      queue.begin(async (own) => {
        const closed = () => (name === 'left' ? left : new AbortController()).signal;
        const hasEntered = await Promise.resolve(queue.enter(own, 'a', closed)).then(
          () => true,
          () => false,
        );
        if (!hasEntered) return;
        entered.push(name);
        await new Promise<void>(() => {});
      });
    }
    left.abort(gone);
    await vi.advanceTimersByTimeAsync(400);
    expect(entered).toEqual(['a', 'a', 'last']);
    const turns = new CallerTurns();
    expect(turns.next('a')).toBeUndefined();
    vi.advanceTimersByTime(20);
    const closing = new AbortController();
    const waiting = turns.next('a', () => closing.signal);
    const next = turns.next('a');
    closing.abort(gone);
    await expect(waiting).rejects.toBe(gone);
    await next;
  });

  it('goes on in turns of the callers when it takes long', async () => {
    const turns = new CallerTurns();
    // Longer than the work of a turn may take.
    const work = () => vi.advanceTimersByTime(20);
    expect(turns.next('a')).toBeUndefined();
    work();
    const order: string[] = [];
    const works = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(async (name) => {
      await turns.next(name[0]);
      order.push(name);
      work();
    });
    await Promise.all(works);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });
});
