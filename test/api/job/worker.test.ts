import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated.ts';
import { createJobPlace, ended, submit } from '../../support/jobs.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
beforeAll(async () => {
  trellis = await startTrellis({ drivers: [createSimulatedRegion({ delayMs: 50 })], jobs: {} });
});
afterAll(() => trellis?.close());

describe('a job', () => {
  it('is carried out', async () => {
    const place = await createJobPlace(trellis, 'simulated', 3);
    const { job, components } = await ended(trellis, await submit(trellis, place, { steps: [0, 1, 1] }));
    expect(job).toMatchObject({ status: 'succeeded', error: null });
    expect(components.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });
});
