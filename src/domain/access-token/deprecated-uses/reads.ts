import type { Context } from '../../../context.ts';
import { batchedRows } from '../../../db/list.ts';
import type { Part } from '../../../db/tables.ts';

const visibleFields = ['tokenId', 'field', 'count', 'lastUsedAt'] as const;

export type DeprecatedUseRow = Part<'DeprecatedUse', (typeof visibleFields)[number]>;

const usesOfToken = batchedRows('DeprecatedUse', 'tokenId', undefined, visibleFields);

/** Deprecated elements that requests with the token have used, by name. */
export async function deprecatedUsesOf(context: Context, tokenId: string): Promise<DeprecatedUseRow[]> {
  const uses = await usesOfToken(context, tokenId);
  return [...uses].sort((a, b) => (a.field < b.field ? -1 : 1));
}
