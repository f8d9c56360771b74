/** Roles of a team member, weakest first: each may do what those before it may. */
export const roles = ['viewer', 'developer', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** Who is asking: a user, by one of its tokens. */
export interface Actor {
  userId: number;
  tokenId: string;
  enterpriseId: string;
  isAdministrator: boolean;
  isReadOnly: boolean;
  /** Team id → role, for every team that the user belongs to. */
  roles: ReadonlyMap<string, Role>;
}

/** A condition on who is asking; throws what the caller is told when it is not fulfilled. */
export type Right = (actor: Actor) => void;

/** Where the rights are kept that an operation has required so far. */
export interface RightsScope {
  actor: Actor;
  rights?: Right[];
}

/** Requires the right now, and again inside the transaction of the change that it is required for. */
export function requireRight(scope: RightsScope, right: Right): void {
  right(scope.actor);
  scope.rights ??= [];
  scope.rights.push(right);
}

/** Whether the actor is an administrator of the enterprise that the object belongs to. */
export const administers = (actor: Actor, { enterpriseId }: { enterpriseId: string }): boolean =>
  actor.enterpriseId === enterpriseId && actor.isAdministrator;

/** Whether the actor may see what belongs to the team. */
export const maySee = (actor: Actor, team: { id: string; enterpriseId: string }): boolean =>
  actor.enterpriseId === team.enterpriseId && (actor.isAdministrator || actor.roles.has(team.id));

/** Whether the actor may do in the team what `role` may. Administrators may do everything in their enterprise. */
export function holds(actor: Actor, team: { id: string; enterpriseId: string }, role: Role): boolean {
  if (actor.enterpriseId !== team.enterpriseId) return false;
  if (actor.isAdministrator) return true;
  const held = actor.roles.get(team.id);
  return held !== undefined && roles.indexOf(held) >= roles.indexOf(role);
}
