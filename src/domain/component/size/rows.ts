import type { Row } from '../../../db/tables.ts';
import type { Write } from '../../../db/write/change.ts';
import { requireDeployable } from './model.ts';
import { configurationSizes } from './reads.ts';

/**
 * CONFLICT if components have more files and variables than one can be deployed with. Call after writing them. The components are
 * locked or new.
 */
export async function requireConfigurationFits(
  { context, tx }: Pick<Write, 'context' | 'tx'>,
  components: readonly Pick<Row<'Component'>, 'id' | 'alias'>[],
): Promise<void> {
  if (components.length === 0) return;
  const ids = components.map(({ id }) => id);
  const sizes = await configurationSizes(context.db, (text, params) => tx.$read(text, params), ids);
  requireDeployable(components, sizes);
}
