import type { Context } from '../../context.ts';
import type { NewRow, Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { lockRows } from '../../db/write/locks.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { clusterOf } from './cluster-model.ts';

type Clustered = Pick<NewRow<'Region'>, 'enterpriseId' | 'driver' | 'url' | 'cluster'>;

/** The URL of a cluster in one of the forms that it can be written in. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, '');
}

const prefixOf = (region: { cluster: string }) => clusterOf(region).namespacePrefix;

/**
 * CONFLICT if another region has the same namespaces in the same cluster: each would remove and change what the other has of
 * a team. Teams of other enterprises have other namespaces.
 */
export async function requireOwnNamespaces(
  write: Write<Context>,
  region: Clustered,
  before?: Row<'Region'>,
): Promise<void> {
  if (region.driver !== 'kubernetes') return;
  const isKept =
    before && addressOf(before.url) === addressOf(region.url) && prefixOf(before) === prefixOf(region);
  if (isKept) return;
  const { enterpriseId } = region;
  // Another region cannot be added or changed meanwhile.
  await lockRows(write, 'Enterprise', enterpriseId);
  const others = await write.tx.region.findMany({
    where: { enterpriseId, driver: 'kubernetes', ...(before && { id: { not: before.id } }) },
    select: { name: true, url: true, cluster: true },
    orderBy: { name: 'asc' },
  });
  const same = others.find(
    (each) => addressOf(each.url) === addressOf(region.url) && prefixOf(each) === prefixOf(region),
  );
  if (!same) return;
  throw new ConflictError(
    `The region ${same.name} uses this cluster with the namespace prefix ${prefixOf(region)}. Choose another \`cluster.namespacePrefix\`.`,
  );
}

/** CONFLICT if teams would get other namespaces than they have. */
export async function requireSameNamespaces(
  { tx }: Write<Context>,
  region: Row<'Region'>,
  cluster: string,
): Promise<void> {
  if (prefixOf(region) === prefixOf({ cluster })) return;
  if ((await tx.teamRegion.findFirst({ where: { regionId: region.id } })) === null) return;
  throw new ConflictError(
    `The region ${region.name} is open for teams, which have namespaces in its cluster.`,
  );
}
