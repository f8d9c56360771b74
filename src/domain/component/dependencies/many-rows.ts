import type { NewRow } from '../../../db/tables.ts';
import { type Bulk, deleteMany, insertMany } from '../../../db/write/bulk.ts';

// Dependencies are recorded in the events of their component.

export type NewDependency = NewRow<'ComponentDependency'>;

export const insertDependencies = (write: Bulk, pairs: readonly NewDependency[]): Promise<void> =>
  insertMany(write, 'ComponentDependency', pairs);

/** Dependencies that a manifest adopts. They have no id of their own. */
export async function setManifestOfDependencies(
  write: Bulk,
  pairs: readonly NewDependency[],
  manifestId: number,
): Promise<void> {
  await removeDependencies(write, pairs);
  await insertDependencies(
    write,
    pairs.map(({ componentId, dependencyId }) => ({ componentId, dependencyId, manifestId })),
  );
}

export const removeDependencies = (write: Bulk, pairs: readonly NewDependency[]): Promise<void> =>
  deleteMany(
    write,
    'ComponentDependency',
    ['componentId', 'dependencyId'],
    pairs.map(({ componentId, dependencyId }) => [componentId, dependencyId]),
  );
