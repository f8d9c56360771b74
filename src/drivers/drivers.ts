import type { SharedAppStore } from './app-store/shared.ts';
import type { IdentityProvider } from './identity/driver.ts';
import type { Clusters } from './region/clusters.ts';
import type { RegionDriver } from './region/driver.ts';
import type { SharedImageRegistry } from './registry/driver.ts';
import type { TokenIssuers } from './token-issuer/driver.ts';

/** The drivers for external systems: clusters, app stores and registries of images. */
export interface Drivers {
  /** Region drivers by name. */
  region: ReadonlyMap<string, RegionDriver>;
  store: SharedAppStore;
  registry: SharedImageRegistry;
  /** Where users sign in. Absent unless it is configured. */
  identity?: IdentityProvider | undefined;
  /** Whose tokens are exchanged for those of service accounts. */
  issuers: TokenIssuers;
  /** Operations on Kubernetes clusters that are not part of the interface of region drivers. */
  clusters: Clusters;
}
