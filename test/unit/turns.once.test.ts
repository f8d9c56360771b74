import { expect, it } from 'vitest';
import { createTurns } from '../../src/http/turns.ts';

it('work of one key runs in turns, in which what waits begins together, and other keys do not wait', async () => {
  const inTurns = createTurns();
  const began: string[] = [];
  const ends = new Map<string, (failure?: Error) => void>();
  const run = (key: string, name: string) =>
    inTurns(key, () => {
      began.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (failure) => (failure ? reject(failure) : resolve(name)));
      });
    });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const first = run('a', 'first');
  await settled();
  const [second, third, other] = [run('a', 'second'), run('a', 'third'), run('b', 'other')];
  await settled();
  expect(began).toEqual(['first', 'other']);
  ends.get('first')!(new Error('down'));
  await expect(first).rejects.toThrow('down');
  await settled();
  expect(began).toEqual(['first', 'other', 'second', 'third']);
  const fourth = run('a', 'fourth');
  ends.get('second')!();
  await settled();
  expect(began).not.toContain('fourth');
  ends.get('third')!();
  await settled();
  for (const name of ['other', 'fourth']) ends.get(name)!();
  expect(await Promise.all([second, third, other, fourth])).toEqual(['second', 'third', 'other', 'fourth']);
});
