import { entity } from '../../../graphql/schema/node.ts';
import { onlyStored } from '../../../kernel/validate.ts';
import { visibleVolume } from '../reads.ts';
import { fileContentOf } from './file-reads.ts';

export const Volume = entity('Volume', 'Volume', {
  description: 'A volume that is mounted into the instances of a component.',
  read: visibleVolume,
  id: (row) => row.id,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The unique name in the component.' }),
    path: t.exposeString('path', { description: 'The mount path.' }),
    type: t.exposeString('type', {
      description:
        'The type of the volume: `share-file`, `local`, `memoryfs`, `config-file` or another type of the cluster.',
    }),
    fileContent: t.using('id').string({
      description: 'The content of a `config-file` volume. Empty for other types.',
      // A volume that was just written or deleted has it.
      resolve: (volume: { id: number; fileContent?: string }, _, context) =>
        volume.fileContent ?? fileContentOf(context, volume.id),
    }),
    capacityGiB: t.exposeInt('capacityGiB', {
      nullable: true,
      description: 'The size, in GiB. Null if not set.',
    }),
    accessMode: t.exposeString('accessMode', {
      nullable: true,
      description: 'The access mode. Null if not set.',
    }),
    sharePolicy: t.exposeString('sharePolicy', {
      nullable: true,
      description: `The share policy. Null if not set. ${onlyStored}`,
    }),
  }),
});
