import { type Bulk, findByKeys } from '../../db/write/bulk.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { nameList } from '../../kernel/name-list.ts';
import type { RegionHooks } from '../region/hooks.ts';
import type { TeamHooks } from '../team/hooks.ts';

/** The applications of a team, or of a team in a region, for a message. Undefined if there are none. */
async function applicationsIn(
  bulk: Bulk,
  teamId: string,
  regionId?: string,
): Promise<{ list: string; them: string } | undefined> {
  const rows = await findByKeys(bulk, 'Application', 'teamId', [teamId], ['name', 'id'], {
    fields: ['name'],
    ...(regionId !== undefined && { where: { field: 'regionId', is: regionId } }),
  });
  const count = rows.length;
  if (count === 0) return undefined;
  const names = nameList(
    rows.map(({ name }) => name),
    count,
  );
  return count === 1
    ? { list: `the application ${names}`, them: 'it' }
    : { list: `${count} applications (${names})`, them: 'them' };
}

/** A team cannot be deleted while it has applications. */
export const applicationsOfTeam: TeamHooks = {
  async checking(write, team) {
    const applications = await applicationsIn(write, team.id);
    if (!applications) return;
    throw new ConflictError(
      `The team ${team.name} has ${applications.list}. Delete ${applications.them} first.`,
    );
  },
};

/** A region stays open for a team that has applications in it. */
export const applicationsInTeamRegion: RegionHooks = {
  async checkingClose(write, team, region) {
    const applications = await applicationsIn(write, team.id, region.id);
    if (!applications) return;
    throw new ConflictError(
      `The team ${team.name} has ${applications.list} in the region ${region.name}. Delete ${applications.them} first.`,
    );
  },
};
