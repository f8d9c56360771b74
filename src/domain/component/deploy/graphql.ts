import type { Context } from '../../../context.ts';
import { property } from '../../../graphql/schema/exposed.ts';
import { inputOf } from '../../../graphql/schema/input.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { QuotaExceededError } from '../../../kernel/errors.ts';
import { Application } from '../../application/graphql.ts';
import { loadApplication } from '../../application/reads.ts';
import { jobResult } from '../../job/graphql.ts';
import { Component } from '../graphql.ts';
import { componentSourceChanges, updateComponent } from '../update/model.ts';
import * as updates from '../update/operations.ts';
import * as model from './model.ts';
import { type ApplicationOutcome, actOnApplication, actOnComponent, scaleComponent } from './operations.ts';
import { leftStoppedDescription } from './scope-model.ts';

const errors = [QuotaExceededError];

inputOf(
  'ComponentSourceChangesInput',
  componentSourceChanges,
  'Changes of the source of a component. Omitted fields are unchanged.',
);

mutation('updateComponent', updateComponent, updates.updateComponent, {
  description: `Changes a component. Changes to a deployed component take effect with its next deploy, except for its name and description. Changed resources count toward the quota immediately.`,
  operation: { isDaily: true, advice: 'For example its image. With `deploy`, it is also deployed.' },
  errors,
  payload: { component: property(Component, 'The changed component.'), job: jobResult },
});

mutation('deployComponent', model.deployComponent, actOnComponent('deploy'), {
  description: `Deploys a component with its current configuration, in any state. Changes nothing if the cluster already runs it.`,
  operation: { isDaily: true },
  errors,
  payload: { component: property(Component, 'The deployed component.'), job: jobResult },
});

mutation('startComponent', model.startComponent, actOnComponent('start'), {
  description: `Starts a stopped component with the configuration of its last deploy.`,
  errors,
  payload: { component: property(Component, 'The started component.'), job: jobResult },
});

mutation('stopComponent', model.stopComponent, actOnComponent('stop'), {
  description: `Stops a running component. Fails with CONFLICT if deployed components depend on it, unless \`force\` is set.`,
  payload: { component: property(Component, 'The stopped component.'), job: jobResult },
});

mutation('restartComponent', model.restartComponent, actOnComponent('restart'), {
  description: `Restarts a running component with the configuration of its last deploy.`,
  operation: { isDaily: true },
  payload: { component: property(Component, 'The restarted component.'), job: jobResult },
});

mutation('scaleComponent', model.scaleComponent, scaleComponent, {
  description: `Changes the number or the size of the instances of a component. Takes effect immediately if the component is running. Other changes remain undeployed.`,
  operation: { isDaily: true },
  errors,
  payload: { component: property(Component, 'The changed component.'), job: jobResult },
});

/** The application after the change. */
const withApplication = async (context: Context, { application, ...outcome }: ApplicationOutcome) => ({
  ...outcome,
  application: await loadApplication(context, application.id),
});

mutation('deployApplication', model.deployApplication, actOnApplication('deploy'), {
  description: `Deploys the components of an application with their current configuration, dependencies first. Stopped components stay stopped, unless \`startStopped\` is true.`,
  operation: { advice: 'Stopped components stay stopped, unless `startStopped` is set.' },
  errors,
  load: withApplication,
  payload: {
    application: property(Application, 'The application.'),
    job: jobResult,
    'leftStopped: [String!]!': leftStoppedDescription,
  },
});

mutation('startApplication', model.startApplication, actOnApplication('start'), {
  description: `Starts the stopped components of an application, dependencies first. The others are unchanged.`,
  errors,
  load: withApplication,
  payload: { application: property(Application, 'The application.'), job: jobResult },
});

mutation('stopApplication', model.stopApplication, actOnApplication('stop'), {
  description: `Stops the running components of an application, dependencies last. The others are unchanged. Fails with CONFLICT if deployed components of other applications depend on them, unless \`force\` is set.`,
  load: withApplication,
  payload: { application: property(Application, 'The application.'), job: jobResult },
});

mutation('restartApplication', model.restartApplication, actOnApplication('restart'), {
  description: `Restarts the running components of an application, dependencies first. The others are unchanged.`,
  load: withApplication,
  payload: { application: property(Application, 'The application.'), job: jobResult },
});
