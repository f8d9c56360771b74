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
  description: 'A right that the driver needs in a cluster.',
  exposes: {
    'verb: String!': 'The verb, for example `patch`.',
    'group: String!': 'The API group. Empty for the core group.',
    'resource: String!': 'The resource, for example `deployments`.',
    'isAllowed: Boolean!': 'Whether the account of the region has the right.',
  },
});

const RegionCheckType = objectType<RegionCheck>('RegionCheck', {
  description: 'The result of checking the cluster of a region.',
  exposes: {
    'url: URL!': 'The URL of the cluster API.',
    'isReachable: Boolean!': 'Whether the cluster responded.',
    'problem: String': 'Why the cluster could not be checked. Null if it was checked.',
    'version: String': 'The version of Kubernetes.',
    'hasGatewayApi: Boolean!': 'Whether Gateway API is installed.',
    'hasCertManager: Boolean!': 'Whether cert-manager is installed, which rules with `autoSsl` need.',
    'hasSnapshots: Boolean!':
      'Whether the cluster supports snapshots of volumes (`snapshot.storage.k8s.io`).',
    'hasMetrics: Boolean!': 'Whether the cluster measures resource usage (`metrics.k8s.io`).',
    rights: property(
      [RegionRight],
      'The rights that the driver needs. Empty if the cluster could not be checked.',
    ),
  },
});

builder.queryField('checkRegion', (t) =>
  t.field({
    type: RegionCheckType,
    ...nullOnError,
    description:
      'Checks the cluster of a region: whether it responds, and whether its account has the rights that the driver needs. With `kubeconfig`, checks the cluster of a kubeconfig before it is set on a region; this requires a token that is not read-only. Set at least one of the arguments. Fails with CONFLICT if the driver of the region is not KUBERNETES. Requires an enterprise administrator.',
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
