/** What a region has and what is in use: cpu in cores, memory in MiB, disk in GiB. */
export interface RegionFigures {
  usedCpuCores: number;
  totalCpuCores: number;
  usedMemoryMiB: number;
  totalMemoryMiB: number;
  usedDiskGiB: number;
  totalDiskGiB: number;
}

/** What Trellis itself knows of a region: its declared capacity, and what deployed components ask for. */
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

/** A cluster, as the management model sees it. Each call may fail or be slow; callers bound it. */
export interface RegionDriver {
  readonly name: string;
  /** Live figures of each region, by region id. */
  figures(regions: readonly RegionKnowledge[], signal: AbortSignal): Promise<Map<string, RegionFigures>>;
  /** Live status of each component, by component id. */
  statuses(components: readonly ComponentKnowledge[], signal: AbortSignal): Promise<Map<string, string>>;
}

/** How long a driver may take before its figures are given up. */
export const driverTimeoutMs = 5_000;

/** Runs a driver's call. Rejects when it takes too long, or when `signal` is aborted, even if the driver ignores that. */
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
