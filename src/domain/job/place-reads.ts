import type { Transaction } from '../../db/open.ts';
import { ConflictError } from '../../kernel/errors.ts';
import type { RegionHooks } from '../region/hooks.ts';
import type { TeamHooks } from '../team/hooks.ts';
import { unfinished } from './model.ts';

/** CONFLICT while jobs of a team, or of a team in a region, are unfinished: the cluster still has something of them. */
async function requireNoJobs(
  tx: Transaction,
  where: { teamId: string; regionId?: string },
  place: string,
): Promise<void> {
  const count = await tx.job.count({ where: { ...where, status: { in: [...unfinished] } } });
  if (count === 0) return;
  const jobs = count === 1 ? '1 unfinished job' : `${count} unfinished jobs`;
  throw new ConflictError(`${place} ${jobs}. Try again later.`);
}

export const jobsOfTeam: TeamHooks = {
  checking: ({ tx }, team) => requireNoJobs(tx, { teamId: team.id }, `The team ${team.name} has`),
};

export const jobsInTeamRegion: RegionHooks = {
  checkingClose: ({ tx }, team, region) =>
    requireNoJobs(
      tx,
      { teamId: team.id, regionId: region.id },
      `In the region ${region.name}, the team ${team.name} has`,
    ),
  removing: async ({ db }, componentIds) => {
    const open = unfinished.map((status) => `'${status}'`).join(', ');
    const rows = await db.query(
      `SELECT DISTINCT component_id FROM job_component WHERE status IN (${open})`,
      [],
    );
    const busy = new Set(rows.map(([id]) => id as string));
    return componentIds.filter((id) => busy.has(id));
  },
};
