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
  'What a job does with a component in the cluster.',
  jobActions,
);
export const JobComponent = entity('JobComponent', 'JobComponent', {
  description: 'The part of a job that concerns one component.',
  read: visibleJobComponent,
  exposes: {
    'digest: String':
      'The digest of the image that the job deploys or restarts: `sha256:…`. Null if it is not known, and for other jobs.',
    'note: String':
      'Why there was nothing to change, or why the digest of the image is not known. Null if there is nothing to say.',
    'step: Int!': 'The order: components with a lower step are carried out first.',
    'error: String':
      'The last error, what the work waits for at present, or why it was cancelled. Null if there is none.',
    'startedAt: DateTime': 'The time at which the work started. Null if it has not.',
    'endedAt: DateTime': 'The time at which the work ended. Null if it has not.',
    action: property(JobAction, 'What the job does with the component.'),
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
