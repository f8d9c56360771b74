import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import { type Filter, type ListSpec, Params } from '../../db/query/statement.ts';
import type { Part, Row } from '../../db/tables.ts';
import { type Actor, anyOther, visibleTo } from '../../kernel/access.ts';
import type { Action } from '../../kernel/actions.ts';
import { batched } from '../../kernel/batch.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { absentId, byNumber, namedBy } from '../../kernel/global-id.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { loadTeam, type PlaceInTeam, requireAllowed, seesIn } from '../team/reads.ts';
import { seesParts, throughComponents } from '../team/visible-reads.ts';
import { isUnfinished, type JobFilter, type JobRef, unfinished } from './model.ts';

const jobById = batchedRow('Job', 'id');
const jobComponentById = batchedRow('JobComponent', 'id');

/** Where a job is, unless only some of its components are visible. One of several applications is anywhere in the team. */
export const placeOfJob = ({
  teamId,
  applicationId,
}: Pick<Row<'Job'>, 'teamId' | 'applicationId'>): PlaceInTeam => ({
  teamId,
  ...(applicationId === null ? anyOther : { applicationId }),
});

/** The application of the events of a job. Those of a job of several applications name their components, and are for who sees the whole team. */
export const applicationOfEvents = ({ applicationId }: Pick<Row<'Job'>, 'applicationId'>): number =>
  applicationId ?? anyOther.applicationId;

/** The places of which one has to be visible for the job to be: that of the job, and of each component. */
export async function placesOfJob(
  context: Context,
  job: Pick<Row<'Job'>, 'id' | 'teamId' | 'applicationId'>,
): Promise<PlaceInTeam[]> {
  const parts = await context.db.jobComponent.findManyByKeys({
    by: 'jobId',
    keys: [job.id],
    fields: ['componentId'],
  });
  const place = placeOfJob(job);
  const ids = parts.map(({ componentId }) => componentId);
  if (job.applicationId !== null) return [place, ...ids.map((componentId) => ({ ...place, componentId }))];
  const { teamId } = job;
  const fields = ['id', 'applicationId'] as const;
  const there = await context.db.component.findManyByKeys({ by: 'id', keys: ids, fields });
  return [place, ...there.map(({ id, applicationId }) => ({ teamId, applicationId, componentId: id }))];
}

/** The job, or null if the actor may see neither its application nor one of its components. */
export async function visibleJob(context: Context, id: string | number): Promise<Row<'Job'> | null> {
  const job = await byNumber(jobById)(context, id);
  const isVisible =
    (job && (await seesIn(context, placeOfJob(job)))) ||
    (context.actor.isPartial && (await hasVisible(context, job?.id ?? absentId)));
  return isVisible ? job : null;
}

/** Whether the actor may see a component of the job. */
const hasVisible = batched(async (context: Context, jobIds: number[]) => {
  const where = throughComponents<'JobComponent'>(context.actor, 'componentId');
  const rows = await context.db.jobComponent.findManyByKeys({
    by: 'jobId',
    keys: jobIds,
    where,
    fields: ['jobId'],
  });
  return new Map(rows.map(({ jobId }) => [jobId, true]));
}, false);

export async function visibleJobComponent(context: Context, id: string): Promise<Row<'JobComponent'> | null> {
  const part = await byNumber(jobComponentById)(context, id);
  const job = await visibleJob(context, part?.jobId ?? absentId);
  if (!context.actor.isPartial) return job && part;
  const visible = await context.db.jobComponent.findManyByKeys({
    by: 'id',
    keys: [part?.id ?? absentId],
    where: ofVisibleParts(context.actor),
    fields: ['id'],
  });
  return job && visible.length > 0 ? part : null;
}

/** The job of one of its components, without an access check. NOT_FOUND if it was deleted since the component was read. */
export async function loadJob(context: Context, id: number): Promise<Row<'Job'>> {
  const job = await jobById(context, id);
  if (!job) throw new NotFoundError('job');
  return job;
}

const namedJob = namedBy('job', 'Job', 'jobId', visibleJob);

/** The job that a reference identifies, for a caller who may do the action with all of it. */
export async function requireJob(
  context: Context,
  ref: JobRef,
  action: Action = 'read',
): Promise<Row<'Job'>> {
  const job = await namedJob(context, ref);
  if (action !== 'read') {
    const { applicationId } = job;
    requireAllowed(context, await loadTeam(context, job.teamId), action, { noun: 'job', applicationId });
  }
  return job;
}

const none: JobFilter = {};

const conditions = ({ status, kind }: JobFilter): Filter<'Job'>[] => [
  ...(status == null ? [] : [{ field: 'status' as const, is: status }]),
  ...(kind == null ? [] : [{ field: 'kind' as const, is: kind }]),
];

const newestFirst = (parent: ListSpec<'Job'>['parent']) =>
  memoizeByIdentity((visible: Filter<'Job'>[]) =>
    memoizeByIdentity(
      (filter: JobFilter): ListSpec<'Job'> => ({
        model: 'Job',
        parent,
        order: ['id'],
        descending: true,
        where: [...visible, ...conditions(filter)],
        // The jobs of a component are in no index in their order, and few.
        ...('through' in parent
          ? {}
          : { growing: { indexed: [['status']], time: 'createdAt', hasHidden: visible.length > 0 } }),
      }),
    ),
  );

/** For actors who see only a part of a team: the jobs of what they see. */
const visibleJobs = memoizeByIdentity((actor: Actor): Filter<'Job'>[] => {
  if (!actor.isPartial) return all;
  const { wholeTeams, wholeApplications } = visibleTo(actor);
  return [
    {
      any: [
        { field: 'teamId', in: wholeTeams },
        { field: 'applicationId', in: wholeApplications },
        {
          field: 'id',
          through: 'JobComponent',
          on: 'jobId',
          where: throughComponents<'JobComponent'>(actor, 'componentId'),
        },
      ],
    },
  ];
});
const all: Filter<'Job'>[] = [];

const ofTeam = newestFirst({ field: 'teamId' });
const ofApplication = newestFirst({ field: 'applicationId' });
const ofComponent = newestFirst({
  through: 'JobComponent',
  parent: 'componentId',
  target: 'jobId',
  field: 'id',
});

/** The jobs of a team, an application or a component, newest first. */
export const jobsOfTeam = ({ actor }: Context, teamId: string, filter: JobFilter = none): List<'Job'> => ({
  key: teamId,
  spec: ofTeam(visibleJobs(actor))(filter),
});
export const jobsOfApplication = (
  { actor }: Context,
  applicationId: number,
  filter: JobFilter = none,
): List<'Job'> => ({
  key: applicationId,
  spec: ofApplication(seesParts(actor) ? visibleJobs(actor) : all)(filter),
});
export const jobsOfComponent = (componentId: string, filter: JobFilter = none): List<'Job'> => ({
  key: componentId,
  spec: ofComponent(all)(filter),
});

const partsOf = memoizeByIdentity(
  (actor: Actor): ListSpec<'JobComponent'> => ({
    model: 'JobComponent',
    parent: { field: 'jobId' },
    order: ['step', 'id'],
    where: ofVisibleParts(actor),
  }),
);

/**
 * Parts are of components that may have been deleted, so those of whole applications are found by their job. A job can have those
 * of several applications.
 */
const ofVisibleParts = (actor: Actor): Filter<'JobComponent'>[] => {
  if (!actor.isPartial) return [];
  const { wholeTeams, wholeApplications } = visibleTo(actor);
  const whole: Filter<'Job'>[] = [
    {
      any: [
        { field: 'teamId', in: wholeTeams },
        { field: 'applicationId', in: wholeApplications },
      ],
    },
  ];
  return [
    {
      any: [
        { field: 'jobId', through: 'Job', on: 'id', where: whole },
        ...throughComponents<'JobComponent'>(actor, 'componentId'),
      ],
    },
  ];
};

/** The components of a job, in the order in which they are carried out. */
export const componentsOfJob = ({ actor }: Context, jobId: number): List<'JobComponent'> => ({
  key: jobId,
  spec: partsOf(actor),
});

const workFields = ['id', 'action', 'status', 'state', 'previousStatus', 'step'] as const;
export type LastWork = Part<'JobComponent', (typeof workFields)[number]>;

const latest: ListSpec<'JobComponent', (typeof workFields)[number]> = {
  model: 'JobComponent',
  parent: { field: 'componentId' },
  order: ['id'],
  descending: true,
  fields: workFields,
};

/** The last work on each of the components. */
export async function lastWorksOf(
  { db }: Pick<Context, 'db'>,
  ids: readonly string[],
): Promise<Map<string, LastWork>> {
  const window = { limit: 1, fromEnd: false };
  const pages = await db.jobComponent.findPagesByKeys({ keys: [...ids], spec: latest, window });
  return new Map([...pages].map(([id, { rows }]) => [id as string, rows[0]!]));
}

const outcomeFields = ['id', 'jobId', 'status', 'error', 'startedAt'] as const;
const latestOutcome: ListSpec<'JobComponent', (typeof outcomeFields)[number]> = {
  model: 'JobComponent',
  parent: { field: 'componentId' },
  order: ['id'],
  descending: true,
  fields: outcomeFields,
};

/** The last work on a component, with its job and its error. */
export const lastOutcomeOf = batched(async ({ db }: Pick<Context, 'db' | 'loaders'>, ids: string[]) => {
  const window = { limit: 1, fromEnd: false };
  const pages = await db.jobComponent.findPagesByKeys({ keys: ids, spec: latestOutcome, window });
  return new Map([...pages].map(([id, { rows }]) => [id as string, rows[0]!]));
}, null);

/** The reason why the first unfinished component of each job waits. */
const waitedForById = batched(async ({ db }: Pick<Context, 'db' | 'loaders'>, ids: number[]) => {
  const params = new Params(db.dialect);
  const open = unfinished.map((status) => `'${status}'`).join(', ');
  const rows = (await db.query(
    `SELECT job_id, component_name, error FROM job_component WHERE id IN (SELECT min(id) FROM job_component
       WHERE job_id IN (${ids.map((id) => params.add(id)).join(', ')}) AND status IN (${open}) AND error IS NOT NULL
       GROUP BY job_id)`,
    params.values,
  )) as [number, string, string][];
  return new Map(rows.map(([id, name, error]) => [id, `${name}: ${error}`]));
}, null);

/** The outcome of the work of a job on a component, as REST shows it. Null where nothing was carried out. */
export async function outcomeOf(
  { db }: Pick<Context, 'db'>,
  job: Pick<Row<'Job'>, 'id'> | null,
  componentId: string,
): Promise<{ outcome: string | null; digest: string | null; reason: string | null }> {
  const fields = ['componentId', 'outcome', 'digest', 'note'] as const;
  const parts = job ? await db.jobComponent.findManyByKeys({ by: 'jobId', keys: [job.id], fields }) : [];
  const part = parts.find((each) => each.componentId === componentId);
  const { outcome, digest = null, note = null } = part ?? {};
  return { outcome: outcome?.toUpperCase() ?? null, digest, reason: note };
}

/** The first note of the components of each job. */
export const noteOfJob = batched(async ({ db }: Pick<Context, 'db' | 'loaders'>, ids: number[]) => {
  const params = new Params(db.dialect);
  const rows = (await db.query(
    `SELECT job_id, component_name, note FROM job_component WHERE id IN (SELECT min(id) FROM job_component
       WHERE job_id IN (${ids.map((id) => params.add(id)).join(', ')}) AND note IS NOT NULL GROUP BY job_id)`,
    params.values,
  )) as [number, string, string][];
  return new Map(rows.map(([id, name, note]) => [id, `${name}: ${note}`]));
}, null);

/** The first error of a job, or what it waits for while it is not over. */
export const errorOfJob = async (
  context: Pick<Context, 'db' | 'loaders'>,
  { id, status, error }: Pick<Row<'Job'>, 'id' | 'status' | 'error'>,
): Promise<string | null> => error ?? (isUnfinished(status) ? waitedForById(context, id) : null);
