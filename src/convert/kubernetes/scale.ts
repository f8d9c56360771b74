import type { FoundComponent, KubernetesObject, OmittedPart, Toleration } from './model.ts';
import { spreadOf, tolerationEffects } from './placement.ts';
import { type Imported, selects } from './routes.ts';

type Part = KubernetesObject['spec'];

/** A toleration as a placement has it. A text if it has none, which says what it has beside. */
function tolerationOf({ key, operator = 'Equal', value, effect, ...more }: Part): Toleration | string {
  const [other] = Object.keys(more);
  if (other) return other;
  const effectName = tolerationEffects[effect];
  if (operator !== 'Exists' && operator !== 'Equal') return `the operator ${operator}`;
  if (effect && !effectName) return `the effect ${effect}`;
  return {
    key: key || null,
    operator: operator === 'Exists' ? 'exists' : 'equal',
    value: operator === 'Exists' ? null : (value ?? ''),
    effect: effectName ?? null,
  };
}

/** On which nodes the pods of a workload run. */
export function placementOf(
  { nodeSelector = {}, tolerations = [], topologySpreadConstraints = [] }: Part,
  podLabels: Readonly<Record<string, string>>,
  tell: (what: string) => void,
): FoundComponent['placement'] {
  const taken: Toleration[] = [];
  for (const each of tolerations) {
    const toleration = tolerationOf(each);
    if (typeof toleration !== 'string') taken.push(toleration);
    else tell(`the toleration of ${each.key ?? 'all taints'}, because it has ${toleration}`);
  }
  let spread: FoundComponent['placement']['spread'] = null;
  const [constraint, ...others] = topologySpreadConstraints;
  if (constraint && others.length === 0) spread = spreadOf(constraint, podLabels);
  if (constraint && spread === null) tell('topologySpreadConstraints');
  return {
    nodeLabels: Object.entries(nodeSelector).map(([key, value]) => ({ key, value: String(value) })),
    tolerations: taken,
    spread,
    minAvailable: null,
  };
}

/** The usage in percent that a metric of an autoscaler aims at. Undefined if it is another metric. */
const percentOf = ({ type, resource }: Part): number | undefined =>
  type === 'Resource' &&
  ['cpu', 'memory'].includes(resource?.name) &&
  (resource.target?.type ?? 'Utilization') === 'Utilization'
    ? resource.target?.averageUtilization
    : undefined;

/** Gives components the autoscalers of their workloads. */
export function takeAutoscalers(
  autoscalers: readonly KubernetesObject[],
  imported: readonly Imported[],
  tellPart: (part: OmittedPart) => void,
): void {
  for (const { kind, metadata, spec } of autoscalers) {
    const tell = (what: string) => tellPart({ kind, name: metadata.name, what });
    const { scaleTargetRef: target, minReplicas = 1, maxReplicas, metrics = [], behavior } = spec;
    const { targetCPUUtilizationPercentage: cpu } = spec;
    const scaled = imported.find(
      ({ workload }) => workload.kind === target.kind && workload.metadata.name === target.name,
    );
    if (!scaled) {
      tell('the autoscaler, because it scales no workload that is imported');
      continue;
    }
    const percents = new Map<string, number>(cpu === undefined ? [] : [['cpu', cpu]]);
    for (const metric of metrics) {
      const percent = percentOf(metric);
      if (percent === undefined) tell(`a metric of the type ${metric.type}, which is no usage in percent`);
      else percents.set(metric.resource.name, percent);
    }
    if (percents.size === 0) {
      tell('the autoscaler, because it aims at no usage of CPU or memory in percent');
      continue;
    }
    if (behavior) tell('behavior');
    scaled.component.autoscaling = {
      minReplicas,
      maxReplicas,
      cpuPercent: percents.get('cpu') ?? null,
      memoryPercent: percents.get('memory') ?? null,
    };
  }
}

/** Gives components the disruption budgets of their pods. */
export function takeBudgets(
  budgets: readonly KubernetesObject[],
  imported: readonly Imported[],
  tellPart: (part: OmittedPart) => void,
): void {
  for (const { kind, metadata, spec } of budgets) {
    const { minAvailable, maxUnavailable, selector } = spec;
    const { matchLabels, ...otherMatches } = selector ?? {};
    const of = imported.filter(({ workload }) => selects(matchLabels, workload));
    const [only] = Object.keys(otherMatches).length === 0 && of.length === 1 ? of : [];
    const least = only && (only.component.autoscaling?.minReplicas ?? only.component.replicas);
    const count = minAvailable ?? (typeof maxUnavailable === 'number' ? least! - maxUnavailable : undefined);
    const problem = !only
      ? 'because it is not of one workload that is imported'
      : typeof count !== 'number'
        ? 'because it has no number of instances'
        : count > 1 && count >= least!
          ? 'because no node could be drained'
          : undefined;
    if (problem) tellPart({ kind, name: metadata.name, what: `the disruption budget, ${problem}` });
    else
      only!.component.placement = {
        ...only!.component.placement,
        minAvailable: Math.max(0, count as number),
      };
  }
}
