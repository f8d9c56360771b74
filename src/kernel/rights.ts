import type { Actor, Grant, Scope } from './access.ts';
import { type Action, type ActionSet, allActions, withoutLasting } from './actions.ts';
import { memoizeByIdentity } from './memo.ts';

/** The rights of the owner of a token in a team. */
export interface TeamRights {
  teamId: string;
  actions: ActionSet;
  /** The applications that the actions are limited to. Null for all. */
  applications: ReadonlySet<number> | null;
}

const reading: ActionSet = new Set<Action>(['read']);
/** The actions that, granted alone for an application, show nothing of it but its previews. */
const ofPreviews: ActionSet = new Set<Action>(['read', 'openPreview', 'closePreview']);

/** The scope of actions in a whole team. The same for the same set, which roles share. */
const inWholeTeam = memoizeByIdentity((actions: ActionSet): readonly Scope[] => [
  { actions, coversTeam: true, applications: null, components: null },
]);

/** A member of some applications sees what belongs to no application as well, such as certificates for their rules. */
const scopesOf = ({ actions, applications }: TeamRights): readonly Scope[] =>
  applications === null
    ? inWholeTeam(actions)
    : [
        { actions: reading, coversTeam: true, applications: new Set(), components: null },
        { actions, coversTeam: false, applications, components: null },
      ];

const both = <T>(one: ReadonlySet<T> | null, other: T | null): ReadonlySet<T> | null =>
  other === null ? one : one === null || one.has(other) ? new Set([other]) : new Set();

/** The part of a scope that a grant allows. Undefined if there is none. */
function limitTo({ actions: granted, applicationId, componentId }: Grant) {
  // Every grant includes `read`. One with nothing else is there to read.
  const showsPreviewsAlone =
    applicationId !== null && granted.size > 1 && [...granted].every((action) => ofPreviews.has(action));
  const left = memoizeByIdentity(
    (actions: ActionSet): ActionSet =>
      new Set<Action>([
        ...[...actions].filter((action) => granted.has(action)),
        ...(showsPreviewsAlone ? [] : reading),
      ]),
  );
  return (scope: Scope): Scope | undefined => {
    const applications = both(scope.applications, applicationId);
    const coversTeam = scope.coversTeam && applicationId === null;
    if (!coversTeam && applications?.size === 0) return undefined;
    return {
      actions: left(scope.actions),
      coversTeam,
      applications,
      components: both(scope.components, componentId),
      ...(showsPreviewsAlone && { showsPreviewsAlone }),
    };
  };
}

const isWhole = ({ coversTeam, applications, components }: Scope) =>
  coversTeam && applications === null && components === null;

/**
 * The rights of a token: those that its owner has now, and of these the ones that its grants allow. Without grants, a short-lived
 * token does not include what gives access for longer.
 */
export function rightsOf(
  owner: { isAdministrator: boolean; teams: readonly TeamRights[] },
  grants: readonly Grant[] | null,
  isShortLived = false,
): Pick<Actor, 'isAdministrator' | 'everywhere' | 'teams' | 'isPartial' | 'grants' | 'isShortLived'> {
  const included = (actions: ActionSet) =>
    isShortLived && grants === null ? withoutLasting(actions) : actions;
  const own = new Map(
    owner.teams.map((team) => [team.teamId, scopesOf({ ...team, actions: included(team.actions) })]),
  );
  let everywhere: ActionSet | null = owner.isAdministrator ? included(allActions) : null;
  let teams = own;
  if (grants !== null) {
    const unlimited = grants.filter(({ teamId }) => teamId === null);
    everywhere = everywhere && unlimited.length > 0 ? union(unlimited) : null;
    teams = new Map();
    for (const grant of grants) {
      const limited = limitTo(grant);
      const of = grant.teamId === null ? own.keys() : [grant.teamId];
      for (const teamId of of) {
        const scopes = owner.isAdministrator ? inWholeTeam(allActions) : (own.get(teamId) ?? []);
        const left = scopes.flatMap((scope) => limited(scope) ?? []);
        if (left.length > 0) teams.set(teamId, [...(teams.get(teamId) ?? []), ...left]);
      }
    }
  }
  const isPartial = everywhere === null && [...teams.values()].some((scopes) => !scopes.some(isWhole));
  const { isAdministrator } = owner;
  return { isAdministrator, everywhere, teams, isPartial, grants, isShortLived };
}

const union = (grants: readonly Grant[]): ActionSet =>
  new Set<Action>(['read', ...grants.flatMap(({ actions }) => [...actions])]);
