import { allNodes, ask, type Page } from './api.ts';
import type { Connection } from './connection.ts';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import { chosenRegion, type PlaceOptions, teamOf } from './place.ts';

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
  const region = chosenRegion(context, at, options);
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

/** The items with a name as it is written or, if there are none, in another letter case. */
function closest<T>(items: readonly T[], namesOf: (item: T) => string[], name: string): T[] {
  const exact = items.filter((item) => namesOf(item).includes(name));
  if (exact.length > 0) return exact;
  const lower = name.toLowerCase();
  return items.filter((item) => namesOf(item).some((each) => each.toLowerCase() === lower));
}

export async function applicationNamed(
  context: Context,
  at: Connection,
  name: string,
  options: PlaceOptions,
): Promise<KnownApplication> {
  const matches = closest(await applicationsOf(context, at, options, name), (each) => [each.name], name);
  if (matches.length === 1) return matches[0]!;
  throw new Failure(
    matches.length === 0
      ? `The team has no application ${name}.`
      : `The application ${name} is in several regions: ${matches.map(({ region }) => region.name).join(', ')}. Choose one with --region.`,
    { code: matches.length === 0 ? 'NOT_FOUND' : 'CONFLICT' },
  );
}

/** The application with a name, if there is one. */
export async function applicationOrNone(
  context: Context,
  at: Connection,
  name: string,
  options: PlaceOptions,
): Promise<KnownApplication | undefined> {
  return applicationNamed(context, at, name, options).catch((error) => {
    if (error instanceof Failure && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
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
  const region = chosenRegion(context, at, options);
  const search = path.slice(path.lastIndexOf('/') + 1);
  const nodes = await allNodes(async (after) => {
    const answer = await ask<{ team: { components: Page<FoundComponent> } }>(at, componentsQuery, {
      by,
      search,
      after,
    });
    return answer.team.components;
  });
  const inRegion = nodes.filter((each) => !region || region === each.region.name);
  const namesOf = ({ name, application }: FoundComponent) => [name, `${application.name}/${name}`];
  const matches = closest(inRegion, namesOf, path);
  if (matches.length === 1) return matches[0]!;
  if (matches.length === 0) throw new Failure(`The team has no component ${path}.`, { code: 'NOT_FOUND' });
  const names = matches.map((each) => `${each.application.name}/${each.name} in ${each.region.name}`);
  throw new Failure(`There are several components ${path}: ${names.join(', ')}.`, { code: 'CONFLICT' });
}
