import { ask } from './api.ts';
import type { Connection } from './connection.ts';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import { plain } from './show.ts';

/** The team and region that a command is about, as options or from the environment. */
export interface PlaceOptions {
  team?: string;
  region?: string;
}

export interface TeamRegion {
  team: { name: string };
  region: { name: string };
}

const teamsQuery = `{
  teams(first: 10) { nodes { name } }
}`;

/** The team and region by their names. Those that are not given are the only ones that the caller can see. */
export async function placeOf(
  context: Context,
  connection: Connection,
  options: PlaceOptions,
): Promise<TeamRegion> {
  const team = await teamOf(context, connection, options);
  const region = chosenRegion(context, connection, options) || (await onlyRegion(connection, team));
  return { team: { name: team }, region: { name: region } };
}

/** The team of an option, of the environment or of `trellis use`. */
export const chosenTeam = ({ env }: Context, { place }: Connection, options: PlaceOptions) =>
  options.team || env.TRELLIS_TEAM || place.team;

/** The region of an option, of the environment or of `trellis use`, which is about one team. */
export function chosenRegion(
  context: Context,
  connection: Connection,
  options: PlaceOptions,
): string | undefined {
  const { place } = connection;
  const isOfPlace = chosenTeam(context, connection, options) === place.team;
  return options.region || context.env.TRELLIS_REGION || (isOfPlace ? place.region : undefined);
}

export async function teamOf(
  context: Context,
  connection: Connection,
  options: PlaceOptions,
): Promise<string> {
  return chosenTeam(context, connection, options) || (await onlyTeam(connection));
}

const listed = (all: { name: string }[]) => all.map(({ name }) => plain(name)).join(', ');

async function onlyTeam(connection: Connection): Promise<string> {
  const { teams } = await ask<{ teams: { nodes: { name: string }[] } }>(connection, teamsQuery);
  if (teams.nodes.length === 1) return teams.nodes[0]!.name;
  throw new Failure(
    teams.nodes.length === 0
      ? 'You are not in a team.'
      : `You are in several teams. Choose one with --team, TRELLIS_TEAM or \`trellis use\`: ${listed(teams.nodes)}.`,
  );
}

async function onlyRegion(connection: Connection, team: string): Promise<string> {
  const query = 'query ($by: TeamRef!) { team(by: $by) { regions(first: 10) { nodes { name } } } }';
  const answer = await ask<{ team: { regions: { nodes: { name: string }[] } } }>(connection, query, {
    by: { name: team },
  });
  const { regions } = answer.team;
  if (regions.nodes.length === 1) return regions.nodes[0]!.name;
  throw new Failure(
    regions.nodes.length === 0
      ? `The team ${team} has no region.`
      : `The team ${team} has several regions. Choose one with --region, TRELLIS_REGION or \`trellis use\`: ${listed(regions.nodes)}.`,
  );
}
