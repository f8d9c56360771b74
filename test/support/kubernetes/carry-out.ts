import type { DesiredComponent, RegionTarget } from '../../../src/drivers/region/desired.ts';
import type { RegionDriver } from '../../../src/drivers/region/driver.ts';
import { beforeNextCall } from './next-call.ts';

export interface CarryOutOptions {
  driver: RegionDriver;
  region: RegionTarget;
  /** The most calls. */
  calls: number;
  onError(): void;
}

let works = 0;

/** Calls the driver as the worker does: errors that are not permanent are retried, and returned. */
export async function carryOut(
  {
    driver,
    region,
    calls = 200,
    onError = () => {},
  }: Pick<CarryOutOptions, 'driver' | 'region'> & Partial<CarryOutOptions>,
  method: 'apply' | 'restart' | 'remove',
  component: DesiredComponent,
): Promise<string[]> {
  const id = ++works;
  const errors: string[] = [];
  for (let attempt = 1; attempt <= calls; attempt++) {
    try {
      const work = { id, job: id, attempt, elapsedMs: 0 };
      const progress = await driver[method](region, component, work, new AbortController().signal);
      if (progress.isDone) return errors;
    } catch (error) {
      if ((error as { isPermanent?: boolean }).isPermanent) throw error;
      errors.push((error as Error).message);
      onError();
    }
    await beforeNextCall();
  }
  throw new Error(`not done: ${[...new Set(errors)].join(' ')}`);
}
