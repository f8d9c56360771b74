import { builder } from '../../graphql/schema/builder.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { Job } from '../job/graphql.ts';
import { visibleJob } from '../job/reads.ts';
import { Component } from './graphql.ts';
import { type ComponentProblem, problemOf } from './problem-reads.ts';

const Problem = objectType<ComponentProblem>('ComponentProblem', {
  description: 'Why a component is not healthy, or what keeps the work on it from being done.',
  exposes: {
    'message: String!':
      'What the cluster says of an instance that does not run, otherwise the error of the last work on the component.',
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
      'Why the component is not healthy or not in its desired state, what a job of it that is not over waits for, or why the last one was cancelled before it was started. Null if there is nothing to say. Of a cluster that does not respond, the error of the last job if it failed.',
    resolve: (component, _, context) => problemOf(context, component),
  }),
);
