import type { Context } from '../../context.ts';
import type { List } from '../../db/list.ts';
import type { Filter, ListSpec } from '../../db/query/statement.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { fold } from '../../kernel/validate.ts';
import {
  inOwnTeams,
  inVisibleApplications,
  inVisibleTeams,
  ofOwnTeams,
  seesParts,
  visibleApplications,
} from '../team/visible-reads.ts';
import { ofTeamWith, searchedTeams, withWords } from '../team/word-reads.ts';
import { type UnhealthyIds, unhealthyAmong } from './health-reads.ts';
import { applicationOrders } from './model.ts';
import { type ApplicationStatus, statusRules } from './status-model.ts';

interface ApplicationFilter {
  search?: string | null;
  /** What `applicationsWith` says of the words of a search. */
  found?: Filter<'Application'>[];
  templateId?: string | null;
  regionId?: string;
  orderBy?: { field: keyof typeof applicationOrders; direction?: string | null } | null;
}

interface LiveFilter extends ApplicationFilter {
  state?: ApplicationStatus | null;
  hasProblems?: boolean | null;
}

/** A filter whose live part has been looked up. */
interface LookedUp extends LiveFilter {
  unhealthy?: UnhealthyIds;
  /** The components by which applications have a state, for callers who see only some. */
  components?: Filter<'Component'>[];
}

const lookedUp = memoizeByIdentity((unhealthy: UnhealthyIds) =>
  memoizeByIdentity((filter: LiveFilter): LookedUp => ({ ...filter, unhealthy })),
);

const ofComponents = memoizeByIdentity((components: Filter<'Component'>[]) =>
  memoizeByIdentity((filter: LookedUp): LookedUp => ({ ...filter, components })),
);

/** The state of an application is that of the components that the actor may see. */
const limited = ({ actor }: Pick<Context, 'actor'>, filter: LookedUp): LookedUp =>
  filter.state != null && seesParts(actor) ? ofComponents(inVisibleApplications(actor))(filter) : filter;

/** The filter, after the unhealthy applications of these teams or regions were found if it depends on them. */
const lookUp = (
  context: Context,
  by: 'teamId' | 'regionId',
  keys: readonly string[],
  filter: LiveFilter,
): LookedUp | Promise<LookedUp> =>
  filter.hasProblems != null || canBeUnhealthy(filter.state)
    ? unhealthyAmong(context, by, keys).then((unhealthy) => limited(context, lookedUp(unhealthy)(filter)))
    : limited(context, filter);

const then = <T, R>(value: T | Promise<T>, use: (value: T) => R): R | Promise<R> =>
  value instanceof Promise ? value.then(use) : use(value);

/** Whether unhealthy components make a difference to which applications are in the status. */
const canBeUnhealthy = (status: ApplicationStatus | null | undefined) => {
  if (status == null) return false;
  const { unhealthy, some } = statusRules[status];
  return unhealthy !== 'none' || some.flat().some((state) => state !== 'undeploy');
};

const matching = (filter: LookedUp): Filter<'Application'>[] => [
  ...(filter.templateId == null ? [] : [withTemplate(filter.templateId)]),
  ...inState(filter),
  ...(filter.hasProblems == null || !filter.unhealthy
    ? []
    : [oneOf(filter.unhealthy.any, filter.hasProblems)]),
  ...(filter.search ? [named(filter.search)] : []),
  ...(filter.found ?? []),
];

/** The applications with words in them, in all teams of the actor or in one. */
export function applicationsWith(context: Context, words: string, teamId?: string): Filter<'Application'>[] {
  const inTeams = searchedTeams(context, teamId);
  return withWords(
    words,
    (contains) => [{ field: 'folded', contains }],
    (word) => [ofTeamWith(inTeams, word)],
  );
}

/** A template with this key is installed. */
const withTemplate = (templateId: string): Filter<'Application'> => ({
  field: 'id',
  through: 'ComponentGroup',
  on: 'applicationId',
  where: [{ field: 'templateId', is: templateId }],
});

const oneOf = (ids: number[], isOne: boolean): Filter<'Application'> =>
  isOne ? { field: 'id', in: ids } : { field: 'id', notIn: ids };

function inState({
  state: status,
  unhealthy: ids,
  components: visible = [],
}: Pick<LookedUp, 'state' | 'unhealthy' | 'components'>): Filter<'Application'>[] {
  if (status == null) return [];
  const { some, none, unhealthy } = statusRules[status];
  const components = (states: readonly string[], isNone: boolean): Filter<'Application'> => ({
    field: 'id',
    through: 'Component',
    on: 'applicationId',
    where: [{ field: 'deployState', in: states }, ...visible],
    isNone,
  });
  return [
    ...(ids ? [unhealthy === 'none' ? oneOf(ids.any, false) : oneOf(ids[unhealthy], true)] : []),
    ...some.map((states) => components(states, false)),
    ...(none.length > 0 ? [components(none, true)] : []),
  ];
}

function named(search: string): Filter<'Application'> {
  const contains = fold(search);
  const team: Filter<'Application'> = {
    field: 'teamId',
    through: 'Team',
    on: 'id',
    where: [{ field: 'name', contains }],
  };
  return { any: [{ field: 'folded', contains }, team] };
}

const orderOf = ({ orderBy }: ApplicationFilter) => ({
  order: applicationOrders[orderBy?.field ?? 'INDEX'],
  descending: orderBy?.direction === 'desc',
});

/** The applications of a team. A search matches their names and the name of the team. */
export const applicationsOf = (
  { actor }: Pick<Context, 'actor'>,
  teamId: string,
  filter: ApplicationFilter,
): List<'Application'> => ({
  key: teamId,
  spec: ofTeam(inVisibleTeams.applications(actor))(filter),
});

/** The applications of a team that match a filter, also by what only the clusters know. */
export const liveApplicationsOf = (
  context: Context,
  teamId: string,
  filter: LiveFilter,
): List<'Application'> | Promise<List<'Application'>> =>
  then(lookUp(context, 'teamId', [teamId], filter), (found) => applicationsOf(context, teamId, found));

const ofTeam = memoizeByIdentity((visible: Filter<'Application'>[]) =>
  memoizeByIdentity(
    (filter: LookedUp): ListSpec<'Application'> => ({
      model: 'Application',
      parent: { field: 'teamId' },
      where: [
        ...visible,
        ...(filter.regionId === undefined ? [] : [{ field: 'regionId' as const, is: filter.regionId }]),
        ...matching(filter),
      ],
      ...orderOf(filter),
    }),
  ),
);

/** The applications of all teams that the actor is a member of. */
export const ownApplications = (
  context: Context,
  filter: LiveFilter,
): List<'Application'> | Promise<List<'Application'>> =>
  then(lookUp(context, 'teamId', [...context.actor.teams.keys()], filter), (found) =>
    ofOwnTeams(context, (parentBy) => ({
      model: 'Application',
      parent: parentBy('teamId'),
      where: [...inOwnTeams.applications(context.actor), ...matching(found)],
      ...orderOf(found),
    })),
  );

/** The applications in a region that are visible to the actor. */
export const applicationsInRegion = (
  context: Context,
  regionId: string,
  filter: LiveFilter,
): List<'Application'> | Promise<List<'Application'>> =>
  then(lookUp(context, 'regionId', [regionId], filter), (found) => ({
    key: regionId,
    spec: {
      model: 'Application',
      parent: { field: 'regionId' },
      where: [...visibleApplications(context.actor), ...matching(found)],
      ...orderOf(found),
    },
  }));
