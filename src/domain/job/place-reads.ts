import { Params } from '../../db/query/statement.ts';
import type { Bulk } from '../../db/write/bulk.ts';
import { ConflictError } from '../../kernel/errors.ts';
import type { RegionHooks } from '../region/hooks.ts';
import type { TeamHooks } from '../team/hooks.ts';
import { unfinished } from './model.ts';

const open = unfinished.map((status) => `'${status}'`).join(', ');

/** CONFLICT while jobs of a team, or of a team in a region, are unfinished: the cluster still has something of them. */
async function requireNoJobs(
  { context, tx }: Bulk,
  { teamId, regionId }: { teamId: string; regionId?: string },
  place: string,
): Promise<void> {
  const params = new Params(context.db.dialect);
  const ofTeam = `team_id = ${params.add(teamId)}`;
  const inRegion = regionId === undefined ? '' : ` AND region_id = ${params.add(regionId)}`;
  const [row] = await tx.$read(
    `SELECT count(*) FROM job WHERE ${ofTeam}${inRegion} AND status IN (${open})`,
    params.values,
  );
  const count = Number(row![0]);
  if (count === 0) return;
  const jobs = count === 1 ? '1 unfinished job' : `${count} unfinished jobs`;
  throw new ConflictError(`${place} ${jobs}. Try again later.`);
}

export const jobsOfTeam: TeamHooks = {
  checking: (write, team) => requireNoJobs(write, { teamId: team.id }, `The team ${team.name} has`),
};

export const jobsInTeamRegion: RegionHooks = {
  checkingClose: (write, team, region) =>
    requireNoJobs(
      write,
      { teamId: team.id, regionId: region.id },
      `In the region ${region.name}, the team ${team.name} has`,
    ),
  removing: async ({ db }, componentIds) => {
    const rows = await db.query(
      `SELECT DISTINCT component_id FROM job_component WHERE status IN (${open})`,
      [],
    );
    const busy = new Set(rows.map(([id]) => id as string));
    return componentIds.filter((id) => busy.has(id));
  },
};
