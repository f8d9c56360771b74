import { builder } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { inputOf } from '../../graphql/schema/input.ts';
import { lookup } from '../../graphql/schema/lookup.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { QuotaExceededError } from '../../kernel/errors.ts';
import { jobResult } from '../job/graphql.ts';
import { Component } from './graphql.ts';
import { componentRef, createComponent, environmentVariable, volume } from './model.ts';
import * as operations from './operations.ts';
import { dependenciesOf, namedComponent, volumesOf } from './reads.ts';
import { EnvironmentVariable, VariableScope } from './variables/graphql.ts';
import { variablesOf } from './variables/reads.ts';
import { Volume } from './volumes/graphql.ts';

builder.objectFields(Component, (t) => ({
  variables: connectionField(t.using('id'), {
    node: EnvironmentVariable,
    plural: 'environment variables',
    description:
      'The environment variables, sorted by name. They include the connection variables `{ALIAS}_HOST` and `{ALIAS}_PORT` of each port that is open inside the cluster.',
    args: builder.args((arg) => ({
      scope: arg.field({ type: VariableScope, description: 'Returns only variables of this scope.' }),
    })),
    list: (component, { scope }) => variablesOf(component.id, scope),
  }),
  volumes: connectionField(t.using('id'), {
    node: Volume,
    plural: 'volumes',
    description: 'The volumes, sorted by name.',
    list: (component) => volumesOf(component.id),
  }),
  dependencies: connectionField(t.using('id'), {
    node: Component,
    plural: 'components',
    description: 'The components that this component depends on, sorted by name.',
    list: (component, _, context) => dependenciesOf(context, component.id, 'dependencies'),
  }),
  dependents: connectionField(t.using('id'), {
    node: Component,
    plural: 'components',
    description: 'The components that depend on this component, sorted by name.',
    list: (component, _, context) => dependenciesOf(context, component.id, 'dependents'),
  }),
}));

lookup('component', Component, { ref: componentRef, read: namedComponent });

inputOf('EnvironmentVariableInput', environmentVariable, 'An environment variable to create.');
inputOf('VolumeInput', volume, 'A volume to create.');

mutation('createComponent', createComponent, operations.createComponent, {
  description: 'Creates a component from an image.',
  errors: [QuotaExceededError],
  payload: {
    component: property(Component, 'The new component.'),
    job: jobResult,
  },
});
