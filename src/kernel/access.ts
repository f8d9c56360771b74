/** Roles of a team member, weakest first. Each role includes the rights of the roles before it. */
export const roles = ['viewer', 'developer', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** The authenticated caller: a user, with the access token or the session of the request. */
export interface Actor {
  userId: number;
  /** The access token of the request. Null if a session authenticates it. */
  tokenId: string | null;
  /** The session of the request. Null if an access token authenticates it. */
  sessionId: string | null;
  enterpriseId: string;
  isAdministrator: boolean;
  isReadOnly: boolean;
  /** Team id → role, for every team that the user is a member of. */
  roles: ReadonlyMap<string, Role>;
}

/** The id of what authenticates the requests of the actor: an access token or a session. */
export const credentialIdOf = ({ tokenId, sessionId }: Pick<Actor, 'tokenId' | 'sessionId'>): string =>
  (tokenId ?? sessionId)!;

/** A check of the actor's rights. Throws the error for the caller if it fails. */
export type Right = (actor: Actor) => void;

/** Holds the rights that an operation has required so far. */
export interface RightsScope {
  actor: Actor;
  rights?: Right[];
}

/** Checks the right now, and again inside the transaction of the change. */
export function requireRight(scope: RightsScope, right: Right): void {
  right(scope.actor);
  scope.rights ??= [];
  scope.rights.push(right);
}

/** Whether the actor is an administrator of the enterprise that the object belongs to. */
export const administers = (actor: Actor, { enterpriseId }: { enterpriseId: string }): boolean =>
  actor.enterpriseId === enterpriseId && actor.isAdministrator;

/** Whether the actor may see the objects of the team. */
export const maySee = (actor: Actor, team: { id: string; enterpriseId: string }): boolean =>
  actor.enterpriseId === team.enterpriseId && (actor.isAdministrator || actor.roles.has(team.id));

/** Whether the actor has at least `role` in the team. Administrators have every role in their enterprise. */
export function holds(actor: Actor, team: { id: string; enterpriseId: string }, role: Role): boolean {
  if (actor.enterpriseId !== team.enterpriseId) return false;
  if (actor.isAdministrator) return true;
  const held = actor.roles.get(team.id);
  return held !== undefined && roles.indexOf(held) >= roles.indexOf(role);
}

/** The requirements of an action for the caller and for the region. */
export type Requirement = RoleRequirement | AdministratorRequirement;

export interface RoleRequirement {
  /** The lowest role in the team that is enough. */
  role: Role;
  /** Whether the region of the object must be enabled. */
  needsEnabledRegion?: true;
}

export interface AdministratorRequirement {
  /** The action of enterprise administrators, for the message: `set quotas`. */
  administratorsMay: string;
}

/** Requirements by the names of the mutations. Operations and `viewerCan` decide by the same ones. */
export type Actions<R extends Requirement = Requirement> = { readonly [mutation: string]: R };

/** The requirement of most changes of an application or of its parts. */
export const changing = { role: 'developer', needsEnabledRegion: true } as const;

/** Whether the actor has what the action requires in the team. */
export const isAllowed = (
  actor: Actor,
  team: { id: string; enterpriseId: string },
  requirement: Requirement,
): boolean => ('role' in requirement ? holds(actor, team, requirement.role) : administers(actor, team));
