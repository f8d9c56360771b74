import { type ActedOn, type Action, type ActionOn, type ActionSet, actionsOn } from './actions.ts';
import { memoizeByIdentity } from './memo.ts';

/** Actions in a team, in all of it or in a part. */
export interface Scope {
  actions: ActionSet;
  /** Whether it covers the team itself and what belongs to no application, such as members and certificates. */
  coversTeam: boolean;
  /** The applications that it covers. Null for all of the team. */
  applications: ReadonlySet<number> | null;
  /** The components of these applications that it covers. Null for all. */
  components: ReadonlySet<string> | null;
  /** Whether it covers only the applications and their previews for reading, not their components or history. */
  showsPreviewsAlone?: boolean;
}

/** A limit of an access token. Without a team, the actions are granted wherever the owner of the token has them. */
export interface Grant {
  actions: ActionSet;
  teamId: string | null;
  applicationId: number | null;
  componentId: string | null;
}

/** The authenticated caller: a user or a service account, with the access token or the session of the request, or a deploy hook. */
export interface Actor {
  /** Null for a service account and a deploy hook. */
  userId: number | null;
  serviceAccountId: string | null;
  /** The access token of the request. Null if a session authenticates it. */
  tokenId: string | null;
  /** The session of the request. Null if an access token authenticates it. */
  sessionId: string | null;
  /** The deploy hook of the request, which belongs to no account. */
  deployHookId?: string;
  /** The application of the deploy hook, whose deploy hooks share the limits of one caller. */
  deployHookApplicationId?: number;
  enterpriseId: string;
  isReadOnly: boolean;
  /** Whether the owner of the token is an administrator. The token can be limited all the same. */
  isAdministrator: boolean;
  /** The actions of the actor in the whole enterprise. Null for all but administrators. */
  everywhere: ActionSet | null;
  /** Team id → what the actor may do in it, for teams in which it may do anything. */
  teams: ReadonlyMap<string, readonly Scope[]>;
  /** Whether a scope covers less than a team. */
  isPartial: boolean;
  /** The limits of the token. Null if it has none. */
  grants: readonly Grant[] | null;
  /** Whether the token was made to end so soon that what it gives access to must be named in its grants. */
  isShortLived?: boolean;
}

/** Identifies the user, the service account or the deploy hooks of an application, for limits. */
export const callerId = ({
  userId,
  serviceAccountId,
  deployHookApplicationId,
}: Pick<Actor, 'userId' | 'serviceAccountId' | 'deployHookApplicationId'>): number | string =>
  userId ?? serviceAccountId ?? `deploy hooks of ${deployHookApplicationId}`;

/** Where an object is. The object of a team alone is the team, or one that belongs to no application. */
export interface ObjectLocation {
  enterpriseId: string;
  teamId?: string;
  applicationId?: number | null;
  componentId?: string;
}

/** The id of what authenticates the requests of the actor: an access token, a session or a deploy hook. */
export const credentialIdOf = ({
  tokenId,
  sessionId,
  deployHookId,
}: Pick<Actor, 'tokenId' | 'sessionId' | 'deployHookId'>): string => (tokenId ?? sessionId ?? deployHookId)!;

/** A check of the actor's rights. Throws the error for the caller if it fails. */
export type Right = (actor: Actor) => void;

/** Holds the rights that an operation has required so far. */
export interface RightsScope {
  actor: Actor;
  rights?: Right[];
  /** Where the object is whose rights were required last. */
  place?: ObjectLocation | undefined;
}

/** Checks the right now, and again inside the transaction of the change. `place` is where its object is. */
export function requireRight(scope: RightsScope, right: Right, place?: ObjectLocation): void {
  if (place) scope.place = place;
  right(scope.actor);
  scope.rights ??= [];
  scope.rights.push(right);
}

export const placeOf = ({ id, enterpriseId }: { id: string; enterpriseId: string }) => ({
  enterpriseId,
  teamId: id,
});

function covers(
  { coversTeam, applications, components }: Scope,
  { applicationId, componentId }: Omit<ObjectLocation, 'enterpriseId'>,
): boolean {
  if (applicationId == null) return coversTeam;
  if (applications !== null && !applications.has(applicationId)) return false;
  return components === null || (componentId !== undefined && components.has(componentId));
}

/** Whether the actor may do the action there. The one check of rights. */
export function allows(actor: Actor, action: Action, place: ObjectLocation): boolean {
  if (actor.enterpriseId !== place.enterpriseId) return false;
  if (actor.everywhere?.has(action)) return true;
  const scopes = place.teamId === undefined ? undefined : actor.teams.get(place.teamId);
  return scopes?.some((scope) => scope.actions.has(action) && covers(scope, place)) ?? false;
}

/** A component of an application that nobody is limited to. */
export const anyOther = { applicationId: -1, componentId: '' };

/** Whether the actor may do the action with whatever is in the team. */
export const allowsThroughout = (actor: Actor, action: Action, team: ObjectLocation): boolean =>
  allows(actor, action, { ...team, ...anyOther });

/** Whether the actor may do all of the actions there, and so may give them to others. */
export const allowsAll = (actor: Actor, actions: Iterable<Action>, place: ObjectLocation): boolean =>
  [...actions].every((action) => allows(actor, action, place));

const includes = <T>(all: ReadonlySet<T> | null, some: ReadonlySet<T> | null): boolean =>
  all === some || all === null || (some !== null && [...some].every((each) => all.has(each)));

const isWithin = (scope: Scope, other: Scope): boolean =>
  (other.coversTeam || !scope.coversTeam) &&
  includes(other.actions, scope.actions) &&
  includes(other.applications, scope.applications) &&
  includes(other.components, scope.components);

/** Whether an actor, as it is now, lacks rights that it had before. */
export function mayLess(
  now: Pick<Actor, 'everywhere' | 'teams'>,
  before: Partial<Pick<Actor, 'everywhere' | 'teams'>>,
): boolean {
  const mayEverywhere = (actions: ActionSet) => now.everywhere !== null && includes(now.everywhere, actions);
  if (before.everywhere && !mayEverywhere(before.everywhere)) return true;
  for (const [teamId, scopes] of before.teams ?? []) {
    const left = now.teams.get(teamId);
    if (left === scopes) continue;
    const isLeft = (scope: Scope) =>
      left?.some((other) => isWithin(scope, other)) || mayEverywhere(scope.actions);
    if (!scopes.every(isLeft)) return true;
  }
  return false;
}

/** Whether the actor may do the action with its own account. Service accounts are changed by others alone. */
export const allowsOwn = (actor: Actor, action: Action, teamId: string | null = null): boolean =>
  actor.userId !== null &&
  (actor.grants === null ||
    actor.grants.some(
      (grant) =>
        (action === 'read' || grant.actions.has(action)) &&
        grant.applicationId === null &&
        (grant.teamId === null || grant.teamId === teamId),
    ));

/** Whether the actor may see all objects of the enterprise that the object belongs to. */
export const administers = (actor: Actor, { enterpriseId }: { enterpriseId: string }): boolean =>
  actor.everywhere !== null && actor.enterpriseId === enterpriseId;

/** Whether the actor may see what is there: a component, or what belongs to no component or to no application. */
export const maySee = (actor: Actor, place: ObjectLocation): boolean =>
  actor.enterpriseId === place.enterpriseId && (actor.everywhere !== null || sees(actor, place));

/** Whether the actor may see the team or application, because it may see something in it. */
export const maySeeSome = (actor: Actor, place: ObjectLocation): boolean =>
  actor.enterpriseId === place.enterpriseId && (actor.everywhere !== null || seesSome(actor, place));

type PlaceInTeam = Omit<ObjectLocation, 'enterpriseId'>;

/** `maySee` for an object of the actor's enterprise. It is enough for all but administrators. */
export function sees(actor: Actor, place: PlaceInTeam): boolean {
  const scopes = place.teamId === undefined ? undefined : actor.teams.get(place.teamId);
  if (scopes === undefined || !actor.isPartial) return scopes !== undefined;
  return scopes.some((scope) => !scope.showsPreviewsAlone && covers(scope, place));
}

/** Whether the actor may see the previews of an application of its enterprise. It is enough for all but administrators. */
export const seesPreviews = (actor: Actor, place: PlaceInTeam): boolean =>
  sees(actor, place) ||
  (actor.teams.get(place.teamId ?? '')?.some((s) => s.showsPreviewsAlone && covers(s, place)) ?? false);

/** `maySeeSome` for an object of the actor's enterprise. It is enough for all but administrators. */
export function seesSome(actor: Actor, place: PlaceInTeam): boolean {
  const scopes = place.teamId === undefined ? undefined : actor.teams.get(place.teamId);
  const { applicationId, componentId } = place;
  if (scopes === undefined || applicationId == null || !actor.isPartial) return scopes !== undefined;
  if (componentId !== undefined) return sees(actor, place);
  return scopes.some(({ applications }) => applications === null || applications.has(applicationId));
}

/** The ids of the objects that an actor who is no administrator may see. */
export interface Visible {
  /** The teams of which everything is visible. */
  wholeTeams: readonly string[];
  /** The teams whose members, certificates and the like are visible. */
  teams: readonly string[];
  /** The applications of other teams of which everything is visible. */
  wholeApplications: readonly number[];
  /** The applications of other teams of which anything is visible. */
  applications: readonly number[];
  /** The components of other applications. */
  components: readonly string[];
}

export const visibleTo = memoizeByIdentity(({ teams }: Actor): Visible => {
  const [wholeTeams, besides]: [string[], string[]] = [[], []];
  const wholeApplications = new Set<number>();
  const applications = new Set<number>();
  const components = new Set<string>();
  for (const [teamId, scopes] of teams) {
    if (scopes.some((scope) => scope.coversTeam)) besides.push(teamId);
    if (scopes.some((scope) => scope.coversTeam && scope.applications === null)) {
      wholeTeams.push(teamId);
      continue;
    }
    for (const scope of scopes) {
      for (const id of scope.applications ?? []) {
        applications.add(id);
        if (scope.components === null && !scope.showsPreviewsAlone) wholeApplications.add(id);
      }
      for (const id of scope.components ?? []) components.add(id);
    }
  }
  return {
    wholeTeams,
    teams: besides,
    wholeApplications: [...wholeApplications],
    applications: [...applications],
    components: [...components],
  };
});

/** The conditions of an action beside the right to it. */
export interface Requirement {
  action: Action;
  /** Whether the region of the object must be enabled. */
  needsEnabledRegion?: true;
}

/** The condition of most changes of an application or of its parts. */
export const changing = { needsEnabledRegion: true } as const;

/**
 * The requirements of the actions on objects of a type: those of most changes, unless an action has others. Operations and
 * `viewerCan` decide by the same ones.
 */
export const actionsWith = <
  const On extends ActedOn,
  const Others extends { readonly [action in ActionOn<On>]?: object },
>(
  type: On,
  others: Others,
) =>
  Object.fromEntries(
    actionsOn(type).map((action) => [action, { action, ...(others[action] ?? changing) }]),
  ) as {
    readonly [A in ActionOn<On>]: { readonly action: A } & (A extends keyof Others
      ? Others[A]
      : typeof changing);
  };
