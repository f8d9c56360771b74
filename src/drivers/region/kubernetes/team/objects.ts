import type { TeamQuota } from '../../clusters.ts';
import { type KubernetesObject, labels, teamLabels } from '../objects/objects.ts';
import { type SecurityLevel, securityLabels } from './security-level.ts';

/** The objects of a team: its namespace first, in which everything else is. */
export function teamObjects(
  namespace: string,
  { teamId, regionId }: { teamId: string; regionId: string },
  quota: TeamQuota,
  level: SecurityLevel,
): KubernetesObject[] {
  const objectLabels = { ...teamLabels(teamId), [labels.region]: regionId };
  const hard = {
    ...(quota.cpuMillicores > 0 && { 'requests.cpu': `${quota.cpuMillicores}m` }),
    ...(quota.memoryMiB > 0 && { 'requests.memory': `${quota.memoryMiB}Mi` }),
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { ...teamLabels(teamId), ...securityLabels(level) } },
    },
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
      // Instances of the team, and what is not of a team: gateways and the cluster itself.
      spec: {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [
              { podSelector: {} },
              { namespaceSelector: { matchExpressions: [{ key: labels.team, operator: 'DoesNotExist' }] } },
            ],
          },
        ],
      },
    },
  ];
}
