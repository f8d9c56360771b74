import { property } from '../../graphql/schema/exposed.ts';
import { enumOf } from '../../graphql/schema/input.ts';
import { entity } from '../../graphql/schema/node.ts';
import { jobAction, jobActions, jobOutcome, jobOutcomes, jobStatus, jobStatuses } from './model.ts';
import { visibleJobComponent } from './reads.ts';

export const JobStatus = enumOf(
  'JobStatus',
  jobStatus,
  'The status of a job, and of each of its components.',
  jobStatuses,
);
export const JobOutcome = enumOf(
  'JobOutcome',
  jobOutcome,
  'Whether a job, or its work on a component, had something to change.',
  jobOutcomes,
);
const JobAction = enumOf(
  'JobAction',
  jobAction,
  'The action of a job on a component in the cluster.',
  jobActions,
);
export const JobComponent = entity('JobComponent', 'JobComponent', {
  description: 'The part of a job that concerns one component.',
  read: visibleJobComponent,
  exposes: {
    'digest: String':
      'The digest of the image that the job deploys or restarts: `sha256:…`. Null if unknown, and for other jobs.',
    'note: String':
      'Why there was nothing to change, or why the digest of the image is unknown. Null if neither applies.',
    'step: Int!': 'The position in the order of the job. Components with a lower step are handled first.',
    'error: String':
      'The last error, what the work is waiting for, or why it was cancelled. Null if there is no error.',
    'startedAt: DateTime': 'The time at which the work started. Null if it has not started.',
    'endedAt: DateTime': 'The time at which the work ended. Null if it has not ended.',
    action: property(JobAction, 'The action of the job on the component.'),
    status: property(JobStatus, 'The status of the work on the component.'),
    outcome: property(JobOutcome, 'Whether there was something to change for the component.'),
  },
  fields: (t) => ({
    componentUid: t.exposeID('componentId', { description: 'The `uid` of the component.' }),
    name: t.exposeString('componentName', {
      description: 'The name that the component had when the job was created.',
    }),
    attemptCount: t.exposeInt('attempts', {
      description: 'The number of calls to the cluster since the last one that succeeded.',
    }),
  }),
});
