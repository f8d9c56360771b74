import type { Context } from '../../../context.ts';
import { Params } from '../../../db/query/statement.ts';
import type { Write } from '../../../db/write/change.ts';
import { type Actor, allowsThroughout } from '../../../kernel/access.ts';
import type { Action } from '../../../kernel/actions.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { connectionSizes } from '../size/reads.ts';
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
  write: ProvidingWrite,
  teamId: string,
  provided: readonly NewlyProvided[],
): Promise<void> {
  const nameOf = new Map(provided.map(({ componentId, name }) => [componentId, name]));
  const found = await providerOfOthers(write, teamId, [...nameOf.keys()]);
  if (!found) return;
  throw new ConflictError(
    `Components that you cannot change depend on the component ${found.name} and would get its new connection variable ${nameOf.get(found.id)}. Ask a person who can change them.`,
  );
}

/** The most bytes that the connection variables of a component can grow to if others depend on it that the caller may not change. */
const maxProvidedBytes = 65_536;

/**
 * CONFLICT if connection variables, which were written, have become so large that components which get them and that the caller
 * may not change could no longer be deployed. How much room these have would tell how large their files and variables are.
 */
export async function requireSmallForDependents(
  write: ProvidingWrite,
  teamId: string,
  grownIds: readonly string[],
): Promise<void> {
  const { context, tx } = write;
  const countsSecrets = !tx.isDryRun;
  const read = (text: string, params: unknown[]) => tx.$read(text, params);
  const sizes = await connectionSizes(context.db, read, grownIds, { countsSecrets });
  const large = grownIds.filter((id) => (sizes.get(id) ?? 0) > maxProvidedBytes);
  const found = await providerOfOthers(write, teamId, large);
  if (!found) return;
  throw new ConflictError(
    `Components that you cannot change depend on the component ${found.name}, whose connection variables can therefore have at most ${maxProvidedBytes / 1024} KiB. Ask a person who can change them.`,
  );
}

type ProvidingWrite = Pick<Write<Context>, 'context' | 'tx'>;

/** One of these components that the caller may change, and on which a component depends that the caller may not. */
async function providerOfOthers(
  { context, tx }: ProvidingWrite,
  teamId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string } | undefined> {
  const team = { enterpriseId: context.actor.enterpriseId, teamId };
  const mayChangeAll = (actor: Actor) => changing.some((action) => allowsThroughout(actor, action, team));
  if (ids.length === 0 || mayChangeAll(context.actor)) return undefined;
  const actor = (await context.actorIn?.(tx)) ?? context.actor;
  if (mayChangeAll(actor)) return undefined;
  const params = new Params(context.db.dialect);
  const given = params.keys([...ids], 'Component', 'id');
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
  return found && { id: found[0], name: found[1] };
}

/**
 * A condition: the actor may change what the component gets, although not in all of the team. Who may open
 * previews of an application may change what their components get: a preview is an application of its own.
 */
function isChangeable(params: Params, { teams }: Actor, teamId: string, alias: string): string {
  const scopes = teams.get(teamId) ?? [];
  const having = (actions: readonly Action[]) =>
    scopes.filter((scope) => actions.some((action) => scope.actions.has(action)));
  const applications = having(changing).flatMap((scope) =>
    scope.components ? [] : [...(scope.applications ?? [])],
  );
  const components = having(changing).flatMap((scope) => [...(scope.components ?? [])]);
  const inOne = params.among(applications, 'Component', 'applicationId', alias);
  const isOne = params.among(components, 'Component', 'id', alias);
  const opening = having(['openPreview']).filter((scope) => scope.components === null);
  const ofOpened = opening.some((scope) => scope.applications === null)
    ? `opened.team_id = ${params.add(teamId)}`
    : params.among(
        opening.flatMap((scope) => [...(scope.applications ?? [])]),
        'Preview',
        'applicationId',
        'opened',
      );
  const inPreview = `EXISTS (SELECT 1 FROM preview opened WHERE opened.copy_id = ${alias}.application_id AND ${ofOpened})`;
  return `(${inOne} OR ${isOne} OR ${inPreview})`;
}
