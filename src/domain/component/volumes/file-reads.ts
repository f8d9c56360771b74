import type { Context } from '../../../context.ts';
import { batched } from '../../../kernel/batch.ts';

/**
 * The file content of a volume. It can have a megabyte, so it is only read when requested, and only
 * if the contents of all requested volumes fit into a response.
 */
export const fileContentOf = batched(async (context: Context, volumeIds: number[]) => {
  context.budget?.expectText(
    await context.db.volume.textSizeByKeys({ by: 'id', keys: volumeIds, text: 'fileContent' }),
  );
  const rows = await context.db.volume.findManyByKeys({
    by: 'id',
    keys: volumeIds,
    fields: ['id', 'fileContent'],
  });
  return new Map(rows.map(({ id, fileContent }) => [id, fileContent]));
}, '');
