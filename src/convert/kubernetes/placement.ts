import type { FoundPlacement, KubernetesObject, Toleration } from './model.ts';

export const topologyKeys: Record<NonNullable<FoundPlacement['spread']>, string> = {
  node: 'kubernetes.io/hostname',
  zone: 'topology.kubernetes.io/zone',
};

export const effects = {
  no_schedule: 'NoSchedule',
  prefer_no_schedule: 'PreferNoSchedule',
  no_execute: 'NoExecute',
} as const satisfies Record<NonNullable<Toleration['effect']>, string>;

type Effect = keyof typeof effects;
/** The effects of placements, by those of the cluster. */
export const tolerationEffects: Readonly<Record<string, Effect>> = Object.fromEntries(
  (Object.keys(effects) as Effect[]).map((effect) => [effects[effect], effect]),
);

/** The domains that a constraint spreads pods over evenly. Null if no placement has such a constraint. */
export function spreadOf(
  constraint: KubernetesObject['spec'],
  podLabels: Readonly<Record<string, string>>,
): FoundPlacement['spread'] {
  const { maxSkew, topologyKey, whenUnsatisfiable, labelSelector, ...more } = constraint;
  const { matchLabels = {}, ...otherMatches } = labelSelector ?? {};
  const pairs = Object.entries(matchLabels);
  const isOfPods = pairs.length > 0 && pairs.every(([key, value]) => podLabels[key] === value);
  const isPlain = Object.keys({ ...more, ...otherMatches }).length === 0;
  if (maxSkew !== 1 || whenUnsatisfiable !== 'ScheduleAnyway' || !isOfPods || !isPlain) return null;
  return (['node', 'zone'] as const).find((spread) => topologyKeys[spread] === topologyKey) ?? null;
}
