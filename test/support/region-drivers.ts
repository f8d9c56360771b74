import type { RegionDriver } from '../../src/drivers/region/driver.ts';

/** A cluster that refuses whatever it is asked. */
export const failing: RegionDriver = {
  name: 'failing',
  figures: async () => {
    throw new Error('the cluster is on fire');
  },
  statuses: async () => {
    throw new Error('the cluster is on fire');
  },
};

/** A cluster that never answers. */
export const hanging: RegionDriver = {
  name: 'hanging',
  figures: () => new Promise(() => {}),
  statuses: () => new Promise(() => {}),
};
