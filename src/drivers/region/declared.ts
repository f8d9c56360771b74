import type { RegionDriver } from './driver.ts';

/**
 * The embedded driver, for a platform without a cluster to ask: capacity is what the region declares, usage
 * what its deployed components request, and a component is in the state that it was told to be in.
 */
export const declaredRegion: RegionDriver = {
  name: 'declared',
  figures: async (regions) =>
    new Map(
      regions.map((region) => [
        region.id,
        {
          usedCpuCores: region.requestedCpuMillicores / 1000,
          totalCpuCores: region.cpuCores,
          usedMemoryMiB: region.requestedMemoryMiB,
          totalMemoryMiB: region.memoryMiB,
          // Volumes declare no size that a cluster would have set aside.
          usedDiskGiB: 0,
          totalDiskGiB: region.diskGiB,
        },
      ]),
    ),
  statuses: async (components) => new Map(components.map(({ id, deployState }) => [id, deployState])),
};
