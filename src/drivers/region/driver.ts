import { callerId } from '../../kernel/access.ts';
import type { DesiredComponent, NamespaceOwner, RegionTarget, RemovedComponent } from './desired.ts';
import type { InstanceAccess } from './instances.ts';
import type { CertificateAccess } from './issued-certificates.ts';
import type { ManagedObjects } from './managed-objects.ts';
import type { NamespaceAccess } from './namespace.ts';
import type { RouteAccess } from './route-problems.ts';
import type { RunAccess } from './runs.ts';
import type { UsageAccess } from './usage.ts';
import type { SnapshotAccess } from './volume-snapshots.ts';

/** The usage and capacity of a region: CPU in cores, memory in MiB, disk in GiB. */
export interface RegionFigures {
  usedCpuCores: number;
  totalCpuCores: number;
  usedMemoryMiB: number;
  totalMemoryMiB: number;
  usedDiskGiB: number;
  totalDiskGiB: number;
}

/** A region in the database: its declared capacity, and the resources that deployed components request. */
export interface RegionKnowledge {
  id: string;
  name: string;
  cpuCores: number;
  memoryMiB: number;
  diskGiB: number;
  requestedCpuMillicores: number;
  requestedMemoryMiB: number;
}

/** The stored state of a component. */
export interface ComponentKnowledge {
  id: string;
  regionId: string;
  deployState: string;
  /** The last work on the component, which is over. Absent if there was none, and for immediate drivers. */
  lastWork?: {
    outcome: 'succeeded' | 'failed' | 'cancelled';
    /** The state that the component has if the work succeeded. */
    state: string;
    /** The status before the work. */
    previousStatus: string;
  };
}

/** A piece of work, which can take several calls. */
export interface Work {
  /** Equal in all calls for one piece of work, and different from all others. */
  id: number;
  /** The number of its job. What a later job has applied is newer. */
  job: number;
  /** The number of this call since the last progress, from 1. */
  attempt: number;
  /** The time since the first call, by the clock of the database. */
  elapsedMs: number;
}

/**
 * The answer to a call for work: it is done, or it goes on in the cluster and is to be looked at again. `reason` is what it
 * waits for, if an instance cannot start at present.
 */
export type Progress = { isDone: true } | { isDone: false; checkAgainMs: number; reason?: string };

export const done: Progress = { isDone: true };

/**
 * Work that a cluster refuses or cannot carry out. The message is shown to users. A permanent error is not retried;
 * every other error is.
 */
export class RegionWorkError extends Error {
  readonly isPermanent: boolean;
  /** Whether an instance was started again so often that the component counts as crashed. */
  readonly hasCrashed: boolean;
  /** Whether it concerns the cluster as a whole, which cannot be reached. The driver has logged that once. */
  readonly isUnreachable: boolean;

  constructor(
    message: string,
    {
      isPermanent = false,
      hasCrashed = false,
      isUnreachable = false,
      cause,
    }: { isPermanent?: boolean; hasCrashed?: boolean; isUnreachable?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'RegionWorkError';
    this.isPermanent = isPermanent;
    this.hasCrashed = hasCrashed;
    this.isUnreachable = isUnreachable;
  }
}

/**
 * The interface to clusters. Calls can fail or be slow; callers set a timeout and expect a call to end when its signal is
 * aborted.
 *
 * `apply`, `restart` and `remove` start work or continue it, and return without waiting for instances to start or stop:
 * they are called again until the work is done. They are idempotent, because a process can end between a call and
 * the record of its result. There is one call for a component at a time.
 */
export interface RegionDriver {
  readonly name: string;
  /** Whether the desired state of a component is its actual state, so that there is nothing to carry out. */
  readonly isImmediate?: boolean;
  /** Whether `observe` finds out that components wait for a node while work on them is in progress. */
  readonly observesWork?: boolean;
  /** How long a read may take, in ms. Defaults to `driverTimeoutMs`. */
  readonly timeoutMs?: number;
  /** A look at instances. Absent if the driver has none. */
  readonly instances?: InstanceAccess;
  /** A look at what instances use. Absent if the driver has none. */
  readonly usage?: UsageAccess;
  /** A look at what runs without Trellis. Absent if the driver has no cluster. */
  readonly namespaces?: NamespaceAccess;
  /** A look at what the cluster says of routes. Absent if the driver has no cluster. */
  readonly routes?: RouteAccess;
  /** A look at certificates that come from the cluster. Absent if the driver does not know of any. */
  readonly certificates?: CertificateAccess;
  /** Snapshots of volumes. Absent if the driver makes none. */
  readonly snapshots?: SnapshotAccess;
  /** A look at what Trellis has applied. Absent if the driver has no cluster. */
  readonly objects?: ManagedObjects;
  /** Commands that run once. Absent if the driver has no cluster. */
  readonly runs?: RunAccess;
  /**
   * The domain that components of other namespaces write after the name of a service. Absent if the driver has no namespaces, so
   * that the name alone is enough.
   */
  serviceDomain?(regionId: string, owner: NamespaceOwner): Promise<string>;
  /** Live figures of each region, by region id. */
  figures(regions: readonly RegionKnowledge[], signal: AbortSignal): Promise<Map<string, RegionFigures>>;
  /** Live status of each component without work in progress, by component id. Of others, `waiting` alone counts. */
  observe(components: readonly ComponentKnowledge[], signal: AbortSignal): Promise<Map<string, string>>;
  /**
   * Why components are not healthy, as the cluster says it, by component id. Those of which it says nothing are left out. Absent
   * if there is nothing but what the work on them says.
   */
  explain?(components: readonly ComponentKnowledge[], signal: AbortSignal): Promise<Map<string, string>>;
  /**
   * The number of instances of components that the cluster scales by load, by component id. Absent if the driver has no load:
   * then components have the number that is stored.
   */
  replicas?(
    components: readonly Pick<ComponentKnowledge, 'id' | 'regionId'>[],
    signal: AbortSignal,
  ): Promise<Map<string, number>>;
  /**
   * Those of the components that the cluster has exactly as they are desired, with all instances ready. Changes nothing. Absent
   * if the driver runs no images, whose tags are then not resolved.
   */
  matching?(
    region: RegionTarget,
    components: readonly DesiredComponent[],
    signal: AbortSignal,
  ): Promise<Set<string>>;
  /** Makes the cluster match the component, whatever state it is in. */
  apply(
    region: RegionTarget,
    component: DesiredComponent,
    work: Work,
    signal: AbortSignal,
  ): Promise<Progress>;
  /** Replaces the instances of a component once for each work. */
  restart(
    region: RegionTarget,
    component: DesiredComponent,
    work: Work,
    signal: AbortSignal,
  ): Promise<Progress>;
  /** Removes what the cluster has of a component, but the data of its volumes only if asked to. Succeeds if there is nothing. */
  remove(
    region: RegionTarget,
    component: RemovedComponent,
    work: Work,
    signal: AbortSignal,
  ): Promise<Progress>;
}

/** The timeout of driver calls, in ms. */
const driverTimeoutMs = 5_000;
/** Runs a driver call. Rejects at the timeout or when `signal` is aborted, even if the driver ignores the signal. */
export async function bounded<T>(
  call: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
  timeoutMs = driverTimeoutMs,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  try {
    return await Promise.race([
      call(controller.signal),
      new Promise<never>((_, reject) => {
        const giveUp = (reason: unknown) => {
          reject(reason);
          controller.abort(reason);
        };
        timer = setTimeout(
          () => giveUp(new Error(`The region driver did not respond within ${timeoutMs} ms.`)),
          timeoutMs,
        );
        stop = () => giveUp(signal?.reason);
        signal?.addEventListener('abort', stop, { once: true });
      }),
    ]);
  } finally {
    clearTimeout(timer);
    if (stop) signal?.removeEventListener('abort', stop);
  }
}

/** Who makes a look, by the signal of the call. Not set for the work of jobs. */
const lookers = new WeakMap<AbortSignal, string>();
export const lookerOf = (signal: AbortSignal): string | undefined => lookers.get(signal);

/** The parts of a request that a look for it needs. Work of the process has no actor. */
export interface Looking {
  signal?: AbortSignal | undefined;
  actor?: Parameters<typeof callerId>[0];
}

/** Runs a driver call that only looks, as `bounded` does. Clusters leave most of their connections to jobs, and callers take turns. */
export const boundedLook = <T>(
  call: (signal: AbortSignal) => Promise<T>,
  { signal, actor }: Looking,
  timeoutMs?: number,
): Promise<T> =>
  bounded(
    (ended) => {
      if (actor) lookers.set(ended, String(callerId(actor)));
      return call(ended);
    },
    signal,
    timeoutMs,
  );
