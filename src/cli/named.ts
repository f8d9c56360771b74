import { allNodes, ask, type Page } from './api.ts';
import type { Connection } from './connection.ts';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import { type PlaceOptions, teamOf } from './place.ts';

export interface KnownApplication {
  uid: number;
  name: string;
  state: string | null;
  componentCount: number;
  region: { name: string };
}

const applicationsQuery = `query A($by: TeamRef!, $search: String, $after: String) {
  team(by: $by) {
    applications(first: 100, after: $after, search: $search) {
      nodes { uid name state componentCount region { name } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

/** The applications of a team, in a region if one is given. */
export async function applicationsOf(
  context: Context,
  at: Connection,
  options: PlaceOptions,
  search?: string,
): Promise<KnownApplication[]> {
  const by = { name: await teamOf(context, at, options) };
  const region = options.region || context.env.TRELLIS_REGION;
  const nodes = await allNodes(async (after) => {
    const answer = await ask<{ team: { applications: Page<KnownApplication> } }>(at, applicationsQuery, {
      by,
      search,
      after,
    });
    return answer.team.applications;
  });
  return nodes.filter((each) => !region || each.region.name === region);
}

export async function applicationNamed(
  context: Context,
  at: Connection,
  name: string,
  options: PlaceOptions,
): Promise<KnownApplication> {
  const matches = (await applicationsOf(context, at, options, name)).filter((each) => each.name === name);
  if (matches.length === 1) return matches[0]!;
  throw new Failure(
    matches.length === 0
      ? `The team has no application ${name}.`
      : `The application ${name} is in several regions: ${matches.map(({ region }) => region.name).join(', ')}. Choose one with --region.`,
    { code: matches.length === 0 ? 'NOT_FOUND' : 'CONFLICT' },
  );
}

interface FoundComponent {
  uid: string;
  name: string;
  application: { uid: number; name: string };
  region: { name: string };
}

const componentsQuery = `query C($by: TeamRef!, $search: String, $after: String) {
  team(by: $by) {
    components(first: 100, after: $after, search: $search) {
      nodes { uid name application { uid name } region { name } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

/** The component with a name such as `web`, or `shop/web` where several applications have one. */
export async function componentNamed(
  context: Context,
  at: Connection,
  path: string,
  options: PlaceOptions,
): Promise<FoundComponent> {
  const by = { name: await teamOf(context, at, options) };
  const region = options.region || context.env.TRELLIS_REGION;
  const isMeant = (each: FoundComponent) =>
    (path === each.name || path === `${each.application.name}/${each.name}`) &&
    (!region || region === each.region.name);
  const search = path.slice(path.lastIndexOf('/') + 1);
  const nodes = await allNodes(async (after) => {
    const answer = await ask<{ team: { components: Page<FoundComponent> } }>(at, componentsQuery, {
      by,
      search,
      after,
    });
    return answer.team.components;
  });
  const matches = nodes.filter(isMeant);
  if (matches.length === 1) return matches[0]!;
  if (matches.length === 0) throw new Failure(`The team has no component ${path}.`, { code: 'NOT_FOUND' });
  const names = matches.map((each) => `${each.application.name}/${each.name} in ${each.region.name}`);
  throw new Failure(`There are several components ${path}: ${names.join(', ')}.`, { code: 'CONFLICT' });
}
