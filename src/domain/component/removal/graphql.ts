import { property } from '../../../graphql/schema/exposed.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { Application } from '../../application/graphql.ts';
import { jobResult } from '../../job/graphql.ts';
import { Component } from '../graphql.ts';
import { deleteApplication, deleteComponent } from './model.ts';
import * as operations from './operations.ts';

mutation('deleteComponent', deleteComponent, operations.deleteComponent, {
  description:
    'Deletes a component with its ports, gateway rules, environment variables, volumes, dependencies, runs, schedules and deploy hooks, and releases domains that no other rule uses. Fails with CONFLICT while the component is deployed or other components depend on it, unless `force` is set.',
  operation: {
    advice: 'Its ports, rules, variables and volumes are deleted as well. Call it with `dryRun` first.',
    selection: { component: false },
  },
  payload: {
    component: property(Component, 'The deleted component.'),
    job: jobResult,
  },
});

mutation('deleteApplication', deleteApplication, operations.deleteApplication, {
  description:
    'Deletes an application with its components, gateway rules, component groups and upgrade records, in one transaction. Fails with CONFLICT while a component is deployed or components of other applications depend on it, unless `force` is set.',
  operation: {
    advice: 'Everything in it is deleted as well. Call it with `dryRun` first.',
    selection: { application: false },
  },
  payload: {
    application: property(Application, 'The deleted application.'),
    job: jobResult,
  },
});
