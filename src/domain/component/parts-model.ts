import { z } from 'zod';
import { reference } from '../../kernel/reference.ts';
import { displayName, dryRunField, expectedRevision, line, onlyStored } from '../../kernel/validate.ts';
import { componentRef, environmentVariable, maxVariables, variableScope, volume } from './model.ts';

/** The most stored variables of a component, unless a template brought more. */
export const maxVariablesInComponent = 10_000;

/** A variable to create, or to change if the component has one with its name and scope. */
export const variableToSet = environmentVariable.extend({
  isSecret: environmentVariable.shape.isSecret.describe(
    'Whether the value is a secret. Unchanged if omitted; for a new variable, true if the name contains PASSWORD, SECRET, TOKEN, PRIVATE_KEY or ACCESS_KEY, in any case.',
  ),
  label: environmentVariable.shape.label.describe(
    'The display name. Unchanged if omitted; for a new variable, defaults to `name`.',
  ),
  isChangeable: environmentVariable.shape.isChangeable.describe(
    'Whether users can change the value. Unchanged if omitted; for a new variable, defaults to true. Cannot be set back to true.',
  ),
  portNumber: environmentVariable.shape.portNumber.describe(
    'The number of the port that a connection variable describes. Null removes it. Unchanged if omitted.',
  ),
  expectedRevision: expectedRevision('the variable'),
});

export const variableToRemove = z.strictObject({
  name: line(255).describe('The name of the variable.'),
  scope: variableScope.nullish().describe('The scope of the variable. Defaults to ENVIRONMENT.'),
  expectedRevision: expectedRevision('the variable'),
});

export const setVariables = z.strictObject({
  component: componentRef.describe('The component.'),
  set: z
    .array(variableToSet)
    .max(maxVariables)
    .nullish()
    .describe(`The variables to create or change. With \`remove\`, at most ${maxVariables}.`),
  remove: z
    .array(variableToRemove)
    .max(maxVariables)
    .nullish()
    .describe(
      `The variables to remove. Variables that the component does not have are ignored. With \`set\`, at most ${maxVariables}.`,
    ),
  expectedRevision: expectedRevision('the component'),
  dryRun: dryRunField,
});
export type SetVariables = z.infer<typeof setVariables>;

export const volumeAddress = z.strictObject({
  component: componentRef.describe('The component.'),
  name: displayName(100).describe('The name of the volume.'),
});

export const volumeRef = reference('volume', {
  at: volumeAddress.optional().describe('A component and the name of a volume.'),
});
export type VolumeRef = z.infer<typeof volumeRef>;

export const addVolume = z.strictObject({
  component: componentRef.describe('The component to add the volume to.'),
  ...volume.shape,
});
export type AddVolume = z.infer<typeof addVolume>;

export const updateVolume = z.strictObject({
  volume: volumeRef.describe('The volume.'),
  name: volume.shape.name.nullish().describe('The new name, unique in the component. Unchanged if omitted.'),
  path: volume.shape.path
    .nullish()
    .describe('The new absolute mount path, unique in the component. Unchanged if omitted.'),
  type: volume.shape.type.nullish().describe('The new type. Unchanged if omitted.'),
  fileContent: volume.shape.fileContent.describe(
    'The new content of a `config-file` volume. Null empties it. Unchanged if omitted.',
  ),
  capacityGiB: volume.shape.capacityGiB.describe(
    'The new size, in GiB. Null removes it. Unchanged if omitted.',
  ),
  accessMode: volume.shape.accessMode.describe('The new access mode. Null removes it. Unchanged if omitted.'),
  sharePolicy: volume.shape.sharePolicy.describe(
    `The new share policy. Null removes it. Unchanged if omitted. ${onlyStored}`,
  ),
  expectedRevision: expectedRevision('the volume'),
});
export type UpdateVolume = z.infer<typeof updateVolume>;

export const deleteVolume = z.strictObject({
  volume: volumeRef.describe('The volume.'),
  expectedRevision: expectedRevision('the volume'),
  dryRun: dryRunField,
});
export type DeleteVolume = z.infer<typeof deleteVolume>;

export const oneDependency = z.strictObject({
  component: componentRef.describe('The component that depends on the other one.'),
  dependency: componentRef.describe('The component that it depends on.'),
  expectedRevision: expectedRevision('the component that depends on the other one'),
});
export type OneDependency = z.infer<typeof oneDependency>;

export const deleteDependency = oneDependency.extend({ dryRun: dryRunField });
export type DeleteDependency = z.infer<typeof deleteDependency>;
