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
  description: 'An object created by Trellis in the cluster of a region that is no longer used.',
  exposes: {
    'kind: String!': 'The kind, for example `Deployment`.',
    'namespace: String!': 'The namespace.',
    'name: String!': 'The name.',
    'createdAt: DateTime': 'The creation time. Null if unknown.',
    'hasData: Boolean!':
      'Whether the object is a volume or a namespace with a volume. Its data is lost when it is removed.',
  },
  fields: (t) => ({
    teamUid: t.exposeString('teamId', {
      description: 'The `uid` of the team that the object was created for.',
    }),
    componentUids: t.exposeStringList('componentIds', {
      description:
        'The `uid`s of the components that the object was created for. Empty if it was created for the team or an application.',
    }),
  }),
});

builder.objectField(Region, 'orphans', (t) =>
  t.using('id', 'name', 'driver', 'enterpriseId').field({
    type: [RegionOrphan],
    ...nullOnError,
    description: `The objects created by Trellis in the cluster that are no longer used: objects and kept volumes of deleted components, namespaces of deleted applications, and objects of teams that the region is no longer open for. Oldest first, at most ${maxOrphans}. Empty if the region has no cluster. A request can list the objects of at most ${maxOrphanRegions} regions. Null with a FORBIDDEN error for callers other than enterprise administrators, and with a REGION_UNAVAILABLE error if the cluster does not respond.`,
    resolve: (region, _, context) => orphansOf(context, region),
  }),
);

mutation('removeRegionOrphans', removeRegionOrphans, recordOrphanRemoval, {
  description: `Removes the objects in \`Region.orphans\` from the cluster, at most ${maxOrphans} at a time. Volumes are kept unless \`deleteVolumes\` is true. Fails with CONFLICT if the region has no cluster, and with REGION_UNAVAILABLE if the cluster does not respond.`,
  load: removeOrphans,
  payload: {
    region: property(Region, 'The region.'),
    orphans: property([RegionOrphan], 'The objects that were removed or, with `dryRun`, would be removed.'),
  },
});
