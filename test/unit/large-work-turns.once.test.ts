import { describe, expect, it } from 'vitest';
import { asChange, nextTurn, yieldInTransaction, yieldToLoop } from '../../src/kernel/event-loop.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Blocks the event loop for as long as a slice. */
function block(ms = 10) {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** Work that can wait, in slices. */
async function largeWork(slices: number) {
  for (let slice = 0; slice < slices; slice++) {
    await nextTurn();
    block();
  }
}

/** How many turns of the event loop others have until the work is done. */
async function turnsUntil(work: Promise<unknown>) {
  let isDone = false;
  void work.finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns++) await turn();
  return turns;
}

describe('large work', () => {
  it('has one slice in each turn', async () => {
    expect(await turnsUntil(largeWork(5))).toBeLessThan(20);
  });

  it('rests between its slices while a change is in progress', async () => {
    let end = () => {};
    const change = asChange(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    expect(await turnsUntil(largeWork(5))).toBeGreaterThan(100);
    end();
    await change;
    expect(await turnsUntil(largeWork(5))).toBeLessThan(20);
  });

  it('does not rest after a change that has failed', async () => {
    const failing = asChange(async () => {
      await turn();
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    expect(await turnsUntil(largeWork(5))).toBeLessThan(20);
  });
});

describe('a transaction', () => {
  it('goes on in a turn that other work has used up', async () => {
    await turn();
    await yieldToLoop();
    block();
    let hasTurned = false;
    setImmediate(() => {
      hasTurned = true;
    });
    for (let statement = 0; statement < 30; statement++) await yieldInTransaction();
    expect(hasTurned).toBe(false);
  });

  it('with many statements yields', async () => {
    await turn();
    let turns = 0;
    const count = () => {
      turns++;
    };
    for (let statement = 0; statement < 200; statement++) {
      if (statement % 50 === 0) setImmediate(count);
      block(0.5);
      await yieldInTransaction();
    }
    expect(turns).toBeGreaterThan(1);
  });
});
