import { ask } from '../api.ts';
import { connection, type Place, storePlace } from '../connection.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { plain, print, printJson } from '../show.ts';

const teamQuery = 'query ($by: TeamRef!) { team(by: $by) { name } }';
const regionQuery = 'query ($by: RegionRef!) { region(by: $by) { name } }';

/** Chooses the team and region that the next commands are about, or shows them. */
export async function use(
  context: Context,
  { team, region, forget, json }: Place & { forget?: boolean; json?: boolean },
): Promise<void> {
  const at = await connection(context);
  if (region !== undefined && team === undefined) throw new Failure('Specify the team as well, with --team.');
  let { place } = at;
  if (team !== undefined || forget) {
    if (team !== undefined) await ask(at, teamQuery, { by: { name: team } });
    if (region !== undefined) await ask(at, regionQuery, { by: { name: region } });
    place = forget ? {} : { ...(team !== undefined && { team }), ...(region !== undefined && { region }) };
    await storePlace(context, at.url, place);
  }
  if (json) return printJson(context, place);
  print(
    context,
    place.team === undefined
      ? 'No default team is set.'
      : `Team ${plain(place.team)}, ${place.region === undefined ? 'any region' : `region ${plain(place.region)}`}.`,
  );
}
