import type { SharedAppStore } from './app-store/shared.ts';
import type { RegionDriver } from './region/driver.ts';

/** What lies outside of the management model: the clusters, and app stores. */
export interface Drivers {
  /** Region drivers by name. */
  region: ReadonlyMap<string, RegionDriver>;
  store: SharedAppStore;
}
