import { describe, expect, it } from 'vitest';
import { ReadTurns } from '../../src/db/sqlite/read-turns.ts';

/** Counts the turns of the event loop until it is stopped. */
function countTurns() {
  let turn = 0;
  let isStopped = false;
  const next = () => {
    if (isStopped) return;
    turn++;
    setImmediate(next);
  };
  setImmediate(next);
  const stop = () => {
    isStopped = true;
  };
  return { turn: () => turn, stop };
}

/** Reads that take so many ms each, by a clock that nothing else moves, and the turns in which they ran. */
function reads(ms: number) {
  let now = 0;
  const turns = new ReadTurns(() => now);
  const counted = countTurns();
  const ran: { name: string; turn: number }[] = [];
  const read = async (name: string, request?: object, caller?: string) =>
    turns.run({ request, caller }, () => {
      now += ms;
      ran.push({ name, turn: counted.turn() });
      return name;
    });
  return { ran, read, stop: counted.stop };
}

describe('reads on the thread of the server', () => {
  it('run at once while those of a turn are short, and in later turns after that', async () => {
    const { ran, read, stop } = reads(4);
    const names = Array.from({ length: 10 }, (_, index) => `${index}`);
    expect(await Promise.all(names.map((name) => read(name)))).toEqual(names);
    stop();
    const perTurn = new Map<number, number>();
    for (const { turn } of ran) perTurn.set(turn, (perTurn.get(turn) ?? 0) + 1);
    expect([...perTurn.values()]).toEqual([3, 3, 3, 1]);
  });

  it('take turns by request', async () => {
    const { ran, read, stop } = reads(20);
    const [one, other] = [{}, {}];
    const many = ['a1', 'a2', 'a3', 'a4'].map((name) => read(name, one));
    await Promise.all([...many, read('b1', other)]);
    stop();
    expect(ran.map(({ name }) => name)).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
    expect(new Set(ran.map(({ turn }) => turn)).size).toBe(5);
  });

  it('take turns by caller, however many requests each has', async () => {
    const { ran, read, stop } = reads(20);
    const [one, another, other] = [{}, {}, {}];
    await Promise.all([
      ...['a1', 'a2', 'a3'].map((name) => read(name, one, 'a')),
      ...['x1', 'x2'].map((name) => read(name, another, 'a')),
      ...['b1', 'b2'].map((name) => read(name, other, 'b')),
      read('c1'),
    ]);
    stop();
    expect(ran.map(({ name }) => name)).toEqual(['a1', 'a2', 'b1', 'c1', 'x1', 'b2', 'a3', 'x2']);
  });

  it('that fail leave their turn to the next', async () => {
    const turns = new ReadTurns();
    const fail = () => {
      throw new Error('no');
    };
    expect(() => turns.run({}, fail)).toThrow('no');
    const { read, stop } = reads(20);
    expect(await Promise.all([read('a'), read('b')])).toEqual(['a', 'b']);
    stop();
  });
});
