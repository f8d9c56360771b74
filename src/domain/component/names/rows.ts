import { isTransaction } from '../../../db/database.ts';
import type { Row } from '../../../db/tables.ts';
import { findByKeys, updateMany } from '../../../db/write/bulk.ts';
import type { StatementWrite, Write } from '../../../db/write/change.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { groupBy } from '../../../kernel/group.ts';
import { requireFewVolumes } from '../size/reads.ts';
import { meetingClaims, type NamesPlace } from './reads.ts';

type Component = Row<'Component'>;

/**
 * CONFLICT if components that are deployed have names in the cluster that belong to older ones. Databases of earlier versions can
 * have such components. One whose name has become free owns it from then on.
 */
export async function ownNames(
  write: Pick<Write, 'context' | 'tx'>,
  place: NamesPlace,
  deployed: readonly Component[],
): Promise<void> {
  const { tx } = write;
  const waiting = deployed.filter((row) => row.ownedClusterName === null);
  for (const { id, name, namespaceId, clusterName } of waiting) {
    const at = { teamId: place.team.id, regionId: place.region.id, namespaceId };
    const where = { ...at, ownedClusterName: clusterName };
    if (await tx.component.findFirst({ where, select: { id: true } })) {
      throw new ConflictError(
        `The component ${name} cannot be deployed, because an older component of the team in this region has the same name in the cluster. Replace the component with one that has another \`clusterName\`.`,
      );
    }
    await updateMany(write, 'Component', [{ id, data: { ownedClusterName: clusterName } }]);
  }
  await requireOlderClaims(write, place, deployed);
}

/** Gives the names of components that are removed to the oldest of those that have them as well. No event: it is not in a plan. */
export async function passNames(
  { context, tx }: Pick<StatementWrite, 'context' | 'tx'>,
  { team, region }: NamesPlace,
  removed: readonly Component[],
): Promise<void> {
  if (!isTransaction(tx)) return;
  const nameIn = (namespaceId: number, name: string) => `${namespaceId} ${name}`;
  const free = new Set(
    removed.flatMap(({ namespaceId, ownedClusterName: name }) => (name ? nameIn(namespaceId, name) : [])),
  );
  const waiting = await tx.component.findMany({
    where: { teamId: team.id, regionId: region.id, ownedClusterName: null },
    select: { id: true, namespaceId: true, clusterName: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  const heirs = waiting.filter(({ namespaceId, clusterName }) =>
    free.delete(nameIn(namespaceId, clusterName)),
  );
  await updateMany(
    { context, tx },
    'Component',
    heirs.map(({ id, clusterName }) => ({ id, data: { ownedClusterName: clusterName } })),
  );
}

/** CONFLICT if a component has a volume whose claim is that of an older component. */
async function requireOlderClaims(
  write: Pick<Write, 'context' | 'tx'>,
  place: NamesPlace,
  deployed: readonly Component[],
): Promise<void> {
  const { tx } = write;
  const ids = deployed.map(({ id }) => id);
  await requireFewVolumes(write, ids);
  const volumes = await findByKeys(write, 'Volume', 'componentId', ids, ['id'], {
    fields: ['componentId', 'name', 'type'],
  });
  const volumesOf = groupBy(volumes, ({ componentId }) => componentId);
  const met = await meetingClaims(
    write,
    place,
    deployed.map((component) => ({ component, volumes: volumesOf.get(component.id) ?? [] })),
  );
  if (met.length === 0) return;
  const rows = await tx.component.findMany({
    where: { id: { in: met.flatMap(({ component, otherId }) => [component.id, otherId]) } },
    select: { id: true, name: true, createdAt: true },
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { component, otherId, volume } of met) {
    const [own, other] = [byId.get(component.id)!, byId.get(otherId)!];
    const isOlder =
      own.createdAt < other.createdAt || (+own.createdAt === +other.createdAt && own.id < other.id);
    if (isOlder) continue;
    throw new ConflictError(
      `The component ${own.name} cannot be deployed, because its volume ${volume} has the same name in the cluster as a volume of an older component of the team in this region. Use a volume with another name.`,
    );
  }
}
