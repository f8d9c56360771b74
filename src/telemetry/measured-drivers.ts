import type { AppStore } from '../drivers/app-store/driver.ts';
import type { RegionDriver } from '../drivers/region/driver.ts';
import type { Telemetry } from '../kernel/telemetry.ts';

export function measuredStore(store: AppStore, telemetry: Telemetry | undefined): AppStore {
  if (!telemetry) return store;
  return {
    app: (...args) => telemetry.measure('store', 'app', () => store.app(...args)),
    versions: (...args) => telemetry.measure('store', 'versions', () => store.versions(...args)),
    template: (...args) => telemetry.measure('store', 'template', () => store.template(...args)),
  };
}

/** A driver whose calls are measured. An immediate driver answers from the database, which is not a call. */
export function measuredDriver(driver: RegionDriver, telemetry: Telemetry | undefined): RegionDriver {
  if (!telemetry || driver.isImmediate) return driver;
  const measure = <T>(call: string, work: () => Promise<T>) =>
    telemetry.measure('driver', `${driver.name} ${call}`, work);
  const measured: RegionDriver = Object.create(driver);
  const { explain } = driver;
  return Object.assign(measured, {
    figures: (...args) => measure('figures', () => driver.figures(...args)),
    observe: (...args) => measure('observe', () => driver.observe(...args)),
    ...(explain && { explain: (...args) => measure('explain', () => explain.call(driver, ...args)) }),
    apply: (...args) => measure('apply', () => driver.apply(...args)),
    restart: (...args) => measure('restart', () => driver.restart(...args)),
    remove: (...args) => measure('remove', () => driver.remove(...args)),
  } satisfies Partial<RegionDriver>);
}
