import { type ClusterEvent, instanceLimits, type ObservedComponent } from '../../instances.ts';
import { podPattern, replicaSetPattern } from '../../object-names.ts';
import type { Connection } from '../cluster/connection.ts';
import { type KubernetesObject, labels } from '../objects/objects.ts';

/** A namespace can have many events, of which as many pages are looked at. */
const pages = { size: 500, most: 10 };

const dateOf = (text: string | null | undefined) => (text ? new Date(text) : null);

function eventOf({
  type,
  reason,
  message,
  count,
  series,
  involvedObject,
  ...event
}: KubernetesObject): ClusterEvent {
  const first = event.firstTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp;
  return {
    isWarning: type === 'Warning',
    reason: reason ?? '',
    message: message ?? '',
    count: series?.count ?? count ?? 1,
    firstAt: dateOf(first),
    lastAt: dateOf(series?.lastObservedTime ?? event.lastTimestamp ?? first),
    objectKind: involvedObject?.kind ?? '',
    objectName: involvedObject?.name ?? '',
  };
}

/** The events of the workload, the pods and the volumes of a component, including deleted pods. Newest first. */
export async function readEvents(
  connection: Connection,
  { id, clusterName, namedSince }: ObservedComponent,
  signal: AbortSignal,
): Promise<ClusterEvent[]> {
  const { client } = connection;
  const objects = [connection.instances.workloadOf(id), ...connection.instances.podsOf(id)].filter(
    (each) => each !== undefined,
  );
  const namespace = objects[0]?.metadata.namespace;
  if (!namespace) return [];
  const claims = await client.list('PersistentVolumeClaim', signal, {
    namespace,
    labelSelector: `${labels.component}=${id}`,
  });
  const uids = new Set([...objects, ...claims.items].map(({ metadata }) => metadata.uid));
  // As controllers name ReplicaSets and the pods of both kinds of workloads.
  const made = new Map([
    ['Pod', new RegExp(`^${podPattern({ clusterName })}$`)],
    ['ReplicaSet', new RegExp(`^${replicaSetPattern({ clusterName })}$`)],
  ]);
  const isNamed = ({ objectKind, objectName, lastAt }: ClusterEvent) =>
    namedSince !== null &&
    made.get(objectKind)?.test(objectName) === true &&
    (lastAt === null || lastAt >= namedSince);
  const matching = (item: KubernetesObject) => {
    const event = eventOf(item);
    return uids.has(item.involvedObject?.uid) || isNamed(event) ? [event] : [];
  };
  const events: ClusterEvent[] = [];
  let next: string | undefined;
  for (let page = 0; page < pages.most; page++) {
    const list = await client.list('Event', signal, { namespace, limit: pages.size, continue: next });
    events.push(...list.items.flatMap(matching));
    next = list.metadata.continue;
    if (!next) break;
  }
  const time = ({ lastAt }: ClusterEvent) => lastAt?.getTime() ?? 0;
  return events.sort((one, other) => time(other) - time(one)).slice(0, instanceLimits.events);
}
