import type { RegionDriver } from './region.ts';

/** What lies outside of the management model: the clusters. */
export interface Drivers {
  /** Region drivers by name. */
  region: ReadonlyMap<string, RegionDriver>;
}
