import { Limiter } from '../../../../kernel/limiter.ts';
import { createBoundedCache } from '../../../../kernel/memo.ts';
import type { KubernetesObject } from '../objects/objects.ts';
import type { Client } from './client.ts';

/** Something that the kubelet or the scheduler says of a pod. */
export interface PodEvent {
  reason: string;
  message: string;
  /** When it happened last, in ms since 1970. */
  lastMs: number;
  /** The container that it is about. Null if it is about the pod. */
  container: string | null;
}

export interface EventSettings {
  /** How long an instance may start before the events of its pod are read. */
  eventsAfterMs: number;
  /** How long the events of a pod are not read again. */
  eventsForMs: number;
  /** Whether they are read for somebody who only looks, whom jobs do not wait for. */
  isLook?: boolean;
}

export const eventDefaults: EventSettings = { eventsAfterMs: 5_000, eventsForMs: 5_000 };

/** When events say more than the status of a pod: at once, or when it has been so for some time. */
export type EventNeed = 'now' | 'later';

/** The most pods of a component whose events are read for one answer, and the most events of a pod. */
const most = { pods: 5, events: 100 };
/** How many pods have their events remembered. */
const maxPods = 2_000;
/** How long a cluster has to answer, which is part of what a look at components may take. */
const timeoutMs = 2_000;

interface Known {
  firstMs: number;
  readMs: number;
  events: Promise<readonly PodEvent[]>;
}

const none: readonly PodEvent[] = [];
export type EventsOf = (pod: KubernetesObject) => readonly PodEvent[];

const containerPattern = /^spec\.(?:initC|c)ontainers\{([^}]+)\}$/;

const createdMs = ({ metadata }: KubernetesObject) => Date.parse(metadata.creationTimestamp ?? '') || 0;

function podEvent({
  metadata,
  reason,
  message,
  series,
  involvedObject,
  ...event
}: KubernetesObject): PodEvent {
  const at =
    series?.lastObservedTime ??
    event.lastTimestamp ??
    event.eventTime ??
    event.firstTimestamp ??
    metadata.creationTimestamp;
  return {
    reason: reason ?? '',
    message: message ?? '',
    lastMs: Date.parse(at ?? '') || 0,
    container: containerPattern.exec(involvedObject?.fieldPath ?? '')?.[1] ?? null,
  };
}

/** The events of single pods, newest first. None if the cluster does not return them, or not in time. */
export class PodEvents {
  readonly #client: Pick<Client, 'list'>;
  readonly #ended: AbortSignal;
  readonly #known = createBoundedCache<string, Known>({ size: maxPods });
  /** Leaves most connections to the work of jobs. */
  readonly #turns = new Limiter({ most: 8, mostOfGroup: 4 });

  constructor(client: Pick<Client, 'list'>, ended: AbortSignal) {
    this.#client = client;
    this.#ended = ended;
  }

  /** Reads the events of the pods that need them. */
  async read(
    pods: readonly KubernetesObject[],
    need: (pod: KubernetesObject) => EventNeed | undefined,
    settings: EventSettings,
  ): Promise<EventsOf> {
    const now = performance.now();
    const newestFirst = pods.toSorted((one, other) => createdMs(other) - createdMs(one));
    const due = newestFirst.filter((pod) => {
      const which = need(pod);
      if (which === undefined) return false;
      const { firstMs } = this.#entry(pod, now);
      return which === 'now' || now - firstMs >= settings.eventsAfterMs;
    });
    const eventsByPod = new Map<string, readonly PodEvent[]>();
    await Promise.all(
      due.slice(0, most.pods).map(async (pod) => {
        eventsByPod.set(pod.metadata.uid!, await this.#of(pod, settings));
      }),
    );
    return ({ metadata: { uid } }) => eventsByPod.get(uid ?? '') ?? none;
  }

  #entry({ metadata: { uid } }: KubernetesObject, now: number): Known {
    const entry = this.#known.get(uid!) ?? {
      firstMs: now,
      readMs: Number.NEGATIVE_INFINITY,
      events: Promise.resolve(none),
    };
    this.#known.set(uid!, entry, 1);
    return entry;
  }

  #of(
    pod: KubernetesObject,
    { eventsForMs: forMs, isLook = false }: EventSettings,
  ): Promise<readonly PodEvent[]> {
    const now = performance.now();
    const entry = this.#entry(pod, now);
    if (now - entry.readMs >= forMs) {
      entry.readMs = now;
      const before = entry.events;
      entry.events = this.#load(pod, isLook).catch(() => before);
    }
    return entry.events;
  }

  #load(
    { metadata: { namespace = '', uid } }: KubernetesObject,
    isLook: boolean,
  ): Promise<readonly PodEvent[]> {
    const signal = AbortSignal.any([this.#ended, AbortSignal.timeout(timeoutMs)]);
    const load = async () => {
      const { items } = await this.#client.list('Event', signal, {
        namespace,
        fieldSelector: `involvedObject.uid=${uid}`,
        limit: most.events,
      });
      return items.map(podEvent).sort((one, other) => other.lastMs - one.lastMs);
    };
    return this.#turns.run(isLook ? `look ${namespace}` : namespace, load, signal);
  }
}
