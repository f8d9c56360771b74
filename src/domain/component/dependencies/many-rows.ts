import type { NewRow } from '../../../db/tables.ts';
import { type Bulk, deleteMany, insertMany } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { requireSecretsReadable } from './reads.ts';

// Dependencies are recorded in the events of their component.

export type NewDependency = NewRow<'ComponentDependency'>;

const insertDependencies = (write: Bulk, pairs: readonly NewDependency[]): Promise<void> =>
  insertMany(write, 'ComponentDependency', pairs);

/** Adds dependencies. FORBIDDEN if components would get secrets that the caller may not give them. */
export async function addDependencies(
  write: Pick<Write, 'context' | 'tx'>,
  pairs: readonly NewDependency[],
): Promise<void> {
  if (pairs.length > 0) await requireSecretsReadable(write, pairs);
  await insertDependencies(write, pairs);
}

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
