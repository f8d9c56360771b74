import type { RegionDriver } from '../../../src/drivers/region/driver.ts';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';

const fails = async () => {
  throw new Error('The connection was lost.');
};

/** Every function of a driver, of its parts as well, fails. */
const failing = (part: object): object =>
  Object.fromEntries(
    Object.entries(part).map(([name, value]) => [
      name,
      typeof value === 'function'
        ? fails
        : value !== null && typeof value === 'object'
          ? failing(value)
          : value,
    ]),
  );

/** A cluster that never responds. */
export const lostRegion = { ...failing(createSimulatedRegion({ delayMs: 0 })), name: 'lost' } as RegionDriver;
