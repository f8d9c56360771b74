import { entity } from '../../../graphql/schema/node.ts';
import { onlyStored } from '../../../kernel/validate.ts';
import { visibleVolume } from '../reads.ts';
import { fileContentOf } from './file-reads.ts';
import { sourceOf } from './model.ts';

export const Volume = entity('Volume', 'Volume', {
  description: 'A volume that is mounted into the instances of a component.',
  read: visibleVolume,
  exposes: {
    'name: String!': 'The unique name in the component.',
    'path: String!': 'The mount path.',
    'type: String!':
      'The type of the volume: `share-file`, `local`, `memoryfs`, `config-file` or another type of the cluster.',
    'capacityGiB: Int': 'The size, in GiB. Null if not set.',
    'accessMode: String': 'The access mode. Null if not set.',
    'sharePolicy: String': `The share policy. Null if not set. ${onlyStored}`,
    'isShared: Boolean!':
      'Whether all components of the application with a shared volume of this name use the same data.',
  },
  fields: (t) => ({
    sourceSnapshot: t.using('source').string({
      nullable: true,
      description:
        'The name of the snapshot whose data the volume gets with its first deploy, in an application that was copied with `volumes: FROM_SNAPSHOT`: a snapshot of the same volume of the original. Null if the volume starts empty.',
      resolve: ({ source }: { source: string | null }) => source && sourceOf(source).snapshot,
    }),
    fileContent: t.using('id').string({
      description: 'The content of a `config-file` volume. Empty for other types.',
      // A volume that was just written or deleted has it.
      resolve: (volume: { id: number; fileContent?: string }, _, context) =>
        volume.fileContent ?? fileContentOf(context, volume.id),
    }),
  }),
});
