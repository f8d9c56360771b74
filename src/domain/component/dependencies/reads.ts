import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { isDeployed } from '../model.ts';

type Component = Row<'Component'>;
const maxNamed = 10;

/** The deployed components, besides these, that depend on one of these. Sorted by alias. */
async function deployedDependents(
  write: Pick<Write, 'context' | 'tx'>,
  components: readonly Pick<Component, 'id'>[],
): Promise<Component[]> {
  const ids = components.map(({ id }) => id);
  const pairs = await findByKeys(write, 'ComponentDependency', 'dependencyId', ids, ['componentId']);
  const own = new Set(ids);
  const others = [...new Set(pairs.map(({ componentId }) => componentId))].filter((id) => !own.has(id));
  const rows = await findByKeys(write, 'Component', 'id', others, ['id']);
  return rows.filter(isDeployed).sort((one, other) => (one.alias < other.alias ? -1 : 1));
}

/** CONFLICT that names the deployed components which depend on these. `verb` is what was asked for: `stop`. */
export async function requireNoDependents(
  write: Pick<Write, 'context' | 'tx'>,
  components: readonly Component[],
  verb: string,
): Promise<void> {
  const dependents = await deployedDependents(write, components);
  if (dependents.length === 0) return;
  const named = dependents.slice(0, maxNamed).map(({ alias }) => alias);
  const more = dependents.length > maxNamed ? ` and ${dependents.length - maxNamed} more` : '';
  const what = components.length === 1 ? `the component ${components[0]!.alias}` : 'these components';
  throw new ConflictError(
    `Deployed components depend on ${what}: ${named.join(', ')}${more}. Stop them first, or set \`force\` to ${verb} anyway.`,
  );
}
