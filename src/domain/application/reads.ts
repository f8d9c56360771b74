import type { Context } from '../../context.ts';
import { batchedParent } from '../../db/list.ts';
import type { Row } from '../../db/tables.ts';
import { type Bulk, findByKeys } from '../../db/write/bulk.ts';
import type { Action } from '../../kernel/actions.ts';
import { batched, existing } from '../../kernel/batch.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { byNumber, namedBy } from '../../kernel/global-id.ts';
import { groupBy } from '../../kernel/group.ts';
import { loadRegion, primeRegion, requiredFor } from '../region/reads.ts';
import { loadTeam, type PlaceInTeam, requireAllowed, seesIn, seesSomeIn, teamById } from '../team/reads.ts';
import { inVisibleApplications } from '../team/visible-reads.ts';
import { applicationActions } from './action-model.ts';
import { unhealthyIn } from './health-reads.ts';
import type { ApplicationRef } from './model.ts';
import { type ApplicationStatus, applicationStatusFor } from './status-model.ts';

/** The application by its id, without an access check. For objects related to one that the actor may see. */
export const applicationById = batchedParent('Application');
/** Rejects with NOT_FOUND if there is none. */
export const loadApplication = existing('application', applicationById);

const applicationAndAbove = {
  model: 'Application',
  parents: [
    { parent: 'Team', of: 'Application', on: 'teamId' },
    { parent: 'Region', of: 'Application', on: 'regionId' },
  ],
} as const;

/** Loads an application, its team and its region, if there is one with this id, in one statement. */
export async function loadWithAbove(context: Context, id: number): Promise<void> {
  const rows = await context.db.application.findManyWithParents({
    ids: [id],
    ancestry: applicationAndAbove,
  });
  for (const { Application, Team, Region } of rows) {
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
  const application = await byNumber(applicationById)(context, id);
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

/** Whether nothing was recorded for the application since it was read. */
export async function isUnchanged(
  write: Bulk,
  { id, revision, updatedAt }: Row<'Application'>,
): Promise<boolean> {
  const fields = ['revision', 'updatedAt'] as const;
  const [now] = await findByKeys(write, 'Application', 'id', [id], ['id'], { fields });
  return now?.revision === revision && now.updatedAt.getTime() === updatedAt.getTime();
}

/** The application that a reference identifies. NOT_FOUND if not visible to the caller. */
export const namedApplication = namedBy('application', 'Application', 'appId', visibleApplication);

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
export const requireApplicationFor = requiredFor(applicationActions, requireApplication);

export const componentCountOf = batched(
  (context: Context, keys: (string | number)[]) =>
    context.db.component.countByKeys({
      parent: { field: 'applicationId' },
      keys,
      where: inVisibleApplications(context.actor),
    }),
  0,
);

const statesIn = batched(async (context: Context, keys: number[]) => {
  const sums = await context.db.component.sumByKeys({
    by: ['applicationId', 'deployState'],
    keys,
    sums: {},
    where: inVisibleApplications(context.actor),
  });
  return new Map(
    [...groupBy(sums, ({ by }) => by[0] as number)].map(([id, rows]) => [
      id,
      new Set(rows.map(({ by }) => String(by[1]))),
    ]),
  );
}, new Set<string>());

/** The status of an application, from the deploy states of its components and how many of them are not healthy. */
export async function statusOf(
  context: Context,
  application: Pick<Row<'Application'>, 'id' | 'regionId'>,
): Promise<ApplicationStatus> {
  const [states, unhealthy] = await Promise.all([
    statesIn(context, application.id),
    unhealthyIn(context, application),
  ]);
  return applicationStatusFor(states, unhealthy);
}
