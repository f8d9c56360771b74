import type { Context } from '../../context.ts';
import { batchedParent, type List } from '../../db/list.ts';
import type { Filter, ListSpec } from '../../db/query/statement.ts';
import type { Row } from '../../db/tables.ts';
import { type Bulk, findByKeys } from '../../db/write/bulk.ts';
import type { Requirement } from '../../kernel/access.ts';
import type { Action } from '../../kernel/actions.ts';
import { batched, existing } from '../../kernel/batch.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { idOfType, numericId } from '../../kernel/global-id.ts';
import { groupBy } from '../../kernel/group.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { fold } from '../../kernel/validate.ts';
import { loadRegion, primeRegion, requireEnabled } from '../region/reads.ts';
import { loadTeam, type PlaceInTeam, requireAllowed, seesIn, seesSomeIn, teamById } from '../team/reads.ts';
import {
  inOwnTeams,
  inVisibleApplications,
  inVisibleTeams,
  ofOwnTeams,
  visibleApplications,
} from '../team/visible-reads.ts';
import { type ApplicationAction, applicationActions } from './action-model.ts';
import { type ApplicationRef, applicationOrders } from './model.ts';
import { type ApplicationStatus, applicationStatusFor, statusRules } from './status-model.ts';

/** The application by its id, without an access check. For objects related to one that the actor may see. */
export const applicationById = batchedParent('Application');
/** Rejects with NOT_FOUND if there is none. */
export const loadApplication = existing('application', applicationById);

/** An application with all that is above it. */
const applicationAndAbove = {
  model: 'Application',
  parents: [
    { parent: 'Team', of: 'Application', on: 'teamId' },
    { parent: 'Region', of: 'Application', on: 'regionId' },
  ],
} as const;

/** Loads an application, its team and its region, if there is one with this id, in one statement. */
export async function loadWithAbove(context: Context, id: number): Promise<void> {
  const found = await context.db.application.findManyWithParents({
    ids: [id],
    ancestry: applicationAndAbove,
  });
  for (const { Application, Team, Region } of found) {
    applicationById.prime(context, Application.id, Application);
    teamById.prime(context, Team.id, Team);
    primeRegion(context, Region);
  }
}

/** Where what belongs to an application, and to none of its components, is. */
export const placeOfApplication = ({
  id,
  teamId,
}: Pick<Row<'Application'>, 'id' | 'teamId'>): PlaceInTeam => ({
  teamId,
  applicationId: id,
});

/** The application, or null if the actor may see nothing of it. */
export async function visibleApplication(
  context: Context,
  id: string | number,
): Promise<Row<'Application'> | null> {
  const number = numericId(String(id));
  const application = number === undefined ? null : await applicationById(context, number);
  return application && (await seesSomeIn(context, placeOfApplication(application))) ? application : null;
}

/** The application, or null if the actor may not see all of it. For what belongs to none of its components. */
export async function wholeApplication(context: Context, id: number): Promise<Row<'Application'> | null> {
  const application = await applicationById(context, id);
  return application && (await seesIn(context, placeOfApplication(application))) ? application : null;
}

/** The application as the transaction of a change sees it. NOT_FOUND if it was deleted meanwhile. */
export async function applicationWithin(write: Bulk, id: number): Promise<Row<'Application'>> {
  const [application] = await findByKeys(write, 'Application', 'id', [id], ['id']);
  if (!application) throw new NotFoundError('application');
  return application;
}

/** The application that a reference identifies. NOT_FOUND if not visible to the caller. */
export async function namedApplication(context: Context, ref: ApplicationRef): Promise<Row<'Application'>> {
  const id = ref.appId ?? idOfType('Application', ref.id ?? '') ?? '';
  const application = await visibleApplication(context, id);
  if (!application) throw new NotFoundError('application');
  return application;
}

/** Finds it with its team and region, for a caller who may do the action with it. */
export async function requireApplication(
  context: Context,
  ref: ApplicationRef,
  action: Action = 'read',
): Promise<{ application: Row<'Application'>; team: Row<'Team'>; region: Row<'Region'> }> {
  const application = await namedApplication(context, ref);
  const [team, region] = await Promise.all([
    loadTeam(context, application.teamId),
    loadRegion(context, application.regionId),
  ]);
  if (action !== 'read')
    requireAllowed(context, team, action, { noun: 'application', applicationId: application.id });
  return { application, team, region };
}

/** Finds it for a caller who may do the action, in a region that allows it. */
export async function requireApplicationFor(
  context: Context,
  ref: ApplicationRef,
  action: ApplicationAction,
): ReturnType<typeof requireApplication> {
  const requirement: Requirement = applicationActions[action];
  const found = await requireApplication(context, ref, action);
  if (requirement.needsEnabledRegion) requireEnabled(found.region);
  return found;
}

interface ApplicationFilter {
  search?: string | null;
  templateId?: string | null;
  status?: ApplicationStatus | null;
  regionId?: string;
  orderBy?: { field: keyof typeof applicationOrders; direction?: string | null } | null;
}

const matching = (filter: ApplicationFilter): Filter<'Application'>[] => [
  ...(filter.templateId == null ? [] : [withTemplate(filter.templateId)]),
  ...(filter.status == null ? [] : inStatus(filter.status)),
  ...(filter.search ? [found(filter.search)] : []),
];

/** A template with this key is installed. */
const withTemplate = (templateId: string): Filter<'Application'> => ({
  field: 'id',
  through: 'ComponentGroup',
  on: 'applicationId',
  where: [{ field: 'templateId', is: templateId }],
});

function inStatus(status: ApplicationStatus): Filter<'Application'>[] {
  const { some, none } = statusRules[status];
  const components = (states: readonly string[], isNone: boolean): Filter<'Application'> => ({
    field: 'id',
    through: 'Component',
    on: 'applicationId',
    where: [{ field: 'deployState', in: states }],
    isNone,
  });
  return [
    ...some.map((states) => components(states, false)),
    ...(none.length > 0 ? [components(none, true)] : []),
  ];
}

function found(search: string): Filter<'Application'> {
  const contains = fold(search);
  const team: Filter<'Application'> = {
    field: 'teamId',
    through: 'Team',
    on: 'id',
    where: [{ field: 'name', contains }],
  };
  return { any: [{ field: 'folded', contains }, team] };
}

const orderOf = ({ orderBy }: ApplicationFilter) => ({
  order: applicationOrders[orderBy?.field ?? 'INDEX'],
  descending: orderBy?.direction === 'desc',
});

/** The applications of a team. A search matches their names and the name of the team. */
export const applicationsOf = (
  { actor }: Pick<Context, 'actor'>,
  teamId: string,
  filter: ApplicationFilter,
): List<'Application'> => ({
  key: teamId,
  spec: ofTeam(inVisibleTeams.applications(actor))(filter),
});

const ofTeam = memoizeByIdentity((visible: Filter<'Application'>[]) =>
  memoizeByIdentity(
    (filter: ApplicationFilter): ListSpec<'Application'> => ({
      model: 'Application',
      parent: { field: 'teamId' },
      where: [
        ...visible,
        ...(filter.regionId === undefined ? [] : [{ field: 'regionId' as const, is: filter.regionId }]),
        ...matching(filter),
      ],
      ...orderOf(filter),
    }),
  ),
);

/** The applications of all teams that the actor is a member of. */
export const ownApplications = (context: Context, filter: ApplicationFilter): List<'Application'> =>
  ofOwnTeams(context, (parentBy) => ({
    model: 'Application',
    parent: parentBy('teamId'),
    where: [...inOwnTeams.applications(context.actor), ...matching(filter)],
    ...orderOf(filter),
  }));

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
    where: [...visibleApplications(actor), ...matching(filter)],
    ...orderOf(filter),
  },
});

/** The number of components of an application. */
export const componentCountOf = batched(
  (context: Context, keys: (string | number)[]) =>
    context.db.component.countByKeys({
      parent: { field: 'applicationId' },
      keys,
      where: inVisibleApplications(context.actor),
    }),
  0,
);

/** The status of an application, from the deploy states that its components are in. */
export const statusOf = batched(async (context: Context, keys: number[]) => {
  const found = await context.db.component.sumByKeys({
    by: ['applicationId', 'deployState'],
    keys,
    sums: {},
    where: inVisibleApplications(context.actor),
  });
  return new Map(
    [...groupBy(found, ({ by }) => by[0] as number)].map(([id, rows]) => [
      id,
      applicationStatusFor(new Set(rows.map(({ by }) => String(by[1])))),
    ]),
  );
}, applicationStatusFor(new Set()));
