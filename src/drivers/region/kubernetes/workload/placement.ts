import { effects, topologyKeys } from '../../../../convert/kubernetes/placement.ts';
import type { DesiredComponent } from '../../desired.ts';
import { type KubernetesObject, labelsOf, selectorOf } from '../objects/objects.ts';

/** The nodes on which pods run, as a part of their spec. A pod without a placement has none of it. */
export function nodesOf(component: Pick<DesiredComponent, 'id' | 'placement'>) {
  const { nodeLabels, tolerations, spread } = component.placement;
  return {
    ...(nodeLabels.length && {
      nodeSelector: Object.fromEntries(nodeLabels.map(({ key, value }) => [key, value])),
    }),
    ...(tolerations.length && {
      tolerations: tolerations.map(({ key, operator, value, effect }) => ({
        ...(key !== null && { key }),
        operator: operator === 'exists' ? 'Exists' : 'Equal',
        ...(value && { value }),
        ...(effect && { effect: effects[effect] }),
      })),
    }),
    ...(spread && {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: topologyKeys[spread],
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: selectorOf(component) },
        },
      ],
    }),
  };
}

/**
 * How many instances of a running component are to stay available while nodes are drained. Never all of them, because no
 * node could be drained then. Undefined if the component has no budget.
 */
export function availableOf({
  state,
  replicas,
  autoscaling,
  placement: { minAvailable },
}: DesiredComponent): number | undefined {
  const least = autoscaling?.minReplicas ?? replicas;
  if (state !== 'running' || least < 2 || minAvailable === 0) return undefined;
  return Math.min(minAvailable, least - 1);
}

/** The disruption budget of a component with more than one instance, if the account of the region may make one. */
export function budgetOf(component: DesiredComponent, hasBudgets: boolean): KubernetesObject[] {
  const minAvailable = availableOf(component);
  if (minAvailable === undefined || !hasBudgets) return [];
  return [
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: component.clusterName, labels: labelsOf(component) },
      spec: { minAvailable, selector: { matchLabels: selectorOf(component) } },
    },
  ];
}
