import { setMaxListeners } from 'node:events';
import { mayApply } from '../../../../db/work/protocol.ts';
import type { ClusterObserver, KubernetesRegion } from '../../clusters.ts';
import type { Connection } from '../cluster/connection.ts';
import type { Informer } from '../cluster/informer.ts';
import type { Owner } from '../cluster/object-cache.ts';
import type { EventSettings } from '../cluster/pod-events.ts';
import { crashOf } from '../instances/status.ts';
import { eventNeed } from '../instances/trouble.ts';
import { componentsOf, type KindName, type KubernetesObject, labels } from '../objects/objects.ts';
import { contentHashOf } from '../objects/stored-object.ts';
import { jobOf } from '../write/fence.ts';
import { withOwnGateway } from '../write/own-objects.ts';

/** How often to look whether the cluster serves kinds that it did not serve before, in ms. */
const kindsMs = 60_000;

/** The kinds of components that are watched beside workloads, and those of teams. */
async function watchedIn(
  { capabilities }: Connection,
  region: KubernetesRegion,
  signal: AbortSignal,
): Promise<[Owner, KindName][]> {
  const hasGateway = region.cluster.gatewayClass !== null;
  const [components, teams] = await Promise.all([
    capabilities.among(
      [
        ...(['Service', 'ConfigMap', 'Secret', 'PersistentVolumeClaim'] as const),
        ...(['HorizontalPodAutoscaler', 'PodDisruptionBudget', 'TCPRoute'] as const),
        ...(hasGateway ? [] : (['Ingress', 'Certificate'] as const)),
      ],
      region,
      signal,
    ),
    capabilities.among(
      [
        ...(['NetworkPolicy', 'ResourceQuota', 'Namespace'] as const),
        ...(hasGateway ? (['Gateway', 'HTTPRoute', 'Secret', 'Certificate', 'ReferenceGrant'] as const) : []),
      ],
      region,
      signal,
    ),
  ]);
  return [
    ...withOwnGateway(components).map((kind): [Owner, KindName] => ['component', kind]),
    ...teams.map((kind): [Owner, KindName] => ['team', kind]),
  ];
}

/** Whether an older job has created an object than the one that has written something of its component since. */
function isLate({ cache }: Connection, object: KubernetesObject): boolean {
  const job = jobOf(object);
  const componentId = object.metadata.labels?.[labels.component];
  if (job === undefined || componentId === undefined) return false;
  return cache.ofComponent(componentId).some((other) => !mayApply(job, jobOf(other)));
}

/**
 * Tells whose objects others change or delete, until the signal is aborted. Once everything is known, all may have changed
 * before. Writes of other processes look like changes by others; `driftOf` distinguishes them.
 */
export async function watchChanges(
  connection: Connection,
  region: KubernetesRegion,
  { changed: onChange, crashed: onCrash }: ClusterObserver,
  settings: EventSettings,
  signal: AbortSignal,
): Promise<void> {
  const contents = new Map<string, string>();
  const written = (object: KubernetesObject) => {
    contents.set(object.metadata.uid!, contentHashOf(object));
  };
  const changed = (object: KubernetesObject, isGone: boolean) => {
    const { uid, labels: has = {} } = object.metadata;
    const before = contents.get(uid!);
    if (isGone) contents.delete(uid!);
    else written(object);
    const isKnown = before === undefined ? !isLate(connection, object) : before === contents.get(uid!);
    if (!isGone && isKnown) return;
    const componentIds = componentsOf(object);
    for (const componentId of componentIds) onChange({ componentId });
    const { [labels.team]: teamId, [labels.application]: applicationId } = has;
    if (componentIds.length > 0 || teamId === undefined) return;
    onChange({ teamId, ...(applicationId !== undefined && { namespaceId: Number(applicationId) }) });
  };
  setMaxListeners(0, signal);
  const podChanged = (pod: KubernetesObject) => {
    const componentId = pod.metadata.labels?.[labels.component];
    const workload = componentId === undefined ? undefined : connection.instances.workloadOf(componentId);
    if (!workload || !crashOf(workload, pod)) return;
    void connection.podEvents.read([pod], eventNeed, settings).then((eventsOf) => {
      if (signal.aborted) return;
      onCrash({ componentId: componentId!, ...crashOf(workload, pod, eventsOf(pod))! });
    });
  };
  const watched = async (): Promise<Informer[]> =>
    (await watchedIn(connection, region, signal)).map(([owner, kind]) =>
      connection.cache.informer(kind, owner),
    );
  const end = connection.changes.observe({ changed, written, podChanged });
  for (const object of connection.cache.all()) if (object.kind !== 'Pod') written(object);
  let looking: NodeJS.Timeout | undefined;
  try {
    const informers = await watched();
    looking = setInterval(() => void watched().catch(() => {}), kindsMs).unref();
    const ended = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const readiness = Promise.all([
      connection.instances.ready(signal),
      ...informers.map(({ ready }) => ready),
    ]);
    await Promise.race([readiness.catch(() => {}), ended]);
    if (!signal.aborted) {
      onChange({});
      for (const pod of connection.instances.pods) podChanged(pod);
    }
    await ended;
  } finally {
    clearInterval(looking);
    end();
  }
}
