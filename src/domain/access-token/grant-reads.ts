import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { type Actor, allowsAll, type Grant, placeOf, requireRight } from '../../kernel/access.ts';
import { type Action, actionsOfRole, allActions, type Role, withoutLasting } from '../../kernel/actions.ts';
import { ForbiddenError } from '../../kernel/errors.ts';
import { namedApplication } from '../application/reads.ts';
import { namedComponent } from '../component/reads.ts';
import { actionsNamed, namesOfActions } from '../role/reads.ts';
import { notAllowed, requireGiving, requireTeam } from '../team/reads.ts';
import type { GrantInput } from './model.ts';

/** A grant as it is stored, with all that is above the object that it is limited to. */
interface StoredGrant {
  actions: readonly string[];
  teamId: string | null;
  applicationId: number | null;
  componentId: string | null;
}

export function parseGrants(json: string | null): Grant[] | null {
  if (json === null) return null;
  return (JSON.parse(json) as StoredGrant[]).map((grant) => ({
    ...grant,
    actions: actionsNamed(grant.actions),
  }));
}

export const storedGrants = (grants: readonly Grant[] | null): string | null =>
  grants === null
    ? null
    : JSON.stringify(
        grants.map((grant): StoredGrant => ({ ...grant, actions: namesOfActions(grant.actions) })),
      );

/** The grants that an input names. NOT_FOUND for objects that the caller may not see. */
export const namedGrants = (context: Context, inputs: readonly GrantInput[]): Promise<Grant[]> =>
  Promise.all(
    inputs.map(async ({ actions, team, application, component }): Promise<Grant> => {
      const place = { teamId: null, applicationId: null, componentId: null };
      const grant = { actions: new Set<Action>(['read', ...actions]), ...place };
      if (team) return { ...grant, teamId: (await requireTeam(context, team)).id };
      if (application) {
        const { id, teamId } = await namedApplication(context, application);
        return { ...grant, teamId, applicationId: id };
      }
      if (component) {
        const { id, teamId, applicationId } = await namedComponent(context, component);
        return { ...grant, teamId, applicationId, componentId: id };
      }
      return grant;
    }),
  );

const contains = (outer: Grant, inner: Grant): boolean =>
  (['teamId', 'applicationId', 'componentId'] as const).every(
    (field) => outer[field] === null || outer[field] === inner[field],
  );

/** The actions that a token without grants allows. */
const everything: Grant = { actions: allActions, teamId: null, applicationId: null, componentId: null };

const mayPassOn = (own: readonly Grant[], others: readonly Grant[]): boolean =>
  others.every((other) =>
    [...other.actions].every((action) =>
      own.some((each) => each.actions.has(action) && contains(each, other)),
    ),
  );

/** The grants that a token can pass on. A short-lived token without limits cannot name actions in another that it does not include itself. */
const passedOnBy = ({ grants, isShortLived }: Pick<Actor, 'grants' | 'isShortLived'>): readonly Grant[] =>
  grants ?? [isShortLived ? { ...everything, actions: withoutLasting(allActions) } : everything];

/** FORBIDDEN if the token of the request does not allow what one with these grants would. */
export function requirePassingOn(context: Context, grants: readonly Grant[] | null): void {
  requireRight(context, (actor) => {
    // A token without grants ends no later, so that it is short-lived as well.
    if (grants === null && actor.grants === null) return;
    if (mayPassOn(passedOnBy(actor), grants ?? [everything])) return;
    throw new ForbiddenError('An access token cannot create another one with more rights than its own.');
  });
}

/**
 * FORBIDDEN for callers who may not do themselves what a token of the service account with these grants allows. The grants of
 * their own token are not enough: they can name actions that the caller does not have.
 */
export function requireGivingAccount(
  context: Context,
  { account, team }: { account: Row<'ServiceAccount'>; team: Row<'Team'> },
  grants: readonly Grant[] | null,
): void {
  const role = account.role as Role;
  const actions = actionsOfRole(role);
  requirePassingOn(context, grants);
  if (grants === null) {
    // A token that a short-lived token makes ends with it, and is short-lived as well.
    const tokenActions = context.actor.isShortLived ? withoutLasting(actions) : actions;
    requireGiving(context, team, { role, actions: tokenActions });
    return;
  }
  requireRight(context, (actor) => {
    for (const { teamId, applicationId, componentId, actions: granted } of grants) {
      // The service account has no rights in other teams.
      if (teamId !== null && teamId !== team.id) continue;
      const place = { ...placeOf(team), applicationId, ...(componentId !== null && { componentId }) };
      const tokenActions = [...granted].filter((action) => actions.has(action));
      if (!allowsAll(actor, tokenActions, place)) throw notAllowed(actor, team, role);
    }
  });
}
