import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import { type ListSpec, Params } from '../../db/query/statement.ts';
import type { Row } from '../../db/tables.ts';
import type { Role } from '../../kernel/access.ts';
import { batched } from '../../kernel/batch.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { idOfType, numericId } from '../../kernel/global-id.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { loadTeam, requireRole, visibleTeam } from '../team/reads.ts';
import { isUnfinished, type JobFilter, type JobRef, unfinished } from './model.ts';

const jobById = batchedRow('Job', 'id');
const jobComponentById = batchedRow('JobComponent', 'id');

/** The job, or null if its team is not visible to the actor. */
export async function visibleJob(context: Context, id: string | number): Promise<Row<'Job'> | null> {
  const number = numericId(String(id));
  const job = number === undefined ? null : await jobById(context, number);
  return job && (await visibleTeam(context, job.teamId)) ? job : null;
}

export async function visibleJobComponent(context: Context, id: string): Promise<Row<'JobComponent'> | null> {
  const number = numericId(id);
  const part = number === undefined ? null : await jobComponentById(context, number);
  return part && (await visibleJob(context, part.jobId)) ? part : null;
}

/** The job of one of its components, without an access check. */
export async function loadJob(context: Context, id: number): Promise<Row<'Job'>> {
  const job = await jobById(context, id);
  if (!job) throw new Error(`The job ${id} does not exist.`);
  return job;
}

/** The job that a reference identifies, for a caller with `role` in its team. */
export async function requireJob(context: Context, ref: JobRef, role: Role = 'viewer'): Promise<Row<'Job'>> {
  const job = await visibleJob(context, ref.jobId ?? idOfType('Job', ref.id ?? '') ?? '');
  if (!job) throw new NotFoundError('job');
  requireRole(context, await loadTeam(context, job.teamId), role, 'job');
  return job;
}

const none: JobFilter = {};

const conditions = ({ status, kind }: JobFilter) => [
  ...(status == null ? [] : [{ field: 'status' as const, is: status }]),
  ...(kind == null ? [] : [{ field: 'kind' as const, is: kind }]),
];

const newestFirst = (parent: ListSpec<'Job'>['parent']) =>
  memoizeByIdentity(
    (filter: JobFilter): ListSpec<'Job'> => ({
      model: 'Job',
      parent,
      order: ['id'],
      descending: true,
      where: conditions(filter),
    }),
  );

const ofTeam = newestFirst({ field: 'teamId' });
const ofApplication = newestFirst({ field: 'applicationId' });
const ofComponent = newestFirst({
  through: 'JobComponent',
  parent: 'componentId',
  target: 'jobId',
  field: 'id',
});

/** The jobs of a team, an application or a component, newest first. */
export const jobsOfTeam = (teamId: string, filter?: JobFilter | null): List<'Job'> => ({
  key: teamId,
  spec: ofTeam(filter ?? none),
});
export const jobsOfApplication = (applicationId: number, filter?: JobFilter | null): List<'Job'> => ({
  key: applicationId,
  spec: ofApplication(filter ?? none),
});
export const jobsOfComponent = (componentId: string, filter?: JobFilter | null): List<'Job'> => ({
  key: componentId,
  spec: ofComponent(filter ?? none),
});

const parts: ListSpec<'JobComponent'> = {
  model: 'JobComponent',
  parent: { field: 'jobId' },
  order: ['step', 'id'],
};

/** The components of a job, in the order in which they are carried out. */
export const componentsOfJob = (jobId: number): List<'JobComponent'> => ({ key: jobId, spec: parts });

const latest: ListSpec<'JobComponent'> = {
  model: 'JobComponent',
  parent: { field: 'componentId' },
  order: ['id'],
  descending: true,
  fields: ['id', 'action', 'status', 'state', 'previousStatus', 'step', 'startedAt'],
};

/** The last work on a component. */
export const lastWorkOf = batched(async (context: Pick<Context, 'db' | 'loaders'>, ids: string[]) => {
  const window = { limit: 1, fromEnd: false };
  const pages = await context.db.jobComponent.findPagesByKeys({ keys: ids, spec: latest, window });
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

/** The first error of a job, or what it waits for while it is not over. */
export const errorOfJob = async (
  context: Pick<Context, 'db' | 'loaders'>,
  { id, status, error }: Pick<Row<'Job'>, 'id' | 'status' | 'error'>,
): Promise<string | null> => error ?? (isUnfinished(status) ? waitedForById(context, id) : null);
