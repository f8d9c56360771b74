import type { RegionDriver } from './region.ts';
import type { SharedAppStore } from './shared-app-store.ts';

/** What lies outside of the management model: the clusters, and app stores. */
export interface Drivers {
  /** Region drivers by name. */
  region: ReadonlyMap<string, RegionDriver>;
  store: SharedAppStore;
}
