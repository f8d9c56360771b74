import type { TeamQuota } from '../../clusters.ts';
import type { NamespaceOwner } from '../../desired.ts';
import { gatewayName } from '../../object-names.ts';
import { namespaceIn, teamNamespace } from '../objects/namespaces.ts';
import { type KubernetesObject, labels, namespaceLabels, withMetadata } from '../objects/objects.ts';
import type { ClusterScope } from '../write/scope.ts';
import { type SecurityLevel, securityLabels } from './security-level.ts';

/** The label of what a controller runs for a gateway. */
const gatewayLabel = 'gateway.networking.k8s.io/gateway-name';

/** Selects a namespace by the label that clusters give it. */
export const namespaceSelector = (name: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
});

/** The objects of a namespace: itself first, in which everything else is. */
export function namespaceObjects(
  region: ClusterScope['region'],
  owner: NamespaceOwner,
  quota: TeamQuota,
  level: SecurityLevel,
): KubernetesObject[] {
  const namespace = namespaceIn(region, owner);
  const isOwn = owner.namespaceId !== 0;
  const objectLabels = { ...namespaceLabels(owner), [labels.region]: region.id };
  const ofTeam = isOwn && region.cluster.gatewayClass ? namespaceIn(region, teamNamespace(owner)) : undefined;
  const hard = {
    ...(quota.cpuMillicores > 0 && { 'requests.cpu': `${quota.cpuMillicores}m` }),
    ...(quota.memoryMiB > 0 && { 'requests.memory': `${quota.memoryMiB}Mi` }),
  };
  const objects: KubernetesObject[] = [
    ...(Object.keys(hard).length
      ? [
          {
            apiVersion: 'v1',
            kind: 'ResourceQuota',
            metadata: { name: 'trellis', labels: objectLabels },
            spec: { hard },
          },
        ]
      : []),
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'trellis', labels: objectLabels },
      // Instances of the namespace, and what is not of a team: gateways and the cluster itself.
      spec: {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [
              { podSelector: {} },
              { namespaceSelector: { matchExpressions: [{ key: labels.team, operator: 'DoesNotExist' }] } },
              // Some controllers run the gateway of the team in the namespace that has it.
              ...(ofTeam
                ? [
                    {
                      ...namespaceSelector(ofTeam),
                      podSelector: { matchLabels: { [gatewayLabel]: gatewayName } },
                    },
                  ]
                : []),
            ],
          },
        ],
      },
    },
    // Routes are beside the gateway of the team, and refer to Services here.
    ...(ofTeam
      ? [
          {
            apiVersion: 'gateway.networking.k8s.io/v1beta1',
            kind: 'ReferenceGrant',
            metadata: { name: 'trellis', labels: objectLabels },
            spec: {
              from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: ofTeam }],
              to: [{ group: '', kind: 'Service' }],
            },
          },
        ]
      : []),
  ];
  const own = isOwn ? objectLabels : namespaceLabels(owner);
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { ...own, ...securityLabels(level) } },
    },
    ...objects.map((object) => withMetadata(object, { namespace })),
  ];
}
