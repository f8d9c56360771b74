import { builder } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { property, propertyOrNull } from '../../graphql/schema/exposed.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { addList } from '../../graphql/schema/list.ts';
import { lookup } from '../../graphql/schema/lookup.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { related, relatedOrNull } from '../../graphql/schema/related.ts';
import { Application } from '../application/graphql.ts';
import { Region } from '../region/graphql.ts';
import { callerField } from '../service-account/graphql.ts';
import { Team } from '../team/graphql.ts';
import { seesIn } from '../team/reads.ts';
import { User } from '../user/graphql.ts';
import { JobComponent, JobOutcome, JobStatus } from './component-graphql.ts';
import { cancelJob, jobFilter, jobKind, jobKinds, jobRef } from './model.ts';
import * as operations from './operations.ts';
import {
  componentsOfJob,
  errorOfJob,
  jobsOfApplication,
  jobsOfTeam,
  loadJob,
  noteOfJob,
  placeOfJob,
  requireJob,
  visibleJob,
} from './reads.ts';

export const JobRef = referenceOf('JobRef', jobRef, 'Identifies a job. Set exactly one field.');
const JobKind = enumOf('JobKind', jobKind, 'The kind of a job.', jobKinds);

export const jobListArgs = builder.args((t) => ({
  status: t.field({ type: JobStatus, description: jobFilter.shape.status.description! }),
  kind: t.field({ type: JobKind, description: jobFilter.shape.kind.description! }),
}));

export const Job = entity('Job', 'Job', {
  description:
    'The work of a region after a change: deploying, starting, stopping, restarting, scaling or removing components, or applying their ports and gateway rules.',
  read: visibleJob,
  load: loadJob,
  revision: 'Changes of its status are counted, including those made by the region.',
  uid: 'The numeric id of the job. Use it as `jobId` in references.',
  exposes: {
    'createdAt: DateTime!': 'The creation time.',
    'startedAt: DateTime':
      'The time at which the first component was started. Null if no component was started.',
    'endedAt: DateTime':
      'The time at which the last component ended. Null while the job is pending or running.',
    'requestId: String!': 'The id of the request that created the job.',
    kind: property(JobKind, 'The kind of the job.'),
    status: property(JobStatus, 'The status.'),
    outcome: property(JobOutcome, 'Whether there was something to change.'),
  },
  fields: (t) => ({
    error: t.using('id', 'status', 'error', 'teamId', 'applicationId').string({
      nullable: true,
      description:
        'The first error of a failed component. While the job is pending or running, also what a component waits for: a right, a node, or an image that cannot be pulled at the moment. Null if there is no error.',
      // It names a component, which is not one of those that the caller may see alone.
      resolve: async (job, _, context) =>
        (await seesIn(context, placeOfJob(job))) ? errorOfJob(context, job) : null,
    }),
    note: t.using('id', 'teamId', 'applicationId').string({
      nullable: true,
      description:
        'The first note of a component, such as why there was nothing to change or why the digest of its image is unknown. Null if no component has a note.',
      resolve: async (job, _, context) =>
        (await seesIn(context, placeOfJob(job))) ? noteOfJob(context, job.id) : null,
    }),
    actor: callerField(
      t,
      'The user or service account that created the job. Null if a deploy hook created it, and if the account no longer exists or is not visible to the caller.',
    ),
    user: relatedOrNull(
      t,
      'userId',
      User,
      'The user who created the job. Null if a service account or a deploy hook created it, and if the account no longer exists or is not visible to the caller.',
    ),
    application: relatedOrNull(
      t,
      'applicationId',
      Application,
      'The application of the components. Null if it was deleted.',
    ),
    team: related(t, 'teamId', Team, 'The team that the job belongs to.'),
    region: related(t, 'regionId', Region, 'The region that carries out the job.'),
    components: connectionField(t.using('id'), {
      node: JobComponent,
      plural: 'components of a job',
      description: 'The components of the job, in the order of their steps.',
      list: (job, _, context) => componentsOfJob(context, job.id),
    }),
  }),
});

builder.objectField(JobComponent, 'job', (t) => related(t, 'jobId', Job, 'The job.'));

lookup('job', Job, { ref: jobRef, read: requireJob });

addList(Team, 'jobs', Job, {
  isEndless: true,
  description: 'The jobs of the team, newest first.',
  args: jobListArgs,
  list: (team, args, context) => jobsOfTeam(context, team.id, args),
});

addList(Application, 'jobs', Job, {
  isEndless: true,
  description: 'The jobs of the application, newest first.',
  args: jobListArgs,
  list: (application, args, context) => jobsOfApplication(context, application.id, args),
});

mutation('cancelJob', cancelJob, operations.cancelJob, {
  description:
    'Cancels a job. Components that were not finished stay as they are in the cluster, and their desired state remains. Fails with CONFLICT if the job has ended or removes deleted components.',
  returns: { job: property(Job, 'The cancelled job.') },
});

/** The field `job` of the payload of a mutation that can leave a job. */
export const jobResult = propertyOrNull(
  Job,
  'The job that carries out the change. Null if there is nothing to carry out, and for a dry run.',
);
