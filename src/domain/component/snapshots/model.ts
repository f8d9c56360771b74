import { z } from 'zod';
import type { Row } from '../../../db/tables.ts';
import { boundedString, dryRunField } from '../../../kernel/validate.ts';
import { volumeRef } from '../volumes/model.ts';

/** The most snapshots of a volume, so that a list can be read. */
export const maxSnapshots = 100;

/** Types of volumes whose data is not in the cluster. */
const withoutData = ['config-file', 'memoryfs'];

/** Why there can be no snapshots of a volume, wherever it is. */
export const dataProblem = ({
  name,
  type,
  isShared,
}: Pick<Row<'Volume'>, 'name' | 'type' | 'isShared'>): string | undefined =>
  withoutData.includes(type)
    ? `The volume ${name} of the type ${type} has no data to keep.`
    : isShared
      ? `The volume ${name} is shared with other components and cannot have snapshots: restoring one would replace the data of all these components.`
      : undefined;

const snapshotName = boundedString(40)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'Must consist of lower-case letters, digits and hyphens')
  .describe('The name of the snapshot.');

export const createVolumeSnapshot = z.strictObject({
  volume: volumeRef.describe('The volume.'),
  name: snapshotName
    .nullish()
    .describe(
      'The name, unique in the component: lower-case letters, digits and hyphens, at most 40 characters. Defaults to the time with a random suffix.',
    ),
});
export type CreateVolumeSnapshot = z.infer<typeof createVolumeSnapshot>;

export const deleteVolumeSnapshot = z.strictObject({
  volume: volumeRef.describe('The volume.'),
  name: snapshotName,
  dryRun: dryRunField,
});
export type DeleteVolumeSnapshot = z.infer<typeof deleteVolumeSnapshot>;

export const restoreVolumeSnapshot = z.strictObject({
  volume: volumeRef.describe('The volume, whose component must be stopped.'),
  name: snapshotName,
  dryRun: dryRunField,
});
export type RestoreVolumeSnapshot = z.infer<typeof restoreVolumeSnapshot>;
