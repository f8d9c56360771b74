import { declaredRegion } from '../../src/drivers/region/declared.ts';
import type { RegionDriver } from '../../src/drivers/region/driver.ts';

/** A driver that does what is given here, and answers everything else like the declared one. */
export const driverOf = (driver: Partial<RegionDriver> & { name: string }): RegionDriver => ({
  ...declaredRegion,
  isImmediate: false,
  ...driver,
});

const refuse = async () => {
  throw new Error('the cluster is on fire');
};
const hang = () => new Promise<never>(() => {});

/** A cluster that refuses whatever it is asked. */
export const failing = driverOf({
  name: 'failing',
  usage: { now: refuse, history: refuse, traffic: refuse },
  figures: refuse,
  observe: refuse,
  apply: refuse,
  restart: refuse,
  remove: refuse,
});

/** A cluster that never answers. */
export const hanging = driverOf({
  name: 'hanging',
  timeoutMs: 300,
  usage: { now: hang, history: hang, traffic: hang },
  figures: hang,
  observe: hang,
  apply: hang,
  restart: hang,
  remove: hang,
});
