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

export interface ComponentKnowledge {
  id: string;
  regionId: string;
  deployState: string;
}

/** The interface to a cluster. Calls can fail or be slow; callers set a timeout. */
export interface RegionDriver {
  readonly name: string;
  /** Whether the desired state of a component is its actual state, so that there is nothing to carry out. */
  readonly isImmediate?: boolean;
  /** Live figures of each region, by region id. */
  figures(regions: readonly RegionKnowledge[], signal: AbortSignal): Promise<Map<string, RegionFigures>>;
  /** Live status of each component, by component id. */
  statuses(components: readonly ComponentKnowledge[], signal: AbortSignal): Promise<Map<string, string>>;
}

/** The timeout of driver calls, in ms. */
export const driverTimeoutMs = 5_000;

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
