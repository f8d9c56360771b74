import type { Context } from '../../../context.ts';
import type { NewRow, Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { allows, sees } from '../../../kernel/access.ts';
import type { Action } from '../../../kernel/actions.ts';
import { ConflictError, ForbiddenError } from '../../../kernel/errors.ts';
import { visibleNameList } from '../../../kernel/name-list.ts';
import { isDeployed } from '../state-model.ts';

type Component = Row<'Component'>;

/** Components for a message about what depends on others. Those that the caller may not see are counted. */
export function listOfDependents<D>(
  { actor }: Pick<Context, 'actor'>,
  dependents: readonly D[],
  of: (dependent: D) => { component: Component; name: string },
): string {
  const all = dependents.map(of);
  const visible = all.filter(
    ({ component: { id, teamId, applicationId } }) =>
      actor.everywhere !== null || sees(actor, { teamId, applicationId, componentId: id }),
  );
  return visibleNameList(
    visible.map(({ name }) => name),
    all.length - visible.length,
  );
}

/** The deployed components, besides these, that depend on one of these. Sorted by name. */
async function deployedDependents(
  write: Pick<Write, 'context' | 'tx'>,
  components: readonly Pick<Component, 'id'>[],
): Promise<Component[]> {
  const ids = components.map(({ id }) => id);
  const pairs = await findByKeys(write, 'ComponentDependency', 'dependencyId', ids, ['componentId']);
  const targets = new Set(ids);
  const others = [...new Set(pairs.map(({ componentId }) => componentId))].filter((id) => !targets.has(id));
  const rows = await findByKeys(write, 'Component', 'id', others, ['id']);
  return rows.filter(isDeployed).sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** CONFLICT that names the deployed components which depend on these. `verb` is what was asked for: `stop`. */
export async function requireNoDependents(
  write: Pick<Write<Context>, 'context' | 'tx'>,
  components: readonly Component[],
  verb: string,
): Promise<void> {
  const dependents = await deployedDependents(write, components);
  if (dependents.length === 0) return;
  const list = listOfDependents(write.context, dependents, (component) => ({
    component,
    name: component.name,
  }));
  const what = components.length === 1 ? `the component ${components[0]!.name}` : 'these components';
  throw new ConflictError(
    `Deployed components depend on ${what}: ${list}. Stop them first, or set \`force\` to ${verb} anyway.`,
  );
}

/** Each of them can give secrets of a component to others beside it. */
const sharing: readonly Action[] = [
  'addDependency',
  'applyManifest',
  'createComponent',
  'installApplication',
  'rollbackApplication',
  'rollbackComponent',
  'rollbackUpgrade',
  'upgradeApplication',
];
/** Each of them can make a component depend on others. A copy of the other component can be made without its secrets. */
export const adding: readonly Action[] = [...sharing, 'copyApplication'];

/**
 * FORBIDDEN if a component would get secrets of another one that the caller may neither read nor give to other components there: those
 * that are variables of its connections. A plan for somebody who may change neither is made. Call after inserting the components.
 */
export async function requireSecretsReadable(
  { context, tx }: Pick<Write, 'context' | 'tx'>,
  pairs: readonly NewRow<'ComponentDependency'>[],
): Promise<void> {
  const ids = [...new Set(pairs.map(({ dependencyId }) => dependencyId))];
  const given = await findByKeys({ context, tx }, 'EnvironmentVariable', 'componentId', ids, ['id'], {
    fields: ['componentId', 'isSecret'],
    where: { field: 'scope', is: 'connection' },
  });
  const giving = new Set(given.flatMap(({ isSecret, componentId }) => (isSecret ? componentId : [])));
  const actor = giving.size > 0 ? await context.actorIn?.(tx) : undefined;
  if (!actor) return;
  const receiving = pairs.filter(({ dependencyId }) => giving.has(dependencyId));
  const both = [...new Set(receiving.flatMap((pair) => [pair.componentId, pair.dependencyId]))];
  const rows = await findByKeys({ context, tx }, 'Component', 'id', both, ['id'], {
    fields: ['id', 'name', 'teamId', 'applicationId'],
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const may = (actions: readonly Action[], id: string) => {
    const { teamId, applicationId } = byId.get(id)!;
    const place = { enterpriseId: actor.enterpriseId, teamId, applicationId, componentId: id };
    return actions.some((action) => allows(actor, action, place));
  };
  const refused = receiving.find(
    ({ componentId, dependencyId }) =>
      may(adding, componentId) && !may(['readSecrets', ...sharing], dependencyId),
  );
  if (!refused) return;
  throw new ForbiddenError(
    `The component ${byId.get(refused.dependencyId)!.name} provides secrets to its dependents. Adding the dependency requires the right to read secrets.`,
  );
}
