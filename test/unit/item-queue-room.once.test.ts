import { expect, it } from 'vitest';
import { ItemQueue } from '../../src/kernel/item-queue.ts';
import { SharedMemory } from '../../src/kernel/memory.ts';

const sizeOf = (item: string) => item.length;

it('drops the items that wait, and gives back their memory, when there is no room for one more', async () => {
  const memory = new SharedMemory(10);
  const [slow, other] = [1, 2].map(() => new ItemQueue<string>(100, undefined, { memory, sizeOf }));
  expect(slow!.push('12345')).toBe(true);
  expect(other!.push('1234')).toBe(true);
  expect(memory.taken).toBe(9);
  expect(slow!.push('12')).toBe(false);
  expect(memory.taken).toBe(4);
  expect(await other!.next()).toBe('1234');
  expect(memory.taken).toBe(0);
  const waiting = other!.next();
  other!.push('a reader that waits takes no room');
  await waiting;
  other!.push('123');
  other!.end();
  expect(memory.taken).toBe(0);
});
