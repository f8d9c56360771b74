import type { ManagedObject } from '../../drivers/region/managed-objects.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { nullOnError } from '../../graphql/schema/null-on-error.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { Region } from './graphql.ts';
import { orphansOf } from './orphan-list-operations.ts';
import { maxOrphanRegions, maxOrphans, removeRegionOrphans } from './orphan-model.ts';
import { recordOrphanRemoval, removeOrphans } from './orphan-operations.ts';

const RegionOrphan = objectType<ManagedObject>('RegionOrphan', {
  description: 'An object of Trellis in the cluster of a region that belongs to nothing in the model.',
  exposes: {
    'kind: String!': 'The kind, for example `Deployment`.',
    'namespace: String!': 'The namespace.',
    'name: String!': 'The name.',
    'createdAt: DateTime': 'When it was created. Null if unknown.',
    'hasData: Boolean!':
      'Whether it is a volume, whose data is lost when it is removed, or a namespace with one.',
  },
  fields: (t) => ({
    teamUid: t.exposeString('teamId', { description: 'The `uid` of the team that it was made for.' }),
    componentUids: t.exposeStringList('componentIds', {
      description:
        'The `uid`s of the components that it was made for. Empty if it was made for the team or an application.',
    }),
  }),
});

builder.objectField(Region, 'orphans', (t) =>
  t.using('id', 'name', 'driver', 'enterpriseId').field({
    type: [RegionOrphan],
    ...nullOnError,
    description: `Objects in the cluster that Trellis created and that nothing uses: objects and kept volumes of deleted components, namespaces of deleted applications, and objects of teams that the region is no longer open for. Oldest first, at most ${maxOrphans}. Empty if the region has no cluster. A request can list those of ${maxOrphanRegions} regions. Null with a FORBIDDEN error for callers other than enterprise administrators, and with a REGION_UNAVAILABLE error if the cluster does not respond.`,
    resolve: (region, _, context) => orphansOf(context, region),
  }),
);

mutation('removeRegionOrphans', removeRegionOrphans, recordOrphanRemoval, {
  description: `Removes what \`Region.orphans\` lists from the cluster, at most ${maxOrphans} objects at a time; volumes stay unless \`deleteVolumes\` is true. Fails with CONFLICT if the region has no cluster, and with REGION_UNAVAILABLE if the cluster does not respond.`,
  load: removeOrphans,
  payload: {
    region: property(Region, 'The region.'),
    orphans: property([RegionOrphan], 'What was removed or, with `dryRun`, would be.'),
  },
});
