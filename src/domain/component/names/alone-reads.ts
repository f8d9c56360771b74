import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { removalsNamed } from '../../job/removal-reads.ts';

export type NamedComponent = Pick<
  Row<'Component'>,
  'id' | 'teamId' | 'regionId' | 'namespaceId' | 'clusterName' | 'createdAt'
>;

/**
 * The time from which on a component is the only one in its namespace with its name in the cluster. Null if another one has it as
 * well, or was removed and can still have instances. Stores that know only names would mix them.
 */
export async function aloneSince(
  { db }: Pick<Context, 'db'>,
  component: NamedComponent,
): Promise<Date | null> {
  const { id, teamId, regionId, namespaceId, clusterName, createdAt } = component;
  const rows = await db.component.findManyByKeys({
    by: 'teamId',
    keys: [teamId],
    where: [
      { field: 'regionId', is: regionId },
      { field: 'namespaceId', is: namespaceId },
      { field: 'clusterName', is: clusterName },
    ],
    fields: ['id'],
  });
  if (rows.some((row) => row.id !== id)) return null;
  let since = createdAt;
  for (const { goneAt } of await removalsNamed(db, component)) {
    if (goneAt === null) return null;
    if (goneAt > since) since = goneAt;
  }
  return since;
}
