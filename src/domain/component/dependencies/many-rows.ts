import type { Row } from '../../../db/tables.ts';
import { type Bulk, deleteMany, insertMany } from '../../../db/write/bulk.ts';

// Dependencies are recorded in the events of their component.

export type NewDependency = Row<'ComponentDependency'>;

export const insertDependencies = (write: Bulk, pairs: readonly NewDependency[]): Promise<void> =>
  insertMany(write, 'ComponentDependency', pairs);

export const removeDependencies = (write: Bulk, pairs: readonly NewDependency[]): Promise<void> =>
  deleteMany(
    write,
    'ComponentDependency',
    ['componentId', 'dependencyId'],
    pairs.map(({ componentId, dependencyId }) => [componentId, dependencyId]),
  );
