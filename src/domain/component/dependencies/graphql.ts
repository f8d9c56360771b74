import type { Context } from '../../../context.ts';
import { property } from '../../../graphql/schema/exposed.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { Component } from '../graphql.ts';
import { nextDeploy } from '../model.ts';
import { loadComponent } from '../reads.ts';
import { deleteDependency, oneDependency } from './model.ts';
import * as operations from './operations.ts';

type ChangedDependency = Awaited<ReturnType<typeof operations.addDependency>>;

/** The components after the change. */
const reloaded = async (context: Context, { component, dependency, plan }: ChangedDependency) => ({
  component: await loadComponent(context, component.id),
  dependency: await loadComponent(context, dependency.id),
  plan,
});

const payload = {
  component: property(Component, 'The component.'),
  dependency: property(Component, 'The other component.'),
};

mutation('addDependency', oneDependency.extend({}), operations.addDependency, {
  description: `Makes a component depend on another one of the same team and region. Cycles are allowed. ${nextDeploy} Idempotent.`,
  load: reloaded,
  payload,
});

mutation('deleteDependency', deleteDependency, operations.deleteDependency, {
  description: `Deletes the dependency of a component on another one. ${nextDeploy} Idempotent.`,
  load: reloaded,
  payload,
});
