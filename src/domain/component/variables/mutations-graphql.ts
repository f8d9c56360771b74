import { property } from '../../../graphql/schema/exposed.ts';
import { inputOf } from '../../../graphql/schema/input.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { Component } from '../graphql.ts';
import { nextDeploy } from '../model.ts';
import { loadComponent } from '../reads.ts';
import { setVariables, variableToRemove, variableToSet } from './model.ts';
import * as operations from './operations.ts';

inputOf('VariableToSetInput', variableToSet, 'An environment variable to create or change.');
inputOf('VariableToRemoveInput', variableToRemove, 'An environment variable to remove.');

mutation('setVariables', setVariables, operations.setVariables, {
  description: `Creates, changes and removes environment variables of a component, all or none. Fails with CONFLICT for a variable that is not changeable. A connection variable with the name of a derived one overrides it; removing it restores the derived one. ${nextDeploy} Idempotent.`,
  operation: { selection: { component: 'id name hasUndeployedChanges revision' } },
  load: async (context, { component, plan }) => ({
    component: await loadComponent(context, component.id),
    plan,
  }),
  payload: { component: property(Component, 'The component.') },
});
