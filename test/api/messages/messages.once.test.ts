import { beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { clusterRefusals, componentRefusals } from '../../support/messages/components.ts';
import { exposureRefusals } from '../../support/messages/exposure.ts';
import { limitRefusals } from '../../support/messages/limits.ts';
import { lostRegion } from '../../support/messages/lost-region.ts';
import { placeRefusals } from '../../support/messages/places.ts';
import { planRefusals, storeRefusals } from '../../support/messages/plans.ts';
import { unrendered } from '../../support/messages/rendered.ts';
import { createWorld, hiddenIn, type Refusal, type World } from '../../support/messages/world.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [createSimulatedRegion({ delayMs: 0 }), lostRegion], jobs: {} });

let world: World;
const messages: string[] = [];

beforeAll(async () => {
  world = await createWorld(trellis);
});

const groups: [string, Refusal[]][] = [
  ['a component', componentRefusals],
  ['a cluster', clusterRefusals],
  ['a port, a rule or a certificate', exposureRefusals],
  ['a plan or a preview', planRefusals],
  ['a template', storeRefusals],
  ['a team, a region or a person', placeRefusals],
  ['a limit', limitRefusals],
];

describe.each(groups)('messages about %s', (_, refusals) => {
  it.each(refusals)('have names for whoever $title', async ({ attempt, names }) => {
    const message = await attempt(world);
    messages.push(message);
    for (const name of names(world)) expect(message).toContain(name);
    expect(hiddenIn(message)).toEqual([]);
  });
});

describe('messages that name objects', () => {
  it('are all rendered here, or in the test that is listed', () => {
    expect(unrendered(messages)).toEqual({ missing: [], needless: [] });
  });
});
