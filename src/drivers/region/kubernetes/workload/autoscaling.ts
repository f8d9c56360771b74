import type { DesiredComponent } from '../../desired.ts';
import { type KubernetesObject, labelsOf } from '../objects/objects.ts';

/** Whether the cluster sets the number of the instances of a component. */
export const isScaledByLoad = ({ autoscaling, extendMethod, state }: DesiredComponent): boolean =>
  autoscaling !== null && extendMethod !== 'state' && state === 'running';

const targetOf = (name: 'cpu' | 'memory', percent: number | null) =>
  percent === null
    ? []
    : [
        {
          type: 'Resource',
          resource: { name, target: { type: 'Utilization', averageUtilization: percent } },
        },
      ];

/** The autoscaler of a component, which owns the number of its instances. A stopped component has none. */
export function autoscalerOf(component: DesiredComponent): KubernetesObject[] {
  const { autoscaling, clusterName } = component;
  if (autoscaling === null || !isScaledByLoad(component)) return [];
  const { minReplicas, maxReplicas, cpuPercent, memoryPercent } = autoscaling;
  return [
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: clusterName, labels: labelsOf(component) },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: clusterName },
        minReplicas,
        maxReplicas,
        metrics: [...targetOf('cpu', cpuPercent), ...targetOf('memory', memoryPercent)],
      },
    },
  ];
}

/** The number of instances that a component begins with, before there is any load to see. */
export function firstReplicasOf({ autoscaling, replicas }: DesiredComponent): number {
  if (!autoscaling) return replicas;
  return Math.min(autoscaling.maxReplicas, Math.max(autoscaling.minReplicas, replicas));
}
