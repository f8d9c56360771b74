import type { Row } from '../../db/tables.ts';
import { changeWeights } from '../component/size/model.ts';
import { configurationSizes } from '../component/size/reads.ts';
import { charactersOfPort } from '../plan/work.ts';
import type { CopyOptions, CopyReading } from './scene-reads.ts';

/** The most bytes of a character in a text of JavaScript. */
const maxBytesOfCharacter = 3;

/**
 * LIMIT_EXCEEDED for a copy that is larger than a change can be, before the original is read: what counts here is always copied. The
 * plan counts everything.
 */
export async function requireSmallCopy(
  { context, tx }: CopyReading,
  original: readonly Pick<Row<'Component'>, 'id' | 'name'>[],
  { leftOut, variables }: CopyOptions,
): Promise<void> {
  const ids = original.flatMap(({ id, name }) => (leftOut?.has(name) ? [] : id));
  let count = ids.length * changeWeights.Component;
  // Other values can be shorter.
  if (!variables?.length) {
    const read = (text: string, params: unknown[]) => (tx.log ?? tx).$read(text, params);
    const sizes = await configurationSizes(context.db, read, ids, []);
    let bytes = 0;
    for (const size of sizes.values()) bytes += size;
    count += Math.floor(bytes / maxBytesOfCharacter / charactersOfPort);
  }
  context.budget?.requireChangeObjects(count);
}
