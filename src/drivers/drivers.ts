import type { SharedAppStore } from './app-store/shared.ts';
import type { RegionDriver } from './region/driver.ts';

/** The drivers for external systems: clusters and app stores. */
export interface Drivers {
  /** Region drivers by name. */
  region: ReadonlyMap<string, RegionDriver>;
  store: SharedAppStore;
}
