import { z } from 'zod';
import { plannedChange } from '../../../kernel/validate.ts';
import { applicationRef } from '../../application/model.ts';
import { componentRef } from '../model.ts';

export const forceField = z
  .boolean()
  .nullish()
  .describe(
    'Whether to delete components even if they are deployed or other components depend on them. They are removed from the cluster, and the dependencies of the other components are deleted. Defaults to false.',
  );

export const deleteVolumesField = z
  .boolean()
  .nullish()
  .describe('Whether to delete the data of volumes as well. Defaults to false.');

export const deleteComponent = z.strictObject({
  component: componentRef.describe('The component.'),
  force: forceField,
  deleteVolumes: deleteVolumesField,
  ...plannedChange('the component'),
});
export type DeleteComponent = z.infer<typeof deleteComponent>;

export const deleteApplication = z.strictObject({
  application: applicationRef.describe('The application.'),
  force: forceField,
  deleteVolumes: deleteVolumesField,
  ...plannedChange('the application'),
});
export type DeleteApplication = z.infer<typeof deleteApplication>;
