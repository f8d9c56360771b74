import type { ClusterRight } from '../../drivers/region/clusters.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { nullOnError } from '../../graphql/schema/null-on-error.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { checkRegion, type RegionCheck } from './cluster-reads.ts';
import { RegionRef } from './graphql.ts';
import { kubeconfigText, regionRef } from './model.ts';

const RegionRight = builder.objectRef<ClusterRight>('RegionRight').implement({
  description: 'Something that the driver needs to do in a cluster.',
  fields: (t) => ({
    verb: t.exposeString('verb', { description: 'The verb, for example `patch`.' }),
    group: t.exposeString('group', { description: 'The API group. Empty for the core group.' }),
    resource: t.exposeString('resource', { description: 'The resource, for example `deployments`.' }),
    isAllowed: t.exposeBoolean('isAllowed', { description: "Whether the region's account may do it." }),
  }),
});

const RegionCheckType = builder.objectRef<RegionCheck>('RegionCheck').implement({
  description: 'What a look at the cluster of a region has found.',
  fields: (t) => ({
    url: t.expose('url', { type: 'URL', description: 'The URL of the cluster API.' }),
    isReachable: t.exposeBoolean('isReachable', { description: 'Whether the cluster answered.' }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why the cluster could not be looked at. Null if it could.',
    }),
    version: t.exposeString('version', { nullable: true, description: 'The version of Kubernetes.' }),
    rights: t.field({
      type: [RegionRight],
      description: 'What the driver needs to do. Empty if the cluster could not be looked at.',
      resolve: ({ rights }) => rights,
    }),
    hasGatewayApi: t.exposeBoolean('hasGatewayApi', { description: 'Whether Gateway API is installed.' }),
    hasCertManager: t.exposeBoolean('hasCertManager', {
      description: 'Whether cert-manager is installed, which rules with `autoSsl` need.',
    }),
    hasSnapshots: t.exposeBoolean('hasSnapshots', {
      description: 'Whether the cluster makes snapshots of volumes (`snapshot.storage.k8s.io`).',
    }),
    hasMetrics: t.exposeBoolean('hasMetrics', {
      description: 'Whether the cluster measures the use of its nodes (`metrics.k8s.io`).',
    }),
  }),
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
