import type { Transaction } from '../../db/open.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { nameList, nameListQuery } from '../../kernel/name-list.ts';
import type { RegionHooks } from '../region/hooks.ts';
import type { TeamHooks } from '../team/hooks.ts';

/** The applications of a team, or of a team in a region, for a message. Undefined if there are none. */
async function applicationsIn(
  tx: Transaction,
  where: { teamId: string; regionId?: string },
): Promise<{ list: string; them: string } | undefined> {
  const rows = await tx.application.findMany({
    where,
    select: { name: true },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    ...nameListQuery,
  });
  if (rows.length === 0) return undefined;
  const count = await tx.application.count({ where });
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
  async checking({ tx }, team) {
    const applications = await applicationsIn(tx, { teamId: team.id });
    if (!applications) return;
    throw new ConflictError(
      `The team ${team.name} has ${applications.list}. Delete ${applications.them} first.`,
    );
  },
};

/** A region stays open for a team that has applications in it. */
export const applicationsInTeamRegion: RegionHooks = {
  async checkingClose({ tx }, team, region) {
    const applications = await applicationsIn(tx, { teamId: team.id, regionId: region.id });
    if (!applications) return;
    throw new ConflictError(
      `The team ${team.name} has ${applications.list} in the region ${region.name}. Delete ${applications.them} first.`,
    );
  },
};
