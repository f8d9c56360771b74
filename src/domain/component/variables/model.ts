import { z } from 'zod';
import { expectedRevision, line, plannedChange } from '../../../kernel/validate.ts';
import { componentRef, environmentVariable, maxVariables, variableScope } from '../model.ts';

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
  ...plannedChange('the component'),
});
export type SetVariables = z.infer<typeof setVariables>;
