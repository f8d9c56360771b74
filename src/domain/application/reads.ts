import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/read/list.ts';
import type { Filter, ListSpec } from '../../db/read/statement.ts';
import type { Row } from '../../db/tables.ts';
import type { Role } from '../../kernel/access.ts';
import { batched, existing } from '../../kernel/batch.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { idOfType, numericId } from '../../kernel/global-id.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { fold } from '../../kernel/validate.ts';
import { loadRegion } from '../region/reads.ts';
import { loadTeam, requireRole, seesTeam } from '../team/reads.ts';
import { type ApplicationRef, applicationOrders } from './model.ts';

/** The application by its id, without an access check. For objects related to one that the actor may see. */
export const applicationById = batchedRow('Application', 'id');
/** The same; throws when there is none. */
export const loadApplication = existing('application', applicationById);

/** The application, or null if its team is not visible to the actor. */
export async function visibleApplication(
  context: Context,
  id: string | number,
): Promise<Row<'Application'> | null> {
  const number = numericId(String(id));
  const application = number === undefined ? null : await applicationById(context, number);
  return application && (await seesTeam(context, application.teamId)) ? application : null;
}

/** The application that a reference identifies. NOT_FOUND if not visible to the caller. */
export async function namedApplication(context: Context, ref: ApplicationRef): Promise<Row<'Application'>> {
  const id = ref.appId ?? idOfType('Application', ref.id ?? '') ?? '';
  const application = await visibleApplication(context, id);
  if (!application) throw new NotFoundError('application');
  return application;
}

/** The same with its team and region, for a caller with `role` in the team. */
export async function requireApplication(
  context: Context,
  ref: ApplicationRef,
  role: Role = 'viewer',
): Promise<{ application: Row<'Application'>; team: Row<'Team'>; region: Row<'Region'> }> {
  const application = await namedApplication(context, ref);
  const [team, region] = await Promise.all([
    loadTeam(context, application.teamId),
    loadRegion(context, application.regionId),
  ]);
  requireRole(context, team, role, 'application');
  return { application, team, region };
}

interface ApplicationFilter {
  search?: string | null;
  regionId?: string;
  orderBy?: { field: keyof typeof applicationOrders; direction?: string | null } | null;
}

function matching(search: string | null | undefined): Filter<'Application'>[] {
  if (!search) return [];
  const contains = fold(search);
  const team: Filter<'Application'> = {
    field: 'teamId',
    through: 'Team',
    on: 'id',
    where: [{ field: 'name', contains }],
  };
  return [{ any: [{ field: 'folded', contains }, team] }];
}

const orderOf = ({ orderBy }: ApplicationFilter) => ({
  order: applicationOrders[orderBy?.field ?? 'INDEX'],
  descending: orderBy?.direction === 'desc',
});

/** The applications of a team. A search matches their names and the name of the team. */
export const applicationsOf = (teamId: string, filter: ApplicationFilter): List<'Application'> => ({
  key: teamId,
  spec: ofTeam(filter),
});

const ofTeam = memoizeByIdentity(
  (filter: ApplicationFilter): ListSpec<'Application'> => ({
    model: 'Application',
    parent: { field: 'teamId' },
    where: [
      ...(filter.regionId === undefined ? [] : [{ field: 'regionId' as const, is: filter.regionId }]),
      ...matching(filter.search),
    ],
    ...orderOf(filter),
  }),
);

/** The applications in a region that are visible to the actor. */
export const applicationsInRegion = (
  { actor }: Context,
  regionId: string,
  filter: ApplicationFilter,
): List<'Application'> => ({
  key: regionId,
  spec: {
    model: 'Application',
    parent: { field: 'regionId' },
    where: [
      ...(actor.isAdministrator ? [] : [{ field: 'teamId' as const, in: [...actor.roles.keys()] }]),
      ...matching(filter.search),
    ],
    ...orderOf(filter),
  },
});

/** The number of components of an application. */
export const componentCountOf = batched(
  (context: Context, keys: (string | number)[]) =>
    context.db.component.countByKeys({ parent: { field: 'applicationId' }, keys }),
  0,
);
