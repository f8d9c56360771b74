import type { Context } from '../../context.ts';
import type { List } from '../../db/list.ts';
import type { Filter, ListSpec, Parent } from '../../db/query/statement.ts';
import type { Field, Model } from '../../db/tables.ts';
import { type Actor, visibleTo } from '../../kernel/access.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';

// The conditions that limit lists and counts to what the actor may see. The same objects for the same actor, because lists
// are batched by them.

/** For lists of teams. */
export const visibleTeams = ({ actor }: Pick<Context, 'actor'>): Filter<'Team'>[] => [
  { field: 'enterpriseId', is: actor.enterpriseId },
  ...(actor.everywhere ? [] : [{ field: 'id' as const, in: [...actor.teams.keys()] }]),
];

/** For lists of what belongs to a visible team, and to no application. */
export const visibleBesides = <M extends Model>(actor: Actor, field: Field<M>): Filter<M>[] =>
  actor.isPartial ? [{ field, in: visibleTo(actor).teams }] : [];

/** For lists of applications. */
export const visibleApplications = memoizeByIdentity((actor: Actor): Filter<'Application'>[] => {
  if (actor.everywhere) return [];
  const { wholeTeams, applications } = visibleTo(actor);
  return [
    anyOf<'Application'>([
      ['teamId', wholeTeams],
      ['id', applications],
    ]),
  ];
});

/** For lists of components. */
export const visibleComponents = memoizeByIdentity((actor: Actor): Filter<'Component'>[] => {
  if (actor.everywhere) return [];
  const { wholeTeams, wholeApplications, components } = visibleTo(actor);
  return [
    anyOf<'Component'>([
      ['teamId', wholeTeams],
      ['applicationId', wholeApplications],
      ['id', components],
    ]),
  ];
});

/** One of the fields is one of its values. Fields without values are left out: most callers have values of one. */
function anyOf<M extends Model>(values: [Field<M>, readonly (string | number)[]][]): Filter<M> {
  const filters = values.filter(([, of]) => of.length > 0).map(([field, of]) => ({ field, in: of }));
  return filters.length === 1 ? filters[0]! : { any: filters };
}

/** For lists within visible teams, all of which most actors may see. */
export const inVisibleTeams = {
  applications: (actor: Actor) => (actor.isPartial ? visibleApplications(actor) : none),
  components: (actor: Actor) => (actor.isPartial ? visibleComponents(actor) : none),
};

const none: [] = [];

/** Whether there are applications of which the actor may see only some components, or none. */
export const seesParts = (actor: Actor) => {
  if (!actor.isPartial) return false;
  const { applications, wholeApplications } = visibleTo(actor);
  return applications.length > wholeApplications.length;
};

/** For lists of the components of visible applications, most of which are visible as a whole. */
export const inVisibleApplications = (actor: Actor): Filter<'Component'>[] =>
  seesParts(actor) ? visibleComponents(actor) : none;

/** For lists of what belongs to the components of visible applications. */
export const ofVisibleComponents = <M extends Model>(actor: Actor, field: Field<M>): Filter<M>[] =>
  seesParts(actor) ? throughComponents(actor, field) : [];

/** The components of whatever application that the actor may see have the row. */
export const throughComponents = <M extends Model>(actor: Actor, field: Field<M>): Filter<M>[] => [
  { field, through: 'Component', on: 'id', where: visibleComponents(actor) },
];

/** For lists of what belongs to visible applications, and to none of their components. */
export const ofWholeApplications = <M extends Model>(actor: Actor, field: Field<M>): Filter<M>[] => {
  if (!seesParts(actor)) return [];
  const { wholeTeams, wholeApplications } = visibleTo(actor);
  const whole = anyOf<'Application'>([
    ['teamId', wholeTeams],
    ['id', wholeApplications],
  ]);
  return [{ field, through: 'Application', on: 'id', where: [whole] }];
};

/** A list of what belongs to the teams that the actor is a member of. */
export function ofOwnTeams<M extends Model>(
  { actor }: Pick<Context, 'actor'>,
  specOf: (parentBy: (teamId: Field<M>) => Parent<M>) => ListSpec<M>,
): List<M> {
  if (actor.userId === null) {
    const [teamId = ''] = actor.teams.keys();
    return { key: teamId, spec: specOf((field) => ({ field })) };
  }
  return {
    key: actor.userId,
    spec: specOf((field) => ({ through: 'Membership', parent: 'userId', target: 'teamId', field })),
  };
}

/** The limits of a list of the teams that the actor is a member of. A token can be limited to some of them. */
export const inOwnTeams = {
  applications: (actor: Actor) =>
    actor.grants === null ? inVisibleTeams.applications(actor) : visibleApplications(actor),
  components: (actor: Actor) =>
    actor.grants === null ? inVisibleTeams.components(actor) : visibleComponents(actor),
};
