import type { Context } from '../../context.ts';
import { batched } from '../../kernel/batch.ts';

/**
 * The content of a volume's file. Each may have a megabyte, so that it is read where it is asked for, and only
 * when all that are asked for together fit into an answer.
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
