import type { SharedAppStore } from './app-store/shared.ts';
import type { Clusters } from './region/clusters.ts';
import type { RegionDriver } from './region/driver.ts';
import type { SharedImageRegistry } from './registry/driver.ts';

/** The drivers for external systems: clusters, app stores and registries of images. */
export interface Drivers {
  /** Region drivers by name. */
  region: ReadonlyMap<string, RegionDriver>;
  store: SharedAppStore;
  registry: SharedImageRegistry;
  /** What is beyond the interface of region drivers, of regions that are Kubernetes clusters. */
  clusters: Clusters;
}
