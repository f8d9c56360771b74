import { z } from 'zod';
import type { Row } from '../../../db/tables.ts';
import { reference } from '../../../kernel/reference.ts';
import { displayName, expectedRevision, onlyStored, plannedChange } from '../../../kernel/validate.ts';
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
  expectedRevision: expectedRevision('the volume'),
});
export type UpdateVolume = z.infer<typeof updateVolume>;

/** Whether one instance at a time, or those of one node, can have a volume: its data is not shared. */
export const isForOneInstance = ({ type, accessMode }: Pick<Row<'Volume'>, 'type' | 'accessMode'>): boolean =>
  !['config-file', 'memoryfs'].includes(type) &&
  !['rwx', 'rox', 'readwritemany', 'readonlymany'].includes(accessMode?.toLowerCase() ?? '');

export const deleteVolume = z.strictObject({
  volume: volumeRef.describe('The volume.'),
  ...plannedChange('the volume'),
});
export type DeleteVolume = z.infer<typeof deleteVolume>;
