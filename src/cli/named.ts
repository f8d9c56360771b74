import { allNodes, ask, type Page } from './api.ts';
import type { Connection } from './connection.ts';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import { chosenRegion, chosenTeam, type PlaceOptions, teamOf } from './place.ts';

interface Placed {
  name: string;
  team: { name: string };
  region: { name: string };
}

export interface KnownApplication extends Placed {
  uid: number;
  state: string | null;
  componentCount: number;
}

interface KnownComponent extends Placed {
  uid: string;
  application: { uid: number; name: string };
}

const selections = {
  applications: 'uid name state componentCount team { name } region { name }',
  components: 'uid name application { uid name } team { name } region { name }',
};

interface Items {
  applications: KnownApplication;
  components: KnownComponent;
}

interface Where {
  /** All teams of the caller if undefined. */
  team: string | undefined;
  region: string | undefined;
}

const whereOf = (context: Context, at: Connection, options: PlaceOptions): Where => ({
  team: chosenTeam(context, at, options),
  region: chosenRegion(context, at, options),
});

async function found<K extends keyof Items>(
  at: Connection,
  kind: K,
  { team, region }: Where,
  search?: string,
): Promise<Items[K][]> {
  const query = `query N($team: TeamRef, $search: String, $after: String) {
  ${kind}(first: 100, after: $after, team: $team, search: $search) {
    nodes { ${selections[kind]} }
    pageInfo { hasNextPage endCursor }
  }
}`;
  const by = team === undefined ? undefined : { name: team };
  const nodes = await allNodes(async (after) => {
    const answer = await ask<Record<K, Page<Items[K]>>>(at, query, { team: by, search, after });
    return answer[kind];
  });
  return nodes.filter((each) => region === undefined || each.region.name === region);
}

/** The applications of the chosen team or the only one, in a region if one is chosen. */
export async function applicationsOf(
  context: Context,
  at: Connection,
  options: PlaceOptions,
): Promise<KnownApplication[]> {
  const team = await teamOf(context, at, options);
  return found(at, 'applications', { team, region: chosenRegion(context, at, options) });
}

/** Everything that a name can mean: of the chosen team or, without one, of all teams of the caller. */
export const candidatesOf = <K extends keyof Items>(
  context: Context,
  at: Connection,
  kind: K,
): Promise<Items[K][]> => found(at, kind, whereOf(context, at, {}));

/** The items with a name as it is written or, if there are none, in another letter case. */
function closest<T>(items: readonly T[], namesOf: (item: T) => string[], name: string): T[] {
  const exact = items.filter((item) => namesOf(item).includes(name));
  if (exact.length > 0) return exact;
  const lower = name.toLowerCase();
  return items.filter((item) => namesOf(item).some((each) => each.toLowerCase() === lower));
}

/** The one item with a name. The error lists the candidates if several have it. */
function only<T extends Placed>(
  kind: string,
  name: string,
  { team, region }: Where,
  items: readonly T[],
  namesOf: (item: T) => [string, ...string[]],
): T {
  const matches = closest(items, namesOf, name);
  if (matches.length === 1) return matches[0]!;
  if (matches.length === 0) {
    const place = [team && `team ${team}`, region && `region ${region}`].filter(Boolean).join(', ');
    throw new Failure(`There is no ${kind} ${name} in ${place || 'your teams'}.`, { code: 'NOT_FOUND' });
  }
  const listed = matches.map(
    (each) => `${namesOf(each)[0]} (team ${each.team.name}, region ${each.region.name})`,
  );
  throw new Failure(
    `Several ${kind}s have the name ${name}: ${listed.join(', ')}. Choose one by its full name, --team or --region.`,
    { code: 'CONFLICT' },
  );
}

export async function applicationNamed(
  context: Context,
  at: Connection,
  name: string,
  options: PlaceOptions,
): Promise<KnownApplication> {
  const where = whereOf(context, at, options);
  const applications = await found(at, 'applications', where, name);
  return only('application', name, where, applications, (each) => [each.name]);
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

/** The component with a name such as `web`, or `shop/web` where several applications have one. */
export async function componentNamed(
  context: Context,
  at: Connection,
  path: string,
  options: PlaceOptions,
): Promise<KnownComponent> {
  const where = whereOf(context, at, options);
  const components = await found(at, 'components', where, path.slice(path.lastIndexOf('/') + 1));
  return only('component', path, where, components, ({ name, application }) => [
    `${application.name}/${name}`,
    name,
  ]);
}
