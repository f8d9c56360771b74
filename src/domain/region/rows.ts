import { randomUUID } from 'node:crypto';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { fold } from '../../kernel/validate.ts';

export async function insertRegion(
  { tx, recordEvent }: Write,
  region: Omit<Row<'Region'>, 'id' | 'driver' | 'createdAt' | 'folded'>,
): Promise<Row<'Region'>> {
  const inserted = await tx.region.create({
    data: {
      id: randomUUID().replaceAll('-', ''),
      ...region,
      createdAt: new Date(),
      folded: fold(region.name, region.alias),
    },
  });
  recordEvent({ subject: { type: 'Region', id: inserted.id }, after: inserted });
  return inserted;
}

/** Opens a region for a team. */
export async function insertTeamRegion(
  { tx, recordEvent }: Write,
  data: Omit<Row<'TeamRegion'>, 'openedAt'>,
): Promise<void> {
  const opened = await tx.teamRegion.create({ data: { ...data, openedAt: new Date() } });
  recordEvent({ subject: { type: 'Team', id: data.teamId }, teamId: data.teamId, after: opened });
}

type Quota = Pick<Row<'TeamRegion'>, 'cpuQuotaMillicores' | 'memoryQuotaMiB'>;

/** Sets the resources that are given; the others stay as they are. */
export async function setQuota(
  { tx, recordEvent }: Write,
  { id: teamId }: Row<'Team'>,
  region: Row<'Region'>,
  quota: { [resource in keyof Quota]?: number | null },
): Promise<void> {
  const where = { teamId_regionId: { teamId, regionId: region.id } };
  const before = await tx.teamRegion.findUnique({ where });
  if (!before) throw new NotFoundError('region');
  const data: Quota = {
    cpuQuotaMillicores: quota.cpuQuotaMillicores ?? before.cpuQuotaMillicores,
    memoryQuotaMiB: quota.memoryQuotaMiB ?? before.memoryQuotaMiB,
  };
  const after = await tx.teamRegion.update({ where, data });
  recordEvent({
    subject: { type: 'Team', id: teamId },
    teamId,
    before: { ...before, region: region.name },
    after: { ...after, region: region.name },
  });
}
