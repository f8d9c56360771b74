import type { AppStore } from './app-store.ts';
import type { RegionDriver } from './region.ts';

/** What lies outside of the management model: the clusters, and app stores. */
export interface Drivers {
  /** Region drivers by name. */
  region: ReadonlyMap<string, RegionDriver>;
  store: AppStore;
}
