import type { Context } from '../../../context.ts';
import { Params } from '../../../db/query/statement.ts';
import type { Write } from '../../../db/write/change.ts';
import { type Actor, allowsThroughout } from '../../../kernel/access.ts';
import type { Action } from '../../../kernel/actions.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { adding } from './reads.ts';

/** Each of them can change what a component gets, from others or by itself. */
const changing: readonly Action[] = [
  ...adding,
  'addPort',
  'changePortAlias',
  'openInnerService',
  'promoteRelease',
  'setVariables',
  'updateComponent',
];

/** A connection variable that a component did not provide before. */
export interface NewlyProvided {
  componentId: string;
  name: string;
}

/**
 * CONFLICT if components that the caller may not change would get a connection variable that they did not get before: it can lead
 * them elsewhere with what they send to another component, or make their programs load something. Their dependency was added for
 * what was provided then.
 */
export async function requireOwnDependents(
  { context, tx }: Pick<Write<Context>, 'context' | 'tx'>,
  teamId: string,
  provided: readonly NewlyProvided[],
): Promise<void> {
  const team = { enterpriseId: context.actor.enterpriseId, teamId };
  const mayChangeAll = (actor: Actor) => changing.some((action) => allowsThroughout(actor, action, team));
  if (provided.length === 0 || mayChangeAll(context.actor)) return;
  const actor = (await context.actorIn?.(tx)) ?? context.actor;
  if (mayChangeAll(actor)) return;
  const nameOf = new Map(provided.map(({ componentId, name }) => [componentId, name]));
  const params = new Params(context.db.dialect);
  const given = params.keys([...nameOf.keys()], 'Component', 'id');
  const [isOwnProvider, isOwnDependent] = ['provider', 'dependent'].map((alias) =>
    isChangeable(params, actor, teamId, alias),
  );
  // One of them, because a component can have as many dependents as a team has components.
  const [found] = (await tx.$read(
    `SELECT provider.id, provider.name FROM component_dependency pair
      JOIN component provider ON provider.id = pair.dependency_id
      JOIN component dependent ON dependent.id = pair.component_id
    WHERE pair.dependency_id IN (SELECT key FROM ${given}) AND ${isOwnProvider} AND NOT ${isOwnDependent} LIMIT 1`,
    params.values,
  )) as [string, string][];
  if (!found) return;
  const [id, name] = found;
  throw new ConflictError(
    `Components that you cannot change depend on the component ${name} and would get its new connection variable ${nameOf.get(id)}. Ask a person who can change them.`,
  );
}

/** A condition: the actor may change what the component gets, although not in all of the team. */
function isChangeable(params: Params, { teams }: Actor, teamId: string, alias: string): string {
  const scopes = (teams.get(teamId) ?? []).filter(({ actions }) =>
    changing.some((action) => actions.has(action)),
  );
  const applications = scopes.flatMap((scope) => (scope.components ? [] : [...(scope.applications ?? [])]));
  const components = scopes.flatMap((scope) => [...(scope.components ?? [])]);
  const inOne = params.among(applications, 'Component', 'applicationId', alias);
  return `(${inOne} OR ${params.among(components, 'Component', 'id', alias)})`;
}
