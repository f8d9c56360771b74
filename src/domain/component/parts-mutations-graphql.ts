import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Types } from '../../graphql/schema/builder.ts';
import { inputOf, referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { planField } from '../../graphql/schema/plan.ts';
import { Component } from './graphql.ts';
import { Volume } from './parts-graphql.ts';
import {
  addVolume,
  deleteDependency,
  deleteVolume,
  oneDependency,
  setVariables,
  updateVolume,
  variableToRemove,
  variableToSet,
  volumeAddress,
  volumeRef,
} from './parts-model.ts';
import * as operations from './parts-operations.ts';
import { loadComponent } from './reads.ts';
import * as variables from './variables/operations.ts';

inputOf('VariableToSetInput', variableToSet, 'An environment variable to create or change.');
inputOf('VariableToRemoveInput', variableToRemove, 'An environment variable to remove.');
inputOf('VolumeAddress', volumeAddress, 'Identifies a volume by its component and name.');
referenceOf('VolumeRef', volumeRef, 'Identifies a volume. Set exactly one field.');

const nextDeploy = 'A deployed component gets the change with its next deploy.';
const developer = 'Requires the `developer` role in the team.';

mutation('setVariables', {
  description: `Creates, changes and removes environment variables of a component, all or none. A variable that is not changeable fails with CONFLICT. A connection variable with the name of a derived one overrides it; removing it shows the derived one again. ${nextDeploy} Idempotent. ${developer}`,
  input: setVariables,
  run: variables.setVariables,
  load: async (context, { component, plan }) => ({
    component: await loadComponent(context, component.id),
    plan,
  }),
  payload: (t) => ({
    component: t.expose('component', { type: Component, description: 'The component.' }),
    plan: planField(t),
  }),
});

const withComponent = async (context: Context, volume: Row<'Volume'>) => ({
  volume,
  component: await loadComponent(context, volume.componentId),
});

mutation('addVolume', {
  description: `Adds a volume to a component. ${nextDeploy} ${developer}`,
  input: addVolume,
  run: operations.addVolume,
  load: withComponent,
  payload: (t) => ({
    volume: t.expose('volume', { type: Volume, description: 'The new volume.' }),
    component: t.expose('component', { type: Component, description: 'The component.' }),
  }),
});

mutation('updateVolume', {
  description: `Changes a volume. ${nextDeploy} Idempotent. ${developer}`,
  input: updateVolume,
  run: operations.updateVolume,
  load: withComponent,
  payload: (t) => ({
    volume: t.expose('volume', { type: Volume, description: 'The updated volume.' }),
    component: t.expose('component', { type: Component, description: 'The component.' }),
  }),
});

mutation('deleteVolume', {
  description: `Deletes a volume. ${nextDeploy} ${developer}`,
  input: deleteVolume,
  run: operations.deleteVolume,
  load: async (context, { volume, plan }) => ({ ...(await withComponent(context, volume)), plan }),
  payload: (t) => ({
    volume: t.expose('volume', { type: Volume, description: 'The deleted volume.' }),
    component: t.expose('component', {
      type: Component,
      description: 'The component that the volume belonged to.',
    }),
    plan: planField(t),
  }),
});

type ChangedDependency = Awaited<ReturnType<typeof operations.addDependency>>;

/** The components after the change. */
const reloaded = async (context: Context, { component, dependency, plan }: ChangedDependency) => ({
  component: await loadComponent(context, component.id),
  dependency: await loadComponent(context, dependency.id),
  plan,
});

const dependencyFields = (t: PothosSchemaTypes.ObjectFieldBuilder<Types, ChangedDependency>) => ({
  component: t.expose('component', { type: Component, description: 'The component.' }),
  dependency: t.expose('dependency', { type: Component, description: 'The other component.' }),
});

mutation('addDependency', {
  description: `Makes a component depend on another one of the same team and region. Cycles are allowed. ${nextDeploy} Idempotent. ${developer}`,
  input: oneDependency.extend({}),
  run: operations.addDependency,
  load: reloaded,
  payload: dependencyFields,
});

mutation('deleteDependency', {
  description: `Deletes the dependency of a component on another one. ${nextDeploy} Idempotent. ${developer}`,
  input: deleteDependency,
  run: operations.deleteDependency,
  load: reloaded,
  payload: (t) => ({ ...dependencyFields(t), plan: planField(t) }),
});
