import { z } from 'zod';
import { dryRunField, expectedRevision } from '../../../kernel/validate.ts';
import { componentRef } from '../model.ts';

export const oneDependency = z.strictObject({
  component: componentRef.describe('The component that depends on the other one.'),
  dependency: componentRef.describe('The component that the other one depends on.'),
  expectedRevision: expectedRevision('the component that depends on the other one'),
});
export type OneDependency = z.infer<typeof oneDependency>;

export const deleteDependency = oneDependency.extend({ dryRun: dryRunField });
export type DeleteDependency = z.infer<typeof deleteDependency>;
