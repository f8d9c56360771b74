import { z } from 'zod';
import { integerId, reference } from '../../kernel/reference.ts';
import { expectedRevision } from '../../kernel/validate.ts';

export const jobRef = reference('job', { jobId: integerId('The `uid` of the job.') });
export type JobRef = z.infer<typeof jobRef>;

export const cancelJob = z.strictObject({
  job: jobRef.describe('The job to cancel.'),
  expectedRevision: expectedRevision('the job'),
});
export type CancelJob = z.infer<typeof cancelJob>;

/** The operation that started a job. */
export const jobKinds = {
  deploy: 'Deploys components.',
  start: 'Starts stopped components.',
  stop: 'Stops components.',
  restart: 'Restarts components.',
  scale: 'Changes the number or the size of instances.',
  configure: 'Applies changed ports and gateway rules.',
  upgrade: 'Brings components to another version of their template.',
  apply: 'Applies a manifest: deploys, configures and removes components.',
  delete: 'Removes deleted components from the cluster.',
  reconcile:
    'Restores objects that others changed or deleted in the cluster. Started by Trellis, not by users.',
} as const;
export type JobKind = keyof typeof jobKinds;
export const jobKind = z.enum(Object.keys(jobKinds) as [JobKind, ...JobKind[]]);

/** The status of a job, and of each of its components. */
export const jobStatuses = {
  pending: 'Not started.',
  running: 'Being carried out.',
  succeeded: 'Carried out.',
  failed: 'Ended with an error.',
  cancelled: 'Cancelled by a user, or superseded by a newer job.',
} as const;
export type JobStatus = keyof typeof jobStatuses;
export const jobStatus = z.enum(Object.keys(jobStatuses) as [JobStatus, ...JobStatus[]]);

export const jobFilter = z.strictObject({
  status: jobStatus.nullish().describe('Returns only jobs with this status.'),
  kind: jobKind.nullish().describe('Returns only jobs of this kind.'),
});
export type JobFilter = z.infer<typeof jobFilter>;

/** Whether there was something to change, for a job and for each of its components. */
export const jobOutcomes = {
  changed: 'There was something to change. `status` shows the result.',
  unchanged:
    'Nothing was done, because the components already run, and are ready, with exactly what would be deployed. There is no new release.',
} as const;
export const jobOutcome = z.enum(Object.keys(jobOutcomes) as [keyof typeof jobOutcomes]);

/** The statuses of work that is not over. */
export const unfinished = ['pending', 'running'] as const satisfies JobStatus[];
export const isUnfinished = (status: string) => (unfinished as readonly string[]).includes(status);

/** Whether a job in this status can be cancelled. A cancelled job stays as it is. */
export const isCancellable = (status: string) => isUnfinished(status) || status === 'cancelled';

/** The status of a job whose components are all over. */
export const endOf = (has: (status: JobStatus) => boolean): JobStatus =>
  has('failed') ? 'failed' : has('succeeded') ? 'succeeded' : 'cancelled';

/**
 * The call to the region driver: `apply` makes the cluster match its desired state, `restart`
 * does so with new instances, and `remove` deletes it.
 */
export const jobActions = {
  apply: 'Makes the cluster match the component.',
  restart: 'Replaces the instances.',
  remove: 'Removes the component from the cluster.',
} as const;
export type JobAction = keyof typeof jobActions;
export const jobAction = z.enum(Object.keys(jobActions) as [JobAction, ...JobAction[]]);

/** Calls to the driver of a region that are in progress at once, over all processes. */
export const maxPerRegion = 4;
/** A team with so many of them comes after other teams, and its applications take turns, so that nobody waits for all of its work. */
export const maxOfTeam = maxPerRegion - 1;

/** The runtime status of a component while work on it is pending or running. */
export function statusDuring(work: {
  action: string;
  status: string;
  state: string;
  previousStatus: string;
  step: number;
}): 'starting' | 'waiting' | 'upgrade' | 'stopping' | 'closed' {
  const { previousStatus, state } = work;
  if (state !== 'running') return ['closed', 'undeploy'].includes(previousStatus) ? 'closed' : 'stopping';
  if (work.action === 'restart') return 'starting';
  if (['running', 'abnormal', 'unknown'].includes(previousStatus)) return 'upgrade';
  return work.status === 'pending' && work.step > 0 ? 'waiting' : 'starting';
}
