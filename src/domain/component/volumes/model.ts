import { z } from 'zod';
import type { Row } from '../../../db/tables.ts';
import type { SnapshotSource } from '../../../drivers/region/desired.ts';
import { reference } from '../../../kernel/reference.ts';
import { displayName, expectedRevision, onlyStored, plannedChange } from '../../../kernel/validate.ts';
import { clusterOf } from '../../region/cluster-model.ts';
import { componentRef, volume } from '../model.ts';

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
  isShared: volume.shape.isShared.describe(
    'Whether all components of the application with a shared volume of this name use the same data. Existing data of the volume stays in the cluster and is not copied. Unchanged if omitted.',
  ),
  expectedRevision: expectedRevision('the volume'),
});
export type UpdateVolume = z.infer<typeof updateVolume>;

/** What the volume of a copy has its data from at first. */
export const sourceOf = (source: string): SnapshotSource => JSON.parse(source);

/** The types of volumes without data that outlives an instance. */
const withoutData: ReadonlySet<string> = new Set(['config-file', 'memoryfs']);

/** Why components cannot share a volume. Undefined if they can, and for one that is not shared. */
export function sharingProblem(
  { name, type, isShared }: { name: string; type: string; isShared?: boolean | null | undefined },
  region: Pick<Row<'Region'>, 'name' | 'driver' | 'cluster'>,
): string | undefined {
  if (!isShared) return undefined;
  if (withoutData.has(type)) return `The volume ${name} of the type ${type} has no data to share.`;
  if (region.driver !== 'kubernetes' || clusterOf(region).sharedStorageClass !== null) return undefined;
  return `The volume ${name} cannot be shared: the region ${region.name} has no storage class for volumes that components share. An administrator can set one as \`cluster.sharedStorageClass\`.`;
}

/** Whether one instance at a time, or those of one node, can have a volume: its data is not shared. */
export const isForOneInstance = ({
  type,
  accessMode,
  isShared,
}: Pick<Row<'Volume'>, 'type' | 'accessMode'> & { isShared?: boolean | null }): boolean =>
  !isShared &&
  !withoutData.has(type) &&
  !['rwx', 'rox', 'readwritemany', 'readonlymany'].includes(accessMode?.toLowerCase() ?? '');

export const deleteVolume = z.strictObject({
  volume: volumeRef.describe('The volume.'),
  ...plannedChange('the volume'),
});
export type DeleteVolume = z.infer<typeof deleteVolume>;
