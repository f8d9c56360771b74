import { builder } from '../../graphql/schema/builder.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { Job } from '../job/graphql.ts';
import { visibleJob } from '../job/reads.ts';
import { Component } from './graphql.ts';
import { type ComponentProblem, problemOf } from './problem-reads.ts';

const Problem = objectType<ComponentProblem>('ComponentProblem', {
  description: 'The reason why a component is unhealthy, or why work on it cannot proceed.',
  exposes: {
    'message: String!':
      'The message of the cluster about an instance that is not running, otherwise the error of the last job on the component.',
  },
  fields: (t) => ({
    job: t.field({
      type: Job,
      nullable: true,
      description: 'The job that failed, waits or was cancelled. Null if the last job succeeded.',
      resolve: ({ jobId }, _, context) => (jobId === null ? null : visibleJob(context, jobId)),
    }),
  }),
});

builder.objectField(Component, 'problem', (t) =>
  t.using('id').field({
    type: Problem,
    nullable: true,
    description:
      'The reason why the component is unhealthy or not in its desired state, what its unfinished job waits for, or why its last job was cancelled before it started. Null if there is no problem. If the cluster does not respond, the error of the last job if it failed.',
    resolve: (component, _, context) => problemOf(context, component),
  }),
);
