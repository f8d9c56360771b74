import { afterEach, describe, expect, it } from 'vitest';
import { type ChangeContext, change } from '../../src/db/write/change.ts';
import { createLoaders } from '../../src/kernel/batch.ts';
import { RequestBudget } from '../../src/kernel/budget.ts';
import { defaultLimits } from '../../src/kernel/limits.ts';
import { SharedMemory } from '../../src/kernel/memory.ts';

const kib = 1024;
let budgets: RequestBudget[] = [];
const create = (limits = {}, memory = new SharedMemory(Number.POSITIVE_INFINITY)) => {
  const budget = new RequestBudget({ ...defaultLimits, ...limits }, memory);
  budgets.push(budget);
  return budget;
};
afterEach(() => {
  for (const budget of budgets) budget.end(true);
  budgets = [];
});

describe('what the texts of a request may be expanded to', () => {
  it('is 256 KiB, or four times a text that is longer', () => {
    const budget = create();
    expect(budget.expandable(10)).toEqual({ characters: 256 * kib, values: 100_000 });
    expect(budget.expandable(100 * kib).characters).toBe(400 * kib);
  });

  it('is four times the body for all texts together', () => {
    const budget = create();
    budget.countBody(100 * kib);
    budget.countExpanded({ characters: 250 * kib, values: 60_000 }, 50 * kib);
    expect(budget.expandable(50 * kib)).toEqual({ characters: 150 * kib, values: 40_000 });
    expect(() => budget.countExpanded({ characters: 150 * kib + 1, values: 1 }, 50 * kib)).toThrow(
      'The request exceeds the limit of 262144 characters after the expansion of aliases.',
    );
    expect(budget.failure).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'LIMIT_EXPANDED_KIB' });
  });

  it('has a limit on values', () => {
    const budget = create({ expandedValues: 10 });
    budget.countExpanded({ characters: 1, values: 10 }, 1);
    expect(() => budget.countExpanded({ characters: 1, values: 1 }, 1)).toThrow('10 values');
    expect(budget.failure?.limit).toBe('LIMIT_EXPANDED_VALUES');
  });
});

describe('the memory of all requests', () => {
  it('is taken by bodies and by what is expanded, and refused to the request that exceeds it', () => {
    const memory = new SharedMemory(8 * kib * kib);
    const [first, second] = [create({}, memory), create({}, memory)];
    first.countBody(kib * kib);
    first.countExpanded({ characters: 700 * kib, values: 0 }, 700 * kib);
    expect(memory.taken).toBeGreaterThan(6 * kib * kib);
    expect(() => second.countBody(kib * kib)).toThrow();
    expect(second.failure).toMatchObject({ code: 'UNAVAILABLE', limit: 'ANSWERS_MEMORY_MIB' });
    first.end(true);
    second.end(true);
    expect(memory.taken).toBe(0);
  });
});

describe('the memory of a caller', () => {
  it('is at most half of that of all requests, unless one request takes more', () => {
    const memory = new SharedMemory(100);
    const [first, second, other] = [memory.of('a'), memory.of('a'), memory.of('b')];
    expect(first.take(60)).toBe(true);
    expect(second.take(1)).toBe(false);
    expect(first.take(20)).toBe(true);
    expect(other.take(20)).toBe(true);
    first.give(40);
    expect(second.take(10)).toBe(true);
    expect(second.take(1)).toBe(false);
    second.give(10);
    first.give(40);
    other.give(20);
    expect(memory.taken).toBe(0);
    expect([first.take(30), second.take(20), first.take(1)]).toEqual([true, true, false]);
  });
});

describe('what a change reads', () => {
  it('is counted once if the change is made again because it has to ask another server', async () => {
    const budget = create();
    const db = { channel: { publish: () => {} }, transaction: (work: (tx: object) => unknown) => work({}) };
    const context = { db, actor: {}, loaders: createLoaders(), budget } as unknown as ChangeContext;
    let runs = 0;
    await change(context, 'application.upgrade', async ({ needs }) => {
      budget.countRow(['x'.repeat(1_000_000)]);
      if (++runs < 3) needs.add(async () => {});
    });
    expect(runs).toBe(3);
    const once = create();
    once.countRow(['x'.repeat(1_000_000)]);
    expect(budget.used.bytes).toBe(once.used.bytes);
  });
});

describe('the time of threads', () => {
  it('is limited for all that they do for the request', () => {
    const budget = create({ threadMs: 100 });
    budget.countThread(60);
    expect(budget.threadMsLeft).toBe(40);
    expect(() => budget.countThread(41)).toThrow();
    expect(budget.failure).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'LIMIT_THREAD_MS' });
  });
});
