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

/** Whether the actor may see what belongs to the team. */
export function maySee(actor: Actor, team: { id: string; enterpriseId: string }): boolean {
  return actor.roles.has(team.id) || (actor.isAdministrator && actor.enterpriseId === team.enterpriseId);
}

/** Whether the actor may do in the team what `role` may. Administrators may do everything in their enterprise. */
export function holds(actor: Actor, team: { id: string; enterpriseId: string }, role: Role): boolean {
  if (actor.isAdministrator && actor.enterpriseId === team.enterpriseId) return true;
  const held = actor.roles.get(team.id);
  return held !== undefined && roles.indexOf(held) >= roles.indexOf(role);
}
