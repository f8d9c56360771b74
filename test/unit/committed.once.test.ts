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
      return [['9:9:', ...Array(30).fill(null)]];
    },
  } as unknown as Reader;
  const committed = new CommittedReader(reader, 'Event', 'teamId');
  const position = { floor: 2, before: '3:3:' };
  await committed.read([{ key: 'one', position }]);
  await committed.read([{ key: 'one', position: { ...position, during: '9:9:', id: 7 } }]);
  expect(sent).toEqual([[['one', 2, '3:3:', null, null]], [['one', 7, '3:3:', '9:9:', 7]]]);
});
