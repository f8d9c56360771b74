import type { NewRow, Row } from '../../db/tables.ts';
import { deleteByIds, deleteMany, findByKeys } from '../../db/write/bulk.ts';
import type { StatementWrite, Write } from '../../db/write/change.ts';
import { type Expecting, patched, requireRevision, revised } from '../../db/write/revision.ts';
import { newId } from '../../kernel/new-id.ts';
import { fold } from '../../kernel/validate.ts';
import type { TeamHooks } from '../team/hooks.ts';
import { quotaIn, recordChangedQuota } from './quota-reads.ts';
import { lockTeamRegion, lockTeamRegions } from './reads.ts';

export async function insertRegion(
  { tx, recordEvent }: Write,
  region: Omit<NewRow<'Region'>, 'createdAt' | 'folded'>,
): Promise<Row<'Region'>> {
  const inserted = await tx.region.create({
    data: {
      id: newId(),
      ...region,
      createdAt: new Date(),
      folded: fold(region.name, region.alias),
    },
  });
  recordEvent({ subject: { type: 'Region', id: inserted.id }, after: inserted });
  return inserted;
}

export async function setRegion(
  { tx, recordEvent }: Write,
  before: Row<'Region'>,
  data: Partial<Omit<NewRow<'Region'>, 'name' | 'createdAt' | 'folded'>>,
): Promise<Row<'Region'>> {
  const { id, name } = before;
  const folded = fold(name, data.alias ?? before.alias);
  const after = await tx.region.update({ where: { id }, data: revised(before, { ...data, folded }) });
  recordEvent({ subject: { type: 'Region', id }, before, after });
  return after;
}

export function recordCredentialsRead(
  { recordEvent }: Pick<Write, 'recordEvent'>,
  { id }: Row<'Region'>,
): void {
  recordEvent({ subject: { type: 'Region', id }, evenIfUnchanged: true });
}

/** Removes a region. A foreign key prevents this while it is open for a team. */
export async function removeRegion(write: StatementWrite, region: Row<'Region'>): Promise<void> {
  await deleteByIds(write, 'Region', [region]);
  write.recordEvent({ subject: { type: 'Region', id: region.id }, before: region });
}

export async function insertTeamRegion(
  { tx, recordEvent }: Write,
  data: Omit<NewRow<'TeamRegion'>, 'openedAt'>,
): Promise<void> {
  const opened = await tx.teamRegion.create({ data: { ...data, openedAt: new Date() } });
  recordEvent({ subject: { type: 'Team', id: data.teamId }, teamId: data.teamId, after: opened });
}

export async function removeTeamRegions(
  write: StatementWrite,
  teamId: string,
  opened: readonly Row<'TeamRegion'>[],
): Promise<void> {
  if (opened.length === 0) return;
  const ids = opened.map(({ regionId }) => regionId);
  const regions = await findByKeys(write, 'Region', 'id', ids, ['id'], { fields: ['id', 'name'] });
  const names = new Map(regions.map(({ id, name }) => [id, name]));
  await deleteMany(
    write,
    'TeamRegion',
    ['teamId', 'regionId'],
    ids.map((id) => [teamId, id]),
  );
  for (const row of opened) {
    write.recordEvent({
      action: 'team.close_region',
      subject: { type: 'Team', id: teamId },
      name: names.get(row.regionId),
      teamId,
      before: { ...row, region: names.get(row.regionId) },
    });
  }
}

export const regionsOfTeam: TeamHooks = {
  locking: async (write, team) => void (await lockTeamRegions(write, team.id)),
  deleting: async (write, team) => removeTeamRegions(write, team.id, await lockTeamRegions(write, team.id)),
};

type Quota = Pick<Row<'TeamRegion'>, 'cpuQuotaMillicores' | 'memoryQuotaMiB'>;

/** Sets the given resources of a quota. Others are unchanged. */
export async function setQuota(
  write: Write,
  team: Row<'Team'>,
  region: Row<'Region'>,
  quota: { [resource in keyof Quota]?: number | null } & Expecting,
): Promise<void> {
  const { tx, recordEvent } = write;
  const { id: teamId } = team;
  const where = { teamId_regionId: { teamId, regionId: region.id } };
  const before = await lockTeamRegion(write, teamId, region.id);
  requireRevision(before, quota, 'quota');
  const data = patched(before, quota, ['cpuQuotaMillicores', 'memoryQuotaMiB']);
  const after = await tx.teamRegion.update({ where, data: revised(before, data) });
  recordEvent({
    subject: { type: 'Team', id: teamId },
    teamId,
    before: { ...before, region: region.name },
    after: { ...after, region: region.name },
  });
  await recordChangedQuota({ ...write, team, region }, quotaIn(before), quotaIn(after));
}
