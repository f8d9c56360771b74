import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/db/open.ts';
import type { CountRow, ReadOptions } from '../../src/db/query/reader.ts';
import { rowBytes } from '../../src/kernel/budget.ts';
import { SharedMemory } from '../../src/kernel/memory.ts';
import { SharedReads } from '../../src/live/shared-reads.ts';

const row = ['a text of a row'];

/** A database whose statements have so many rows, and the reads of its subscribers. */
function reads({ rows, retained = 100 }: { rows: number; retained?: number }) {
  const state = { sent: 0, arrived: 0 };
  const db = {
    async query(_text: string, _params: unknown[], { count }: ReadOptions = {}) {
      state.sent++;
      const found: unknown[][] = [];
      for (let index = 0; index < rows; index++) {
        await Promise.resolve();
        count?.(row);
        state.arrived++;
        found.push(row);
      }
      return found;
    },
  };
  const memory = new SharedMemory(retained * rowBytes(row));
  const shared = new SharedReads(db as unknown as Database, 600_000, memory);
  return { state, memory, read: (count?: CountRow) => shared.db.query('SELECT 1', [], { count }) };
}

/** Counts rows, and throws beyond a number. */
function counting(most: number): CountRow & { counted: number } {
  const count = () => {
    if (++count.counted > most) throw new Error('too much');
  };
  count.counted = 0;
  return count;
}

it('counts the rows of a shared statement while they arrive, and ends it when they are too many', async () => {
  const { state, read } = reads({ rows: 1_000 });
  await expect(read(counting(10))).rejects.toThrow('too much');
  expect(state).toEqual({ sent: 1, arrived: 10 });
});

it('sends a statement once, and again if the first subscriber could not hold its rows', async () => {
  const { state, read } = reads({ rows: 50 });
  const counts = [counting(50), counting(50)];
  const both = await Promise.all(counts.map((count) => read(count)));
  expect(both.map(({ length }) => length)).toEqual([50, 50]);
  expect(counts.map(({ counted }) => counted)).toEqual([50, 50]);
  expect(state.sent).toBe(1);

  const other = reads({ rows: 50 });
  const [cut, whole] = await Promise.allSettled([other.read(counting(5)), other.read(counting(50))]);
  expect(cut).toMatchObject({ status: 'rejected', reason: { message: 'too much' } });
  expect(whole).toMatchObject({ status: 'fulfilled', value: { length: 50 } });
  expect(other.state.sent).toBe(2);
});

it('retains rows as far as there is room', async () => {
  const small = reads({ rows: 60 });
  await small.read();
  await small.read();
  expect(small.state.sent).toBe(1);
  expect(small.memory.taken).toBe(60 * rowBytes(row));

  const large = reads({ rows: 200 });
  await Promise.all([large.read(), large.read()]);
  expect(large.state.sent).toBe(1);
  await large.read();
  expect(large.state.sent).toBe(2);
  expect(large.memory.taken).toBe(0);
});

describe('a statement that several subscribers wait for', () => {
  interface Statement {
    caller: string | undefined;
    signal: AbortSignal;
    answer(rows: unknown[][]): void;
  }

  /** A database whose statements are answered by the test. */
  function withStatements() {
    const statements: Statement[] = [];
    const query: Database['query'] = (_text, _params, { signal, caller } = {}) =>
      new Promise((resolve, reject) => {
        signal!.addEventListener('abort', () => reject(signal!.reason));
        statements.push({ caller, signal: signal!, answer: resolve });
      });
    const shared = new SharedReads({ query } as Database, 600_000, new SharedMemory(2 ** 20));
    return { statements, db: shared.db };
  }

  const left = new Error('left');

  it('is one of the caller who is first', async () => {
    const { statements, db } = withStatements();
    const both = ['one', 'two'].map((caller) => db.query('a', [1], { caller }));
    const third = db.query('a', [2], { caller: 'two' });
    expect(statements.map(({ caller }) => caller)).toEqual(['one', 'two']);
    for (const { answer } of statements) answer([[7]]);
    expect(await Promise.all([...both, third])).toEqual([[[7]], [[7]], [[7]]]);
  });

  it('is cancelled when nobody waits for it, and sent again for who comes then', async () => {
    const { statements, db } = withStatements();
    const ended = [new AbortController(), new AbortController()];
    const both = ended.map(({ signal }) => db.query('a', [], { signal }));
    ended[0]!.abort(left);
    await expect(both[0]).rejects.toBe(left);
    expect(statements[0]!.signal.aborted).toBe(false);
    ended[1]!.abort(left);
    const again = db.query('a', []);
    await expect(both[1]).rejects.toBe(left);
    expect(statements[0]!.signal.aborted).toBe(true);
    statements[1]!.answer([[1]]);
    expect(await again).toEqual([[1]]);
  });

  it('goes on for those who stay', async () => {
    const { statements, db } = withStatements();
    const ended = new AbortController();
    const gone = db.query('a', [], { signal: ended.signal });
    const stays = db.query('a', []);
    ended.abort(left);
    await expect(gone).rejects.toBe(left);
    statements[0]!.answer([[1]]);
    expect(await stays).toEqual([[1]]);
  });
});
