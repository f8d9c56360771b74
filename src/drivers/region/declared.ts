import { done, type RegionDriver, type RegionFigures, type RegionKnowledge } from './driver.ts';

/** The capacity that regions declare, and the usage that their deployed components request. */
export const declaredFigures = (regions: readonly RegionKnowledge[]): Map<string, RegionFigures> =>
  new Map(
    regions.map((region) => [
      region.id,
      {
        usedCpuCores: region.requestedCpuMillicores / 1000,
        totalCpuCores: region.cpuCores,
        usedMemoryMiB: region.requestedMemoryMiB,
        totalMemoryMiB: region.memoryMiB,
        // Volumes do not reserve disk space.
        usedDiskGiB: 0,
        totalDiskGiB: region.diskGiB,
      },
    ]),
  );

/**
 * The embedded driver, for a platform without a cluster: capacity is declared by the region, usage
 * is what its deployed components request, and the status of a component is its desired state.
 */
export const declaredRegion: RegionDriver = {
  name: 'declared',
  isImmediate: true,
  figures: async (regions) => declaredFigures(regions),
  observe: async (components) => new Map(components.map(({ id, deployState }) => [id, deployState])),
  apply: async () => done,
  restart: async () => done,
  remove: async () => done,
};
