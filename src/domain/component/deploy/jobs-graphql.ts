import { builder } from '../../../graphql/schema/builder.ts';
import { addList } from '../../../graphql/schema/list.ts';
import { JobComponent } from '../../job/component-graphql.ts';
import { Job, jobListArgs } from '../../job/graphql.ts';
import { jobsOfComponent } from '../../job/reads.ts';
import { Component } from '../graphql.ts';
import { visibleComponent } from '../reads.ts';

addList(Component, 'jobs', Job, {
  description: 'The jobs that concern the component, newest first.',
  args: jobListArgs,
  list: (component, args) => jobsOfComponent(component.id, args),
});

builder.objectField(JobComponent, 'component', (t) =>
  t.using('componentId').field({
    type: Component,
    nullable: true,
    description: 'The component. Null if it was deleted.',
    resolve: (part, _, context) => visibleComponent(context, part.componentId),
  }),
);
