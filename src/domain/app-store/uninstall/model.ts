import { z } from 'zod';
import { dryRunField, expectedRevision } from '../../../kernel/validate.ts';
import { componentGroupRef } from '../../component/model.ts';
import { deleteVolumesField, forceField } from '../../component/removal/model.ts';

export const uninstallComponentGroup = z.strictObject({
  group: componentGroupRef.describe('The component group.'),
  force: forceField,
  deleteVolumes: deleteVolumesField,
  expectedRevision: expectedRevision('the group'),
  dryRun: dryRunField,
});
export type UninstallComponentGroup = z.infer<typeof uninstallComponentGroup>;
