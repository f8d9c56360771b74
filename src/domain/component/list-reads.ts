import type { Context } from '../../context.ts';
import type { List } from '../../db/list.ts';
import type { Filter, ListSpec, Parent } from '../../db/query/statement.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { fold } from '../../kernel/validate.ts';
import { inOwnTeams, inVisibleApplications, inVisibleTeams, ofOwnTeams } from '../team/visible-reads.ts';
import { ofApplicationWith, ofTeamWith, reachedAt, searchedTeams, withWords } from '../team/word-reads.ts';
import { componentOrders } from './model.ts';

interface ComponentFilter {
  words?: string | null;
  search?: string | null;
  /** What `componentsWith` says of the words of a search. */
  found?: Filter<'Component'>[];
  desiredState?: string | null;
  image?: string | null;
  kind?: string | null;
  regionId?: string;
  orderBy?: { field: keyof typeof componentOrders; direction?: string | null } | null;
}

export const componentsOf = (
  { actor }: Pick<Context, 'actor'>,
  applicationId: number,
  filter: ComponentFilter,
): List<'Component'> => ({
  key: applicationId,
  spec: ofApplication(inVisibleApplications(actor))(filter),
});

/** The components of a team, in all regions or in one. */
export const componentsOfTeam = (
  { actor }: Pick<Context, 'actor'>,
  teamId: string,
  filter: ComponentFilter,
): List<'Component'> => ({
  key: teamId,
  spec: ofTeam(inVisibleTeams.components(actor))(filter),
});

/** The components of all teams that the actor is a member of. */
export const ownComponents = (context: Context, filter: ComponentFilter): List<'Component'> =>
  ofOwnTeams(context, (parentBy) => listOf(parentBy('teamId'), inOwnTeams.components(context.actor))(filter));

/** The components with words in them, in all teams of the actor or in one. */
export function componentsWith(context: Context, words: string, teamId?: string): Filter<'Component'>[] {
  const inTeams = searchedTeams(context, teamId);
  return withWords(
    words,
    (word) => [
      { field: 'folded', contains: word },
      { field: 'image', containsAnyCase: word },
      ...reachedAt(inTeams, word),
    ],
    (word) => [ofApplicationWith(inTeams, word), ofTeamWith(inTeams, word)],
  );
}

const listOf =
  (parent: Parent<'Component'>, visible: Filter<'Component'>[]) =>
  (filter: ComponentFilter): ListSpec<'Component'> => ({
    model: 'Component',
    parent,
    order: componentOrders[filter.orderBy?.field ?? 'NAME'],
    descending: filter.orderBy?.direction === 'desc',
    where: [...visible, ...matching(filter)],
  });

const memoized = (parent: Parent<'Component'>) =>
  memoizeByIdentity((visible: Filter<'Component'>[]) => memoizeByIdentity(listOf(parent, visible)));
const ofApplication = memoized({ field: 'applicationId' });
const ofTeam = memoized({ field: 'teamId' });

function matching(filter: ComponentFilter): Filter<'Component'>[] {
  const { search, found = [], desiredState, image, kind, regionId } = filter;
  const where = [...found];
  if (regionId !== undefined) where.push({ field: 'regionId', is: regionId });
  if (desiredState != null) where.push({ field: 'deployState', is: desiredState });
  if (kind != null) where.push({ field: 'componentType', is: kind });
  if (image) where.push({ field: 'image', containsAnyCase: image });
  if (search) where.push({ field: 'folded', contains: fold(search) });
  return where;
}
