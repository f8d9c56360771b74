import { expect, it } from 'vitest';
import type { Context } from '../../src/context.ts';
import { ItemSource, type Pushed } from '../../src/graphql/schema/item-source.ts';

interface Item extends Pushed {
  isSeen: boolean;
}

const item = (isSeen: boolean): Item => ({ row: {}, reads: undefined as never, isSeen });

it('passes over many items that the actor may not see as if they were one', async () => {
  let asked = 0;
  const actorNow = async () => {
    asked++;
    return {};
  };
  const source = new ItemSource<Item>({ actorNow } as unknown as Context, {
    require: () => {},
    noun: 'team',
    limit: 1_000,
    idOf: () => 'id',
    isVisible: (_, { isSeen }) => isSeen,
  });
  const missed = async function* () {
    yield Array.from({ length: 15 }, () => item(false));
  };
  source.follow({ leave: () => {}, missed: missed() });
  for (const isSeen of [...Array<boolean>(25).fill(false), true, false]) source.push(item(isSeen));

  const found: boolean[] = [];
  while (!found.includes(true)) found.push((await source.next()).value !== null);
  // 15 were missed, then 25 waited.
  expect(found).toEqual([false, false, false, false, true]);
  expect(asked).toBe(found.length);
});
