import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { insertMany } from '../../db/write/bulk.ts';
import type { Write } from '../../db/write/change.ts';
import type { JobAction, JobKind, JobStatus } from './model.ts';

/** A component that a job concerns. */
export interface JobTarget {
  component: Pick<Row<'Component'>, 'id' | 'name' | 'generation'>;
  action: JobAction;
  /** Components with a lower step are carried out first. Defaults to 0. */
  step?: number;
  /** For a removal: what the driver has to know of the component. */
  removed?: object;
}

export interface NewJob {
  kind: JobKind;
  team: Pick<Row<'Team'>, 'id'>;
  region: Pick<Row<'Region'>, 'id' | 'driver'>;
  applicationId: number | null;
  targets: readonly JobTarget[];
}

/**
 * Adds a job to the transaction that sets the desired state of its components. Where the region's driver is immediate,
 * the job has succeeded at once. The events of the components tell of it.
 */
export async function insertJob(write: Write<Context>, job: NewJob): Promise<Row<'Job'>> {
  const { context, tx } = write;
  const now = new Date();
  const isDone = context.drivers.region.get(job.region.driver)?.isImmediate ?? false;
  const status: JobStatus = isDone || job.targets.length === 0 ? 'succeeded' : 'pending';
  const times =
    status === 'succeeded' ? { startedAt: now, endedAt: now } : { startedAt: null, endedAt: null };
  const row = await tx.job.create({
    data: {
      teamId: job.team.id,
      regionId: job.region.id,
      applicationId: job.applicationId,
      kind: job.kind,
      status,
      userId: context.actor.userId,
      requestId: context.requestId,
      createdAt: now,
      ...times,
    },
  });
  await insertMany(
    write,
    'JobComponent',
    job.targets.map(({ component, action, step = 0, removed }) => ({
      jobId: row.id,
      regionId: job.region.id,
      componentId: component.id,
      componentName: component.name,
      action,
      generation: component.generation,
      step,
      status,
      dueAt: now,
      removed: removed === undefined ? null : JSON.stringify(removed),
      ...times,
    })),
  );
  if (status === 'pending') write.afterCommit(() => context.jobs?.wake(job.region.id));
  return row;
}
