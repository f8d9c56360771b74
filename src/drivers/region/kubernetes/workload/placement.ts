import type { DesiredComponent } from '../../desired.ts';
import type { Placement } from '../../placement.ts';
import { type KubernetesObject, labelsOf, selectorOf } from '../objects/objects.ts';

const topologyKeys: Record<NonNullable<Placement['spread']>, string> = {
  node: 'kubernetes.io/hostname',
  zone: 'topology.kubernetes.io/zone',
};

const effects = {
  no_schedule: 'NoSchedule',
  prefer_no_schedule: 'PreferNoSchedule',
  no_execute: 'NoExecute',
} as const satisfies Record<NonNullable<Placement['tolerations'][number]['effect']>, string>;

type Effect = keyof typeof effects;
/** The effects of placements, by those of the cluster. */
export const tolerationEffects: Readonly<Record<string, Effect>> = Object.fromEntries(
  (Object.keys(effects) as Effect[]).map((effect) => [effects[effect], effect]),
);

/** The domains that a constraint spreads pods over evenly. Null if no placement has such a constraint. */
export function spreadOf(
  constraint: KubernetesObject['spec'],
  podLabels: Readonly<Record<string, string>>,
): Placement['spread'] {
  const { maxSkew, topologyKey, whenUnsatisfiable, labelSelector, ...more } = constraint;
  const { matchLabels = {}, ...otherMatches } = labelSelector ?? {};
  const pairs = Object.entries(matchLabels);
  const isOfPods = pairs.length > 0 && pairs.every(([key, value]) => podLabels[key] === value);
  const isPlain = Object.keys({ ...more, ...otherMatches }).length === 0;
  if (maxSkew !== 1 || whenUnsatisfiable !== 'ScheduleAnyway' || !isOfPods || !isPlain) return null;
  return (['node', 'zone'] as const).find((spread) => topologyKeys[spread] === topologyKey) ?? null;
}

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
