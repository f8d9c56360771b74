import type { Context } from '../../context.ts';
import type { Grant } from '../../kernel/access.ts';
import type { Action } from '../../kernel/actions.ts';
import { namedApplication } from '../application/reads.ts';
import { namedComponent } from '../component/reads.ts';
import { actionsNamed, namesOfActions } from '../role/reads.ts';
import { requireTeam } from '../team/reads.ts';
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

/** Whether a token with the grants may create one with the others: it never allows more than itself. */
export const mayPassOn = (own: readonly Grant[] | null, others: readonly Grant[]): boolean =>
  own === null ||
  others.every((other) =>
    [...other.actions].every((action) =>
      own.some((each) => each.actions.has(action) && contains(each, other)),
    ),
  );
