import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { invalid } from '../../kernel/validate.ts';
import { TeamRef } from '../team/graphql.ts';
import { type TeamRef as TeamReference, teamRef } from '../team/model.ts';
import { requireTeam } from '../team/reads.ts';
import { RegionRef } from './graphql.ts';
import { type RegionRef as RegionReference, regionRef } from './model.ts';
import { requireTeamRegion } from './reads.ts';

/** The argument that narrows a list of a team to one region. */
export const regionArgument = (plural: string) =>
  builder.args((t) => ({
    region: t.field({
      type: RegionRef,
      description: `Returns only ${plural} in this region. Fails with NOT_FOUND if the region is not open for the team.`,
      validate: validatedBy(regionRef),
    }),
  }));

/** The arguments that narrow a list of all teams to one team, and to one region of it. */
export const teamArguments = (plural: string) =>
  builder.args((t) => ({
    team: t.field({
      type: TeamRef,
      description: `Returns only ${plural} of this team. Fails with NOT_FOUND if it does not exist or is not visible to the caller.`,
      validate: validatedBy(teamRef),
    }),
    region: t.field({
      type: RegionRef,
      description: `Returns only ${plural} in this region of the team. Fails with NOT_FOUND if the region is not open for the team.`,
      validate: validatedBy(regionRef),
    }),
  }));

/** The team and the region that these arguments name. Undefined for all teams. */
export async function placeOf(
  context: Context,
  team: TeamReference | null | undefined,
  region: RegionReference | null | undefined,
): Promise<{ teamId: string; regionId?: string } | undefined> {
  if (!team) {
    if (region) throw invalid(['region'], 'Requires `team`');
    return undefined;
  }
  const { id: teamId } = await requireTeam(context, team);
  return region
    ? { teamId, regionId: (await requireTeamRegion(context, { id: teamId }, region)).id }
    : { teamId };
}
