import type { Row } from '../../../db/tables.ts';
import { type Bulk, findByKeys, insertMany, updateMany } from '../../../db/write/bulk.ts';

export type CountedUse = Pick<Row<'DeprecatedUse'>, 'tokenId' | 'field' | 'count' | 'lastUsedAt'>;

/** The largest `Int` of GraphQL, at which counts stay. */
const maxCount = 2 ** 31 - 1;

const keyOf = ({ tokenId, field }: Pick<CountedUse, 'tokenId' | 'field'>) => `${tokenId} ${field}`;

/** Adds counts to those of the tokens that still exist. Not recorded, because they change nothing that a caller made. */
export async function addDeprecatedUses(write: Bulk, uses: readonly CountedUse[]): Promise<void> {
  // In one order, so that gateways that write at the same time do not wait for each other in a circle.
  const tokenIds = [...new Set(uses.map(({ tokenId }) => tokenId))].sort();
  const tokens = await findByKeys(write, 'AccessToken', 'id', tokenIds, ['id'], { fields: ['id'] });
  const existing = new Set(tokens.map(({ id }) => id));
  const rows = await findByKeys(write, 'DeprecatedUse', 'tokenId', tokenIds, ['tokenId', 'field'], {
    lock: true,
  });
  const rowsByKey = new Map(rows.map((row) => [keyOf(row), row]));
  const kept = uses.filter(({ tokenId }) => existing.has(tokenId));
  const updates = kept.flatMap((use) => {
    const row = rowsByKey.get(keyOf(use));
    if (!row) return [];
    const count = Math.min(row.count + use.count, maxCount);
    const lastUsedAt = row.lastUsedAt > use.lastUsedAt ? row.lastUsedAt : use.lastUsedAt;
    return [{ id: row.id, data: { count, lastUsedAt } }];
  });
  await updateMany(write, 'DeprecatedUse', updates);
  const added = kept.filter((use) => !rowsByKey.has(keyOf(use)));
  await insertMany(write, 'DeprecatedUse', added);
}
