import { kindNamed } from '../api/kinds.ts';
import { now, type Store } from '../api/store.ts';
import { onSubresource } from '../api/subresources.ts';
import { warn } from './workloads.ts';

/** What all instances of a Deployment use together, in percent of what one of them requests. */
export interface Load {
  cpu?: number;
  memory?: number;
}

/** The pause between two looks, and how long the largest number of the past is kept, in seconds. */
const periodSeconds = 15;
const stabilizationSeconds = 300;
/** The part by which the usage may differ from the target. */
const tolerance = 0.1;

interface Look {
  at: number;
  /** What was right at each look of the last minutes. */
  wanted: { at: number; replicas: number }[];
}
const looks = new WeakMap<Store, Map<string, Look>>();

function lookOf(store: Store, uid: string): Look {
  const known = looks.get(store) ?? new Map<string, Look>();
  looks.set(store, known);
  const found = known.get(uid) ?? { at: store.clock.now, wanted: [] };
  known.set(uid, found);
  return found;
}

export function runAutoscalers(
  store: Store,
  { loadOf }: { loadOf?(deployment: any): Load | undefined },
): void {
  for (const autoscaler of store.list(kindNamed('HorizontalPodAutoscaler'))) {
    const look = lookOf(store, autoscaler.metadata.uid);
    if (!store.clock.hasPassed(look.at, periodSeconds)) continue;
    look.at = store.clock.now;
    store.clock.wakeAt(look.at + periodSeconds);
    runAutoscaler(store, autoscaler, look, loadOf);
  }
}

const noMetrics = (resource: string) =>
  `the HPA was unable to compute the replica count: failed to get ${resource} utilization: unable to get metrics for resource ${resource}: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)`;

/** How many instances the load needs. Undefined without metrics. */
function neededFor({ spec }: any, current: number, load: Load | undefined): number | undefined {
  if (!load) return undefined;
  const each = spec.metrics.map(({ resource: { name, target } }: any) => {
    const ratio = (load[name as keyof Load] ?? 0) / current / target.averageUtilization;
    return Math.abs(ratio - 1) <= tolerance ? current : Math.ceil(current * ratio);
  });
  return Math.max(...each);
}

function runAutoscaler(
  store: Store,
  autoscaler: any,
  look: Look,
  loadOf: ((deployment: any) => Load | undefined) | undefined,
): void {
  const { metadata, spec, status } = autoscaler;
  const { namespace } = metadata;
  const conditions: any[] = [];
  const tell = (type: string, isTrue: boolean, reason: string, message: string) => {
    const value = isTrue ? 'True' : 'False';
    const was = status.conditions?.find((each: any) => each.type === type);
    const lastTransitionTime = was?.status === value ? was.lastTransitionTime : now();
    conditions.push({ type, status: value, lastTransitionTime, reason, message });
  };
  const save = (next: object) =>
    store.save(kindNamed('HorizontalPodAutoscaler'), {
      ...autoscaler,
      status: { desiredReplicas: 0, currentMetrics: null, ...next, conditions },
    });
  const { name } = spec.scaleTargetRef;
  const kind = kindNamed('Deployment');
  const deployment = store.get(kind, namespace, name)?.object;
  const failed = "the HPA controller was unable to get the target's current scale";
  if (!deployment) {
    const why = `${failed}: deployments/scale.apps "${name}" not found`;
    tell('AbleToScale', false, 'FailedGetScale', why);
    save({});
    return;
  }
  const current: number = deployment.spec.replicas;
  tell(
    'AbleToScale',
    true,
    'SucceededGetScale',
    "the HPA controller was able to get the target's current scale",
  );
  if (current === 0) {
    tell(
      'ScalingActive',
      false,
      'ScalingDisabled',
      'scaling is disabled since the replica count of the target is zero',
    );
    save({});
    return;
  }
  const load = loadOf?.(deployment);
  const needed = neededFor(autoscaler, current, load);
  if (needed === undefined) {
    const message = noMetrics(spec.metrics[0].resource.name);
    tell('ScalingActive', false, 'FailedGetResourceMetric', message);
    warn(store, autoscaler, 'FailedGetResourceMetric', message);
  } else {
    const message =
      'the HPA was able to successfully calculate a replica count from cpu resource utilization';
    tell('ScalingActive', true, 'ValidMetricFound', message);
  }
  const bounded = Math.min(spec.maxReplicas, Math.max(spec.minReplicas, needed ?? current));
  look.wanted = look.wanted.filter(({ at }) => at > look.at - stabilizationSeconds);
  look.wanted.push({ at: look.at, replicas: bounded });
  // It goes up at once, at most to twice as many or by four, and down only to the most of the last minutes.
  const most = Math.min(spec.maxReplicas, Math.max(...look.wanted.map(({ replicas }) => replicas)));
  const up = Math.min(bounded, Math.max(current * 2, current + 4));
  const isCorrected = current > spec.maxReplicas || current < spec.minReplicas;
  const desired = isCorrected ? bounded : bounded >= current ? up : Math.min(current, most);
  if (desired !== current) {
    const request = {
      method: 'PATCH',
      path: '',
      contentType: 'application/merge-patch+json',
      body: { spec: { replicas: desired } },
    };
    const target = { kind, namespace, name, manager: 'kube-controller-manager', isDryRun: false };
    onSubresource(store, request, target, 'scale');
    Object.assign(conditions[0], {
      reason: 'SucceededRescale',
      message: `the HPA controller was able to update the target scale to ${desired}`,
    });
  }
  save({
    ...(status.lastScaleTime && { lastScaleTime: status.lastScaleTime }),
    ...(desired !== current && { lastScaleTime: now() }),
    currentReplicas: current,
    desiredReplicas: desired,
  });
}
