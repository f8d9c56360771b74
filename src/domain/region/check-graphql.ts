import type { ClusterRight } from '../../drivers/region/clusters.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { nullOnError } from '../../graphql/schema/null-on-error.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { checkRegion, type RegionCheck } from './cluster-reads.ts';
import { RegionRef } from './graphql.ts';
import { kubeconfigText, regionRef } from './model.ts';

const RegionRight = objectType<ClusterRight>('RegionRight', {
  description: 'Something that the driver needs to do in a cluster.',
  exposes: {
    'verb: String!': 'The verb, for example `patch`.',
    'group: String!': 'The API group. Empty for the core group.',
    'resource: String!': 'The resource, for example `deployments`.',
    'isAllowed: Boolean!': "Whether the region's account may do it.",
  },
});

const RegionCheckType = objectType<RegionCheck>('RegionCheck', {
  description: 'What a look at the cluster of a region has found.',
  exposes: {
    'url: URL!': 'The URL of the cluster API.',
    'isReachable: Boolean!': 'Whether the cluster answered.',
    'problem: String': 'Why the cluster could not be looked at. Null if it could.',
    'version: String': 'The version of Kubernetes.',
    'hasGatewayApi: Boolean!': 'Whether Gateway API is installed.',
    'hasCertManager: Boolean!': 'Whether cert-manager is installed, which rules with `autoSsl` need.',
    'hasSnapshots: Boolean!': 'Whether the cluster makes snapshots of volumes (`snapshot.storage.k8s.io`).',
    'hasMetrics: Boolean!': 'Whether the cluster measures the use of its nodes (`metrics.k8s.io`).',
    rights: property(
      [RegionRight],
      'What the driver needs to do. Empty if the cluster could not be looked at.',
    ),
  },
});

builder.queryField('checkRegion', (t) =>
  t.field({
    type: RegionCheckType,
    ...nullOnError,
    description:
      'Looks at the cluster of a region: whether it answers, and whether its account may do what the driver needs. With `kubeconfig`, looks at the cluster of the kubeconfig before a region has it; this requires a token that can write. Set at least one of the arguments. Fails with CONFLICT if the driver of the region is not KUBERNETES. Requires an enterprise administrator.',
    args: {
      region: t.arg({
        type: RegionRef,
        required: false,
        description: 'The region.',
        validate: validatedBy(regionRef.nullish()),
      }),
      kubeconfig: t.arg.string({
        required: false,
        description: 'A kubeconfig, as `createRegion` and `updateRegion` accept it.',
        validate: validatedBy(kubeconfigText.nullish()),
      }),
    },
    resolve: (_, { region, kubeconfig }, context) => checkRegion(context, region, kubeconfig),
  }),
);
