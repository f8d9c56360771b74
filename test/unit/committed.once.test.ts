import { expect, it } from 'vitest';
import { CommittedReader } from '../../src/db/query/committed.ts';
import type { Reader } from '../../src/db/query/reader.ts';
import { sqlite } from '../../src/db/sqlite/dialect.ts';

it('searches the rest of a record from where the batch before it ended', async () => {
  const sent: unknown[] = [];
  const reader = {
    dialect: sqlite,
    async query(_: string, params: readonly unknown[]) {
      sent.push(JSON.parse(String(params[0])));
      return [['9:9:', null, null]];
    },
  } as unknown as Reader;
  const committed = new CommittedReader(reader, 'Event', 'teamId', 'changes');
  const position = { floor: 2, before: '3:3:' };
  await committed.read([{ key: 'one', position }]);
  await committed.read([{ key: 'one', position: { ...position, during: '9:9:', id: 7 } }]);
  expect(sent).toEqual([[['one', 2, '3:3:', null, null]], [['one', 7, '3:3:', '9:9:', 7]]]);
});

it('reads as many rows as have little text together, and says that there are more', async () => {
  const mebibyte = 2 ** 20;
  const keys: unknown[] = [];
  const reader = {
    dialect: sqlite,
    async query(text: string, params: readonly unknown[]) {
      if (text.includes('octet_length')) {
        return [1, 2, 3, 4].map((id) => ['9:9:', id, id === 3 ? 5 * mebibyte : mebibyte]);
      }
      keys.push(...JSON.parse(String(params[0])));
      return [];
    },
  } as unknown as Reader;
  const committed = new CommittedReader(reader, 'Event', 'teamId', 'changes');
  const from = [{ key: 'one', position: { floor: 0, before: '1:1:' } }];
  expect(await committed.read(from)).toMatchObject({ now: '9:9:', isCut: true });
  expect(keys).toEqual([1, 2]);
});
