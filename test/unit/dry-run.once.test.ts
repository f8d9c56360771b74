import { describe, expect, it } from 'vitest';
import type { ChangeContext } from '../../src/db/write/change.ts';
import { dryRun } from '../../src/db/write/dry-run.ts';
import { createLoaders } from '../../src/kernel/batch.ts';

/** A database whose transactions end when they are told to. */
function createDatabase(kind: 'sqlite' | 'postgres') {
  const begun: { caller: number; end(): void }[] = [];
  const context = (caller: number, signal?: AbortSignal) =>
    ({
      db: {
        channel,
        dialect: { kind },
        transaction: (work: (tx: object) => Promise<unknown>) =>
          new Promise<void>((end) => begun.push({ caller, end })).then(() => work({})),
      },
      actor: { userId: caller },
      loaders: createLoaders(),
      signal,
    }) as unknown as ChangeContext;
  const channel = {};
  const plan = (caller: number, signal?: AbortSignal) => dryRun(context(caller, signal), async () => caller);
  return { begun, plan };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('dry runs', () => {
  it.each([
    ['sqlite', 1],
    ['postgres', 2],
  ] as const)('on %s leave the database to others: at most %i at a time', async (kind, most) => {
    const { begun, plan } = createDatabase(kind);
    const plans = Array.from({ length: 6 }, (_, caller) => plan(caller));
    for (let ended = 0; ended < 6; ended++) {
      await settle();
      expect(begun.length).toBe(Math.min(6, ended + most));
      begun[ended]!.end();
    }
    expect(await Promise.all(plans)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('take turns by caller', async () => {
    const { begun, plan } = createDatabase('sqlite');
    const plans = [1, 1, 1, 2].map((caller) => plan(caller));
    for (let ended = 0; ended < 4; ended++) {
      await settle();
      begun[ended]!.end();
    }
    await Promise.all(plans);
    expect(begun.map(({ caller }) => caller)).toEqual([1, 2, 1, 1]);
  });

  it('that are no longer wanted do not begin', async () => {
    const { begun, plan } = createDatabase('sqlite');
    const aborted = new AbortController();
    const first = plan(1);
    const others = [plan(1, aborted.signal), plan(2, aborted.signal)];
    await settle();
    aborted.abort(new Error('gone'));
    expect(await Promise.allSettled(others)).toMatchObject([
      { status: 'rejected', reason: { message: 'gone' } },
      { status: 'rejected', reason: { message: 'gone' } },
    ]);
    begun[0]!.end();
    expect(await first).toBe(1);
    await settle();
    expect(begun.length).toBe(1);
  });
});
